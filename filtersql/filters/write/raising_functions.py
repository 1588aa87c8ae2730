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

from collections.abc import Callable, Iterator
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


def _named(names: str) -> Iterator[str]:
    """Names and signatures between blanks; `int{2,4}{um,abs}` stands for four of them."""
    for name in names.split():
        before, brace, rest = name.partition("{")
        choices, _, behind = rest.partition("}")
        if not brace:
            yield name
            continue
        for choice in choices.split(","):
            yield from _named(before + choice + behind)


_INTS = "int{2,4,8,24,42,28,82,48,84}"
_CASH = "{int2,int4,int8,flt4,flt8}"
_PART = "when a part of the result does not fit an interval"
#: by reason: the functions that raise
_RAISING = {
    _FITS: _INTS + "{pl,mi,mul} int{2,4,8}{um,abs} abs(int{2,4,8}) int2(int{4,8}) int4(int8)"
    " int{2,4,8}({float4,float8,numeric,bytea}) float{4,8}(numeric) float4(float8)"
    " numeric(numeric,int4) date_{pli,mii} integer_pl_date timestamp_{pl,mi}_interval"
    " {gcd,lcm}(int4,int4) {gcd,lcm}(int8,int8) {gcd,lcm}(numeric,numeric)"
    " interval(interval,int4) interval_pl_{timestamp,date} date_{pl,mi}_interval"
    " {datetime,timedate,datetimetz,timetzdate}_pl timestamp(date) date_part(text,date)"
    " timestamp(date,time) timestamptz(date,timetz)"
    f" cash_{{pl,mi}} cash_mul_{_CASH} {_CASH}_mul_cash int{{4,8}}(bit)",
    f"{_ZERO} or {_FITS}": f"{_INTS}div cash_div_{_CASH}",
    _ZERO: "int{2,4,8}mod mod numeric_{mod,div,div_trunc} div cash_div_cash",
    _FLOAT: "float{4,8,48,84}{pl,mi,mul} degrees radians",
    f"{_ZERO} or {_FLOAT}": "float{4,8,48,84}div",
    INFINITE: "{date,timestamp,timestamptz}_mi time(interval) age {time,timetz}_{pl,mi}_interval"
    " interval_pl_{time,timetz} overlaps(time,{interval,time},time,interval)"
    " overlaps(time,interval,time,time) overlaps(timestamp,{interval,timestamp},timestamp,interval)"
    " overlaps(timestamp,interval,timestamp,timestamp)",
    "when the origin is infinite, or the stride has months or is not above 0": "date_bin",
    _BEFORE_CHRIST: "date_trunc(text,timestamp)",
    _NEGATIVE: "{substring,substr}({text,bytea},int4,int4) substring(bit,int4,int4)",
    "when the start is not positive, or the end does not fit in integer": "overlay",
    "when the value is negative": "sqrt dsqrt",
    _LETTERS: "{lower,upper}(text) {text,bpchar}ic{like,nlike}",
    _CHARACTERS: "initcap(text)",
    _UNICODE: "normalize is_normalized unicode_assigned",
    _EARLY: "timezone(text,{timestamptz,timestamp}) date_{add,subtract}"
    " date_trunc(text,timestamptz,text)",
    "when the value is an object or an array, or text with escaped surrogates":
    "json_{object_field,array_element,extract_path}_text",
    "on text with escaped surrogates": "json_{object_field,array_element,extract_path}",
    "when the value is no array": "{jsonb,json}_array_length",
    "when the value is no number, or " + _FITS.removeprefix("when "):
    "{int2,int4,int8,float4,float8,numeric}(jsonb)",
    "when the value is not true or false": "bool(jsonb)",
    "when the value is a scalar": "jsonb_delete",
    "when the field is 0": "split_part",
    _DIMENSIONS: "array_{length,lower,upper,dims,ndims}",
    "on arrays of several dimensions":
    "array_{append,prepend,cat,remove,position,positions,reverse,sort} trim_array",
    _BOUNDS: "array_{lt,le,gt,ge}",
    "when the value is NaN, the bounds are equal or not finite, or the count is not above 0":
    "width_bucket(numeric,numeric,numeric,int4) width_bucket(float8,float8,float8,int4)",
    "when the thresholds are not in order": "width_bucket(anycompatible,anycompatiblearray)",
    "when the index is out of range": "{get,set}_byte",
    "when the text has a backslash": "unistr",
    "when the text cannot be decoded": "decode(text,text)",
    _PART: "interval_{pl,mi,um,mul} mul_d_interval justify_{days,hours,interval} make_interval",
    f"{_ZERO} or {_PART}": "interval_div",
    "when there is no such date or time": "make_{date,time,timestamp} to_timestamp(float8)",
    "when the lengths differ": "bit{and,or,xor}",
    "when there is no such bit": "{get,set}_bit",
    "when the result is no address": "inetpl int8pl_inet inetmi_int8",
    "on addresses of different families, or too far from one another": "inetmi",
    "on addresses of different families": "inetand inetor inet_merge",
    "when the result is not contiguous": "range_{union,minus}",
    "when there is no such network": "set_masklen",
    "when the lower bound is larger than the upper one": "{int4,int8,num,date,ts,tstz}range",
    "when the value is no character": "chr",
    "when the result is too long": "repeat lpad rpad",
}  # fmt: skip
_RAISES = {name: reason for reason, names in _RAISING.items() for name in _named(names)}

#: functions whose last argument keeps them from raising, where it is one of these constants
HARMLESS: dict[str, Callable[[Any], bool]] = {
    name: keeps
    for names, keeps in {
        "numeric_{div,mod} div int{2,4,8}mod mod cash_div_cash": lambda value: value != 0,
        _INTS + "div cash_div_int{2,4,8}": lambda value: value not in (0, -1),
        "cash_div_flt{4,8}": lambda value: abs(value) >= 1,
        "substr substring": lambda value: value >= 0,
        "split_part": lambda value: value != 0,
        "width_bucket": lambda value: isinstance(value, tuple),
        "date_bin": lambda value: abs(value) < 2**62,
        # all six digits of the seconds are kept
        "interval": lambda value: value & 0xFFFF > 5,
    }.items()
    for name in _named(names)
}


@lru_cache(maxsize=4096)
def reason_of(function: Function) -> str:
    """On which values a function raises, by its signature or name; empty: on none."""
    return _RAISES.get(str(function)) or _RAISES.get(function.name, "")
