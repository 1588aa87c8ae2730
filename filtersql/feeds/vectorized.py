"""A whole column of JSON values at once, where each of them is written in the usual way.

Example
    >>> store = whole(PgType("int4"), StoredKind("int32", "INT"))
    >>> store([7, None, -1]).to_pylist(), store([7, "8"]), store([2**31])
    ([7, None, -1], None, None)

    The values may be an array, too, that Arrow read from JSON (`arrow_lines`): of integers,
    booleans, strings, or the numbers of a float.
    `None` says that some value is written in another way, or cannot be stored: then each of them
    is judged by itself (`values.Codec`), which reads all ways and says what is wrong. What is
    given here is the same, value by value; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import pyarrow
from pyarrow import compute

from filtersql.catalog import PgType
from filtersql.feeds.arrow_encoders import StoredKind
from filtersql.feeds.readers import family, is_plain
from filtersql.feeds.records import Number

__all__ = ["Whole", "whole"]

_Written: TypeAlias = "Sequence[object] | pyarrow.Array"
#: the stored values of a column of JSON values
Whole = Callable[[_Written], "pyarrow.Array | None"]
_Of = Callable[["pyarrow.Array"], "pyarrow.Array | None"]

_NONE = type(None)
_INTEGERS = ({int}, {int, _NONE})
_ALL_TEXTS = ({str}, {str, _NONE})
_INTEGER = r"-?(?:0|[1-9][0-9]{0,17})"
_BITS = {"int2": 16, "int4": 32, "int8": 64}
_DATE = r"[1-8][0-9]{3}-[0-9]{2}-[0-9]{2}"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_OFFSET = r"(?:Z|[+-](?:0[0-9]|1[0-5])(?::?[0-5][0-9])?)"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
#: texts that PostgreSQL prints as they are written
_PRINTED = {"uuid": _UUID, "time": rf"{_TIME}(?:\.[0-9]{{0,5}}[1-9])?"}
_MOST_DIGITS = 100
_FLOAT = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?"
_ZERO = r"^-?[0.]+(?:[eE]|$)"
_MINUS_ZERO = r"^-[0.]+$"
_MINUS_ZERO_BITS = -(2**63)
#: the bits of a double that a real has no place for, and the first of them
_BELOW_A_REAL = 2**29 - 1
_HALF = 2**28
#: a real that is nearer to zero has fewer bits than others
_LEAST_NORMAL = 2.0**-126


def whole(pg_type: PgType, kind: StoredKind) -> Whole:
    """The function from a column's JSON values to the stored ones."""
    of = family(pg_type)
    bits = _BITS.get(pg_type.name)
    match of.holds, kind.name:
        case "integer", "int8" | "int16" | "int32" | "int64" if bits:
            # An integer has to fit both types: the narrower one refuses the others.
            narrow = min(bits, int(kind.name.removeprefix("int")))
            return partial(_integers, f"int{narrow}", kind)
        case "boolean", "boolean":
            return _booleans
        case "float", "float" | "double":
            reals = partial(_reals, 4 if pg_type.name == "float4" else 8, kind)
            return partial(_numbers, reals, partial(_floats, reals))
        case _:
            taken = _of_texts(pg_type, kind)
            return _nothing if taken is None else partial(_texts, taken)


def _of_texts(pg_type: PgType, kind: StoredKind) -> _Of | None:
    """The function from a column's texts; None: each is judged by itself."""
    match family(pg_type).holds, kind.name:
        case "numeric", "string" | "decimal":
            return _numerics(pg_type, kind)
        case "date", "date":
            return partial(_cast, _DATE, kind)
        case "timestamp", "timestamp":
            return partial(_cast, _moment(pg_type), kind)
        case "timestamptz", "timestamptz":
            return partial(_cast, _moment(pg_type) + _OFFSET, kind)
        case "text", "string":
            return _plain_texts(pg_type)
        case _:
            return None


def _moment(pg_type: PgType) -> str:
    digits = pg_type.typmod if pg_type.typmod >= 0 else 6
    return rf"{_DATE}[ T]{_TIME}" + (rf"(?:\.[0-9]{{1,{digits}}})?" if digits else "")


def _nothing(_: _Written) -> None:
    return None


def _integers(narrow: str, kind: StoredKind, written: _Written) -> pyarrow.Array | None:
    """Numbers, or the texts of some: CSV has no others."""
    least = getattr(pyarrow, narrow)()
    try:
        if not isinstance(written, pyarrow.Array):
            types = {*map(type, written)}
            if types in _INTEGERS:
                return pyarrow.array(written, least).cast(kind.arrow)
            if types not in _ALL_TEXTS:
                return None
            written = pyarrow.array(written, pyarrow.string())
        if isinstance(written, pyarrow.StringArray) and _all_match(written, _INTEGER):
            written = written.cast(pyarrow.int64())
        return written.cast(least).cast(kind.arrow) if written.type == pyarrow.int64() else None
    except (pyarrow.ArrowException, OverflowError):
        return None


def _booleans(written: _Written) -> pyarrow.Array | None:
    if isinstance(written, pyarrow.StringArray):
        is_true, is_false = (
            compute.or_(compute.equal(written, word), compute.equal(written, word[0]))
            for word in ("true", "false")
        )
        return is_true if _all(compute.or_(is_true, is_false)) else None
    if isinstance(written, pyarrow.Array):
        return written if written.type == pyarrow.bool_() else None
    if not {*map(type, written)} <= {bool, _NONE}:
        return None
    return pyarrow.array(written, pyarrow.bool_())


def _numbers(of: _Of, of_texts: _Of, written: _Written) -> pyarrow.Array | None:
    """Numbers that Arrow read, and what `_texts` takes."""
    if isinstance(written, pyarrow.Array) and written.type == pyarrow.float64():
        return of(written)
    return _texts(of_texts, written)


def _texts(of: _Of, written: _Written) -> pyarrow.Array | None:
    """Strings, and numbers that are kept as they were written."""
    try:
        if not isinstance(written, pyarrow.Array):
            types = {*map(type, written)}
            if not types <= {str, Number, int, _NONE}:
                return None
            if int in types:
                # Not a boolean: that is a type of its own.
                written = [str(one) if type(one) is int else one for one in written]
            written = pyarrow.array(written, pyarrow.string())
        return of(written) if isinstance(written, pyarrow.StringArray) else None
    except (pyarrow.ArrowException, ValueError):
        return None


def _plain_texts(pg_type: PgType) -> _Of | None:
    if is_plain(pg_type):
        return partial(_sized, None, False)
    if pg_type.name in ("varchar", "bpchar") and pg_type.length is not None:
        return partial(_sized, pg_type.length, pg_type.name == "bpchar")
    as_printed = pg_type.schema == "pg_catalog" and not pg_type.is_array and pg_type.typmod < 0
    if as_printed and pg_type.name in _PRINTED:
        return partial(_printed, _PRINTED[pg_type.name])
    return None


def _sized(length: int | None, padded: bool, texts: pyarrow.StringArray) -> pyarrow.Array | None:
    if compute.any(compute.match_substring(texts, "\0")).as_py():
        return None
    if length is None:
        return texts
    if (compute.max(compute.utf8_length(texts)).as_py() or 0) > length:
        return None
    return compute.utf8_rpad(texts, length, " ") if padded else texts


def _printed(pattern: str, texts: pyarrow.StringArray) -> pyarrow.Array | None:
    return texts if _all_match(texts, pattern) else None


def _cast(pattern: str, kind: StoredKind, texts: pyarrow.StringArray) -> pyarrow.Array | None:
    return texts.cast(kind.arrow) if _all_match(texts, pattern) else None


def _floats(reals: Callable[..., pyarrow.Array | None], texts: pyarrow.Array) -> pyarrow.Array:
    if not _all_match(texts, _FLOAT):
        return None
    zero = compute.match_substring_regex(texts, _ZERO)
    return reals(texts.cast(pyarrow.float64()), zero)


def _reals(
    size: int, kind: StoredKind, values: pyarrow.Array, zero: pyarrow.Array | None = None
) -> pyarrow.Array | None:
    """Values of a double; `zero` says which were written as 0; None: all that are, and not -0."""
    if zero is None:
        zero = compute.equal(values, 0)
        if compute.any(compute.equal(values.view(pyarrow.int64()), _MINUS_ZERO_BITS)).as_py():
            return None
    if size == 4:
        # A double that may lie halfway between two reals was rounded once already.
        last = compute.bit_wise_and(values.view(pyarrow.int64()), _BELOW_A_REAL)
        size_of = compute.abs(values)
        small = compute.and_(compute.less(size_of, _LEAST_NORMAL), compute.not_equal(size_of, 0))
        if compute.any(compute.or_(compute.equal(last, _HALF), small)).as_py():
            return None
        values = values.cast(pyarrow.float32(), safe=False)
    elif kind.name == "float":
        return None
    # What is too large or too small for the type is refused: neither may become another number.
    right = compute.and_(compute.is_finite(values), compute.equal(compute.equal(values, 0), zero))
    return values.cast(kind.arrow) if _all(right) else None


def _numerics(pg_type: PgType, kind: StoredKind) -> _Of | None:
    """Numbers with all the digits of their type: PostgreSQL prints them as they are written."""
    digits = pg_type.numeric_precision_scale
    if digits is None:
        pattern = r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?"
        return partial(_decimals, pattern, kind) if kind.name == "string" else None
    precision, scale = digits
    if not 0 <= scale <= precision <= _MOST_DIGITS:
        return None
    if kind.name == "decimal" and (kind.precision, kind.scale) != digits:
        return None
    before = precision - scale
    some = f"0|[1-9][0-9]{{0,{before - 1}}}" if before else "0"
    pattern = f"-?(?:{some})" + (rf"\.[0-9]{{{scale}}}" if scale else "")
    return partial(_decimals, pattern, kind)


def _decimals(pattern: str, kind: StoredKind, texts: pyarrow.StringArray) -> pyarrow.Array | None:
    if not _all_match(texts, pattern):
        return None
    if compute.any(compute.match_substring_regex(texts, _MINUS_ZERO)).as_py():
        return None
    return texts.cast(kind.arrow)


def _all_match(texts: pyarrow.StringArray, pattern: str) -> bool:
    return _all(compute.match_substring_regex(texts, f"^(?:{pattern})$"))


def _all(conditions: pyarrow.BooleanArray) -> bool:
    """Whether all hold; what is null is no value."""
    return compute.all(conditions).as_py() is not False
