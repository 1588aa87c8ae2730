"""Types whose text depends on a setting or on other rows: casts by text of them are not immutable.

Example
    `d::text` of a date depends on DateStyle, `c::date` also on the clock. An enum's labels and an
    array's elements may be other ones later, as PostgreSQL sees it; a time is only read so.

PostgreSQL
    pg_proc.provolatile of pg_type.typinput and pg_type.typoutput, which are the same from 15 to 18
"""

from __future__ import annotations

from filtersql.filters.facts import facts

__all__ = ["reads_or_writes_differently"]

_BOTH = frozenset(
    "aclitem date interval money regclass regcollation regconfig regdictionary regnamespace regoper"
    " regoperator regproc regprocedure regrole regtype timestamp timestamptz".split()
)
_READING = frozenset({"time", "timetz", "xml"})


def reads_or_writes_differently(source: str, target: str) -> bool:
    """Whether a value of one type may become another value of the other on another day."""
    return source in _BOTH or target in _BOTH | _READING or _composed(source) or _composed(target)


def _composed(name: str) -> bool:
    """An enum, an array, a row or a range: what it is made of decides."""
    kind = facts().type(name)
    return "." in name or bool(kind.element) or kind.kind in "cemr"
