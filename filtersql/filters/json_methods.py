"""Methods of a jsonpath that fail for some items: `.double()`, `.floor()`, `.keyvalue()`, ….

Example
    ============================== ========================================================
    path                           written as
    ============================== ========================================================
    `$.a.floor() ? (@ > 1)`        the list of the items' floors, filtered
    `$.a.double()` of `["x", 1]`   a list that begins with NULL: the first item fails
    `$.keyvalue() ? (@.key == "b")` the list of `{"key": …, "value": …}`, filtered
    ============================== ========================================================

    A path is followed item by item, and ends at the first that fails. So an item that fails stays
    in the list as NULL, whatever steps come: that a path leads somewhere depends on the first item,
    and a condition over items of which one fails is unknown.

PostgreSQL
    jsonpath_exec.c: executeItemOptUnwrapTarget(), executePredicate(); float.c, float8in_internal().
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters.document_values import raw

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = ["each", "list_of", "plain", "sure"]


def list_of(writer: Writer, kind: str, items: exp.Expr, depth: int) -> exp.Expr:
    """What a method makes of each item, NULL where it fails."""
    if kind == "keyvalue":
        return writer.piece(".path_pairs", items)
    name = f"m{depth}"
    made = writer.piece(f".item_{kind}", raw(writer, exp.column(name)))
    if writer.engine == "spark":
        return writer.filled(f"TRANSFORM(_1, {name} -> _2)", items, made)
    return writer.filled(f"[TO_JSON(_2) FOR {name} IN _1]", items, made)


def each(
    writer: Writer, items: exp.Expr, depth: int, step: Callable[[exp.Expr], exp.Expr]
) -> exp.Expr:
    """What a step gives for each item; one that failed stays."""
    name = f"f{depth}"
    one = writer.piece(".path_start", exp.column(name))
    found = writer.case([(writer.is_null(exp.column(name)), one)], step(one.copy()))
    text = (
        f"FLATTEN(TRANSFORM(_1, {name} -> _2))"
        if writer.engine == "spark"
        else f"FLATTEN([_2 FOR {name} IN _1])"
    )
    return writer.filled(text, items, found)


def plain(writer: Writer, one: exp.Expr) -> exp.Expr:
    """The raw text of an item, without zeros at the end of a number."""
    return writer.piece(".item_plain", one)


def sure(writer: Writer, items: exp.Expr) -> exp.Expr:
    """The list, where no item failed; else the row raises."""
    known = writer.piece(".path_sure", items)
    failed = writer.text("a method of the path fails for an item of this document")
    problem = writer.piece(".path_start", writer.piece(".broken_document", failed))
    return writer.case([(exp.Not(this=writer.is_null(known)), known.copy())], problem)
