"""A row filter after PostgreSQL's rules: allowed, typed, and ready to be written for an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from filtersql.errors import Notice
from filtersql.source import Passage, Span

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.tree.nodes import Node, Op

__all__ = ["CLOCK", "ELEMENT", "PREFIX_MARK", "ColumnWriter", "Filter"]

#: gives the engine's expression for a column of the judged image: `before_a`, `t.a`, …
ColumnWriter = Callable[[str], "exp.Expr"]
#: the view of one row that has the moments of a run's clock, see filters/values/cuts.py
CLOCK = "filtersql_clock"
#: the name of a column that stands for an element of a list; no column is called so
ELEMENT = "\0element"
#: stands for a prefix of column names while a filter is printed: a character of no one's own
PREFIX_MARK = "\ue000"


class Filter(Struct, frozen=True):
    """One publication's row filter on one table.

    `tree` is the typed tree in which every node names the one function that PostgreSQL calls;
    `deparsed` is pg_get_expr's text for it; `columns` are the plain names that it reads, each with
    its first place. Made by `filters.resolve`, which raises what PostgreSQL refuses.
    """

    text: Passage
    tree: Node
    deparsed: str
    columns: Mapping[str, Span]
    notices: tuple[Notice, ...] = field(default=())
    #: of the source: what some functions give depends on it
    postgres_version: int = 18
    #: of a filter within a window of time: `column < cut(keep)`, true of a row whose time is over
    over: Op | None = None
    #: the same of a row that is too young: `column >= cut(delay)`; None: none is
    young: Op | None = None
