"""A case, and the columns of its rows on an engine.

Example
    case = Case((Change("insert", None, {"a": "6"}),), before=(), expected=(("6",),))
    Layout(compiled, "filtersql_case").result(Kind.MERGE, engine)    ["filtersql_case", "a"]
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from filtersql.catalog import PgType
from filtersql.rendering.compiled import CompiledTable, FeedColumn
from filtersql.rendering.sql_fragments import quoted
from filtersql.storage import stored_as
from filtersql.targets.model import Engine
from filtersql.verify.kinds import Kind
from filtersql.verify.model import Change, Row

__all__ = [
    "Case",
    "Layout",
    "Rows",
    "bare_table",
    "free_name",
    "number_column",
    "seq_of",
    "value_names",
]

_NUMBER, _TEXT = PgType("int8"), PgType("text")

#: rows as an engine has them
Rows = tuple[tuple[object, ...], ...]


class Case(Struct, frozen=True):
    """Changes, the rows that the target holds before them, and those expected after them.

    A row of the source is a change, too: a "read". Of an audit the findings are expected.
    `expected` None: the statement has to stop. `may_stop`: it may stop instead.
    """

    changes: tuple[Change, ...]
    before: tuple[Row, ...]
    expected: tuple[Row, ...] | None
    may_stop: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """The smallest counterexample is the one that is shown."""
        return len(self.changes), len(self.before)


class Layout(Struct, frozen=True):
    """The columns of a table's changes and of its target, on the engine of the trial.

    `number` is the column that says to which case a row belongs.
    """

    compiled: CompiledTable
    number: str

    @property
    def feed(self) -> CompiledTable:
        """What a change is staged as."""
        return self._shaped([column.name for column in self.compiled.feed_columns])

    @property
    def target(self) -> CompiledTable:
        """What a row of the target is staged as."""
        return self._shaped([column.name for column in self.compiled.columns])

    def findings(self, engine: Engine) -> CompiledTable:
        """What a row of the audit is staged as."""
        compiled, text = self.compiled, stored_as(_TEXT, engine.dialect).sql
        names = compiled.key or [column.name for column in compiled.columns]
        found = [FeedColumn(compiled.finding_column, _TEXT, text, not_null=False)]
        if not compiled.key:
            found += [FeedColumn(compiled.copies_column, _NUMBER, "BIGINT", not_null=False)]
        shaped = self._shaped(names)
        return replace(shaped, feed_columns=(*shaped.feed_columns, *found))

    def result(self, kind: Kind, engine: Engine) -> list[str]:
        """The columns of the rows that are expected, the case's number first."""
        shaped = self.findings(engine) if kind is Kind.AUDIT else self.target
        return [column.name for column in shaped.feed_columns]

    def _shaped(self, names: Sequence[str]) -> CompiledTable:
        known = {column.name: column for column in self.compiled.feed_columns}
        kept = (replace(known[name], not_null=False) for name in names)
        return replace(
            self.compiled,
            feed_columns=(number_column(self.number), *kept),
        )

    def definitions(self, engine: Engine) -> str:
        """The columns of the target for CREATE TABLE."""
        number = f"{quoted(self.number, engine.dialect)} BIGINT"
        return f"{number},\n  {self.compiled.column_definitions_sql}"


def number_column(name: str) -> FeedColumn:
    """The column that says to which case a row belongs."""
    return FeedColumn(name, _NUMBER, "BIGINT", not_null=False)


def bare_table(columns: tuple[FeedColumn, ...]) -> CompiledTable:
    """As much of a compiled table as staging rows asks for."""
    nothing: dict[str, object] = dict.fromkeys(CompiledTable.__struct_fields__, "")
    return CompiledTable(**{**nothing, "feed_columns": columns})  # type: ignore[arg-type]


def seq_of(place: int) -> int:
    """The seq of a case's change by its place: from the least that a feed has."""
    return 10 * place - 9


def free_name(name: str, taken: Sequence[str]) -> str:
    """A name like it that no column has."""
    folded = {one.lower() for one in taken}
    while any(one.endswith(name) for one in folded):
        name += "_"
    return name


def value_names(compiled: CompiledTable) -> list[str]:
    """The names that a row's values have in statements."""
    return [
        f"{prefix}{column.name}"
        for column in compiled.feed_columns
        for prefix in ("", "before_", "after_", "old_", "new_")
    ]
