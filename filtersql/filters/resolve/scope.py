"""What an expression is resolved in: one table, one clock, and the places of its text."""

from __future__ import annotations

import re

from msgspec import Struct, field

from filtersql.catalog import Column, Made, OwnCollation, PgType, Table
from filtersql.filters.values.clock import Clock
from filtersql.source import Passage, Rival, Span

__all__ = ["Scope", "type_of"]

_TOKEN = re.compile(
    r"""(?:[uU]&|[eExXbBnN])?'(?:[^']|'')*' | (?:[uU]&)?"(?:[^"]|"")*" | \$\w*\$ | \d[\w.]*
    | [^\W\d][\w$]* | [-+*/<>=~!@#%^&|`?]+ | ::? | .""",
    re.VERBOSE | re.DOTALL,
)

_SCHEMAS = {"public", "information_schema", "pg_catalog", "pg_toast"}


class Scope(Struct):
    """PostgreSQL's ParseState, as far as a row filter needs one."""

    passage: Passage
    table: Table
    clock: Clock = field(default_factory=Clock)
    made: Made = field(default_factory=Made)
    #: whose rules hold: a publication's WHERE, or a CHECK constraint's, as replication sets do
    checked: bool = False
    #: whether a CHECK constraint's filter may read that system column
    tableoid: bool = True
    #: where the expression stands, as PostgreSQL's messages name it
    clause: str = ""
    columns: dict[str, Column] = field(default_factory=dict)
    #: collations that somebody made: of its columns, and those that the filter may name
    own_collations: dict[str | None, OwnCollation] = field(default_factory=dict)

    #: what plain names may mean beside PostgreSQL's own
    rivals: tuple[Rival, ...] = ()

    def __post_init__(self) -> None:
        said = self.passage.session.rivals
        self.rivals = self.made.rivals if said is None else said
        self.clause = self.clause or ("check constraints" if self.checked else "WHERE")
        self.columns = {column.name: column for column in self.table.columns}
        self.own_collations = dict(self.made.collations.items())
        self.own_collations |= {
            column.collation or column.domain_collation: column.own_collation
            for column in self.table.columns
            if column.own_collation is not None
        }

    def has_schema(self, name: str) -> bool:
        """Whether the source has that schema, as far as it is known."""
        return name in _SCHEMAS or name in self.made.schemas or name == self.table.name.schema

    def span(self, location: int) -> Span:
        """The token that starts there; the whole filter when PostgreSQL names no place."""
        text = self.passage.text
        if not 0 <= location < len(text):
            return self.passage.span()
        token = _TOKEN.match(text, location)
        return self.passage.span(location, token.end() if token else location + 1)


def type_of(pg_type: PgType) -> str:
    """The name by which the facts know a column's type; a user's type keeps its schema."""
    return pg_type.name if pg_type.schema == "pg_catalog" else f"{pg_type.schema}.{pg_type.name}"
