"""An output of a profile: where the rows go.

Example
    `dev: {type: duckdb, path: shop.duckdb}` is an `Output` of the engine DuckDB.
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
    NOT_A_RESOURCE,
    NOT_OF_KIND,
)
from filtersql.project.output_keys import CHOICES, FLAGS, KINDS, NUMBERS, OUTPUT_KEYS, RESOURCES
from filtersql.project.secrets import secrets_in
from filtersql.project.template_functions import check_environment
from filtersql.source import Span

__all__ = ["Output", "output_of"]

_NEEDED = {"thrift": ("host",), "connect": ("url",), "duckdb": ("path",)}
_METHODS = ("session", "thrift", "connect")
_FORMATS = ("delta", "iceberg")
#: keys that would do nothing without TLS, though they look as if the connection had it
_OF_TLS = ("ca_cert", "client_cert", "client_key", "verify_server")


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


def output_of(document: Document, key: Node, node: Node, secrets: set[str]) -> Output | None:
    """One output; what is wrong with it is added to the document's mistakes."""
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
    for key_of_mapping in ("spark_conf", "catalog_config", "http_headers"):
        document.pairs(entry.get(key_of_mapping), f"{key_of_mapping} of {where}")
    document.items(entry.get("jars"), f"jars of {where}")
    document.string(entry.get("description"), f"description of {where}")
    said = {key: document.plain(value) for key, value in entry.items()}
    said |= _of_server(document, where, entry) | _of_duckdb(document, where, entry)
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
        secrets=frozenset(secrets | set(secrets_in("", said))),
    )


def _of_duckdb(document: Document, where: str, entry: Mapping[str, Node]) -> dict[str, object]:
    """The path of a file as it is written; what settings and extensions hold is judged."""
    for key, value in document.pairs(entry.get("settings"), f"settings of {where}"):
        document.text(value, f"{key.value} of {where}")
        if key.value not in RESOURCES:
            at = document.span(key)
            document.mistakes.append(NOT_A_RESOURCE(at, name=key.value, known=RESOURCES))
    document.texts(entry.get("extensions"), f"extensions of {where}")
    path = document.string(entry.get("path"), f"path of {where}")
    return {} if path is None else {"path": path}


def _of_server(document: Document, where: str, entry: Mapping[str, Node]) -> dict[str, object]:
    """The keys of a server's address, each as what it is."""
    wrong = {key for key in KINDS if key in entry and not _of_kind(document, key, where, entry)}
    right = {key: node for key, node in entry.items() if key not in wrong}
    said: dict[str, object] = {key: document.string(right.get(key), key) for key in CHOICES}
    said |= {key: document.boolean(right.get(key), key) for key in FLAGS}
    said |= {key: document.integer(right.get(key), key) for key in NUMBERS}
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
    kind, name = KINDS[key]
    value = node.value if isinstance(node.value, str) else ""
    if re.fullmatch(kind, value):
        return True
    close = nearest(value, CHOICES.get(key, ()))
    span = document.span(node)
    document.mistakes.append(NOT_OF_KIND(span, key=key, where=where, kind=name, close=close))
    return False
