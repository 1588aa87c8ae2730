"""Rows tried against conditions, in DuckDB: what is true, false or NULL for them.

Example
    trials = Trials(engine, table)
    trials.examples(condition)           a few true, false and NULL rows
    trials.compare(before, now)          rows that one condition takes and the other does not

    A row is one combination of candidates of the columns that the conditions read.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice, product
from math import prod
from operator import itemgetter

from msgspec import Struct, field
from msgspec.structs import replace
from sqlglot import exp

from filtersql.catalog import Table
from filtersql.errors import Mistake, Mistakes
from filtersql.filters import Filter, write
from filtersql.review.candidate_rows import numbered_rows, places_of, trimmed, with_others
from filtersql.review.telling_rows import Answer, own_first, telling_first
from filtersql.targets.model import Engine
from filtersql.verify.boundaries import Candidates, candidates
from filtersql.verify.clock import at_trial

__all__ = ["Comparison", "Condition", "NotTried", "Row", "Trials", "shown"]

#: a row as (column, value as PostgreSQL prints it; None is NULL)
Row = tuple[tuple[str, str | None], ...]

_FEW = 6
_MOST_EXAMPLES = 400
_MOST_SINGLE = 60
_MOST_ROWS = 20_000
_MOST_EXHAUSTIVE = 200_000


class Condition(Struct, frozen=True):
    """The filters of which one must be true; none: every row (`matches`), or no row."""

    filters: tuple[Filter, ...] = ()
    matches: bool = True

    @property
    def texts(self) -> tuple[str, ...]:
        """What PostgreSQL prints, in an order of its own."""
        return tuple(sorted({each.deparsed for each in self.filters}))


class NotTried(Exception):
    """No row can be tried: the reason, as a sentence without its full stop."""


class Comparison(Struct, frozen=True):
    """Two conditions over the same rows."""

    #: a row that is taken now and was not before; one that was and is not
    gained: Row | None
    lost: Row | None
    rows: int
    #: whether the rows stand for all rows that there can be
    exhaustive: bool


class Trials(Struct, frozen=True):
    """What can be asked of one table's rows."""

    engine: Engine
    table: Table
    _asked: dict[tuple[str, ...], dict[bool | None, tuple[Row, ...]]] = field(default_factory=dict)

    def examples(self, condition: Condition) -> dict[bool | None, tuple[Row, ...]]:
        """Up to a few rows for which the condition is true, false and NULL. Raises NotTried."""
        known = self._asked.get(condition.texts)
        if known is None:
            known = self._asked[condition.texts] = self._examples(condition)
        return known

    def _examples(self, condition: Condition) -> dict[bool | None, tuple[Row, ...]]:
        trees = [each.tree for each in condition.filters]
        domain = tuple(own_first(each, trees) for each in self._domain(condition))
        found: dict[bool | None, list[Row]] = {True: [], False: [], None: []}
        for places, truth in telling_first(self._answers(condition, domain)):
            rows = found[truth]
            if len(rows) < _FEW:
                rows.append(_row(domain, places))
        return {truth: tuple(rows) for truth, rows in found.items()}

    def _answers(self, condition: Condition, domain: tuple[Candidates, ...]) -> list[Answer]:
        """What the condition says of each row; rows on which it raises are left out."""
        try:
            return self._judged(condition, trimmed(domain, _MOST_EXAMPLES))
        except NotTried:
            numbers = [range(len(each.values)) for each in domain]
            answers: list[Answer] = []
            for places in islice(product(*numbers), _MOST_SINGLE):
                single = tuple(
                    Candidates(each.column, (each.values[place],), complete=False)
                    for each, place in zip(domain, places, strict=True)
                )
                with suppress(NotTried):
                    ((_, truth),) = self._judged(condition, single)
                    answers.append((list(places), truth))
            if not answers:
                raise
            return answers

    def _judged(self, condition: Condition, domain: tuple[Candidates, ...]) -> list[Answer]:
        answer = exp.alias_(self._written(condition, domain), "answer", copy=False)
        query = exp.Select(expressions=[exp.column("i"), answer]).from_(
            numbered_rows(domain), copy=False
        )
        found = [
            (places_of(domain, number), None if truth is None else bool(truth))
            for number, truth in self._ask(query)
        ]
        return sorted(found, key=itemgetter(0))

    def compare(self, before: Condition, now: Condition) -> Comparison:
        """Rows that tell two conditions apart. Raises NotTried."""
        domain = self._domain(before, now)
        exhaustive = all(each.complete for each in domain)
        domain, whole = trimmed(domain, _MOST_EXHAUSTIVE if exhaustive else _MOST_ROWS), domain
        exhaustive = exhaustive and domain == whole
        gained = self._first(domain, now, before)
        lost = self._first(domain, before, now)
        return Comparison(gained, lost, prod(len(each.values) for each in domain), exhaustive)

    def _first(
        self, domain: Sequence[Candidates], taking: Condition, leaving: Condition
    ) -> Row | None:
        """The first row that one condition takes and the other does not."""
        takes, leaves = (
            exp.func("COALESCE", self._written(each, domain), exp.false())
            for each in (taking, leaving)
        )
        query = (
            exp.Select(expressions=[exp.column("i")])
            .from_(numbered_rows(domain), copy=False)
            .where(takes, exp.not_(leaves, copy=False), copy=False)
            .order_by(exp.column("i"), copy=False)
            .limit(1, copy=False)
        )
        found = self._ask(query)
        return _row(domain, places_of(domain, found[0][0])) if found else None

    def _domain(self, *conditions: Condition) -> tuple[Candidates, ...]:
        filters = [each for condition in conditions for each in condition.filters]
        trees = [at_trial(each).tree for each in filters]
        found = candidates(self.table, trees)
        if any(each.over is not None for each in filters):
            # At another time the cuts of two windows may lie otherwise.
            found = tuple(replace(each, complete=False) for each in found)
        domain = tuple(map(with_others, found))
        for each in domain:
            if not any(value is not None for value in each.values):
                raise NotTried(f'there are no values to try for column "{each.column.name}"')
        return domain

    def _written(self, condition: Condition, domain: Sequence[Candidates]) -> exp.Expr:
        places = {each.column.name: f"c{place}" for place, each in enumerate(domain)}
        if not condition.filters:
            return exp.true() if condition.matches else exp.false()
        try:
            written = [
                write(at_trial(each), "duckdb", lambda name: exp.column(places[name]))
                for each in condition.filters
            ]
        except (Mistake, Mistakes) as error:
            one = error.mistakes[0] if isinstance(error, Mistakes) else error
            raise NotTried(one.message) from None
        return exp.or_(*written, copy=False)

    def _ask(self, query: exp.Select) -> list[tuple[object, ...]]:
        try:
            return self.engine.rows(query.sql("duckdb", copy=False))
        except (Mistake, Mistakes) as error:
            one = error.mistakes[0] if isinstance(error, Mistakes) else error
            raise NotTried(f"the filter raises on some of the rows: {one.message}") from None


def shown(value: str | None) -> str:
    """A value as a literal, for people: numbers bare, anything else in quotes.

    >>> shown("-1.50"), shown("it's"), shown(None)
    ('-1.50', "'it''s'", 'NULL')
    """
    if value is None:
        return "NULL"
    plain = value.removeprefix("-").replace(".", "", 1)
    bare = plain.isascii() and plain.isdigit()
    return value if bare else "'" + value.replace("'", "''") + "'"


def _row(domain: Sequence[Candidates], places: Sequence[int]) -> Row:
    return tuple(
        (each.column.name, each.values[place]) for each, place in zip(domain, places, strict=False)
    )
