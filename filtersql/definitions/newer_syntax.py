"""What the grammar of an older PostgreSQL does not know: its syntax error, at its word.

Example
    With `postgres_version: 17`, `CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2))` is
    refused: syntax error at or near ")". Column lists and options say by themselves since when
    they are known.

    =================================== ===== ======================
    syntax                              since error at or near
    =================================== ===== ======================
    a text STORAGE main                 16    STORAGE
    ALTER COLUMN b SET EXPRESSION AS …  17    EXPRESSION
    GENERATED ALWAYS AS (…) [VIRTUAL]   18    what stands for STORED
    [NOT] ENFORCED                      18    ENFORCED
    NOT NULL a, NOT NULL NO INHERIT     18    NOT, NO
    WITHOUT OVERLAPS, PERIOD            18    WITHOUT, the column
    =================================== ===== ======================

PostgreSQL
    src/backend/parser/gram.y of each version
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from filtersql.definitions.sql_names import Script
from filtersql.errors.definitions import SyntaxMistake
from filtersql.grammar import Node, Statement, Token, enum_name, scan

__all__ = ["check_syntax"]

_NEWEST = 18
_WORDS = re.compile(r"ENFORCED|GENERATED|NULL|OVERLAPS|PERIOD|EXPRESSION|STORAGE", re.IGNORECASE)


class _Newer(NamedTuple):
    """Where an older grammar stops, and since when it does not."""

    place: int
    since: int


class _Text(NamedTuple):
    """The words of a statement, with their places."""

    text: str
    start: int
    tokens: list[Token]

    def word(self, token: Token) -> str:
        return self.text[token.start : token.end].upper()

    def behind(self, place: int) -> Iterator[Token]:
        """The tokens from there on."""
        return (token for token in self.tokens if token.start + self.start >= place)

    def find(self, place: int, word: str) -> int:
        """Where a word stands that is there."""
        return self.start + next(t.start for t in self.behind(place) if self.word(t) == word)

    def end_of_parentheses(self, place: int) -> int:
        """Where the first parentheses from there on end."""
        depth = 0
        for token in self.behind(place):
            depth += {"(": 1, ")": -1}.get(self.word(token), 0)
            if not depth and self.word(token) == ")":
                return self.start + token.end
        raise AssertionError("a parenthesis is not closed")


def check_syntax(script: Script, statement: Statement) -> None:
    """Raises the syntax error of the project's version, at the first word that it does not know."""
    version, whole = script.drafts.postgres_version, script.text.text
    if version >= _NEWEST:
        return
    written = whole[statement.start : statement.end]
    if _WORDS.search(written) is None:
        return
    text = _Text(written, statement.start, scan(written))
    found = [one.place for one in _of_statement(statement, text) if one.since > version]
    if not found:
        return
    token = next(text.behind(min(found)), None)
    if token is not None:
        start, end = token.start + text.start, token.end + text.start
    else:  # what ends the statement
        start, end = statement.end, min(statement.end + 1, len(whole))
    script.drafts.incomplete = True
    if not whole[start:].strip():
        span = script.text.after(len(whole.rstrip()))
        raise SyntaxMistake("syntax error at end of input", span)
    near = whole[start:end]
    raise SyntaxMistake(f'syntax error at or near "{near}"', script.text.span(start, end))


def _of_statement(statement: Statement, text: _Text) -> Iterator[_Newer]:
    node = statement.node
    if statement.kind == "create_foreign_table_stmt":
        node = node.base_stmt
    for element in getattr(node, "table_elts", ()):
        yield from _of_element(element, text)
    for wrapped in getattr(node, "cmds", ()):
        command = wrapped.alter_table_cmd
        kind, definition = enum_name(command, "subtype"), getattr(command, "def")
        if kind == "AT_SetExpression":
            yield _Newer(text.find(statement.start, "EXPRESSION"), 17)
        elif kind == "AT_AlterConstraint" and definition.atalter_constraint.alter_enforceability:
            yield _Newer(text.find(statement.start, "ENFORCED"), 18)
        else:
            yield from _of_element(definition, text)


def _of_element(element: Node, text: _Text) -> Iterator[_Newer]:
    """A column or a constraint of a table."""
    match element.WhichOneof("node"):
        case "column_def":
            column = element.column_def
            if column.storage_name:
                yield _Newer(text.find(column.location, "STORAGE"), 16)
            for wrapped in column.constraints:
                yield from _of_column(wrapped.constraint, text)
        case "constraint":
            yield from _of_table(element.constraint, text)


def _of_column(node: Node, text: _Text) -> Iterator[_Newer]:
    kind, place = enum_name(node, "contype"), node.location
    if kind in ("CONSTR_ATTR_ENFORCED", "CONSTR_ATTR_NOT_ENFORCED"):
        yield _Newer(text.find(place, "ENFORCED"), 18)
    elif kind == "CONSTR_NOTNULL" and node.is_no_inherit:
        yield _Newer(text.find(text.find(place, "NULL"), "NO"), 18)
    elif kind == "CONSTR_GENERATED" and node.generated_kind == "v":
        yield _Newer(text.end_of_parentheses(place), 18)


def _of_table(node: Node, text: _Text) -> Iterator[_Newer]:
    place = node.location
    if enum_name(node, "contype") == "CONSTR_NOTNULL":
        yield _Newer(text.find(place, "NOT"), 18)
    if node.without_overlaps:
        yield _Newer(text.find(place, "WITHOUT"), 18)
    if node.fk_with_period:
        yield _Newer(text.find(place, "PERIOD") + len("PERIOD"), 18)
    depth, before = 0, ""
    for token in text.behind(place):
        word = text.word(token)
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth < 0 or (word == "," and not depth):
            return
        if word == "ENFORCED" and not depth and before != "CONSTRAINT":
            yield _Newer(text.start + token.start, 18)
        before = word
