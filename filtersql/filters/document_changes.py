"""Documents that a filter makes: `||`, `-`, `#-`, jsonb_set, jsonb_insert, jsonb_strip_nulls.

Example
    ================================= =====================================================
    filter                            written as
    ================================= =====================================================
    `j || '{"b": 1}' = '{"b": 1}'`    the members of both, the right one's where both have one
    `j - 0 = '[]'`                    the elements but the first
    `j #- '{a,b}' = '{}'`             the member a without its member b
    `jsonb_set(j, '{a}', '1') ...`    the member a is 1, also where there was none
    ================================= =====================================================

    Members stand in jsonb's order, so that equal documents keep having equal texts.

PostgreSQL
    jsonfuncs.c: jsonb_concat(), jsonb_delete_idx(), jsonb_delete_path(), setPath(),
    setPathObject(), setPathArray(), jsonb_strip_nulls().
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters import arrays
from filtersql.filters.document_values import document, field, item, raw
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Func, Node, Op

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = ["MAKERS"]

_PLACE = re.compile(r"[ \t\n\v\f\r]*[+-]?[0-9]+\Z")
_LARGEST = 2**31
#: steps; each is written several times
_DEEPEST = 4
_PATH = "The path must be a constant."
Maker = Callable[["Writer", Op | Func, bool], exp.Expr]


def _concat(writer: Writer, node: Op | Func, plain: bool) -> exp.Expr:
    sides = [document(writer, arg, plain=plain) for arg in node.args]
    return writer.piece(".document_concat", *sides)


def _delete_at(writer: Writer, node: Op | Func, plain: bool) -> exp.Expr:
    """`j - 0`: an element; of an object or a scalar it is an error."""
    source = document(writer, node.args[0], plain=plain)
    place = writer.put(node.args[1])
    kind = writer.piece(".document_kind_of", source.copy())
    missing = writer.filled("_1 IS NULL OR _2 IS NULL", source, place)
    kept = writer.piece(".document_without_at", source.copy(), place.copy())
    is_array = writer.filled("_1 = 'a'", kind)
    return writer.case(
        [(missing, writer.piece(".no_document")), (is_array, kept)],
        _broken(writer, "cannot delete from object or scalar using integer index"),
    )


def _broken(writer: Writer, message: str) -> exp.Expr:
    return writer.piece(".broken_document", writer.text(message))


def _path(writer: Writer, node: Op | Func) -> list[str] | None:
    """The steps of a constant path; None: NULL."""
    known = arrays.constant(node.args[1])
    if known is None:
        raise writer.refused(node, _PATH)
    if known.value is None:
        return None
    assert isinstance(known.value, tuple)
    if any(not isinstance(step, str) for step in known.value):
        raise writer.refused(node, "A path with NULL in it, or of several dimensions, has no form.")
    return [str(step) for step in known.value]


Last = Callable[[exp.Expr, str], tuple[exp.Expr, exp.Expr]]


def _changed(
    writer: Writer,
    source: exp.Expr,
    steps: Sequence[str],
    last: Last,
    *,
    top: str,
    new: bool = True,
) -> exp.Expr:
    """The document with a change at the end of the path: `last` says what, of object and array."""
    name = f"d{len(steps)}"
    body = _step(writer, exp.column(name), steps, last, top=top, new=new)
    # Written once, read several times.
    once = (
        "TRANSFORM(ARRAY(_1), {0} -> _2)[0]"
        if writer.engine == "spark"
        else ("LIST_EXTRACT([_2 FOR {0} IN [_1]], 1)")
    )
    return writer.filled(once.format(name), source, body)


def _step(
    writer: Writer, source: exp.Expr, steps: Sequence[str], last: Last, *, top: str, new: bool
) -> exp.Expr:
    step, rest = steps[0], steps[1:]
    if rest:
        inside = [field(writer, source.copy(), step), *_element(writer, source, step)]
        changed = [_changed(writer, one, rest, last, top="") for one in inside]
        there = [exp.Not(this=writer.is_null(one.copy())) for one in inside]
        member = writer.piece(".document_put", source.copy(), writer.text(f"s{step}"), changed[0])
        of_object = writer.case([(there[0], member)], source.copy())
        of_array = source.copy()
        if len(inside) > 1:
            placed = writer.piece(
                ".document_put_at", source.copy(), writer.integer(int(step)), changed[1]
            )
            of_array = writer.case([(there[1], placed)], source.copy())
    else:
        of_object, of_array = last(source, step)
    if not _is_place(step):
        of_array = _broken(writer, "a path element is not an integer")
        if not new:
            # Nothing can be changed in an empty one, before the step is looked at.
            empty = writer.filled("_1 = '[]'", raw(writer, source.copy()))
            of_array = writer.case([(empty, source.copy())], of_array)
    kind = writer.piece(".document_kind_of", source.copy())
    tests = [
        (writer.filled("_1 = 'o'", kind), of_object),
        (writer.filled("_1 = 'a'", kind.copy()), of_array),
    ]
    if top:
        known = exp.Not(this=writer.is_null(source.copy()))
        tests.append((known, _broken(writer, top)))
    return writer.case(tests, source.copy())


def _is_place(step: str) -> bool:
    return bool(_PLACE.match(step)) and -_LARGEST < int(step) < _LARGEST - 1


def _element(writer: Writer, source: exp.Expr, step: str) -> list[exp.Expr]:
    return [item(writer, source.copy(), int(step))] if _is_place(step) else []


def _delete_path(writer: Writer, node: Op | Func, plain: bool) -> exp.Expr:
    steps = _path(writer, node)
    if steps is None:
        return writer.piece(".no_document")
    source = document(writer, node.args[0], plain=plain)

    def last(source: exp.Expr, step: str) -> tuple[exp.Expr, exp.Expr]:
        keys = exp.Array(expressions=[writer.text(f"s{step}")])
        of_array = source.copy()
        if _is_place(step):
            of_array = writer.piece(
                ".document_without_at", source.copy(), writer.integer(int(step))
            )
        return writer.piece(".document_without", source.copy(), keys), of_array

    return _whole(writer, node, source, steps, last, new=False)


def _whole(
    writer: Writer, node: Node, source: exp.Expr, steps: list[str], last: Last, *, new: bool
) -> exp.Expr:
    """A scalar is an error even where the path is empty, which changes nothing."""
    scalar = "cannot change a path in scalar"
    if len(steps) > _DEEPEST:
        raise writer.refused(node, "The path is too long.")
    if steps:
        return _changed(writer, source, steps, last, top=scalar, new=new)
    kind = writer.piece(".document_kind_of", source.copy())
    return writer.case([(writer.filled("_1 = 's'", kind), _broken(writer, scalar))], source)


def _flag(writer: Writer, node: Op | Func, place: int, default: bool) -> bool:
    if len(node.args) <= place:
        return default
    known = fold(node.args[place])
    if known is None or known.value is None:
        raise writer.refused(node, "The last argument must be true or false.")
    return bool(known.value)


def _set(writer: Writer, node: Op | Func, plain: bool) -> exp.Expr:
    """jsonb_set."""
    steps, create = _path(writer, node), _flag(writer, node, 3, True)
    if steps is None:
        return writer.piece(".no_document")
    value = document(writer, node.args[2], plain=plain)
    source = document(writer, node.args[0], plain=plain)

    def last(source: exp.Expr, step: str) -> tuple[exp.Expr, exp.Expr]:
        marked = writer.text(f"s{step}")
        of_object = writer.piece(".document_put", source.copy(), marked, value.copy())
        of_array = source.copy()
        if _is_place(step):
            place = writer.integer(int(step))
            of_array = writer.piece(".document_put_at", source.copy(), place, value.copy())
        if create:
            if _is_place(step):
                of_array = _or_at_the_end(writer, source, int(step), value, of_array)
            return of_object, of_array
        there = exp.Not(this=writer.is_null(field(writer, source.copy(), step)))
        return writer.case([(there, of_object)], source.copy()), of_array

    whole = _whole(writer, node, source, steps, last, new=create)
    return _strict(writer, whole, source, value)


def _or_at_the_end(
    writer: Writer, source: exp.Expr, place: int, value: exp.Expr, of_array: exp.Expr
) -> exp.Expr:
    """A place that is not there is before the first element, or behind the last one."""
    there = exp.Not(this=writer.is_null(item(writer, source.copy(), place)))
    new = writer.piece(".document_list", value.copy())
    pair = (new, source.copy()) if place < 0 else (source.copy(), new)
    return writer.case([(there, of_array)], writer.piece(".document_concat", *pair))


def _strict(writer: Writer, whole: exp.Expr, source: exp.Expr, value: exp.Expr) -> exp.Expr:
    nulls = [writer.is_null(one.copy()) for one in (source, value)]
    missing = exp.Or(this=nulls[0], expression=nulls[1])
    return writer.case([(missing, writer.piece(".no_document"))], whole)


def _insert(writer: Writer, node: Op | Func, plain: bool) -> exp.Expr:
    """jsonb_insert: a new member, or an element before or after the one at the place."""
    steps, after = _path(writer, node), _flag(writer, node, 3, False)
    if steps is None:
        return writer.piece(".no_document")
    value = document(writer, node.args[2], plain=plain)
    source = document(writer, node.args[0], plain=plain)

    def last(source: exp.Expr, step: str) -> tuple[exp.Expr, exp.Expr]:
        marked = writer.text(f"s{step}")
        there = exp.Not(this=writer.is_null(field(writer, source.copy(), step)))
        of_object = writer.case(
            [(there, _broken(writer, "cannot replace existing key"))],
            writer.piece(".document_put", source.copy(), marked, value.copy()),
        )
        of_array = source.copy()
        if _is_place(step):
            new = writer.piece(".document_list", value.copy())
            # A place counted from the end is turned into one from the beginning.
            place = writer.integer(int(step) + (after and int(step) != -1))
            if after and int(step) == -1:
                of_array = writer.piece(".document_concat", source.copy(), new)
            else:
                of_array = writer.piece(".document_insert_at", source.copy(), place, new)
        return of_object, of_array

    whole = _whole(writer, node, source, steps, last, new=True)
    return _strict(writer, whole, source, value)


def _strip(writer: Writer, node: Op | Func, plain: bool) -> exp.Expr:
    """jsonb_strip_nulls: members that are null, at any depth."""
    if _flag(writer, node, 1, False):
        raise writer.refused(node, "Elements of arrays cannot be stripped.")
    return writer.piece(".document_stripped", document(writer, node.args[0], plain=plain))


MAKERS: dict[str, Maker] = {
    "jsonb_concat(jsonb,jsonb)": _concat,
    "jsonb_delete(jsonb,int4)": _delete_at,
    "jsonb_delete_path(jsonb,_text)": _delete_path,
    "jsonb_set(jsonb,_text,jsonb,bool)": _set,
    "jsonb_insert(jsonb,_text,jsonb,bool)": _insert,
    "jsonb_strip_nulls(jsonb,bool)": _strip,
    "jsonb_strip_nulls(jsonb)": _strip,
}
