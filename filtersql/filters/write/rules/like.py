"""LIKE and ILIKE with a constant pattern; `like_columns` writes those that rows have.

Example
    `s LIKE 'a\\bc'` is `s LIKE 'abc'`: before a letter PostgreSQL's escape means the letter.
    `s LIKE 'a#%' ESCAPE '#'` is `s LIKE 'a\\%'`.

PostgreSQL
    like_match.c, MatchText(): `%`, `_`, and an escape that takes the next character as it is; a
    pattern that ends with its escape raises an error, but only on rows that get so far.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree import locales
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write.rules import case_comparisons, letter_case, like_columns
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["LIKE", "RULES", "like", "may_be_unended"]

LIKE = {
    "textlike", "textnlike", "bpcharlike", "bpcharnlike", "like", "notlike",
    "texticlike", "texticnlike", "bpchariclike", "bpcharicnlike",
}  # fmt: skip
_ANY, _ONE = "%", "_"

#: the place of an escape with nothing behind it
_UNENDED = (False, "")
_LETTER = (
    "Whether the database knows the lower case of a letter outside ASCII is unknown: "
    'say COLLATE "und-x-icu" or "C".'
)


def like(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """[NOT] [I]LIKE."""
    name = node.function.name
    if args[0].type not in ("text", "bpchar", "varchar"):
        raise writer.refused(node, "filtersql has no exact form for it yet.")
    subject = writer.put(args[0])
    negated = name.endswith("nlike") or name == "notlike"
    if like_columns.of_column(args[1]):
        test = like_columns.matches(writer, node, subject, args[1])
        return exp.Not(this=test) if negated else test
    parts = _pattern(writer, node, args[1])
    if parts is not None and parts[-1:] == [_UNENDED]:
        return _unended(writer, node, subject, parts[:-1], negated)
    if parts is None:
        return writer.typed(None, "bool")
    if like_columns.ignores_case(node):
        test = _folded(writer, node, subject, parts)
    else:
        cased = case_comparisons.beside_pattern(writer, args[0], "".join(sign for _, sign in parts))
        test = _like(writer, cased or subject, parts)
    return exp.Not(this=test) if negated else test


def _pattern(writer: Writer, node: Node, pattern: Node) -> list[tuple[bool, str]] | None:
    """(is a wildcard, character) of each sign of the pattern; None for NULL."""
    pattern = bare(pattern)
    escape = "\\"
    if isinstance(pattern, Func) and pattern.function.name == "like_escape":
        given = writer.known(node, pattern.args[1], "The escape character must be a constant.")
        if given is None:
            return None
        escape = str(given)
        pattern = pattern.args[0]
        if len(escape) > 1:
            raise writer.refused(node, "The escape must be one character or empty.")
    text = writer.known(node, pattern, "The pattern must be a constant.")
    if text is None:
        return None
    parts: list[tuple[bool, str]] = []
    signs = iter(str(text))
    for sign in signs:
        if sign == escape:
            following = next(signs, None)
            parts.append(_UNENDED if following is None else (False, following))
        else:
            parts.append((sign in (_ANY, _ONE), sign))
    return parts


def may_be_unended(pattern: Node) -> bool:
    """Whether a pattern ends with its escape character, on some row or as the constant it is."""
    if like_columns.of_column(pattern):
        return True
    known = fold(bare(pattern))
    if known is None or not isinstance(known.value, str):
        return False
    return (len(known.value) - len(known.value.rstrip("\\"))) % 2 == 1


def _unended(
    writer: Writer,
    node: Func | Op,
    subject: exp.Expr,
    parts: Sequence[tuple[bool, str]],
    negated: bool,
) -> exp.Expr:
    """A pattern that ends with its escape raises on the texts that get so far."""
    if (True, _ANY) in parts or like_columns.ignores_case(node):
        raise writer.refused(
            node, "The pattern ends with its escape character, which raises on some rows."
        )
    farther = _like(writer, subject, [*parts, (True, _ONE), (True, _ANY)])
    broken = writer.raised(like_columns.UNFINISHED, "BOOLEAN")
    known = writer.is_not_null(subject)
    return writer.case([(farther, broken), (known, negated)], None)


def _like(writer: Writer, subject: exp.Expr, parts: Sequence[tuple[bool, str]]) -> exp.Expr:
    escaped = any(sign in (_ANY, _ONE, "\\") for wild, sign in parts if not wild)
    text = "".join(
        sign if wild or sign not in (_ANY, _ONE, "\\") else f"\\{sign}" for wild, sign in parts
    )
    if writer.engine == "duckdb" and not escaped:
        return writer.filled("_1 LIKE _2", subject, text)
    return writer.piece(".like", subject, text)


def _folded(
    writer: Writer, node: Func | Op, subject: exp.Expr, parts: Sequence[tuple[bool, str]]
) -> exp.Expr:
    """ILIKE: a regular expression that names both cases of each letter."""
    collation = node.input_collation
    unknown = collation == locales.UNKNOWN
    if any(not wild and letter_case.uncertain(sign, collation) for wild, sign in parts):
        raise writer.refused(node, _LETTER)
    if locales.ascii_only(collation):
        return writer.piece(".matches", subject, _names_both(writer, parts, collation))
    if all(sign.isascii() for _, sign in parts):
        pattern = _names_both(writer, parts, collation)
        return letter_case.beside_ascii(
            writer, "LOWER", collation,
            letter_case.Constant("".join(sign for _, sign in parts), True),
            subject, lambda text: writer.piece(".matches", text, pattern), "BOOLEAN",
        )  # fmt: skip
    much = writer.piece(".matches", subject, _names_both(writer, parts, collation))
    broken = letter_case.broken(writer, "BOOLEAN", letter_case.SAY if unknown else "")
    doubt = letter_case.doubt(writer, "LOWER", subject)
    if unknown:
        little = writer.piece(".matches", subject, _names_both(writer, parts, "C"))
        doubt = writer.filled("_1 OR _2 <> _3", doubt, little, much)
    return writer.case([(doubt, broken)], much)


def _names_both(
    writer: Writer, parts: Sequence[tuple[bool, str]], collation: str | None
) -> exp.Expr:
    """The regular expression."""
    pieces = []
    for wild, sign in parts:
        if wild:
            pieces.append(".*" if sign == _ANY else ".")
            continue
        same = "".join(dict.fromkeys(letter_case.variants(sign, collation)))
        quoted = "".join(
            one if one.isascii() and one.isalnum() else f"\\x{{{ord(one):x}}}" for one in same
        )
        pieces.append(f"[{quoted}]" if len(same) > 1 else quoted)
    return writer.text(f"(?s)\\A{''.join(pieces)}\\z")


RULES: dict[str, Rule] = dict.fromkeys(LIKE, like)
