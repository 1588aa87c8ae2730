"""profiles.yml: where the rows go.

Example
    With `shop: {target: dev, outputs: {dev: {type: duckdb, path: shop.duckdb}}}` and
    `profile: shop` in the project file, the output is dev; `--target` names another one. Only the
    chosen output must be complete: an `env_var` that another one needs may be unset.

A password or token is kept out of every text that is shown: its place in the file shows asterisks,
and its value is in `Output.secrets`, which printers remove from what they print.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from os.path import normpath
from pathlib import PurePath
from typing import Literal

from msgspec import Struct, field

from filtersql.definitions.yaml_document import Document, Node
from filtersql.errors import nearest
from filtersql.errors.definitions import InvalidValue
from filtersql.errors.project import (
    DATA_IN_TARGET,
    NEEDS_TLS,
    NOT_A_HOST,
    NOT_OF_KIND,
    UNKNOWN_TARGET,
    UNSET_ENVIRONMENT,
    NoProfile,
)
from filtersql.errors.wording import meant
from filtersql.project.settings import Settings
from filtersql.source import Passage, Source, Span

__all__ = [
    "OUTPUT_KEYS",
    "PROFILE_KEYS",
    "Output",
    "Profile",
    "check_environment",
    "hide_secrets",
    "is_secret",
    "read_output",
    "read_profile",
    "unset_mark",
]

PROFILE_KEYS = ("target", "outputs", "sources")
#: a profile's node, and its entries by key
Profile = tuple[Node, Mapping[str, Node]]

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
_NEEDED = {"thrift": ("host",), "connect": ("url",), "duckdb": ("path",)}
_METHODS = ("session", "thrift", "connect")
_FORMATS = ("delta", "iceberg")
_CHOICES = {
    "auth": ("NOSASL", "NONE", "LDAP", "KERBEROS"),
    "transport": ("binary", "http"),
}
_FLAGS = ("use_ssl", "verify_server")
_NUMBERS = ("port", "connect_timeout", "socket_timeout")
#: what the value of a key of a connection must be, where it is not any text
_KINDS = {
    **dict.fromkeys(_NUMBERS, (r"-?[0-9]+", "a whole number")),
    **dict.fromkeys(_FLAGS, ("(?i:true|false|yes|no|on|off)", "true or false")),
    **{key: ("|".join(words), f"one of {', '.join(words)}") for key, words in _CHOICES.items()},
}
#: keys that would do nothing without TLS, though they look as if the connection had it
_OF_TLS = ("ca_cert", "client_cert", "client_key", "verify_server")
_SECRET = re.compile(
    r"passw|pwd\b|token|secret|authorization|credential|private_?key|access_?key|account\.key", re.I
)
#: `key: value`, on a line of its own or inside of braces
_PAIR = re.compile(
    r"(?P<before>(?P<key>[\w.\-]+)['\"]?[ \t]*:[ \t]+)"
    r"(?P<value>'[^'\n]*'|\"[^\"\n]*\"|\[[^\]\n]*\]|[^\s{\[#&*|>'\"][^,}\n#]*)"
)
_IN_TEXT = re.compile(
    r"(?:password|pwd|token|secret)=([^;&\s]+)|://[^/\s:@]*:([^/\s@]+)@"
    r"|\bhost['\"]?[ \t]*:[ \t]+['\"]?[^\s:@]*:([^\s@]+)@",
    re.I,
)
#: the whole connection string: a password in it may hold what ends other values
_DSN = re.compile(r"(\bdsn['\"]?[ \t]*:[ \t]*)(\"[^\"\n]*\"|'[^'\n]*'|[^\n]*)")
_HARMLESS = {key for keys in OUTPUT_KEYS.values() for key in keys if not _SECRET.search(key)} | {
    *PROFILE_KEYS,
}
_UNSET = re.compile("\ue000([A-Za-z0-9_]+)\ue001")


class Output(Struct, frozen=True):
    """One entry of a profile's outputs. `settings` holds every key as it is written, rendered."""

    name: str
    type: Literal["spark", "duckdb"]
    span: Span
    method: str | None = None
    format: str | None = None
    schema: str | None = None
    catalog: str | None = None
    state_schema: str = "filtersql"
    threads: int | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    #: texts that must not be printed
    secrets: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        """Without settings and secrets: a traceback may show it."""
        return f"Output(name={self.name!r}, type={self.type!r})"

    @property
    def engine(self) -> Literal["spark", "duckdb"]:
        """The engine that runs its statements."""
        return self.type


def is_secret(name: str) -> bool:
    """Whether a key or an environment variable of that name holds a secret."""
    return bool(_SECRET.search(name))


def unset_mark(name: str) -> str:
    """What stands for an unset environment variable until its output is chosen."""
    return f"\ue000{name}\ue001"


def hide_secrets(source: Source) -> Source:
    """The file as it may be shown: only the values of keys that hold no secret can be read.

    A key that is not known may be a password's with a slip in it.
    """

    def hidden(found: re.Match[str]) -> str:
        kind, _ = _KINDS.get(found["key"], ("", ""))
        value = found["value"].strip().strip("'\"")
        right = not kind or value.startswith("{{") or re.fullmatch(kind, value)
        shown = found["key"] in _HARMLESS and right
        return found[0] if shown else found["before"] + "*" * len(found["value"])

    text = _DSN.sub(lambda found: found[1] + "*" * len(found[2]), source.text)
    text = _PAIR.sub(hidden, text)
    for found in _IN_TEXT.finditer(text):
        start, end = found.span(found.lastindex or 0)
        text = text[:start] + "*" * (end - start) + text[end:]
    return Source(source.path, text)


def read_profile(document: Document, settings: Settings) -> Profile | None:
    """The project's profile and its entries; what is wrong is added to the document's mistakes."""
    root = document.root()
    if settings.profile is None or (root is None and document.mistakes):
        return None
    profiles = document.mapping(root, "profiles.yml", None)
    if settings.profile not in profiles:
        path = document.passage.source.path
        document.mistakes.append(NoProfile(settings.profile, path, profiles, settings.profile_span))
        return None
    node = profiles[settings.profile]
    return node, document.mapping(node, f'profile "{settings.profile}"', PROFILE_KEYS)


def read_output(
    document: Document, settings: Settings, profile: Profile, target: str | None, secrets: set[str]
) -> Output | None:
    """The chosen output; what is wrong with it is added to the document's mistakes."""
    (node, entry), where = profile, f'profile "{settings.profile}"'
    if "outputs" not in entry:
        document.missing("outputs", where, node)
        return None
    pairs = document.pairs(entry["outputs"], "outputs")
    outputs = {key.value: (key, value) for key, value in pairs}
    chosen, span = target, None
    if chosen is None and "target" in entry:
        chosen, span = document.string(entry["target"], "target"), document.span(entry["target"])
    if chosen is None and len(outputs) == 1:
        chosen = next(iter(outputs))
    if chosen is None:
        document.missing("target", where, node)
        return None
    if chosen not in outputs:
        hint, names = meant(chosen, outputs), list(outputs) or None
        document.mistakes.append(
            UNKNOWN_TARGET(span, profile=settings.profile, name=chosen, targets=names, hint=hint)
        )
        return None
    key, node = outputs[chosen]
    return _output(document, key, node, secrets)


def _output(document: Document, key: Node, node: Node, secrets: set[str]) -> Output | None:
    name = key.value
    where = f'output "{name}"'
    mistakes = len(document.mistakes)
    check_environment(document, node)
    entry = document.mapping(node, where, None)
    if "type" not in entry:
        document.missing("type", where, key)
        return None
    kind = document.choice(entry["type"], f"type of {where}", ("spark", "duckdb"))
    method = None
    if kind == "spark":
        if "method" not in entry:
            document.missing("method", where, key)
            return None
        method = document.choice(entry["method"], f"method of {where}", _METHODS)
    if kind is None or (kind == "spark" and method is None):
        return None
    known = OUTPUT_KEYS[method or "duckdb"]
    entry = document.mapping(node, where, known)
    for needed in _NEEDED.get(method or "duckdb", ()):
        if needed not in entry:
            document.missing(needed, where, key)
    table_format = document.choice(entry.get("format"), f"format of {where}", _FORMATS)
    threads = document.integer(entry.get("threads"), "threads")
    if threads is not None and threads < 1:
        at = document.span(entry["threads"])
        document.mistakes.append(InvalidValue("threads", str(threads), (), at))
    for key_of_mapping in ("spark_conf", "catalog_config", "settings", "http_headers"):
        document.pairs(entry.get(key_of_mapping), f"{key_of_mapping} of {where}")
    document.items(entry.get("jars"), f"jars of {where}")
    said = {key: document.plain(value) for key, value in entry.items()}
    said |= _of_server(document, where, entry)
    for key_of_place in ("path", "warehouse"):
        place = said.get(key_of_place)
        if isinstance(place, str) and PurePath(normpath(place)).parts[:1] == ("target",):
            at = document.span(entry[key_of_place])
            document.mistakes.append(DATA_IN_TARGET(at, path=place))
    if len(document.mistakes) > mistakes:
        return None
    return Output(
        name=name,
        type="duckdb" if kind == "duckdb" else "spark",
        span=document.span(key),
        method=method,
        format=(table_format or "delta") if kind == "spark" else None,
        schema=document.string(entry.get("schema"), "schema"),
        catalog=document.string(entry.get("catalog"), "catalog"),
        state_schema=document.string(entry.get("state_schema"), "state_schema") or "filtersql",
        threads=threads,
        settings=said,
        secrets=frozenset(secrets | set(_secrets("", said))),
    )


def _of_server(document: Document, where: str, entry: Mapping[str, Node]) -> dict[str, object]:
    """The keys of a server's address, each as what it is."""
    wrong = {key for key in _KINDS if key in entry and not _of_kind(document, key, where, entry)}
    right = {key: node for key, node in entry.items() if key not in wrong}
    said: dict[str, object] = {key: document.string(right.get(key), key) for key in _CHOICES}
    said |= {key: document.boolean(right.get(key), key) for key in _FLAGS}
    said |= {key: document.integer(right.get(key), key) for key in _NUMBERS}
    said = {key: value for key, value in said.items() if value is not None}
    host = document.string(entry.get("host"), "host")
    if host is not None and set(host) & set("@/"):
        document.mistakes.append(NOT_A_HOST(document.span(entry["host"])))
    if "host" in entry and not said.get("use_ssl"):
        document.mistakes.extend(
            NEEDS_TLS(document.span(entry[key]), key=key) for key in _OF_TLS if key in entry
        )
    return said


def _of_kind(document: Document, key: str, where: str, entry: Mapping[str, Node]) -> bool:
    node = entry[key]
    kind, name = _KINDS[key]
    value = node.value if isinstance(node.value, str) else ""
    if re.fullmatch(kind, value):
        return True
    close = nearest(value, _CHOICES.get(key, ()))
    span = document.span(node)
    document.mistakes.append(NOT_OF_KIND(span, key=key, where=where, kind=name, close=close))
    return False


def check_environment(document: Document, node: Node) -> None:
    """Unset environment variables are mistakes in the chosen output only."""
    if isinstance(node.value, str):
        passage: Passage = document.scalar(node)
        for found in _UNSET.finditer(passage.text):
            at = passage.span(found.start(), found.end())
            document.mistakes.append(UNSET_ENVIRONMENT(at, name=found[1]))
        return
    for child in node.value:
        for one in child if isinstance(child, tuple) else (child,):
            check_environment(document, one)


def _secrets(key: str, value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [one for name, item in value.items() for one in _secrets(name, item)]
    if isinstance(value, list):
        return [one for item in value for one in _secrets(key, item)]
    if value is None or isinstance(value, bool):
        return []
    text = str(value)
    found = [one for pair in _IN_TEXT.findall(text) for one in pair if one]
    return [*found, text] if text and is_secret(key) else found
