"""libpg_query: PostgreSQL 18's scanner and grammar as a library.

It is reached through postgast's shared library and message classes. postgast's package itself is
not imported: it loads a formatter and wrappers of every node, which costs more time than parsing a
large project.

libpg_query counts bytes; what is given back counts characters of the given text.
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

from filtersql.errors.definitions import SyntaxMistake
from filtersql.source import Passage, Source

__all__ = [
    "EXPRESSION",
    "Node",
    "Token",
    "has_modes",
    "library",
    "parse",
    "scan",
    "syntax_mistake",
]

#: a protobuf message of postgast's pg_query_pb2, which has no types of its own at run time
Node: TypeAlias = Any
#: RAW_PARSE_PLPGSQL_EXPR: what may follow SELECT, without the word
EXPRESSION = 2
_NEAR = re.compile(r'at or near "(.*)"\Z', re.DOTALL)
_PLACES = re.compile(r"(^|_)(location|list_start|list_end)\Z")
_SELECT = "SELECT "


class Token(NamedTuple):
    """A token of PostgreSQL's scanner; `kind` is its name there: `IDENT`, `WHERE`, `ASCII_40`."""

    kind: str
    start: int
    end: int


def scan(text: str) -> list[Token]:
    """The tokens of a text, comments left out; an unfinished literal raises SyntaxMistake."""
    _without_nul(text)
    native, messages = library()
    encoded = text.encode()
    result = native.pg_query_scan(encoded)
    try:
        _raise(result, text, 0)
        data = ctypes.string_at(result.pbuf.data, result.pbuf.len)
    finally:
        native.pg_query_free_scan_result(result)
    names = {number: name for name, number in messages.Token.items()}
    skipped = (messages.SQL_COMMENT, messages.C_COMMENT)
    place = _characters(encoded)
    return [
        # libpg_query names the characters that PostgreSQL's grammar uses, and `{` is none of them.
        Token(names.get(token.token, f"ASCII_{token.token}"), place(token.start), place(token.end))
        for token in messages.ScanResult.FromString(data).tokens
        if token.token not in skipped
    ]


@cache
def library() -> tuple[Any, ModuleType]:
    """The shared library, and the module of its messages."""
    spec = find_spec("postgast")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = spec.submodule_search_locations[0]
    native, messages = _file(folder, "native"), _file(folder, "pg_query_pb2")
    if hasattr(native.lib, "pg_query_parse_protobuf_opts"):
        function = native.lib.pg_query_parse_protobuf_opts
        function.argtypes, function.restype = (
            [ctypes.c_char_p, ctypes.c_int],
            native.PgQueryProtobufParseResult,
        )
    return native.lib, messages


def has_modes() -> bool:
    """Whether the library parses something else than statements; that of Windows does not."""
    return hasattr(library()[0], "pg_query_parse_protobuf_opts")


def _file(folder: str, name: str) -> ModuleType:
    """A module of postgast from its file, without its package around it."""
    spec = spec_from_file_location(f"filtersql_{name}", Path(folder, f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parse(sql: str, text: Passage | str, before: int = 0, *, mode: int = 0) -> Node:
    """The parse tree of `sql`, which is `text` with `before` characters in front of it.

    Raises SyntaxMistake.
    """
    _without_nul(text)
    native, messages = library()
    if has_modes():
        encoded = sql.encode()
        result = native.pg_query_parse_protobuf_opts(encoded, mode)
    else:
        if mode == EXPRESSION:
            sql, before = f"{_SELECT}{sql}", before + len(_SELECT)
        encoded = sql.encode()
        result = native.pg_query_parse_protobuf(encoded)
    try:
        _raise(result, text, before)
        data = ctypes.string_at(result.parse_tree.data, result.parse_tree.len)
    finally:
        native.pg_query_free_protobuf_parse_result(result)
    tree = messages.ParseResult.FromString(data)
    if before or len(encoded) != len(sql):
        _relocate(tree, _characters(encoded), before)
    return tree


def _raise(result: Node, text: Passage | str, before: int) -> None:
    if not result.error:
        return
    error = result.error.contents
    # Unlike a node's location, cursorpos counts characters, and from 1.
    raise syntax_mistake(error.message.decode(), error.cursorpos - 1 - before, text)


def syntax_mistake(message: str, position: int, text: Passage | str) -> SyntaxMistake:
    """A mistake at that place of a text, in PostgreSQL's words."""
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


def _without_nul(text: Passage | str) -> None:
    """C ends a text at NUL; PostgreSQL has no such character in any text."""
    position = str(text).find("\0")
    if position >= 0:
        raise syntax_mistake('invalid byte sequence for encoding "UTF8": 0x00', position, text)
