"""What Debezium writes in a column of each type, read as PostgreSQL's text or JSON scalar.

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

Without a schema the settings of the feed say what a number or text means.

Debezium
    PostgresValueConverter.java, JdbcValueConverters.java
"""

from __future__ import annotations

import base64
import re
from decimal import Context, Decimal

import msgspec
from msgspec.structs import replace

from filtersql.catalog import PgType
from filtersql.definitions.formats import DOUBLE_DIGITS
from filtersql.definitions.model import Feed
from filtersql.feeds.arrays import array_text
from filtersql.feeds.debezium_times import TEMPORAL, Ambiguous, Decode, moment

__all__ = ["Schema", "as_text", "decoder_of", "null_means", "schema_fields"]

_NOT_OF_URLS, _OF_URLS = re.compile("[+/]"), str.maketrans("-_", "+/")
#: what Java prints for an inner array
_INNER = re.compile(r"\[L?[\w.]+;?@[0-9a-f]+")
_SPECIAL = {"NAN": "NaN", "POSITIVE_INFINITY": "Infinity", "NEGATIVE_INFINITY": "-Infinity"}
_CONTEXT = Context(prec=2000)
#: what helps where several numbers are written alike
_AS_STRING = "Set decimal.handling.mode to string in Debezium (and here, without schemas)."

_NULL_NUMBER = Ambiguous(
    "NULL, NaN and a number that is stored out of line",
    f"{_AS_STRING} Or say `assume: [finite_numbers]`.",
)
_NULL_ARRAY = Ambiguous(
    "NULL and an array that holds NaN", "Say `assume: [finite_numbers]` where none does."
)
_NULL_ENUMS = Ambiguous(
    "NULL and an array of an enumeration that holds NULL",
    "Say `assume: [plain_arrays]` where none does.",
)


class Schema(msgspec.Struct, frozen=True, gc=False):
    """What Kafka Connect says of a value."""

    type: str | None = None
    field: str | None = None
    name: str | None = None
    fields: list[Schema] | None = None
    items: Schema | None = None
    parameters: dict[str, str] | None = None


_schemas = msgspec.json.Decoder(Schema)


def schema_fields(schema: bytes) -> dict[str, Schema]:
    """The schemas of a row's columns, out of an envelope's: `after` has the same as `before`."""
    if not schema or schema == b"null":
        return {}
    for part in _schemas.decode(schema).fields or []:
        if part.field in ("before", "after"):
            return {each.field: each for each in part.fields or [] if each.field is not None}
    return {}


def decoder_of(pg_type: PgType, feed: Feed, schema: Schema | None) -> Decode | None:
    """The function from what is written in a column, null aside; None: it is the value."""
    pg_type = pg_type.base or pg_type
    plain = "plain_arrays" in feed.assume
    if pg_type.schema != "pg_catalog":
        return lambda value: _own(value, plain=plain)
    if pg_type.is_array:
        element = replace(pg_type, name=pg_type.name[1:])
        items = _scalar(element, feed, schema.items if schema is not None else None)
        return lambda value: _array(value, items, plain=plain)
    return _scalar(pg_type, feed, schema)


def null_means(pg_type: PgType, feed: Feed, schema: Schema | None) -> Ambiguous | None:
    """What null is written for beside NULL: for what Debezium fails to convert."""
    pg_type = pg_type.base or pg_type
    finite = "finite_numbers" in feed.assume
    if pg_type.schema != "pg_catalog":
        is_enum = pg_type.name[:1] == "_" and pg_type.name != "_citext"
        return _NULL_ENUMS if is_enum and "plain_arrays" not in feed.assume else None
    if pg_type.name == "_numeric":
        return None if finite else _NULL_ARRAY
    if pg_type.name != "numeric" or _numbers(feed, schema) not in ("precise", "variable"):
        return None
    return None if finite else _NULL_NUMBER


def _scalar(pg_type: PgType, feed: Feed, schema: Schema | None) -> Decode | None:
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
            return as_text


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
    """A value of a type that is not PostgreSQL's own: an enum, or an array of one."""
    if isinstance(value, list):
        _array(value, as_text, plain=plain)  # judges it
        return array_text(value, as_text)
    return as_text(value)


def _numbers(feed: Feed, schema: Schema | None) -> str:
    """How numbers are written."""
    if schema is None:
        return feed.options.get("decimal_handling_mode", "precise")
    if schema.type == "struct":
        return "variable"
    return {"string": "string", "double": "double"}.get(schema.type or "", "precise")


def _numeric(pg_type: PgType, mode: str, schema: Schema | None) -> Decode:
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


def _bytes(feed: Feed, schema: Schema | None) -> Decode:
    mode = feed.options.get("binary_handling_mode", "bytes")
    if schema is not None and schema.type == "bytes":
        mode = "bytes"
    elif schema is not None and mode == "bytes":
        return _of_some_notation

    def read(value: object) -> object:
        text = as_text(value)
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
    number = int.from_bytes(base64.b64decode(as_text(value), validate=True), "little")
    return f"{number:0{length}b}"


def as_text(value: object) -> str:
    """A value that is a text. Raises ValueError."""
    if not isinstance(value, str):
        raise ValueError("it is not a text")
    return value
