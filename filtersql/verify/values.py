"""Rows to try against a table's filters: boundary values, and what each filter says of them.

Example
    filter: a > 5 AND c = 'NSW'
    ===== ===== ======= ====================================
    a     c     answer  a row for each answer, and its key
    ===== ===== ======= ====================================
    6     NSW   true    the values next to every constant
    5     NSW   false   are combined and evaluated, so that
    6     NULL  NULL    no answer is derived from the text
    ===== ===== ======= ====================================

A column that no filter reads gets a few different values that its type takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from msgspec import Struct

from filtersql.catalog import Column, PgType, Table
from filtersql.feeds.values import codec
from filtersql.filters import Filter
from filtersql.storage import column_type
from filtersql.verify.boundaries import candidates
from filtersql.verify.clock import at_trial
from filtersql.verify.filter_answers import Question, ask
from filtersql.verify.loading import TrialEngine

if TYPE_CHECKING:
    from filtersql.filters.tree.nodes import Node

__all__ = [
    "Answers",
    "Image",
    "Trial",
    "ask_together",
    "other_than",
    "trials",
    "tried_images",
    "values_of",
]

#: a row, or what is known of one: PostgreSQL's text of each value
Image = Mapping[str, str | None]

_MOST_ROWS = 300
_FEW = 4
_MORE = 2
#: texts of many types, to find a few that a column takes
_POOL = (
    *("1", "2", "3", "4", "t", "f", "a", "b", "c", "d"),
    *("2001-01-01", "2002-02-02", "2003-03-03", "2004-04-04"),
    *(f"{day} 00:00:00" for day in ("2001-01-01", "2002-02-02", "2003-03-03", "2004-04-04")),
    *(f"{day} 00:00:00+00" for day in ("2001-01-01", "2002-02-02", "2003-03-03", "2004-04-04")),
    *(f"0{hour}:00:00{zone}" for zone in ("", "+00") for hour in (1, 2, 3, 4)),
    *(f"00000000-0000-0000-0000-00000000000{digit}" for digit in (1, 2, 3, 4)),
    *("\\x01", "\\x02", "\\x03", "\\x04", "{}", "{1}", "{2}", "{3}", "{a}", "{b}", "{t}", "{f}"),
    *("0", "0.5", "10", "11", "[]", "[1]", '{"a": 1}', "1 day", "2 days"),
    *("{2001-01-01}", "{2002-02-02}", "10.0.0.1", "10.0.0.2"),
    *(f"{{00000000-0000-0000-0000-00000000000{digit}}}" for digit in (1, 2)),
)


class Trial(Struct, frozen=True):
    """Values of the columns that filters read, and what each filter says of such a row."""

    values: tuple[tuple[str, str | None], ...]
    answers: tuple[bool | None, ...]


@dataclass(slots=True)
class Answers:
    """What filters say of images: asked of the filter's DuckDB twin, many images at a time."""

    trial: TrialEngine
    table: Table
    filters: tuple[Filter, ...]
    #: the columns that any filter reads, in the table's order
    read: tuple[str, ...] = field(init=False)
    places: dict[int, int] = field(init=False)
    known: dict[tuple[str | None, ...], tuple[bool | None, ...] | None] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        names = {name for each in self.filters for name in each.columns}
        self.read = tuple(one.name for one in self.table.columns if one.name in names)
        self.places = {id(each): place for place, each in enumerate(self.filters)}

    def ask(self, images: Iterable[Image]) -> None:
        """Find out what every filter says of these images."""
        ask_together([(self, images)])

    def of(self, image: Image) -> tuple[bool | None, ...] | None:
        """The filters' answers; None where one of them raises an error."""
        if not self.filters:
            return ()
        values = tuple(map(image.get, self.read))
        if values not in self.known:
            self.ask([image])
        return self.known[values]

    def say(self, row_filter: Filter, image: Image) -> bool | None:
        """What one filter says of an image that was asked for."""
        found = self.of(image)
        if found is None:
            raise LookupError(row_filter.deparsed)
        return found[self.places[id(row_filter)]]


def ask_together(several: Sequence[tuple[Answers, Iterable[Image]]]) -> None:
    """Find out what the filters of several tables say of these images."""
    asked: list[Answers] = []
    questions: list[Question] = []
    for answers, images in several:
        read, known = answers.read, answers.known
        wanted = dict.fromkeys(tuple([image.get(name) for name in read]) for image in images)
        fresh = [values for values in wanted if values not in known]
        if fresh and answers.filters:
            columns = tuple(_column(answers.table, name) for name in read)
            questions.append(Question(columns, answers.filters, fresh))
            asked.append(answers)
    if not asked:
        return
    for one, question, found in zip(asked, questions, ask(asked[0].trial, questions), strict=True):
        one.known.update(zip(question.rows, found, strict=True))


def _column(table: Table, name: str) -> Column:
    found = table.column(name)
    assert found is not None  # filters read columns of their table only
    return found


def tried_images(answers: Answers) -> list[Image]:
    """Rows on both sides of every boundary."""
    trees: list[Node] = [at_trial(each).tree for each in answers.filters]
    chosen = {each.column.name: each.values for each in candidates(answers.table, trees)}
    lists = [_domain(_column(answers.table, name), chosen.get(name, ())) for name in answers.read]
    return [dict(zip(answers.read, values, strict=True)) for values in product(*_trimmed(lists))]


def trials(answers: Answers) -> list[Trial]:
    """Those rows; the ones on which a filter raises are left out."""
    images = tried_images(answers)
    answers.ask(images)
    found = []
    for image in images:
        said = answers.of(image)
        if said is not None:
            found.append(Trial(tuple(image.items()), said))
    return found


def _domain(column: Column, chosen: Sequence[str | None]) -> list[str | None]:
    """The boundary values that the stored type takes; others of its type where there is none."""
    taken = [*_storable(column.type, _stored(column), tuple(v for v in chosen if v is not None))]
    # Two more on whichever side: with one row alone no key can change.
    others = [value for value in values_of(column) if value not in taken][:_MORE]
    known: list[str | None] = [*taken, *others]
    if not column.not_null and None not in known:
        known.append(None)
    return known


def values_of(column: Column) -> tuple[str, ...]:
    """A few different values that the column takes, as PostgreSQL's text."""
    found = _storable(column.type, _stored(column), _POOL)
    return found[:_FEW]


def other_than(column: Column, value: str | None) -> str | None:
    """A value that is stored otherwise; None where the column takes no other."""
    if value is None:
        return next(iter(values_of(column)), None)
    return next(iter(_storable(column.type, _stored(column), (value, *_POOL))[1:]), None)


def _stored(column: Column) -> str:
    return column_type(column, "duckdb").sql


@lru_cache(maxsize=4096)
def _storable(pg_type: PgType, stored: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Those texts that are values of the type, one for each stored value."""
    code = codec(pg_type, stored, "duckdb")
    found: dict[object, str] = {}
    for text in texts:
        try:
            value = code.value(text)
        except ValueError:
            continue
        found.setdefault(value, value if isinstance(value, str) else text)
    return tuple(found.values())


def _trimmed(lists: list[list[str | None]]) -> Iterator[list[str | None]]:
    """The longest lists shortened until their combinations are few enough; NULL stays."""
    kept = [[*values] for values in lists]
    while prod(map(len, kept)) > _MOST_ROWS:
        longest = max(kept, key=len)
        del longest[-2]
    yield from kept
