"""Functions whose value is sure for simple texts alone; any other text raises.

Example
    ============================= ==========================================================
    node                          written as
    ============================= ==========================================================
    `normalize(s)`                s, where no character may change or join another
    `s IS NFKC NORMALIZED`        true, where all are such
    `unistr(s)`                   s, where it has no backslash
    ============================= ==========================================================

    What other characters become depends on the Unicode version of the server.

PostgreSQL
    varlena.c: unicode_normalize_func(), unicode_is_normalized(), unicode_assigned(), unistr().
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.engines import constants
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.write.writer import Family, Rule, Writer

__all__ = ["FAMILY"]

#: characters of all scripts with many letters that stay what they are, and join with none
_IDEOGRAPHS = "\\x{4e00}-\\x{9fcb}\\x{1f600}-\\x{1f640}"
_COMPOSED = "\\x{400}-\\x{481}\\x{3041}-\\x{3096}\\x{30a1}-\\x{30fa}\\x{ac00}-\\x{d7a3}"
_SURE = {
    "NFC": f"\\x{{0}}-\\x{{2ff}}{_COMPOSED}{_IDEOGRAPHS}",
    "NFKC": f"\\x{{0}}-\\x{{9f}}{_COMPOSED}{_IDEOGRAPHS}",
    "NFD": f"\\x{{0}}-\\x{{bf}}{_IDEOGRAPHS}",
    "NFKD": f"\\x{{0}}-\\x{{9f}}{_IDEOGRAPHS}",
}
#: characters that every version of Unicode has named
_ASSIGNED = f"\\x{{0}}-\\x{{377}}{_COMPOSED}{_IDEOGRAPHS}"
_DOUBT = "what this text becomes depends on the Unicode version of the database"
_ESCAPED = "this text has a backslash, which begins an escape"


def _simple(writer: Writer, arg: Node, doubt: str, message: str, result: str) -> exp.Expr:
    """The text itself, or true; raises where a doubtful character is in it."""
    subject = writer.put(arg)
    tested = writer.piece(".matches", subject, doubt)
    if result == "text":
        return writer.case([(tested, writer.raised(message, writer.text_type))], subject)
    known = writer.is_not_null(subject)
    return writer.case([(tested, writer.raised(message, "BOOLEAN")), (known, True)], None)


def _sure(writer: Writer, node: Node, args: Sequence[Node]) -> str | None:
    """The characters that the form leaves alone, None where it is NULL."""
    if len(args) < 2:
        return _SURE["NFC"]
    form = writer.known(node, args[1], "The form must be a constant.")
    if form is None:
        return None
    if str(form).upper() not in _SURE:
        raise writer.refused(node, "PostgreSQL knows no such form.")
    return _SURE[str(form).upper()]


def _normal(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    sure = _sure(writer, node, args)
    if sure is None:
        return writer.typed(None, node.type)
    return _simple(writer, args[0], f"[^{sure}]", _DOUBT, node.type)


def _assigned(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    return _simple(writer, args[0], f"[^{_ASSIGNED}]", _DOUBT, "bool")


def _unistr(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    known = fold(args[0])
    if known is None:
        return _simple(writer, args[0], "\\\\", _ESCAPED, "text")
    try:
        return constants.literal(
            "text", known.value and _unescaped(str(known.value)), writer.engine
        )
    except ValueError:
        raise writer.refused(node, "PostgreSQL refuses this escape on every row.") from None


_ESCAPE = re.compile(
    r"\\(?:(\\)|\+([0-9A-Fa-f]{6})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-9A-Fa-f]{4})|)"
)


def _unescaped(text: str) -> str:
    """The text with its escapes read; halves of a character are joined."""

    def one(found: re.Match[str]) -> str:
        digits = next(filter(None, found.groups()), "")
        if digits == "\\":
            return digits
        if not digits or not int(digits, 16):
            raise ValueError(digits)
        return chr(int(digits, 16))

    return _ESCAPE.sub(one, text).encode("utf-16", "surrogatepass").decode("utf-16")


RULES: dict[str, Rule] = {
    "normalize(text,text)": _normal,
    "is_normalized(text,text)": _normal,
    "unicode_assigned(text)": _assigned,
    "unistr(text)": _unistr,
}


FAMILY = Family(rules=RULES)
