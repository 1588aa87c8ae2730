"""LIKE and ILIKE with a constant pattern.

Example
    `s LIKE 'a\\bc'` is `s LIKE 'abc'`: before a letter PostgreSQL's escape means the letter.
    `s LIKE 'a#%' ESCAPE '#'` is `s LIKE 'a\\%'`.

PostgreSQL
    like_match.c, MatchText(): `%`, `_`, and an escape that takes the next character as it is; a
    pattern that ends with its escape raises an error, but only on rows that get so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters import casing
from filtersql.filters.engines import values
from filtersql.filters.facts import Function
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Func, Node, Relabel

if TYPE_CHECKING:
    from filtersql.filters.writing import Writer

__all__ = ["LIKE", "like"]

LIKE = {
    "textlike", "textnlike", "bpcharlike", "bpcharnlike", "like", "notlike",
    "texticlike", "texticnlike", "bpchariclike", "bpcharicnlike",
}  # fmt: skip
_ANY, _ONE = "%", "_"

_LETTER = (
    "Whether the database knows the lower case of a letter outside ASCII is unknown: "
    'say COLLATE "und-x-icu" or "C".'
)


def like(writer: Writer, node: Node, function: Function, args: Sequence[Node]) -> exp.Expr:
    """[NOT] [I]LIKE."""
    if args[0].type not in ("text", "bpchar", "varchar"):
        raise writer.refused(node, "filtersql has no exact form for it yet.")
    subject = writer.put(args[0])
    parts = _pattern(writer, node, args[1])
    if parts is None:
        return values.null("bool", writer.engine)
    if "icl" in function.name or "icn" in function.name:
        test = _folded(writer, node, subject, parts)
    else:
        test = _like(writer, subject, parts)
    negated = function.name.endswith("nlike") or function.name == "notlike"
    return exp.Not(this=test) if negated else test


def _pattern(writer: Writer, node: Node, pattern: Node) -> list[tuple[bool, str]] | None:
    """(is a wildcard, character) of each sign of the pattern; None for NULL."""
    while isinstance(pattern, Relabel):
        pattern = pattern.arg
    escape = "\\"
    if isinstance(pattern, Func) and pattern.function.name == "like_escape":
        sign = fold(pattern.args[1])
        if sign is None:
            raise writer.refused(node, "The escape character must be a constant.")
        if sign.value is None:
            return None
        escape = str(sign.value)
        pattern = pattern.args[0]
        if len(escape) > 1:
            raise writer.refused(node, "The escape must be one character or empty.")
    constant = fold(pattern)
    if constant is None:
        raise writer.refused(node, "The pattern must be a constant.")
    if constant.value is None:
        return None
    parts: list[tuple[bool, str]] = []
    signs = iter(str(constant.value))
    for sign_ in signs:
        if sign_ == escape:
            following = next(signs, None)
            if following is None:
                raise writer.refused(
                    node, "The pattern ends with its escape character, which raises on some rows."
                )
            parts.append((False, following))
        else:
            parts.append((sign_ in (_ANY, _ONE), sign_))
    return parts


def _like(writer: Writer, subject: exp.Expr, parts: Sequence[tuple[bool, str]]) -> exp.Expr:
    escaped = any(sign in (_ANY, _ONE, "\\") for wild, sign in parts if not wild)
    text = "".join(
        sign if wild or sign not in (_ANY, _ONE, "\\") else f"\\{sign}" for wild, sign in parts
    )
    if writer.engine == "duckdb" and not escaped:
        return writer.filled("_1 LIKE _2", subject, writer.text(text))
    return writer.piece(".like", subject, writer.text(text))


def _folded(
    writer: Writer, node: Node, subject: exp.Expr, parts: Sequence[tuple[bool, str]]
) -> exp.Expr:
    """ILIKE: a regular expression that names both cases of each letter."""
    collation = getattr(node, "input_collation", None)
    pieces = []
    for wild, sign in parts:
        if wild:
            pieces.append(".*" if sign == _ANY else ".")
            continue
        if casing.uncertain(sign, collation):
            raise writer.refused(node, _LETTER)
        same = "".join(dict.fromkeys(casing.variants(sign, collation)))
        quoted = "".join(
            one if one.isascii() and one.isalnum() else f"\\x{{{ord(one):x}}}" for one in same
        )
        pieces.append(f"[{quoted}]" if len(same) > 1 else quoted)
    pattern = writer.text(f"(?s)\\A{''.join(pieces)}\\z")
    test = writer.piece(".matches", subject, pattern)
    if collation in casing.ASCII_ONLY:
        return test
    return casing.guarded(writer, "LOWER", collation, subject.copy(), test, "BOOLEAN")
