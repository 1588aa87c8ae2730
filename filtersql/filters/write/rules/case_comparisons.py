r"""Comparisons of texts in lower or upper case that are the same in every locale.

Example
    ============================ ================================================================
    filter                       which rows raise
    ============================ ================================================================
    `lower(s) = 'abc'`           none: é stays one character outside ASCII, É does so too
    `lower(s) = 'kiosk'`         those with İ or the sign of Kelvin, which may become i and k
    `lower(s) = lower(t)`        where it is true with letters of ASCII alone, or with all, but
                                 not both
    `s ILIKE t`                  the same
    ============================ ================================================================

    A database knows the other case of ASCII's letters alone (C), or that of all letters but for a
    few: between these two nothing is.

PostgreSQL
    formatting.c, str_tolower(); pg_locale.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from filtersql.filters.tree import locales
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import ArrayExpr, Collate, Func, Node, Op, Relabel, ScalarArrayOp
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write.rules import letter_case
from filtersql.filters.write.rules.letter_case import Constant, to_ascii
from filtersql.filters.write.writer import Writer

__all__ = ["beside", "beside_pattern", "compare", "compared", "either", "is_sure", "sure"]

Test = Callable[[Sequence[exp.Expr]], exp.Expr]


def beside(writer: Writer, node: Node, others: Sequence[Node]) -> exp.Expr | None:
    """A text in one case that is compared with constants of ASCII; None for all else."""
    if not others or not all(map(_is_ascii, others)):
        return None
    known = [fold(other) for other in others]
    return _beside(writer, node, Constant("".join(str(one.value) for one in known if one)))


def beside_pattern(writer: Writer, node: Node, pattern: str) -> exp.Expr | None:
    """A text in one case that is LIKE a pattern of ASCII; None for all else."""
    return _beside(writer, node, Constant(pattern, True)) if pattern.isascii() else None


def sure(node: Node) -> list[int]:
    """The ids of calls of lower() and upper() in a comparison that no locale decides."""
    if not isinstance(node, (Func, Op, ScalarArrayOp)):
        return []
    name = node.function.name
    if name not in ("texteq", "textne", "textlike", "textnlike"):
        return []
    found = []
    for place, arg in enumerate(node.args):
        call = _folding(arg)
        text = _known_text(node.args[1 - place]) if call is not None else None
        if call is not None and text is not None and text.isascii():
            constant = Constant(text, name.endswith("like"))
            if not _doubted(call, letter_case.FOLDS[str(call.function)], constant):
                found.append(id(call))
    return found


def is_sure(node: Op | Func) -> bool:
    """Whether no locale decides what ILIKE finds."""
    text = _known_text(node.args[1])
    return text is not None and text.isascii() and not _doubted(node, "LOWER", Constant(text, True))


def _doubted(node: Op | Func, name: str, constant: Constant) -> bool:
    return bool(to_ascii(name, constant, known=node.input_collation != locales.UNKNOWN))


def _known_text(node: Node) -> str | None:
    """All characters of the constants that a text is compared with."""
    node = bare(node)
    if isinstance(node, Func) and node.function.name == "like_escape":
        node = node.args[0]
    if isinstance(node, ArrayExpr):
        texts = [_known_text(element) for element in node.elements]
        return None if None in texts else "".join(text for text in texts if text)
    known = fold(node)
    return None if known is None or not isinstance(known.value, str) else known.value


def _beside(writer: Writer, node: Node, constant: Constant) -> exp.Expr | None:
    call = _folding(node)
    if call is None:
        return None
    name, collation = letter_case.FOLDS[str(call.function)], call.input_collation
    subject = writer.put(call.args[0])
    return letter_case.beside_ascii(
        writer, name, collation, constant, subject, lambda one: writer.filled(f"{name}(_1)", one)
    )


def compare(writer: Writer, args: Sequence[Node], test: Test) -> exp.Expr | None:
    """A comparison of which a side is in one case; None where that is no question of the locale."""
    calls = [_folding(arg) for arg in args]
    if not any(call is not None and call.input_collation == locales.UNKNOWN for call in calls):
        return None
    if any(_is_ascii(arg) for arg in args):
        return None  # `beside`
    sides = [
        (writer.put(arg if call is None else call.args[0]), _name(call))
        for arg, call in zip(args, calls, strict=True)
    ]
    return either(writer, sides, test)


def compared(node: Op | Func) -> Sequence[Node]:
    """Of a comparison of texts of which some are in one case: what these are made from."""
    if node.function.name not in ("texteq", "textne"):
        return ()
    calls = [_folding(arg) for arg in node.args]
    parts = [call.args[0] if call else arg for arg, call in zip(node.args, calls, strict=True)]
    return parts if any(calls) else ()


def either(writer: Writer, sides: Sequence[tuple[exp.Expr, str]], test: Test) -> exp.Expr:
    """The test of texts, each with LOWER, UPPER or nothing: where all locales agree."""
    doubts = [letter_case.doubt(writer, name, side) for side, name in sides if name]
    little = test(
        [letter_case.of_ascii(writer, name, side) if name else side for side, name in sides]
    )
    much = test([writer.filled(f"{name}(_1)", side) if name else side for side, name in sides])
    differs = writer.filled("_1 <> _2", little, much)
    return writer.case(
        [(exp.or_(*doubts, differs, copy=False), letter_case.broken(writer, "BOOLEAN"))], much
    )


def _is_ascii(node: Node) -> bool:
    known = fold(node)
    return known is not None and str(known.value).isascii()


def _name(call: Func | None) -> str:
    return letter_case.FOLDS[str(call.function)] if call is not None else ""


def _folding(node: Node) -> Func | None:
    """The call of lower() or upper() that a text is."""
    while isinstance(node, (Relabel, Collate)):
        node = node.arg
    if not isinstance(node, Func) or str(node.function) not in letter_case.FOLDS:
        return None
    collation = node.input_collation
    kept = locales.ascii_only(collation) or locales.of_its_own(collation)
    return None if kept or fold(node) is not None else node
