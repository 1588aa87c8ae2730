"""Functions, casts and collations that older PostgreSQLs do not have, or have as mutable ones.

Example
    ======================= ==================== ===============================================
    filter                  `postgres_version`   refused with
    ======================= ==================== ===============================================
    `casefold(s) = 'a'`     17                   function casefold(text) does not exist
    `by::int = 1`           17                   cannot cast type bytea to integer
    `date_trunc('day', tz,  15                   User-defined or built-in mutable functions are
    'UTC') > '2024-01-01'`                       not allowed.
    ======================= ==================== ===============================================

PostgreSQL
    pg_proc.dat of each version: the difference between the catalogs of 15 and 18.
"""

from __future__ import annotations

from filtersql.errors.filters import CannotCast
from filtersql.filters.facts import Function
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import Func, Node
from filtersql.filters.tree.walking import walk
from filtersql.filters.types import display

__all__ = ["check_casts", "computes_otherwise", "has", "has_collation", "is_mutable"]

_SINCE: dict[str, int] = {
    **dict.fromkeys(
        ["erf(float8)", "erfc(float8)", "date_add(timestamptz,interval)",
         "date_add(timestamptz,interval,text)", "date_subtract(timestamptz,interval)",
         "date_subtract(timestamptz,interval,text)", "any_value_transfn(anyelement,anyelement)"],
        16,
    ),
    **dict.fromkeys(
        ["to_bin(int4)", "to_bin(int8)", "to_oct(int4)", "to_oct(int8)",
         "uuid_extract_timestamp(uuid)", "uuid_extract_version(uuid)", "unicode_assigned(text)",
         "unicode_version()", "icu_unicode_version()", "xmltext(text)"],
        17,
    ),
    **dict.fromkeys(
        ["array_reverse(anyarray)", "array_sort(anyarray)", "array_sort(anyarray,bool)",
         "array_sort(anyarray,bool,bool)", "bytea(int2)", "bytea(int4)", "bytea(int8)",
         "int2(bytea)", "int4(bytea)", "int8(bytea)", "bytea_larger(bytea,bytea)",
         "bytea_smaller(bytea,bytea)", "casefold(text)", "crc32(bytea)", "crc32c(bytea)",
         "gamma(float8)", "lgamma(float8)", "reverse(bytea)", "record_larger(record,record)",
         "record_smaller(record,record)", "hashbool(bool)", "hashboolextended(bool,int8)",
         "hashbytea(bytea)", "hashbyteaextended(bytea,int8)", "hashdate(date)",
         "hashdateextended(date,int8)", "timestamptz_hash(timestamptz)",
         "timestamptz_hash_extended(timestamptz,int8)"],
        18,
    ),
}  # fmt: skip
#: rounded otherwise before that version: a value beside the upper bound was in the bucket behind
_COMPUTED_SINCE = dict.fromkeys(
    ["width_bucket(float8,float8,float8,int4)", "width_bucket(numeric,numeric,numeric,int4)"], 16
)
_NEWEST = max(_SINCE.values())
#: functions that had fewer arguments before
_TAKES_MORE_SINCE = {"jsonb_strip_nulls": (2, 18), "json_strip_nulls": (2, 18)}
_COLLATIONS = {"unicode": 16, "pg_c_utf8": 17, "pg_unicode_fast": 18}
#: mutable before that version
_IMMUTABLE_SINCE = {"date_trunc(text,timestamptz,text)": 16}


def has(scope: Scope, function: Function, count: int) -> bool:
    """Whether that version has the function, with so many arguments."""
    version = scope.clock.postgres_version
    arity = _TAKES_MORE_SINCE.get(function.name)
    if arity is not None and count >= arity[0] and version < arity[1]:
        return False
    return _SINCE.get(str(function), 0) <= version


def computes_otherwise(function: Function, version: int) -> bool:
    """Whether that version's values are others, for which there is no form."""
    return _COMPUTED_SINCE.get(str(function), 0) > version


def has_collation(scope: Scope, name: str) -> bool:
    """Whether that version has the collation."""
    return _COLLATIONS.get(name, 0) <= scope.clock.postgres_version


def check_casts(scope: Scope, tree: Node) -> None:
    """Raises what that version's parser does for a cast that came later."""
    version = scope.clock.postgres_version
    if version >= _NEWEST:
        return
    for node in walk(tree):
        if isinstance(node, Func) and _SINCE.get(str(node.function), 0) > version:
            source = display(node.args[0].type)
            raise CannotCast(source, display(node.type), scope.span(node.location))


def is_mutable(scope: Scope, function: Function) -> bool:
    """Whether its value may change while the row does not."""
    since = _IMMUTABLE_SINCE.get(str(function), 0)
    return function.volatility != "i" or scope.clock.postgres_version < since
