"""A feed that a query gives: `TableFeed`.

Example
    feed = table_feed(engine, changes, 120, landings, catalog)    # run/engine_tables.py
    feed.query      SELECT seq, op, … FROM lake.changes WHERE seq > 120
    feed.order      seq: rows that are equal in it belong together
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from sqlglot import exp

from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Record

__all__ = ["Changes", "Row", "TableFeed"]

Row = Sequence[object]
#: the changes that ordered rows tell; mistakes go to the list
Changes = Callable[[Iterable[Row], list[PlacedMistake]], Iterator[tuple[Place, Record]]]


class TableFeed(Struct, frozen=True):
    """The query, the column that orders its rows, and what makes changes of ordered rows.

    `changes` can be sent to another process; where it finds mistakes it puts them into its list.
    """

    query: exp.Select
    order: str
    changes: Changes

    def ordered(self) -> exp.Select:
        """The query, in its order."""
        return self.query.order_by(exp.column(self.order, quoted=True))
