"""A value in Debezium's encoding as PostgreSQL's text or JSON scalar: `Decoder.of(table, …)`.

Example
    ============= ======================== =================== =====================
    PostgreSQL    schema                   value               becomes
    ============= ======================== =================== =====================
    numeric(10,2) Decimal, scale 2         "AJY="              1.50
    date          io.debezium.time.Date    19782               2024-02-29
    timestamp     MicroTimestamp           1709210096789012    2024-02-29 12:34:56.…
    interval      io.debezium.time.Inter…  "P1Y2M-3DT4H5M6S"   1 year 2 mons -3 days …
    bytea         bytes                    "AP8="              \\x00ff
    integer[]     array of int32           [1, null]           {1,NULL}
    ============= ======================== =================== =====================

Without a schema the settings of the feed say what a number or text means. What Debezium writes for
several values alike (null for NaN, too) is refused unless the user says that the others do not
occur; so are dates before 1582-10-15, which it shifts.

Debezium
    PostgresValueConverter.java, PostgresDefaultValueConverter.java; JdbcValueConverters.java
"""

from __future__ import annotations

import base64
import hashlib
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from decimal import Context, Decimal
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from filtersql.catalog import Identity, PgType, Table
from filtersql.definitions.formats import DOUBLE_DIGITS
from filtersql.definitions.model import Feed
from filtersql.feeds.arrays import array_text
from filtersql.feeds.debezium_times import TEMPORAL, Ambiguous, moment

__all__ = ["Ambiguous", "Decoder", "Unsent"]

_PLACEHOLDER = "__debezium_unavailable_value"
#: elements of arrays for which null is written where the array was not sent
_NO_PLACEHOLDER = frozenset("bool int2 float4 float8 numeric timestamp timestamptz bytea".split())
_NOT_OF_URLS, _OF_URLS = re.compile("[+/]"), str.maketrans("-_", "+/")
#: what Java prints for an inner array
_INNER = re.compile(r"\[L?[\w.]+;?@[0-9a-f]+")
_SPECIAL = {"NAN": "NaN", "POSITIVE_INFINITY": "Infinity", "NEGATIVE_INFINITY": "-Infinity"}
_CONTEXT = Context(prec=2000)
_AS_STRING = "Set decimal.handling.mode to string in Debezium (and here, without schemas)."


class Unsent(Exception):
    """The value was not sent: it is stored out of line and did not change."""


class _Schema(msgspec.Struct, frozen=True, gc=False):
    type: str | None = None
    field: str | None = None
    name: str | None = None
    fields: list[_Schema] | None = None
    items: _Schema | None = None
    parameters: dict[str, str] | None = None


_schemas = msgspec.json.Decoder(_Schema)
Decode = Callable[[Any], object]


class Decoder(Struct, frozen=True):
    """Reads the values of one table under one schema."""

    #: what reads values that are not null, of columns where they are not the values themselves
    columns: Mapping[str, Decode]
    unsent_texts: frozenset[str]
    unsent_lists: tuple[object, ...]
    #: columns of which an update may write null for a value that was not sent
    null_if_unsent: frozenset[str]
    #: columns of which null may mean a number that is none
    null_if_special: frozenset[str]
    #: columns that an old row tells
    logged: frozenset[str]

    @classmethod
    def of(cls, table: Table, feed: Feed, schema: bytes) -> Decoder:
        """The decoder of a table's images; `schema` is the envelope's, or empty."""
        fields = _fields(schema)
        decoders, special = dict[str, Decode](), set[str]()
        for column in table.columns:
            written = fields.get(column.name)
            if (decode := _decode(column.type, feed, written)) is not None:
                decoders[column.name] = decode
            if _is_special(column.type, feed, written):
                special.add(column.name)
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
            null_if_special=frozenset(special),
            logged=frozenset((*kept, *table.identity_columns)),
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
        if name in self.null_if_special:
            raise Ambiguous(
                "NULL, NaN and a number that is stored out of line",
                f"{_AS_STRING} Or say `assume: [finite_numbers]`.",
            )


def _null_if_unsent(table: Table, feed: Feed) -> Iterator[str]:
    """Arrays of which Debezium has no placeholder; with complete old rows it needs none."""
    full = table.replica_identity.kind is Identity.FULL
    if full or "inline_arrays" in feed.assume:
        return
    for column in table.columns:
        kind = column.type
        element = kind.name.removeprefix("_")
        if kind.name.startswith("_") and (
            kind.schema != "pg_catalog" or element in _NO_PLACEHOLDER
        ):
            yield column.name


def _uuid_of(raw: bytes) -> str:
    """Java's UUID.nameUUIDFromBytes, of which an array of uuid is made that was not sent."""
    return str(uuid.UUID(bytes=hashlib.md5(raw, usedforsecurity=False).digest(), version=3))


def _fields(schema: bytes) -> dict[str, _Schema]:
    """The schemas of a row's columns, out of an envelope's: `after` has the same as `before`."""
    if not schema or schema == b"null":
        return {}
    for part in _schemas.decode(schema).fields or []:
        if part.field in ("before", "after"):
            return {each.field: each for each in part.fields or [] if each.field is not None}
    return {}


def _decode(pg_type: PgType, feed: Feed, schema: _Schema | None) -> Decode | None:
    """The function from what is written in a column, null aside; None: it is the value."""
    plain = "plain_arrays" in feed.assume
    if pg_type.schema != "pg_catalog":
        return lambda value: _own(value, plain=plain)
    if pg_type.is_array:
        element = replace(pg_type, name=pg_type.name[1:])
        items = _scalar(element, feed, schema.items if schema is not None else None)
        return lambda value: _array(value, items, plain=plain)
    return _scalar(pg_type, feed, schema)


def _is_special(pg_type: PgType, feed: Feed, schema: _Schema | None) -> bool:
    """Whether null is written for NaN, too."""
    if pg_type.schema != "pg_catalog" or pg_type.name != "numeric":
        return False
    written = _numbers(feed, schema)
    return written in ("precise", "variable") and "finite_numbers" not in feed.assume


def _scalar(pg_type: PgType, feed: Feed, schema: _Schema | None) -> Decode | None:
    match pg_type.name:
        case "numeric":
            return _numeric(pg_type, _numbers(feed, schema), schema)
        case name if name in TEMPORAL:
            return moment(pg_type, feed, None if schema is None else schema.name)
        case "bytea":
            return _bytes(feed, schema)
        case "bit":
            return lambda value: _bits(value, max(pg_type.typmod, 1))
        case "bool" | "int2" | "int4" | "int8" | "oid" | "float4" | "float8":
            return None
        case _:
            return _text


def _array(value: object, scalar: Decode | None, *, plain: bool) -> object:
    if not isinstance(value, list):
        raise ValueError("it is not a list")
    if (
        value
        and not plain
        and (
            all(item is None for item in value)
            or any(isinstance(item, str) and _INNER.fullmatch(item) for item in value)
        )
    ):
        raise Ambiguous(
            "an array of such elements and one of several dimensions",
            "Say `assume: [plain_arrays]` where there are no others.",
        )
    if scalar is None:
        return value
    return [None if item is None else scalar(item) for item in value]


def _own(value: object, *, plain: bool) -> object:
    """A value of a type that is not PostgreSQL's own: an enum, a domain, or an array of them."""
    if isinstance(value, list):
        _array(value, _text, plain=plain)  # judges it
        return array_text(value, _text)
    return _text(value)


def _numbers(feed: Feed, schema: _Schema | None) -> str:
    """How numbers are written."""
    if schema is None:
        return feed.options.get("decimal_handling_mode", "precise")
    if schema.type == "struct":
        return "variable"
    return {"string": "string", "double": "double"}.get(schema.type or "", "precise")


def _numeric(pg_type: PgType, mode: str, schema: _Schema | None) -> Decode:
    digits = pg_type.numeric_precision_scale

    def read(value: object) -> object:
        if mode == "string":
            text = str(value)
            return _SPECIAL.get(text, text)
        if mode == "double":
            if digits is None or digits[0] > DOUBLE_DIGITS:
                raise Ambiguous("all numbers that a double cannot tell apart", _AS_STRING)
            return value if isinstance(value, str) else str(value)
        if digits is None:
            raise Ambiguous("1.5 and 1.50, where numeric has no scale", _AS_STRING)
        if not isinstance(value, str):
            raise ValueError("it is not the base64 text of an unscaled number")
        said = (schema.parameters or {}).get("scale") if schema is not None else None
        number = int.from_bytes(base64.b64decode(value, validate=True), "big", signed=True)
        return format(Decimal(number).scaleb(-int(said or digits[1]), _CONTEXT), "f")

    return read


def _bytes(feed: Feed, schema: _Schema | None) -> Decode:
    mode = feed.options.get("binary_handling_mode", "bytes")
    if schema is not None and schema.type == "bytes":
        mode = "bytes"
    elif schema is not None and mode == "bytes":
        return _of_some_notation

    def read(value: object) -> object:
        text = _text(value)
        if mode == "hex":
            return "\\x" + bytes.fromhex(text).hex()
        if mode == "base64-url-safe":
            if _NOT_OF_URLS.search(text):
                raise ValueError("it is not base64 that is safe in URLs")
            text = text.translate(_OF_URLS) + "=" * (-len(text) % 4)
        return "\\x" + base64.b64decode(text, validate=True).hex()

    return read


def _of_some_notation(value: object) -> object:
    """A schema calls hexadecimal and base64 texts alike."""
    raise Ambiguous(
        "other bytes in another notation",
        "Say `binary_handling_mode` as Debezium's binary.handling.mode is set.",
    )


def _bits(value: object, length: int) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    number = int.from_bytes(base64.b64decode(_text(value), validate=True), "little")
    return f"{number:0{length}b}"


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("it is not a text")
    return value
