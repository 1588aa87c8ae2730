"""What the grammar of an older PostgreSQL does not know: refused, at the statement's first word.

Example
    With `postgres_version: 17`, `CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2))` is
    refused: a virtual generated column is not supported. Column lists and options say by
    themselves since when they are known.

PostgreSQL
    src/backend/parser/gram.y of each version
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from filtersql.definitions.sql_names import Script, place_of
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement, enum_name

__all__ = ["check_syntax"]

_NEWEST = 18
_WORDS = "[NOT] ENFORCED"
_ENFORCED = ("CONSTR_ATTR_ENFORCED", "CONSTR_ATTR_NOT_ENFORCED")
#: behind a constraint of the table, where the tree does not keep what is so anyway
_SAID_ENFORCED = re.compile(r"\)\s*(?:NOT\s+)?ENFORCED\b", re.IGNORECASE)


def check_syntax(script: Script, statement: Statement) -> None:
    """Raises where a statement says what the project's version does not read."""
    version, node = script.drafts.postgres_version, statement.node
    if version >= _NEWEST:
        return
    if statement.kind == "create_foreign_table_stmt":
        node = node.base_stmt
    parts = [*getattr(node, "table_elts", ())]
    parts += (getattr(command.alter_table_cmd, "def") for command in getattr(node, "cmds", ()))
    constructs = [each for part in parts for each in _newer(part)]
    if _SAID_ENFORCED.search(script.text.text, statement.start, statement.end):
        constructs.append((_WORDS, 18))
    for construct, since in constructs:
        if version < since:
            at = place_of(script, statement, "")
            script.drafts.incomplete = True  # as of any statement that does not parse
            raise UnsupportedStatement(f"{construct} before PostgreSQL {since}", at)


def _newer(part: Node) -> Iterator[tuple[str, int]]:
    """What a column or a constraint says, and since when that is known."""
    match part.WhichOneof("node"):
        case "column_def":
            if part.column_def.storage_name:
                yield "STORAGE of a column that is made", 16
            for wrapped in part.column_def.constraints:
                constraint = wrapped.constraint
                kind = enum_name(constraint, "contype")
                if kind in _ENFORCED:
                    yield _WORDS, 18
                elif kind == "CONSTR_NOTNULL" and constraint.is_no_inherit:
                    yield "NOT NULL NO INHERIT", 18
                elif kind == "CONSTR_GENERATED" and constraint.generated_kind == "v":
                    yield "a virtual generated column", 18
        case "constraint":
            constraint = part.constraint
            if enum_name(constraint, "contype") == "CONSTR_NOTNULL":
                yield "NOT NULL as a constraint of the table", 18
            if constraint.without_overlaps or constraint.fk_with_period:
                yield "WITHOUT OVERLAPS", 18
