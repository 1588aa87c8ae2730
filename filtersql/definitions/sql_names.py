"""Which relation a name in a SQL file means: `search_path` and what exists.

Example
    After `SET search_path = sales, public`, a new table `t` is made in sales; an existing `t` is
    looked up in sales first, then in public. A dump sets an empty path and writes every schema.

PostgreSQL
    namespace.c: RangeVarGetCreationNamespace(), RelnameGetRelid()
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct, field

from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.identifiers import fold
from filtersql.definitions.kinds import UNOPENED, kind_of
from filtersql.definitions.partitions import settle
from filtersql.definitions.sql_text import lexemes
from filtersql.errors import Mistake
from filtersql.errors.definitions import ALREADY_EXISTS, Unknown, UnsupportedStatement
from filtersql.errors.relations import (
    CANNOT_OPEN,
    IS_ONE,
    NO_SCHEMA,
    RELATION_OF_TYPE,
    UNKNOWN_SCHEMA,
)
from filtersql.grammar import Node, Statement
from filtersql.names import RelationName
from filtersql.source import Passage, Span

__all__ = [
    "AlreadyTold",
    "Place",
    "Refused",
    "Script",
    "Settings",
    "check_free",
    "check_lasting",
    "check_opened",
    "created",
    "created_in_schema",
    "created_name",
    "known_table",
    "place_of",
    "referenced",
    "span_of",
    "unknown_table",
]


#: since when PostgreSQL says "cannot open relation" of what it does not open as a table
_CANNOT_OPEN_SINCE = 16
_PART = r'(?:"(?:[^"]|"")*"|[\w$]+)'
_NAME = re.compile(rf"{_PART}(?:\s*\.\s*{_PART})*")


#: where a mistake stands, looked for only where there is one
Place = Callable[[], Span]
#: the schema of temporary relations, as every session calls its own
_TEMPORARY = "pg_temp"


class AlreadyTold(Exception):
    """A statement depends on a definition whose mistake is reported: it says nothing of its own."""


class Refused(AlreadyTold):
    """The source system refuses the statement as a whole: nothing that it names is in doubt."""


class Settings(Struct, frozen=True):
    """What SET said so far: where names are looked up, who carries out."""

    path: Sequence[str] = ("public",)
    session_user: str | None = None
    role: str | None = None

    @property
    def owner(self) -> str | None:
        """Of what is made; None is who carries the definitions out."""
        return self.role or self.session_user


class Script(Struct):
    """One SQL file while it is carried out."""

    text: Passage
    drafts: Drafts
    settings: Settings = field(default_factory=Settings)
    #: where the statement starts that is carried out
    at: int = 0
    #: where the transaction began that is open
    began: Span | None = None

    @property
    def path(self) -> Sequence[str]:
        """search_path."""
        return self.settings.path

    def span(self, start: int, length: int = 1) -> Span:
        """A place in the file."""
        start = max(start, 0)
        return self.text.span(start, min(start + length, len(self.text.text)))


def span_of(script: Script, node: Node) -> Span:
    """Where a range_var stands."""
    start = max(node.location, 0)
    match = _NAME.match(script.text.text, start)
    return script.text.span(start, match.end() if match else start + 1)


def place_of(script: Script, statement: Statement, name: str) -> Span:
    """Where a statement writes a name that the parse tree gives no place; else its first word."""
    first = None
    for lexeme in lexemes(script.text.text, statement.start):
        if lexeme.end > statement.end:
            break
        first = first or lexeme
        word = script.text.text[lexeme.start : lexeme.end]
        if name and (word.strip('"').replace('""', '"') == name or fold(word) == name):
            return script.text.span(lexeme.start, lexeme.end)
    return script.text.span(first.start, first.end) if first else script.span(statement.start)


def check_lasting(script: Script, node: Node) -> None:
    """Raises for a temporary relation, which would hide others of its name."""
    schema = node.schemaname or next(iter(script.path), "")
    if node.relpersistence == "t" or schema == _TEMPORARY:
        hint = "Leave out the statements about it: no publication takes it."
        raise UnsupportedStatement("a temporary relation", span_of(script, node), hint)


def created(script: Script, node: Node) -> RelationName:
    """The name of a relation that a statement makes."""
    check_lasting(script, node)
    if node.schemaname:
        return RelationName(node.schemaname, node.relname)
    if not script.path or ([*script.path] == ["public"] and not script.drafts.has_schema("public")):
        raise NO_SCHEMA(span_of(script, node))
    return RelationName(script.path[0], node.relname)


def check_free(script: Script, name: RelationName, span: Span) -> None:
    """Raises where a new relation's name is another relation's or a type's."""
    drafts = script.drafts
    if kind_of(drafts, name) is not None:
        there = drafts.tables.get(name)
        raise ALREADY_EXISTS(
            span, kind="relation", name=name.name, first=there.span if there else None
        )
    if name in drafts.types:
        raise RELATION_OF_TYPE(span, name=name.name)


def referenced(script: Script, node: Node) -> RelationName:
    """The name of a relation that should exist; whether it does is for the caller to ask."""
    if node.schemaname:
        return RelationName(node.schemaname, node.relname)
    for schema in script.path:
        name = RelationName(schema, node.relname)
        if name in script.drafts.tables or name in script.drafts.broken:
            return name
    for schema in script.path[1:]:
        name = RelationName(schema, node.relname)
        if kind_of(script.drafts, name) is not None:
            return name
    return RelationName(next(iter(script.path), "public"), node.relname)


def known_table(script: Script, node: Node, *, missing_ok: bool = False) -> DraftTable:
    """The table of a range_var."""
    name = referenced(script, node)
    table = script.drafts.tables.get(name)
    if name in script.drafts.broken or (table is None and (missing_ok or script.drafts.incomplete)):
        raise AlreadyTold
    if table is None:
        check_opened(script.drafts, name, span_of(script, node))
        raise unknown_table(script.drafts, name, node.schemaname, span_of(script, node))
    if table.columns is None:
        settle(script.drafts, table)
    return table


def created_name(script: Script, names: Node) -> RelationName:
    """The name of what a statement makes that is no relation: a type, an operator, a collation."""
    parts = [name.string.sval for name in names]
    schema = parts[-2] if len(parts) > 1 else next(iter(script.path), "public")
    return RelationName(schema, parts[-1])


def created_in_schema(script: Script, statement: Statement) -> tuple[RelationName, Span]:
    """That name of `defnames` and where it stands. Raises where there is no such schema."""
    name = created_name(script, statement.node.defnames)
    span = place_of(script, statement, name.name)
    if not script.drafts.has_schema(name.schema):
        raise UNKNOWN_SCHEMA(span, schema=name.schema)
    return name, span


def check_opened(drafts: Drafts, name: RelationName, span: Span) -> None:
    """Raises what table_open() says of an index or a composite type."""
    many = kind_of(drafts, name)
    kind = UNOPENED.get(many or "")
    if kind is not None and many is not None:
        if drafts.postgres_version < _CANNOT_OPEN_SINCE:
            raise IS_ONE(span, name=name.name, one=kind)
        raise CANNOT_OPEN(span, name=name.name, many=many)


def unknown_table(drafts: Drafts, name: RelationName, schema: str, span: Span) -> Mistake:
    """What PostgreSQL says of a relation that does not exist."""
    known = list(drafts.tables)
    if schema and not drafts.has_schema(schema):
        return UNKNOWN_SCHEMA(span, schema=schema)
    if schema:
        return Unknown("relation", f"{schema}.{name.name}", span, [f"{t[0]}.{t[1]}" for t in known])
    return Unknown("relation", name.name, span, [table.name for table in known])
