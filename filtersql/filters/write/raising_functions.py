"""Functions that can raise an error: on which values, and which constants keep them from it.

Example
    ================== ====================================== ==========================
    function           raises                                 never beside
    ================== ====================================== ==========================
    `int4div`          when the divisor is 0 or the result    a divisor that is
                       does not fit in {type}                 neither 0 nor -1
    `repeat`           when the result is too long
    `lower(text)`      on letters outside ASCII; PostgreSQL
                       itself does not
    ================== ====================================== ==========================

PostgreSQL
    The ereport(ERROR) calls of each function.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from filtersql.filters.facts import Function

__all__ = [
    "CLASSES",
    "DIGITS",
    "HARMLESS",
    "INFINITE",
    "OURS",
    "PATH",
    "PATTERN",
    "UNFINISHED",
    "reason_of",
]

_FITS = "when the result does not fit in {type}"
_ZERO = "when the divisor is 0"
_FLOAT = "when the result is too large or too small for {type}"
_NEGATIVE = "when the length is negative"

DIGITS = (
    'when a value of "{}" has more than {} digits before or {} behind the point '
    "(the column's precision is not declared)"
)
CLASSES = "on characters outside ASCII of a class that depends on the database's locale"
PATTERN = "when the pattern of a row is more than characters, simple classes and repetitions"
PATH = "when a step of the path fails"
UNFINISHED = "when the pattern ends with its escape character"
INFINITE = "when a value is infinite"
_EARLY = "on the days on which time zone databases differ in this zone"
_LETTERS = "on letters outside ASCII, whose case depends on the database's locale"
_CHARACTERS = "on characters outside ASCII, whose case depends on the database's locale"
_UNICODE = "on characters that depend on the Unicode version of the database"
_BEFORE_CHRIST = "on years before Christ"
_DIMENSIONS = "on arrays of more than two dimensions"
_BOUNDS = "on arrays that differ in their bounds alone"

#: PostgreSQL raises on none of these
OURS = {CLASSES, _EARLY, _LETTERS, _CHARACTERS, _UNICODE, _BEFORE_CHRIST, _DIMENSIONS, _BOUNDS}

#: an interval is added to a time, or taken from it
_TIMES_MOVED = {"time_pl_interval", "time_mi_interval", "interval_pl_time", "timetz_pl_interval",
                "timetz_mi_interval", "interval_pl_timetz",
                *(f"overlaps({kind},{first},{kind},{second})" for kind in ("time", "timestamp")
                  for first, second in (("interval", "interval"), (kind, "interval"),
                                        ("interval", kind)))}  # fmt: skip

_CASH = ("int2", "int4", "int8", "flt4", "flt8")
_INTS = ("2", "4", "8", "24", "42", "28", "82", "48", "84")

#: function names, and on which values they raise
_RAISES: dict[str, str] = {
    **dict.fromkeys(
        [
            f"int{kind}{what}"
            for kind in _INTS
            for what in ("pl", "mi", "mul")
        ],
        _FITS,
    ),
    **dict.fromkeys(["int2um", "int4um", "int8um", "int2abs", "int4abs", "int8abs"], _FITS),
    **dict.fromkeys([f"int{kind}div" for kind in _INTS], f"{_ZERO} or {_FITS}"),
    **dict.fromkeys(["int2mod", "int4mod", "int8mod", "mod", "numeric_mod", "numeric_div",
                     "numeric_div_trunc", "div"], _ZERO),
    **dict.fromkeys(["abs(int2)", "abs(int4)", "abs(int8)"], _FITS),
    **dict.fromkeys(
        [
            f"float{kind}{what}"
            for kind in ("4", "8", "48", "84")
            for what in ("pl", "mi", "mul")
        ],
        _FLOAT,
    ),
    **dict.fromkeys([f"float{kind}div" for kind in ("4", "8", "48", "84")], f"{_ZERO} or {_FLOAT}"),
    **dict.fromkeys(
        [
            "int2(int4)", "int2(int8)", "int4(int8)", "int2(float4)", "int2(float8)",
            "int4(float4)", "int4(float8)", "int8(float4)", "int8(float8)", "int2(numeric)",
            "int4(numeric)", "int8(numeric)", "float4(float8)", "float4(numeric)",
            "float8(numeric)", "numeric(numeric,int4)", "int2(bytea)", "int4(bytea)", "int8(bytea)",
        ],
        _FITS,
    ),
    **dict.fromkeys(["date_pli", "date_mii", "integer_pl_date", "timestamp_pl_interval",
                     "timestamp_mi_interval"], _FITS),
    **dict.fromkeys(["date_mi", "timestamp_mi", "timestamptz_mi", "time(interval)"], INFINITE),
    "date_bin": "when the origin is infinite, or the stride has months or is not above 0",
    "date_trunc(text,timestamp)": _BEFORE_CHRIST,
    **dict.fromkeys(["substring(text,int4,int4)", "substr(text,int4,int4)",
                     "substring(bytea,int4,int4)", "substr(bytea,int4,int4)"], _NEGATIVE),
    "overlay": "when the start is not positive, or the end does not fit in integer",
    **dict.fromkeys(["sqrt", "dsqrt"], "when the value is negative"),
    **dict.fromkeys(["lower(text)", "upper(text)", "texticlike", "texticnlike", "bpchariclike",
                     "bpcharicnlike"],
                    _LETTERS),
    **dict.fromkeys(["timezone(text,timestamptz)", "timezone(text,timestamp)"],
                    _EARLY),
    **dict.fromkeys(["json_object_field_text", "json_array_element_text",
                     "json_extract_path_text"],
                    "when the value is an object or an array, or text with escaped surrogates"),
    **dict.fromkeys(["json_object_field", "json_array_element", "json_extract_path"],
                    "on text with escaped surrogates"),
    **dict.fromkeys(["jsonb_array_length", "json_array_length"], "when the value is no array"),
    **dict.fromkeys([f"{name}(jsonb)" for name in ("int2", "int4", "int8", "float4", "float8",
                                                   "numeric")],
                    "when the value is no number, or " + _FITS.removeprefix("when ")),
    "jsonb_delete": "when the value is a scalar",
    "split_part": "when the field is 0",
    "bool(jsonb)": "when the value is not true or false",
    **dict.fromkeys(["array_length", "array_lower", "array_upper", "array_dims", "array_ndims"],
                    _DIMENSIONS),
    **dict.fromkeys(["array_append", "array_prepend", "array_cat", "array_remove",
                     "array_position", "array_positions", "array_reverse", "array_sort",
                     "trim_array"], "on arrays of several dimensions"),
    **dict.fromkeys(["array_lt", "array_le", "array_gt", "array_ge"],
                    _BOUNDS),
    **dict.fromkeys([f"{name}({kind},{kind})" for name in ("gcd", "lcm")
                     for kind in ("int4", "int8", "numeric")], _FITS),
    **dict.fromkeys([f"width_bucket({kind},{kind},{kind},int4)" for kind in ("numeric", "float8")],
                    "when the value is NaN, the bounds are equal or not finite, or the count is "
                    "not above 0"),
    "width_bucket(anycompatible,anycompatiblearray)": "when the thresholds are not in order",
    **dict.fromkeys(["get_byte", "set_byte"], "when the index is out of range"),
    **dict.fromkeys(["normalize", "is_normalized", "unicode_assigned"],
                    _UNICODE),
    "unistr": "when the text has a backslash",
    **dict.fromkeys(["date_add", "date_subtract"], _EARLY),
    "decode(text,text)": "when the text cannot be decoded",
    "initcap(text)": _CHARACTERS,
    **dict.fromkeys(["interval_pl", "interval_mi", "interval_um", "interval_mul", "mul_d_interval",
                     "justify_days", "justify_hours", "justify_interval", "make_interval"],
                    "when a part of the result does not fit an interval"),
    "interval(interval,int4)": _FITS,
    "interval_div": f"{_ZERO} or when a part of the result does not fit an interval",
    **dict.fromkeys(["interval_pl_timestamp", "interval_pl_date", "date_pl_interval",
                     "date_mi_interval", "datetime_pl", "timedate_pl", "datetimetz_pl",
                     "timetzdate_pl", "timestamp(date)", "date_part(text,date)",
                     "timestamp(date,time)",
                     "timestamptz(date,timetz)"], _FITS),
    **dict.fromkeys(["make_date", "make_time", "make_timestamp", "to_timestamp(float8)"],
                    "when there is no such date or time"),
    **dict.fromkeys(["age", *_TIMES_MOVED], INFINITE),
    "date_trunc(text,timestamptz,text)": _EARLY,
    **dict.fromkeys(["cash_pl", "cash_mi", *(f"cash_mul_{kind}" for kind in _CASH),
                     *(f"{kind}_mul_cash" for kind in _CASH)], _FITS),
    "cash_div_cash": _ZERO,
    **dict.fromkeys([f"cash_div_{kind}" for kind in _CASH], f"{_ZERO} or {_FITS}"),
    **dict.fromkeys(["bitand", "bitor", "bitxor"], "when the lengths differ"),
    **dict.fromkeys(["get_bit", "set_bit"], "when there is no such bit"),
    **dict.fromkeys(["int4(bit)", "int8(bit)"], _FITS),
    **dict.fromkeys(["inetpl", "int8pl_inet", "inetmi_int8"], "when the result is no address"),
    "inetmi": "on addresses of different families, or too far from one another",
    **dict.fromkeys(["inetand", "inetor", "inet_merge"], "on addresses of different families"),
    **dict.fromkeys(["range_union", "range_minus"], "when the result is not contiguous"),
    "set_masklen": "when there is no such network",
    "substring(bit,int4,int4)": _NEGATIVE,
    **dict.fromkeys([f"{kind}range" for kind in ("int4", "int8", "num", "date", "ts", "tstz")],
                    "when the lower bound is larger than the upper one"),
    **dict.fromkeys(["degrees", "radians"], _FLOAT),
    "chr": "when the value is no character",
    **dict.fromkeys(["repeat", "lpad", "rpad"], "when the result is too long"),
}  # fmt: skip

#: functions whose last argument keeps them from raising, where it is one of these constants
HARMLESS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(["numeric_div", "div", "int2mod", "int4mod", "int8mod", "mod", "numeric_mod",
                     "cash_div_cash"], lambda value: value != 0),
    **dict.fromkeys([*(f"int{kind}div" for kind in _INTS), "cash_div_int2", "cash_div_int4",
                     "cash_div_int8"], lambda value: value not in (0, -1)),
    **dict.fromkeys(["cash_div_flt4", "cash_div_flt8"], lambda value: abs(value) >= 1),
    **dict.fromkeys(["substr", "substring"], lambda value: value >= 0),
    "split_part": lambda value: value != 0,
    "width_bucket": lambda value: isinstance(value, tuple),
    "date_bin": lambda value: abs(value) < 2**62,
    # all six digits of the seconds are kept
    "interval": lambda value: value & 0xFFFF > 5,
}  # fmt: skip


@lru_cache(maxsize=4096)
def reason_of(function: Function) -> str:
    """On which values a function raises, by its signature or name; empty: on none."""
    return _RAISES.get(str(function)) or _RAISES.get(function.name, "")
