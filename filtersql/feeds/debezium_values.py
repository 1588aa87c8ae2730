"""The values of a table's columns in Debezium's images: `Decoder.of(table, …)`.

Example
    ============================= ==============================================
    written                       is
    ============================= ==============================================
    a value                       read as `debezium_encodings` says of its type
    __debezium_unavailable_value  not sent: it is stored out of line, and did not change
    null                          NULL, or else refused as below
    ============================= ==============================================

What Debezium writes for several values alike (null for NaN, too) is refused unless the user says
that the others do not occur; so are dates before 1582-10-15, which it shifts.

Debezium
    PostgresValueConverter.java, PostgresDefaultValueConverter.java
"""

from __future__ import annotations

import base64
import hashlib
import uuid
from collections.abc import Iterator, Mapping

from msgspec import Struct

from filtersql.catalog import Identity, Table
from filtersql.definitions.model import Feed
from filtersql.feeds.debezium_encodings import decoder_of, null_means, schema_fields
from filtersql.feeds.debezium_times import Ambiguous, Decode, micros_of

__all__ = ["Decoder", "Unsent"]

_PLACEHOLDER = "__debezium_unavailable_value"
#: elements of arrays for which null is written where the array was not sent
_NO_PLACEHOLDER = frozenset("bool int2 float4 float8 numeric timestamp timestamptz bytea".split())

#: bits that take no more than a pointer to a value that is stored out of line
_INLINE_BITS = 128


class Unsent(Exception):
    """The value was not sent: it is stored out of line and did not change."""


class Decoder(Struct, frozen=True):
    """Reads the values of one table under one schema."""

    #: what reads values that are not null, of columns where they are not the values themselves
    columns: Mapping[str, Decode]
    unsent_texts: frozenset[str]
    unsent_lists: tuple[object, ...]
    #: columns of which an update may write null for a value that was not sent
    null_if_unsent: frozenset[str]
    #: columns of which null may mean something else, such as a number that is none
    null_if_special: Mapping[str, Ambiguous]
    #: columns that an old row tells
    logged: frozenset[str]
    #: timestamps of which each number is a moment: how many microseconds its unit has
    moments: Mapping[str, int]

    @classmethod
    def of(cls, table: Table, feed: Feed, schema: bytes) -> Decoder:
        """The decoder of a table's images; `schema` is the envelope's, or empty."""
        fields = schema_fields(schema)
        decoders, moments = dict[str, Decode](), dict[str, int]()
        special: dict[str, Ambiguous] = {}
        for column in table.columns:
            written = fields.get(column.name)
            unit = micros_of(column.type, feed, None if written is None else written.name)
            if unit is not None:
                moments[column.name] = unit
            if (decode := decoder_of(column.type, feed, written)) is not None:
                decoders[column.name] = decode
            if (means := null_means(column.type, feed, written)) is not None:
                special[column.name] = means
        placeholder = feed.options.get("unavailable_value_placeholder", _PLACEHOLDER)
        raw = placeholder.encode()
        texts = [placeholder, base64.b64encode(raw).decode(), raw.hex()]
        lists = (*([text] for text in texts), list(raw), [_uuid_of(raw)])
        kept = [column.name for column in table.columns] if feed.before_complete else []
        return cls(
            columns=decoders,
            unsent_texts=frozenset(texts),
            unsent_lists=lists,
            null_if_unsent=frozenset(_null_if_unsent(table, feed)),
            null_if_special=special,
            logged=frozenset((*kept, *table.identity_columns)),
            moments=moments,
        )

    def value(self, name: str, written: object, *, update: bool) -> object:
        """The value of a column. Raises Unsent, Ambiguous, ValueError."""
        if written is None:
            self._check_null(name, update=update)
            return None
        if update and self._is_unsent(written):
            raise Unsent
        decode = self.columns.get(name)
        return written if decode is None else decode(written)

    def _is_unsent(self, written: object) -> bool:
        if isinstance(written, str):
            return written in self.unsent_texts
        return isinstance(written, list) and written in self.unsent_lists

    def _check_null(self, name: str, *, update: bool) -> None:
        if update and name in self.null_if_unsent:
            raise Ambiguous(
                "NULL and an array that is stored out of line and did not change",
                "Set REPLICA IDENTITY FULL, or say `assume: [inline_arrays]`.",
            )
        if (means := self.null_if_special.get(name)) is not None:
            raise Ambiguous(means.means, means.remedy)


def _null_if_unsent(table: Table, feed: Feed) -> Iterator[str]:
    """What Debezium has no placeholder of; with complete old rows it needs none."""
    full = table.replica_identity.kind is Identity.FULL
    if full or "inline_arrays" in feed.assume:
        return
    for column in table.columns:
        kind = column.type.base or column.type
        element = kind.name.removeprefix("_")
        is_own = kind.schema != "pg_catalog" or column.type.base is not None
        if (kind.name.startswith("_") and (is_own or element in _NO_PLACEHOLDER)) or (
            kind.name == "bit" and kind.typmod > _INLINE_BITS
        ):
            yield column.name


def _uuid_of(raw: bytes) -> str:
    """Java's UUID.nameUUIDFromBytes, of which an array of uuid is made that was not sent."""
    return str(uuid.UUID(bytes=hashlib.md5(raw, usedforsecurity=False).digest(), version=3))
