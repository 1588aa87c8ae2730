"""The value that a target stores for a JSON value of a feed: `codec(pg_type, sql_type, engine)`.

Example
    ================== ============================ ===================== ==================
    PostgreSQL         in the feed                  stored as             value
    ================== ============================ ===================== ==================
    integer            7, "7"                       INT                   7
    numeric            1.50, "1.50", 1E2            STRING                '1.50', '100'
    char(3)            "ab"                         STRING                'ab '
    bytea              "\\\\x00ff"                    BINARY                two bytes
    integer[]          [1, null], "{1,NULL}"        STRING                '{1,NULL}'
    timestamptz        "2024-01-01 01:00:00+01"     TIMESTAMP             2024-01-01 00:00 UTC
    ================== ============================ ===================== ==================

A value that its PostgreSQL type cannot hold raises ValueError; one that the stored type cannot
hold (NaN in a DECIMAL, infinity in Spark's DATE) does too. Nothing is rounded or cut.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pyarrow
from msgspec import Struct

from filtersql.catalog import Catalog, PgType
from filtersql.errors import Collector
from filtersql.errors.feeds import UnstorableType
from filtersql.feeds.arrow_encoders import StoredKind, Unstorable, stored_kind, storer
from filtersql.feeds.datetimes import OutOfRange
from filtersql.feeds.readers import family, text_of
from filtersql.feeds.vectorized import Whole, whole
from filtersql.pgtypes import format_type, type_in_message
from filtersql.storage import Engine

__all__ = ["Codec", "NotHeld", "canonical_text", "check_target_types", "codec", "type_title"]

_SHOWN = 60


class NotHeld(ValueError):
    """A value of the PostgreSQL type that the stored type cannot hold."""


class Codec(Struct, frozen=True):
    """How values of one column are stored. `kind` says which Arrow type holds them."""

    pg_type: PgType
    kind: StoredKind
    store: Callable[[object], object]
    #: a column at once, where all its values are written in the usual way
    whole: Whole

    def value(self, written: object) -> object:
        """The stored value of a JSON value; None for null. Raises ValueError with the reason."""
        if written is None:
            return None
        try:
            return self.store(written)
        except Unstorable as reason:
            raise NotHeld(f"{_shown(written)} {reason}") from None
        except OutOfRange as reason:
            raise ValueError(f"{reason.what} out of range: {_shown(written)}") from None
        except OverflowError:
            title = type_title(self.pg_type)
            raise ValueError(f"value {_shown(written)} is out of range for type {title}") from None
        except (ValueError, UnicodeError):
            title = type_title(self.pg_type)
            raise ValueError(f"invalid input syntax for type {title}: {_shown(written)}") from None

    def array(self, written: list[object]) -> pyarrow.Array:
        """The Arrow array of a column of JSON values. Raises ValueError."""
        if (array := self.whole(written)) is not None:
            return array
        return self.array_of_each(written)

    def stored(self, read: pyarrow.Array) -> pyarrow.Array | None:
        """The same of what Arrow read; None: some of it has to be worded, or read otherwise."""
        if (array := self.whole(read)) is not None:
            return array
        if pyarrow.types.is_floating(read.type):
            return None
        try:
            return self.array_of_each(read.to_pylist())
        except ValueError:
            return None

    def array_of_each(self, written: list[object]) -> pyarrow.Array:
        """The same, where each value is judged by itself. Raises ValueError."""
        store = self.store
        try:
            values = [None if item is None else store(item) for item in written]
        except (ValueError, OverflowError, Unstorable):
            for item in written:
                self.value(item)  # raises the reason
            raise
        return self.kind.array(values)


def codec(pg_type: PgType, sql_type: str, engine: Engine) -> Codec:
    """The codec from a PostgreSQL type to an engine's type. Raises UnstorableType."""
    pg_type = pg_type.base or pg_type
    kind = stored_kind(sql_type, engine)
    store = storer(pg_type, kind, engine) if kind is not None else None
    if kind is None or store is None:
        raise UnstorableType(type_title(pg_type), sql_type)
    return Codec(pg_type, kind, store, whole(pg_type, kind))


def check_target_types(catalog: Catalog, engine: Engine) -> None:
    """Raises Mistakes with every column whose target_type the engine has not, or cannot store."""
    mistakes = Collector()
    for table in catalog.tables.values():
        for column in table.columns:
            if column.target_type is not None:
                with mistakes:
                    try:
                        codec(column.type, column.target_type, engine)
                    except UnstorableType as mistake:
                        raise mistake.of(column.name, table.name, column.span) from None
    mistakes.raise_all()


def canonical_text(pg_type: PgType, written: object) -> str:
    """PostgreSQL's text output for a JSON value. Raises ValueError, OverflowError."""
    return family(pg_type).printed(text_of(written))


def type_title(pg_type: PgType) -> str:
    """The type's name as PostgreSQL's messages print it."""
    if pg_type.is_array:
        return type_title(PgType(pg_type.name[1:], pg_type.typmod)) + "[]"
    if pg_type.schema != "pg_catalog":
        return pg_type.name
    sized = pg_type.length is not None or pg_type.numeric_precision_scale is not None
    return (format_type if sized else type_in_message)(pg_type)


def _shown(written: object) -> str:
    """A value in the words of the feed: `true` and `{"x": 1}`, not Python's."""
    as_text = isinstance(written, str)
    text = str(written) if as_text else json.dumps(written, ensure_ascii=False, default=str)
    return f'"{text}"' if len(text) <= _SHOWN else f'"{text[:_SHOWN]}…"'
