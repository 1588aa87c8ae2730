"""PostgreSQL's own grammar: the only module that knows which library parses SQL.

The parser is libpg_query, PostgreSQL 18's scanner and grammar as a library, reached through
postgast's shared library and message classes. postgast's package itself is not imported: it loads
a formatter and wrappers of every node, which costs more time than parsing a large project.

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

import ctypes
import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from filtersql.errors import Mistake
from filtersql.errors.definitions import SyntaxMistake
from filtersql.source import Passage, Source

__all__ = [
    "Node",
    "Statement",
    "Token",
    "enum_name",
    "enums",
    "parse_column",
    "parse_expression",
    "parse_row_filter",
    "parse_statements",
    "parse_statements_apart",
    "scan",
]

#: a protobuf message of postgast's pg_query_pb2, which has no types of its own at run time
Node: TypeAlias = Any

_EXPRESSION_MODE = 2  # RAW_PARSE_PLPGSQL_EXPR: what may follow SELECT, without the word
_NEAR = re.compile(r'at or near "(.*)"\Z', re.DOTALL)
_PLACES = re.compile(r"(^|_)(location|list_start|list_end)\Z")
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


class Token(NamedTuple):
    """A token of PostgreSQL's scanner; `kind` is its name there: `IDENT`, `WHERE`, `ASCII_40`."""

    kind: str
    start: int
    end: int


def parse_statements(text: Passage | str) -> list[Statement]:
    """All statements of a text; raises SyntaxMistake at the first one that does not parse."""
    parsed = _parsed(str(text), 0, text, 0)
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
        parsed = _parsed(str(text), _EXPRESSION_MODE, text, 0)
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
            (_has_modes(_library()[0]) and not str(text)[: targets[0].res_target.location].strip())
            or _filter_mistake(text) is None
        )
    ):
        return targets[0].res_target.val
    # A list, an alias or a clause of SELECT: PostgreSQL's words come from where a filter stands.
    raise _filter_mistake(text) or _mistake("syntax error", 0, text)


def parse_row_filter(text: Passage | str) -> Node:
    """The expression of a replication set's row_filter, which pglogical reads behind SELECT."""
    try:
        return parse_expression(text)
    except SyntaxMistake:
        _parsed(f"{_SELECT_START}{text}{_SELECT_END}", 0, text, len(_SELECT_START))
        message = f'invalid row_filter expression "{text}"'
        raise _mistake(message, 0, text) from None


def parse_column(text: Passage | str, name: str = "c") -> Node:
    """The column_def of `text`: a type and its constraints, as in `a int NOT NULL` after the name.

    The text must be exactly that: an action or statement after it is a syntax error.
    """
    parsed = _parsed(f"{_COLUMN_START}{name} {text}", 0, text, len(_COLUMN_START) + len(name) + 1)
    statement = parsed.stmts[0].stmt.alter_table_stmt
    if len(parsed.stmts) != 1:
        raise _mistake('syntax error at or near ";"', str(text).find(";"), text)
    if len(statement.cmds) != 1:
        raise _mistake('syntax error at or near ","', str(text).rfind(","), text)
    column = statement.cmds[0].alter_table_cmd
    return getattr(column, "def").column_def


def scan(text: str) -> list[Token]:
    """The tokens of a text, comments left out; an unfinished literal raises SyntaxMistake."""
    _without_nul(text)
    library, messages = _library()
    encoded = text.encode()
    result = library.pg_query_scan(encoded)
    try:
        _raise(result, text, 0)
        data = ctypes.string_at(result.pbuf.data, result.pbuf.len)
    finally:
        library.pg_query_free_scan_result(result)
    names = {number: name for name, number in messages.Token.items()}
    skipped = (messages.SQL_COMMENT, messages.C_COMMENT)
    place = _characters(encoded)
    return [
        # libpg_query names the characters that PostgreSQL's grammar uses, and `{` is none of them.
        Token(names.get(token.token, f"ASCII_{token.token}"), place(token.start), place(token.end))
        for token in messages.ScanResult.FromString(data).tokens
        if token.token not in skipped
    ]


def enums() -> ModuleType:
    """The module whose attributes are the grammar's enum values: `enums().CONSTR_PRIMARY`."""
    return _library()[1]


def enum_name(node: Node, field: str) -> str:
    """The name of an enum field's value: `enum_name(constraint, "contype")` is CONSTR_PRIMARY."""
    number = getattr(node, field)
    name: str = _enum_names(node.DESCRIPTOR, field)[number]
    return name


@cache
def _enum_names(descriptor: Node, field: str) -> dict[int, str]:
    values = descriptor.fields_by_name[field].enum_type.values
    return {value.number: value.name for value in values}


@cache
def _library() -> tuple[Any, ModuleType]:
    """The shared library, and the module of its messages."""
    spec = find_spec("postgast")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = spec.submodule_search_locations[0]
    native, messages = _file(folder, "native"), _file(folder, "pg_query_pb2")
    if _has_modes(native.lib):
        parse = native.lib.pg_query_parse_protobuf_opts
        parse.argtypes, parse.restype = (
            [ctypes.c_char_p, ctypes.c_int],
            native.PgQueryProtobufParseResult,
        )
    return native.lib, messages


def _has_modes(library: ctypes.CDLL) -> bool:
    """Whether the library parses something else than statements; that of Windows does not."""
    return hasattr(library, "pg_query_parse_protobuf_opts")


def _file(folder: str, name: str) -> ModuleType:
    """A module of postgast from its file, without its package around it."""
    spec = spec_from_file_location(f"filtersql_{name}", Path(folder, f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _parsed(sql: str, mode: int, text: Passage | str, before: int) -> Node:
    """The parse tree of `sql`, which is `text` with `before` characters in front of it."""
    _without_nul(text)
    library, messages = _library()
    if _has_modes(library):
        encoded = sql.encode()
        result = library.pg_query_parse_protobuf_opts(encoded, mode)
    else:
        if mode == _EXPRESSION_MODE:
            sql, before = f"{_SELECT_START}{sql}", before + len(_SELECT_START)
        encoded = sql.encode()
        result = library.pg_query_parse_protobuf(encoded)
    try:
        _raise(result, text, before)
        data = ctypes.string_at(result.parse_tree.data, result.parse_tree.len)
    finally:
        library.pg_query_free_protobuf_parse_result(result)
    tree = messages.ParseResult.FromString(data)
    if before or len(encoded) != len(sql):
        _relocate(tree, _characters(encoded), before)
    return tree


def _filter_mistake(text: Passage | str) -> SyntaxMistake | None:
    """What PostgreSQL says of the text between the parentheses of WHERE (…)."""
    try:
        _parsed(f"{_FILTER_START}{text}\n)", 0, text, len(_FILTER_START))
    except SyntaxMistake as mistake:
        return mistake
    return None


def _place(mistake: SyntaxMistake) -> int:
    return mistake.span.start if mistake.span else 0


def _raise(result: Node, text: Passage | str, before: int) -> None:
    if not result.error:
        return
    error = result.error.contents
    # Unlike a node's location, cursorpos counts characters, and from 1.
    raise _mistake(error.message.decode(), error.cursorpos - 1 - before, text)


def _mistake(message: str, position: int, text: Passage | str) -> SyntaxMistake:
    passage = text if isinstance(text, Passage) else Source("<text>", text).passage()
    position = min(max(position, 0), len(passage.text))
    near = _NEAR.search(message)
    length = len(near[1]) if near else 1
    if position == len(passage.text):
        if near and near[1] == ")":  # the parenthesis is ours
            message = "syntax error at end of input"
        # PostgreSQL points behind the text: so does the caret, on the last line that has text.
        return SyntaxMistake(message, passage.after(len(passage.text.rstrip())))
    return SyntaxMistake(message, passage.span(position, min(position + length, len(passage.text))))


def _characters(encoded: bytes) -> Callable[[int], int]:
    """The function from a byte offset to a character offset."""
    if encoded.isascii():
        return int
    marks = [0]
    for byte in encoded:
        marks.append(marks[-1] + (byte & 0xC0 != 0x80))
    # A byte inside a character counts for the character that it belongs to.
    return lambda offset: marks[min(offset, len(encoded))]


def _relocate(node: Node, place: Callable[[int], int], before: int) -> None:
    """Make every location below a node count characters behind the first `before` ones."""
    for field, value in node.ListFields():
        name = field.name
        if field.message_type is not None:
            for child in value if field.is_repeated else (value,):
                _relocate(child, place, before)
        elif name == "stmt_len":
            continue
        elif _PLACES.search(name) and value > 0:
            if name == "stmt_location":
                node.stmt_len = place(value + node.stmt_len) - place(value) if node.stmt_len else 0
            setattr(node, name, max(place(value) - before, 0))
    if node.DESCRIPTOR.name == "RawStmt" and node.stmt_len and not node.stmt_location:
        node.stmt_len = place(node.stmt_len)


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


def _without_nul(text: Passage | str) -> None:
    """C ends a text at NUL; PostgreSQL has no such character in any text."""
    position = str(text).find("\0")
    if position >= 0:
        raise _mistake('invalid byte sequence for encoding "UTF8": 0x00', position, text)
