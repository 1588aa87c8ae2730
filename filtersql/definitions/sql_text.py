"""Pieces of SQL text that PostgreSQL's parse tree does not keep: a clause's own words, psql lines.

Example
    In `CREATE PUBLICATION p FOR TABLE t (a, b) WHERE (a > 5)` the tree holds the expression's
    nodes; `clause` finds the passage `a > 5` that the user wrote. A dump's `\\connect` lines and
    COPY data are blanked by `without_psql`, so that every other character keeps its place.

PostgreSQL
    scan.l (literals, dollar quotes, nested comments); psql's psqlscan.l (backslash commands)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from filtersql.definitions.alignment import within
from filtersql.definitions.identifiers import WORD
from filtersql.grammar import Node
from filtersql.source import Passage

__all__ = [
    "clause",
    "inside_parentheses",
    "lexemes",
    "literal",
    "psql_commands",
    "trimmed",
    "without_psql",
    "without_secrets",
]

_LEXEME = re.compile(
    rf"""(?P<space>\s+|--[^\n]*)
       |(?P<comment>/\*)
       |(?P<escape>[eE]'(?:[^'\\]|\\.|'')*')
       |(?P<string>(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*')
       |(?P<name>(?:[uU]&)?"(?:[^"]|"")*")
       |(?P<dollar>\$(?P<tag>(?:{WORD.replace("#%-", "")})?)\$.*?\$(?P=tag)\$)
       |(?P<word>{WORD})
       |(?P<number>[0-9][A-Za-z0-9_.]*)
       |(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)
# Parentheses around nothing that could hide another one: no comment, quoted name, dollar quote.
_PLAIN_PARENTHESES = re.compile(r"\s*\(((?:[^()'\"$/\\-]|'[^'\\]*')*)\)")
_PLAIN_CLAUSE = re.compile(r"[\w.]+\s+([A-Za-z]+)\b")
_COMMENT = re.compile(r"/\*|\*/")
_HAS_PSQL = re.compile(r"^[ \t]*\\|\\g|^COPY\b.*\bFROM\s+stdin", re.MULTILINE | re.IGNORECASE)
_SENDS = re.compile(r"\\(?:g|gx|gset|gexec|gdesc|crosstabview)(?![a-z])")
_DATA_END = re.compile(r"^\\\.[ \t]*\r?$", re.MULTILINE)
# Connection strings, which may hold a password: CREATE SUBSCRIPTION, pglogical's dsn arguments,
# and any literal that is nothing but keyword = value pairs or a URI.
_PAIRS = r"(?:\s*[a-z_]+\s*=\s*(?:''(?:[^'\\]|\\.)*''|[^\s']+))+\s*"
_MAY_CONNECT = re.compile(r"connection|dsn|password|://", re.IGNORECASE)
_CONNECTION = re.compile(
    r"(?P<before>\bCONNECTION\s*E?'|\b\w*dsn\s*(?::=|=>)\s*E?')(?P<dsn>(?:[^']|'')*)'"
    rf"|(?P<pairs>'(?=[^\n]*\bpassword\s*=){_PAIRS}')|(?P<uri>'postgres(?:ql)?://[^']*')",
    re.IGNORECASE,
)


class Lexeme(NamedTuple):
    kind: str
    start: int
    end: int


def lexemes(text: str, start: int = 0) -> Iterator[Lexeme]:
    """The tokens from `start` on, without blanks and comments."""
    while start < len(text):
        match = _LEXEME.match(text, start)
        assert match is not None
        kind = match.lastgroup or ""
        if kind == "comment":
            start = _comment_end(text, match.end())
            continue
        if kind != "space":
            yield Lexeme(kind, match.start(), match.end())
        start = match.end()


def inside_parentheses(text: Passage, start: int) -> Passage:
    """What stands in the first parentheses from `start` on, without the blanks around it."""
    plain = _PLAIN_PARENTHESES.match(text.text, start)
    if plain:
        return trimmed(text, *plain.span(1))
    depth, begin = 0, start
    for lexeme in lexemes(text.text, start):
        if lexeme.kind != "mark":
            continue
        character = text.text[lexeme.start]
        if character == "(":
            depth += 1
            if depth == 1:
                begin = lexeme.end
        elif character == ")":
            depth -= 1
            if depth == 0:
                return trimmed(text, begin, lexeme.start)
    return trimmed(text, begin, len(text.text))


def clause(text: Passage, start: int, word: str) -> Passage:
    """What the parentheses behind the keyword `word` hold, from `start` on, outside any others."""
    plain = _PLAIN_CLAUSE.match(text.text, start)
    if plain and plain[1].lower() == word:
        return inside_parentheses(text, plain.end())
    depth = 0
    for lexeme in lexemes(text.text, start):
        if lexeme.kind == "mark":
            depth += {"(": 1, ")": -1}.get(text.text[lexeme.start], 0)
        elif not depth and text.text[lexeme.start : lexeme.end].lower() == word:
            return inside_parentheses(text, lexeme.end)
    raise AssertionError(f"the parser saw {word} behind {text.span(start, start + 1)}")


def literal(text: Passage, node: Node) -> Passage:
    """The value of a string constant (an a_const), every character at its place."""
    value: str = node.sval.sval
    lexeme = next(lexemes(text.text, max(node.location, 0)))
    start, end = lexeme.start, lexeme.end
    if lexeme.kind == "dollar":
        mark = text.text.index("$", start + 1) + 1 - start
        return within(text, start + mark, end - mark, value, "dollar")
    style = "sql_escape" if lexeme.kind == "escape" else "sql"
    begin = text.text.find("'", start, end) + 1
    if begin == 0 or text.text[start] in "uU":
        return text.pick(value, ((0, start, end - start),))
    return within(text, begin, end - 1, value, style)


def without_psql(text: Passage) -> Passage:
    """The text with psql's backslash commands and COPY data blanked out."""
    if not _HAS_PSQL.search(text.text):
        return text
    whole, pieces, done = text.text, [], 0
    while done < len(whole) and (command := _psql(whole, done)):
        start, end = command
        # \g and its kin send the statement before them, as a semicolon does.
        pieces += [whole[done:start], ";" if _SENDS.match(whole, start) else " "]
        pieces.append(re.sub(r"[^\r\n]", " ", whole[start + 1 : end]))
        done = end
    pieces.append(whole[done:])
    return Passage("".join(pieces), text.source, text.starts, text.offsets, text.widths)


def psql_commands(text: Passage) -> Iterator[Passage]:
    """Psql's backslash commands, each to the end of its line."""
    command = _psql(text.text, 0) if _HAS_PSQL.search(text.text) else None
    while command:
        if text.text[command[0]] == "\\":
            yield text.part(*command)
        command = _psql(text.text, command[1])


def _psql(text: str, start: int) -> tuple[int, int] | None:
    """The next backslash command or block of COPY data."""
    words: list[str] = []
    for lexeme in lexemes(text, start):
        if lexeme.kind == "word":
            words.append(text[lexeme.start : lexeme.end].lower())
        elif lexeme.kind == "mark" and text[lexeme.start] == "\\":
            end = text.find("\n", lexeme.start)
            return lexeme.start, end if end >= 0 else len(text)
        elif lexeme.kind == "mark" and text[lexeme.start] == ";":
            if words[:1] == ["copy"] and "stdin" in words:
                end_of_data = _DATA_END.search(text, lexeme.end)
                return lexeme.end, end_of_data.end() if end_of_data else len(text)
            words = []
    return None


def without_secrets(text: str) -> str:
    """The text with what connection strings hold replaced by asterisks, at the same length."""
    if not _MAY_CONNECT.search(text):
        return text

    def hidden(match: re.Match[str]) -> str:
        if match["dsn"] is not None:
            return f"{match['before']}{_stars(match['dsn'])}'"
        return f"'{_stars(match[0][1:-1])}'"

    return _CONNECTION.sub(hidden, text)


def _stars(text: str) -> str:
    return re.sub(r"[^\r\n]", "*", text)


def _comment_end(text: str, start: int) -> int:
    depth = 1
    while depth and (match := _COMMENT.search(text, start)):
        depth += 1 if match[0] == "/*" else -1
        start = match.end()
    return len(text) if depth else start


def trimmed(text: Passage, start: int = 0, end: int | None = None) -> Passage:
    """A part of a text without the blanks around it."""
    inner = text.text[start:end]
    lead = len(inner) - len(inner.lstrip())
    return text.part(start + lead, max(start + lead, start + len(inner.rstrip())))
