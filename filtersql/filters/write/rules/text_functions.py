r"""Functions of text and bytea whose form depends on a constant argument or on the collation.

Example
    =============================== ==================================================
    filter                          written as
    =============================== ==================================================
    `encode(b, 'hex') = 'ff'`       LOWER(HEX(b)) = 'ff'
    `initcap(s) = 'Abc'`            word by word; other letters than ASCII's raise
    `b LIKE 'a%'::bytea`            HEX(b) has a match for \A61(?:..)*\z
    =============================== ==================================================

PostgreSQL
    encode.c; formatting.c, str_initcap(); like.c, bytealike(); oracle_compat.c, byteatrim().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree import locales
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.write.rules.character_classes import WORD_DOUBT
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES"]

_DOUBT = "PostgreSQL's locale providers do not agree on the letters of this value"
#: ICU sees one word here, the other providers two
_JOINED = "[0-9A-Za-z][._:'][0-9A-Za-z]|[0-9A-Za-z]__+[0-9A-Za-z]"
_BLANKS = " \n\t\r"
_DIGITS = "\\A(?:[ \\n\\t\\r]*[0-9A-Fa-f][0-9A-Fa-f])*[ \\n\\t\\r]*\\z"
_BASE64 = "\\A(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\\z"


def _initcap(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    subject = writer.put(args[0])
    result = writer.piece(".initcap", subject)
    if locales.ascii_only(node.input_collation):
        return result
    letters = f"{WORD_DOUBT}|{_JOINED}" if locales.by_icu(node.input_collation) else WORD_DOUBT
    doubt = writer.piece(".matches", subject, letters)
    broken = writer.raised(_DOUBT, writer.text_type)
    return writer.case([(doubt, broken)], result)


def _encode(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    known = fold(args[1])
    subject = writer.put(args[0])
    match known and str(known.value).lower():
        case "hex":
            return writer.filled("LOWER(_1)", writer.piece(".hex", subject))
        case "base64":
            return writer.piece(".to_base64", subject)
        case "escape":
            return writer.piece(".to_escape", subject)
    raise writer.refused(node, "The format must be hex, base64 or escape.")


def _decode(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    known = fold(args[1])
    subject = writer.put(args[0])
    bare = writer.piece(".translate", subject, _BLANKS, "")
    match known and str(known.value).lower():
        case "hex":
            fits = writer.piece(".matches", subject, _DIGITS)
            result = writer.piece(".unhex", bare)
        case "base64":
            fits = writer.piece(".matches", bare, _BASE64)
            result = writer.piece(".of_base64", bare)
        case _:
            raise writer.refused(node, "Only the formats hex and base64 have a form.")
    sql_type = "BINARY" if writer.engine == "spark" else "BLOB"
    missing = writer.case(
        [(writer.is_null(subject), writer.typed(None, "bytea"))],
        writer.raised("the text cannot be decoded", sql_type),
    )
    return writer.case([(fits, result)], missing)


def _like_bytes(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    pattern = writer.known(node, args[1], "The pattern must be a constant.")
    if pattern is None:
        return writer.typed(None, "bool")
    assert isinstance(pattern, bytes)
    found, signs = "", iter(pattern)
    for sign in signs:
        if sign == ord("%"):
            found += "(?:..)*"
            continue
        if sign == ord("_"):
            found += ".."
            continue
        if sign == ord("\\"):
            following = next(signs, None)
            if following is None:
                raise writer.refused(node, "The pattern ends with its escape character.")
            sign = following
        found += f"{sign:02X}"
    shown = writer.piece(".hex", writer.put(args[0]))
    return writer.piece(".matches", shown, f"\\A{found}\\z")


def _not_like_bytes(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    return exp.Not(this=_like_bytes(writer, node, args))


def _trim_bytes(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    trimmed = writer.known(node, args[1], "All arguments but the first must be constants.")
    if trimmed is None:
        return writer.typed(None, "bytea")
    assert isinstance(trimmed, bytes)
    subject = writer.put(args[0])
    if not trimmed:
        return subject
    pairs = f"(?:{'|'.join(dict.fromkeys(f'{byte:02X}' for byte in trimmed))})"
    # The first place from which only such bytes follow is found pair by pair.
    begin = f"{pairs}*" if node.function.name != "rtrim" else ""
    end = f"{pairs}*" if node.function.name != "ltrim" else ""
    whole = f"\\A{begin}((?:..)*?){end}\\z"
    kept = writer.piece(".regex_extract", writer.piece(".hex", subject), whole, 1)
    return writer.piece(".unhex", kept)


def _cut(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """An explicit cast to varchar(n) or char(n) cuts; char(n) fills with blanks."""
    modifier, explicit = fold(args[1]), fold(args[2])
    if modifier is None or not isinstance(modifier.value, int):
        raise writer.refused(node, "The length must be a constant.")
    if explicit is None or explicit.value is not True:
        raise writer.refused(node, "Only an explicit cast cuts.")
    length = modifier.value - 4
    return writer.piece(f".{node.function.name}", writer.put(args[0]), length)


RULES: dict[str, Rule] = {
    "varchar(varchar,int4,bool)": _cut,
    "bpchar(bpchar,int4,bool)": _cut,
    "initcap(text)": _initcap,
    "encode(bytea,text)": _encode,
    "decode(text,text)": _decode,
    "bytealike(bytea,bytea)": _like_bytes,
    "byteanlike(bytea,bytea)": _not_like_bytes,
    "like(bytea,bytea)": _like_bytes,
    **{f"{name}(bytea,bytea)": _trim_bytes for name in ("btrim", "ltrim", "rtrim")},
}
