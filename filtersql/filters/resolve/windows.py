"""A row filter within a window of time: what a run's clock decides is one more condition.

Example
    ======================================== ==================================================
    where: "region = 'eu'"                   ((region = 'eu'::text) AND
    window: {column: created_at,                (created_at >= cut('30 days', 'day')))
             keep: 30 days, grain: 1 day}
    no where, the same window                (created_at >= cut('30 days', 'day'))
    … with delay: 1 hour                     … AND (created_at < cut('01:00:00', 'day'))
    ======================================== ==================================================

The column is read as the filter's others are, so every rule of theirs holds for it: replica
identity, column lists, partitions, OR. NULL is outside. `Filter.over` is true of a row once its
time is over, `Filter.young` until it begins, whatever else the filter asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from filtersql.catalog import Column, Table
from filtersql.definitions.windows import Window, WindowedFilter
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.columns import UNKNOWN_IN_TABLE
from filtersql.errors.filters import BadLiteral
from filtersql.errors.publications import perhaps
from filtersql.errors.windows import (
    DELAY_NEGATIVE,
    DELAY_TOO_LONG,
    MUST_BE_POSITIVE,
    NO_GRAIN,
    NULL_IS_SENT,
    STORED_OTHERWISE,
    TOO_LONG,
    WRONG_COLUMN,
)
from filtersql.filters.facts import facts
from filtersql.filters.model import Filter
from filtersql.filters.tree.deparse import deparse
from filtersql.filters.tree.nodes import Bool, Cut, Node, Op, Var
from filtersql.filters.tree.walking import walk
from filtersql.filters.values import read, show
from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.filters.values.clock import Clock
from filtersql.filters.values.cuts import GRAINS, ClockColumn, grain_of
from filtersql.filters.values.intervals import Parts
from filtersql.names import quote_identifier
from filtersql.pgtypes import format_type
from filtersql.semantics import Semantics
from filtersql.source import Passage

__all__ = ["cuts_of", "printed_filter", "within_window"]

_TYPES = ("date", "timestamp", "timestamptz")
_MOST_MONTHS = 12_000
_MOST_DAYS = 366_000
_GRAINS = {grain: show("interval", interval) for interval, grain in GRAINS.items()}
_PRINTED = re.compile(
    r"(?:\((?:(?P<where>.+) AND )?)?"
    rf"\((?P<column>.+) >= cut\('(?P<keep>[^']*)', '(?P<grain>{'|'.join(_GRAINS)})'\)\)"
    r"(?: AND \((?P=column) < cut\('(?P<delay>[^']*)', '(?P=grain)'\)\))?\)?",
    re.DOTALL,
)


def within_window(found: Filter, table: Table, semantics: Semantics) -> Filter:
    """The filter and its window; as it is where it has none. Raises Mistakes."""
    if not isinstance(found.text, WindowedFilter):
        return found
    window = found.text.window
    try:
        column = _column(window, table, semantics)
    except Mistake as mistake:
        raise Mistakes([mistake, *_interval_mistakes(window, found.postgres_version)]) from None
    if mistakes := list(_interval_mistakes(window, found.postgres_version)):
        raise Mistakes(mistakes)
    kind = column.type.name
    var = Var(kind, column.type.typmod, name=column.name)
    end = _cut(window, window.keep, kind, found.postgres_version)
    over, young = _compared("<", var, end), None
    inside = [_compared(">=", var, end)]
    if window.delay is not None:
        begin = _cut(window, window.delay, kind, found.postgres_version)
        young = _compared(">=", var, begin)
        inside.append(_compared("<", var, begin))
    shown = [deparse(each) for each in inside]
    parts: tuple[Node, ...] = ()
    if found.deparsed != "true":
        written = found.tree
        parts = (written,)
        if isinstance(written, Bool) and written.kind == "and":
            parts = written.args
        shown = [found.deparsed, *shown]
    whole: tuple[Node, ...] = (*parts, *inside)
    place = found.columns.get(column.name, window.column_span)
    return replace(
        found,
        tree=whole[0] if len(whole) == 1 else Bool("bool", kind="and", args=whole),
        deparsed=shown[0] if len(shown) == 1 else f"({' AND '.join(shown)})",
        columns={**found.columns, column.name: place},
        over=over,
        young=young,
    )


def printed_filter(text: Passage, table: Table) -> Passage:
    """A filter as the state keeps it, with its window apart from it; others as they are."""
    found = _PRINTED.fullmatch(text.text)
    names = {quote_identifier(column.name): column.name for column in table.columns}
    if found is None or found["column"] not in names:
        return text
    keep, grain, delay = found["keep"], _GRAINS[found["grain"]], found["delay"]
    window = Window(
        names[found["column"]],
        text.span(),
        Passage(keep, text.source),
        Passage(grain, text.source),
        None if delay is None else Passage(delay, text.source),
    )
    return WindowedFilter(found["where"] or "true", text.source, window=window)


def cuts_of(tree: Node) -> Iterator[ClockColumn]:
    """The columns of the clock that an expression reads."""
    return (node.column for node in walk(tree) if isinstance(node, Cut))


def _column(window: Window, table: Table, semantics: Semantics) -> Column:
    column, name = table.column(window.column), table.name
    if column is None:
        known = [each.name for each in table.columns]
        raise UNKNOWN_IN_TABLE(
            window.column_span,
            column=window.column,
            table=name.name,
            hint=perhaps(window.column, known),
        )
    if column.type.schema != "pg_catalog" or column.type.name not in _TYPES:
        shown = format_type(column.type)
        raise WRONG_COLUMN(window.column_span, name=name, column=column.name, pg_type=shown)
    if column.target_type is not None:
        raise STORED_OTHERWISE(window.column_span, name=name, column=column.name)
    if semantics.null_policy == "keep" and not table.never_null(column.name):
        raise NULL_IS_SENT(
            window.column_span, name=name, column=column.name, semantics=semantics.name
        )
    return column


def _interval_mistakes(window: Window, postgres_version: int) -> Iterator[Mistake]:
    """What is wrong with `keep`, `delay` and `grain`."""
    keep: Parts | None = None
    try:
        keep = _parts(window.keep, postgres_version)
        if keep is None or max(keep) == 0:
            yield MUST_BE_POSITIVE(window.keep.span(), interval=window.keep.text)
        elif _is_long(keep):
            yield TOO_LONG(window.keep.span(), interval=window.keep.text)
    except Mistake as mistake:
        yield mistake
    if window.delay is not None:
        try:
            delay = _parts(window.delay, postgres_version)
            if delay is None:
                yield DELAY_NEGATIVE(window.delay.span(), interval=window.delay.text)
            elif keep is not None and not _is_shorter(delay, keep):
                yield DELAY_TOO_LONG(
                    window.delay.span(), delay=window.delay.text, keep=window.keep.text
                )
        except Mistake as mistake:
            yield mistake
    if window.grain is not None:
        try:
            if grain_of(_interval(window.grain, postgres_version)) is None:
                yield NO_GRAIN(window.grain.span(), interval=window.grain.text)
        except Mistake as mistake:
            yield mistake


def _parts(written: Passage, postgres_version: int) -> Parts | None:
    """An interval; None where some part of it is negative, or it is infinite."""
    interval = _interval(written, postgres_version)
    return interval if isinstance(interval, Parts) and min(interval) >= 0 else None


def _is_shorter(delay: Parts, keep: Parts) -> bool:
    """Whether it is so from every clock: a month has 28 to 31 days."""
    longest, shortest = (
        (parts.months * days + parts.days) * USECS_PER_DAY + parts.micros
        for parts, days in (
            (delay._replace(months=max(delay.months - keep.months, 0)), 31),
            (keep._replace(months=max(keep.months - delay.months, 0)), 28),
        )
    )
    return longest < shortest


def _is_long(parts: Parts) -> bool:
    days = parts.days + parts.micros // USECS_PER_DAY
    return parts.months > _MOST_MONTHS or days > _MOST_DAYS


def _interval(written: Passage, postgres_version: int) -> object:
    try:
        return read("interval", written.text, -1, Clock(None, postgres_version, written.session))
    except BadLiteral as problem:
        problem.span = written.span()
        raise


def _cut(window: Window, back: Passage, kind: str, postgres_version: int) -> Cut:
    interval = _interval(back, postgres_version)
    written = None if window.grain is None else _interval(window.grain, postgres_version)
    grain = "day" if written is None else grain_of(written)
    assert isinstance(interval, Parts)
    assert grain is not None
    text = show("interval", interval)
    plain = "".join(letter if letter.isalnum() else "_" for letter in text)
    name = f"cut_{plain}_by_{grain}" + ("" if kind == "timestamptz" else f"_{kind}")
    return Cut(kind, column=ClockColumn(name, interval, grain, kind))


def _compared(name: str, var: Var, cut: Cut) -> Op:
    operator = next(each for each in facts().operators(name) if each.left == var.type == each.right)
    function = facts().function(operator.function)
    return Op("bool", operator=operator, function=function, args=(var, cut))
