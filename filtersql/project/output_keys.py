"""The keys that a profile and its outputs may have, and what is written behind them.

Example
    OUTPUT_KEYS["connect"]               the keys of an output of `method: connect`
    KINDS["port"]                        ("-?[0-9]+", "a whole number")
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CHOICES", "FLAGS", "KINDS", "NUMBERS", "OUTPUT_KEYS", "PROFILE_KEYS", "RESOURCES"]

PROFILE_KEYS = ("target", "outputs", "sources")
_EVERY = "type threads schema catalog state_schema description"
_SPARK = f"{_EVERY} method format spark_conf jars catalog_config warehouse"
_TLS = "use_ssl ca_cert client_cert client_key verify_server connect_timeout socket_timeout"
#: which keys an output of each kind may have
OUTPUT_KEYS: Mapping[str, frozenset[str]] = {
    "session": frozenset(_SPARK.split()),
    "thrift": frozenset(
        f"{_SPARK} {_TLS} host port user auth password transport http_path http_headers"
        " kerberos_service_name database staging_path".split()
    ),
    "connect": frozenset(f"{_SPARK} {_TLS} url token user staging_path".split()),
    "duckdb": frozenset(f"{_EVERY} path settings extensions jars spark_conf".split()),
}
#: settings of DuckDB that change no result
RESOURCES = (
    "memory_limit", "threads", "temp_directory", "max_temp_directory_size", "checkpoint_threshold",
)  # fmt: skip
#: keys of a server's address that are one of some words, true or false, or a whole number
CHOICES = {
    "auth": ("NOSASL", "NONE", "LDAP", "KERBEROS"),
    "transport": ("binary", "http"),
}
FLAGS = ("use_ssl", "verify_server")
NUMBERS = ("port", "connect_timeout", "socket_timeout")
#: what the value of a key of a connection must be, where it is not any text
KINDS = {
    **dict.fromkeys(NUMBERS, (r"-?[0-9]+", "a whole number")),
    **dict.fromkeys(FLAGS, ("(?i:true|false|yes|no|on|off)", "true or false")),
    **{key: ("|".join(words), f"one of {', '.join(words)}") for key, words in CHOICES.items()},
}
