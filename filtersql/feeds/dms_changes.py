"""What a row of DMS says as a change: `Changes(feed, catalog).of(place, 17, name, row, [])`.

Example
    {"Op": "U", "id": "1", "v": "NULL", "BI_id": "1"}     update: (id=1) becomes (id=1, v=NULL)

AWS
    Using Amazon S3 as a target: CsvNullValue, BeforeImageSettings
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from filtersql.catalog import Catalog, Table
from filtersql.changes import may_be_out_of_line
from filtersql.definitions.model import Feed
from filtersql.errors import Mistake
from filtersql.errors.feeds import AMBIGUOUS_VALUE, UNREADABLE_EVENT
from filtersql.feeds.dms_rows import Row, is_load
from filtersql.feeds.landings import Needed, is_needed
from filtersql.feeds.lines import line_span
from filtersql.feeds.places import Place
from filtersql.feeds.records import Record
from filtersql.names import RelationName

__all__ = ["HINT", "Changes"]

HINT = "Write files with AddColumnName, below folders of the schema and the table."
_OPS = {"I": "insert", "U": "update", "D": "delete"}
_ZONE = re.compile(r"(?:[+-]\d\d(?::?\d\d)*|Z)$", re.ASCII)
_BEFORE = "BI_"


class Changes(Struct, frozen=True):
    """Makes changes of rows. Values of columns that are not needed need not be told."""

    feed: Feed
    catalog: Catalog
    needed: Needed = None

    def of(
        self,
        place: Place,
        seq: int,
        name: RelationName,
        row: Row,
        mistakes: list[tuple[Place, Mistake]],
    ) -> Record | None:
        """The change of a row; None where a mistake was found."""
        written = str(row.get("Op", "I"))
        op = "read" if is_load(place) else _OPS.get(written)
        if op is None or (not is_load(place) and "Op" not in row):
            reason = f'op "{written}" is unknown' if "Op" in row else "it has no column Op"
            mistakes.append(
                (place, UNREADABLE_EVENT(line_span(*place), form="DMS", reason=reason, hint=HINT))
            )
            return None
        known = len(mistakes)
        table = self.catalog.tables.get(name)
        relation = [name.schema, name.name]
        own = {"Op", self.feed.options.get("sequence", "Op")}
        after = {key: value for key, value in row.items() if key not in own}
        old = {key: after.pop(key) for key in list(after) if _is_old(key, table)}
        if table is None:
            return Record(seq, op, relation, None, after)
        after = self._values(place, table, after, mistakes)
        before = self._before(place, table, op, after, old, mistakes)
        change = Record(seq, op, relation, before, None if op == "delete" else after)
        return change if len(mistakes) == known else None

    def _before(
        self,
        place: Place,
        table: Table,
        op: str,
        after: dict[str, Any],
        old: Row,
        mistakes: list[tuple[Place, Mistake]],
    ) -> dict[str, Any] | None:
        """What is known of the old row: its identity, unless the feed says that it is whole."""
        if op in ("insert", "read"):
            return None
        logged = set(table.identity_columns)
        if self.feed.before_complete:
            logged = {column.name for column in table.columns}
        if self.feed.options.get("before_image") == "true":
            plain = {key.removeprefix(_BEFORE): value for key, value in old.items()}
            known = {key: value for key, value in plain.items() if key in logged}
            return self._values(place, table, known, mistakes) if known else None
        if op == "update":
            return None
        return {key: value for key, value in after.items() if key in logged}

    def _values(
        self, place: Place, table: Table, row: Row, mistakes: list[tuple[Place, Mistake]]
    ) -> dict[str, Any]:
        """The values of an image; NULL, where CSV has its own word for it."""
        null = self.feed.options.get("csv_null_value")
        found: dict[str, Any] = {}
        for name, value in row.items():
            column = table.column(name)
            if not isinstance(value, str) or column is None:
                found[name] = value
            elif value == (null if null is not None else "NULL"):
                found[name] = None
                told = null is not None or not may_be_out_of_line(column)
                if not told and is_needed(self.needed, table.name, name):
                    means = "NULL and the text that stands for it"
                    remedy = "Say `csv_null_value`, a text that no column has (DMS: CsvNullValue)."
                    span = line_span(*place)
                    wrong = AMBIGUOUS_VALUE(
                        span, column=name, table=table.name, form="DMS", means=means, remedy=remedy
                    )
                    mistakes.append((place, wrong))
            else:
                found[name] = _written(value, column.type.name)
        return found


def _is_old(key: str, table: Table | None) -> bool:
    return key.startswith(_BEFORE) and (table is None or table.column(key) is None)


def _written(value: str, type_name: str) -> str:
    """A value as PostgreSQL writes it: DMS gives moments in UTC without saying so, bytes in hex."""
    if type_name == "timestamptz" and not _ZONE.search(value):
        return f"{value}+00"
    if type_name == "bytea" and not value.startswith("\\x"):
        return f"\\x{value.removeprefix('0x')}"
    return value
