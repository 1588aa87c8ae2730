"""`@>` and `<@` of jsonb with a constant on one side: every value of the constant in its place.

Example
    ============================== ===========================================================
    filter                         written as
    ============================== ===========================================================
    `j @> '{"a": {"b": 1}}'`       the value at a, b is the number 1
    `j @> '["x"]'`                 the array holds "x"
    `j @> '[{"a": 1}]'`            one of its elements has the number 1 at a
    `j <@ '{"a": 1, "b": 2}'`      its keys are a and b at most, with these values
    ============================== ===========================================================

PostgreSQL
    jsonb_op.c, jsonb_contains(); jsonb_util.c, JsonbDeepContains(): only at the top may an array
    contain a scalar that stands for itself.
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.filters.write.rules.document_constants import raw_of
from filtersql.filters.write.rules.document_values import any_item, field, raw
from filtersql.filters.write.writer import Writer

__all__ = ["contained", "contains"]


def contains(writer: Writer, source: exp.Expr, wanted: object, given: exp.Expr) -> exp.Expr:
    """Whether the document contains the constant; NULL where what is given is NULL."""
    if isinstance(wanted, (dict, list)):
        test = _contains(writer, source, wanted, 1)
    else:
        literal = raw_of(wanted)
        equal = writer.filled("_1 = _2", raw(writer, source), literal)
        held = writer.piece(".document_holds", source, literal)
        test = exp.Or(this=equal, expression=held)
    return _of_known(writer, given, test)


def contained(writer: Writer, source: exp.Expr, whole: object) -> exp.Expr:
    """Whether the constant contains the document; NULL where it is NULL."""
    test = _contained(writer, source, whole, 1)
    if isinstance(whole, list):
        scalars = [one for one in whole if not isinstance(one, (dict, list))]
        if scalars:
            test = exp.or_(_one_of(writer, source, scalars), test, copy=False)
    return _of_known(writer, source, test)


def _of_known(writer: Writer, source: exp.Expr, test: exp.Expr) -> exp.Expr:
    known = writer.is_not_null(source)
    sure = writer.coalesce(test, False)
    return writer.case([(known, sure)], None)


def _contains(writer: Writer, source: exp.Expr, wanted: object, depth: int) -> exp.Expr:
    """True, or else false or NULL."""
    if isinstance(wanted, dict):
        tests = [
            _contains(writer, field(writer, source, key), value, depth)
            for key, value in wanted.items()
        ] or [_begins(writer, source, "{")]
        return exp.and_(*tests, copy=False)
    if isinstance(wanted, list):
        tests = [_has_element(writer, source, one, depth) for one in wanted]
        return exp.and_(*(tests or [_begins(writer, source, "[")]), copy=False)
    return writer.filled("_1 = _2", raw(writer, source), raw_of(wanted))


def _has_element(writer: Writer, source: exp.Expr, wanted: object, depth: int) -> exp.Expr:
    if not isinstance(wanted, (dict, list)):
        return writer.piece(".document_holds", source, raw_of(wanted))
    return any_item(writer, source, depth, lambda one: _contains(writer, one, wanted, depth + 1))


def _contained(writer: Writer, source: exp.Expr, whole: object, depth: int) -> exp.Expr:
    if isinstance(whole, dict):
        keys = [writer.text(f"s{key}") for key in whole]
        tests = [
            _begins(writer, source, "{"),
            writer.piece(".document_keys_among", source, exp.Array(expressions=keys))
            if keys
            else writer.filled("_1 = _2", raw(writer, source), "{}"),
        ]
        for key, value in whole.items():
            found = field(writer, source, key)
            inside = _contained(writer, found, value, depth)
            tests.append(exp.or_(writer.is_null(found), inside, copy=False))
        return exp.and_(*tests, copy=False)
    if isinstance(whole, list):
        return exp.and_(
            _begins(writer, source, "["),
            exp.Not(
                this=any_item(
                    writer, source, depth, lambda one: _not_among(writer, one, whole, depth + 1)
                )
            ),
            copy=False,
        )
    return writer.filled("_1 = _2", raw(writer, source), raw_of(whole))


def _not_among(writer: Writer, one: exp.Expr, whole: list[object], depth: int) -> exp.Expr:
    scalars = [item for item in whole if not isinstance(item, (dict, list))]
    tests = [_one_of(writer, one, scalars)] if scalars else []
    tests += [
        writer.coalesce(_contained(writer, one, item, depth), False)
        for item in whole
        if isinstance(item, (dict, list))
    ]
    return exp.Not(this=exp.Paren(this=exp.or_(*tests, copy=False))) if tests else exp.true()


def _one_of(writer: Writer, source: exp.Expr, scalars: list[object]) -> exp.Expr:
    texts = [writer.text(raw_of(item)) for item in scalars]
    return exp.In(this=raw(writer, source), expressions=texts)


def _begins(writer: Writer, source: exp.Expr, sign: str) -> exp.Expr:
    return writer.piece(".begins", raw(writer, source), sign)
