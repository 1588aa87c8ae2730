"""The live databases of a profile: `sources:` beside `outputs:` in profiles.yml.

Example
    With `shop: {sources: {erp: {type: postgres, dsn: "service=erp sslmode=verify-full"}}}`,
    `filtersql import erp` reads the definitions of that database, and a subscription says
    `source: {postgres: erp}`, `changes: {postgres: erp}`. `dsn` is any connection string or URL of
    libpq; a password stands in a pgpass or service file, or comes by `env_var`.

A dsn is never printed: messages name the source.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from filtersql.definitions.yaml_document import Document, Node
from filtersql.errors import Mistake
from filtersql.project.template_functions import check_environment
from filtersql.source import Span

__all__ = ["SOURCE_KEYS", "LiveSource", "read_sources"]

SOURCE_KEYS = ("type", "dsn")


class LiveSource(Struct, frozen=True):
    """An entry of a profile's sources.

    `unset` are the mistakes of one whose dsn needs an environment variable that is not set: only
    who connects must have it.
    """

    name: str
    dsn: str
    span: Span
    unset: tuple[Mistake, ...] = ()

    def __repr__(self) -> str:
        """Without the dsn: a traceback may show it."""
        return f"LiveSource(name={self.name!r})"


def read_sources(document: Document, node: Node | None) -> dict[str, LiveSource]:
    """The sources by name; what is wrong with one is added to the document's mistakes."""
    found: dict[str, LiveSource] = {}
    for key, value in document.pairs(node, "sources"):
        where = f'source "{key.value}"'
        if isinstance(value.value, str):  # perhaps a dsn, with its password
            document.wrong_kind(value, where, "a mapping", "a text")
            continue
        entry = document.mapping(value, where, SOURCE_KEYS)
        for needed in SOURCE_KEYS:
            if needed not in entry:
                document.missing(needed, where, key)
        document.choice(entry.get("type"), f"type of {where}", ("postgres",))
        dsn = document.string(entry.get("dsn"), f"dsn of {where}")
        if dsn is not None:
            unset = _unset(document, entry)
            found[key.value] = LiveSource(key.value, dsn, document.span(key), unset)
    return found


def _unset(document: Document, entry: Mapping[str, Node]) -> tuple[Mistake, ...]:
    apart = Document(document.passage, [])
    check_environment(apart, entry["dsn"])
    return tuple(apart.mistakes)
