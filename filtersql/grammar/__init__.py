"""PostgreSQL's own grammar: the only room that knows which library parses SQL (`libpg_query`).

Every location in a node that a function here returns counts characters of the given text, from 0
(libpg_query counts bytes; -1 stays "unknown"). A text is a `Passage`, so that a syntax error gets
its caret in the file on disk, or a plain `str`.

Example
    >>> node = parse_expression("a > 5 AND c = 'NSW'")
    >>> node.WhichOneof("node"), node.bool_expr.args[1].a_expr.lexpr.column_ref.location
    ('bool_expr', 10)
    >>> [statement.kind for statement in parse_statements("CREATE TABLE t (a int); SELECT 1")]
    ['create_stmt', 'select_stmt']

PostgreSQL
    src/backend/parser/gram.y, scan.l; error positions as in parser/scansup.c and scanner_yyerror()
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from filtersql.errors import Mistake
from filtersql.errors.definitions import SyntaxMistake
from filtersql.grammar import libpg_query
from filtersql.grammar.libpg_query import Node, Token, parse, scan, syntax_mistake
from filtersql.source import Passage

__all__ = [
    "Node",
    "Statement",
    "Token",
    "below",
    "enum_name",
    "parse_column",
    "parse_expression",
    "parse_row_filter",
    "parse_statements",
    "parse_statements_apart",
    "scan",
]

_ONLY_AN_EXPRESSION = {"target_list", "limit_option", "op"}
_FILTER_START = "CREATE PUBLICATION p FOR TABLE t WHERE ("
_SELECT_START, _SELECT_END = "SELECT ", " FROM t"
_COLUMN_START = "ALTER TABLE t ADD COLUMN "


class Statement(NamedTuple):
    """A statement of a file: `kind` is the name of its field in `node` (`create_stmt`, …)."""

    kind: str
    node: Node
    start: int
    end: int


def parse_statements(text: Passage | str) -> list[Statement]:
    """All statements of a text; raises SyntaxMistake at the first one that does not parse."""
    parsed = parse(str(text), text)
    length = len(str(text))
    statements = []
    for raw in parsed.stmts:
        start = max(raw.stmt_location, 0)
        end = start + raw.stmt_len if raw.stmt_len else length
        kind = raw.stmt.WhichOneof("node")
        statements.append(Statement(kind, getattr(raw.stmt, kind), start, end))
    return statements


def parse_statements_apart(
    text: Passage,
) -> tuple[list[tuple[Passage, Statement]], list[tuple[Passage, Mistake]]]:
    """Like `parse_statements`, but a statement that does not parse hides no other.

    The places inside a node count from the start of the passage beside it; beside a mistake stands
    the text that does not parse.
    """
    statements: list[tuple[Passage, Statement]] = []
    mistakes: list[tuple[Passage, Mistake]] = []
    for start, end in _split(str(text)):
        part = text.part(start, end)
        try:
            statements += ((part, statement) for statement in parse_statements(part))
        except SyntaxMistake as mistake:
            mistakes.append((part, mistake))
    return statements, mistakes


def parse_expression(text: Passage | str) -> Node:
    """The expression that the whole text is, as gram.y's a_expr; raises SyntaxMistake."""
    try:
        parsed = parse(str(text), text, mode=libpg_query.EXPRESSION)
    except SyntaxMistake as mistake:
        # `a b = 1`: behind SELECT b is an alias and = the fault; in a filter it is b.
        earlier = _filter_mistake(text)
        raise min((mistake, earlier), key=_place) if earlier else mistake from None
    select = parsed.stmts[0].stmt.select_stmt
    targets = select.target_list
    if (
        len(targets) == 1
        and {field.name for field, _ in select.ListFields()} <= _ONLY_AN_EXPRESSION
        and not targets[0].res_target.name
        and not _is_star(targets[0].res_target.val)
        # ALL is in front of the expression, and leaves no trace; a statement may end with `;`.
        and (
            (libpg_query.has_modes() and not str(text)[: targets[0].res_target.location].strip())
            or _filter_mistake(text) is None
        )
    ):
        return targets[0].res_target.val
    # A list, an alias or a clause of SELECT: PostgreSQL's words come from where a filter stands.
    raise _filter_mistake(text) or syntax_mistake("syntax error", 0, text)


def parse_row_filter(text: Passage | str) -> Node:
    """The expression of a replication set's row_filter, which pglogical reads behind SELECT."""
    try:
        return parse_expression(text)
    except SyntaxMistake:
        parse(f"{_SELECT_START}{text}{_SELECT_END}", text, len(_SELECT_START))
        message = f'invalid row_filter expression "{text}"'
        raise syntax_mistake(message, 0, text) from None


def parse_column(text: Passage | str, name: str = "c") -> Node:
    """The column_def of `text`: a type and its constraints, as in `a int NOT NULL` after the name.

    The text must be exactly that: an action or statement after it is a syntax error.
    """
    parsed = parse(f"{_COLUMN_START}{name} {text}", text, len(_COLUMN_START) + len(name) + 1)
    statement = parsed.stmts[0].stmt.alter_table_stmt
    if len(parsed.stmts) != 1:
        raise syntax_mistake('syntax error at or near ";"', str(text).find(";"), text)
    if len(statement.cmds) != 1:
        raise syntax_mistake('syntax error at or near ","', str(text).rfind(","), text)
    column = statement.cmds[0].alter_table_cmd
    return getattr(column, "def").column_def


def enum_name(node: Node, field: str) -> str:
    """The name of an enum field's value: `enum_name(constraint, "contype")` is CONSTR_PRIMARY."""
    number = getattr(node, field)
    name: str = _enum_names(node.DESCRIPTOR, field)[number]
    return name


def below(node: Node, *kinds: str) -> Iterator[Node]:
    """The nodes of some kinds (`FuncCall`, …) in a tree, its root too, from left to right."""
    if node.DESCRIPTOR.name in kinds:
        yield node
    for field, value in node.ListFields():
        if field.message_type is not None:
            for child in value if field.is_repeated else (value,):
                yield from below(child, *kinds)


@cache
def _enum_names(descriptor: Node, field: str) -> dict[int, str]:
    values = descriptor.fields_by_name[field].enum_type.values
    return {value.number: value.name for value in values}


def _filter_mistake(text: Passage | str) -> SyntaxMistake | None:
    """What PostgreSQL says of the text between the parentheses of WHERE (…)."""
    try:
        parse(f"{_FILTER_START}{text}\n)", text, len(_FILTER_START))
    except SyntaxMistake as mistake:
        return mistake
    return None


def _place(mistake: SyntaxMistake) -> int:
    return mistake.span.start if mistake.span else 0


def _is_star(node: Node) -> bool:
    fields = node.column_ref.fields
    return node.WhichOneof("node") == "column_ref" and (
        len(fields) == 1 and fields[0].WhichOneof("node") == "a_star"
    )


def _split(text: str) -> list[tuple[int, int]]:
    """Where statements end: at each `;` that is not inside BEGIN ATOMIC … END."""
    try:
        tokens = scan(text)
    except SyntaxMistake:
        return [(0, len(text))]
    pieces, start, blocks = [], 0, 0
    for token in tokens:
        if token.kind == "ATOMIC" or (blocks and token.kind == "CASE"):
            blocks += 1
        elif blocks and token.kind == "END_P":
            blocks -= 1
        elif token.kind == "ASCII_59" and not blocks:
            pieces.append((start, token.start))
            start = token.end
    pieces.append((start, len(text)))
    return pieces
