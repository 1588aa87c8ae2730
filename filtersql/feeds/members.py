"""A member that stands twice in an object of a change: readers differ in which one they take.

Example
    >>> from filtersql.feeds.records import record
    >>> line = b'{"seq": 1, "op": "delete", "relation": "t", "before": {"a": 1, "a": 2}}'
    >>> repeated_member(line, record(line))
    '"a" stands twice in "before"'

Each member has a colon behind a quote, so an object holds none twice where the text has as many of
these as members were read. What stands in a value, a JSON document perhaps, is the value's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import msgspec

from filtersql.feeds.records import Record

__all__ = ["check_names", "may_repeat_a_member", "repeated_member"]

_COLON = b'":'
#: blanks between a name and its colon, so that it would not be counted
_APART = re.compile(rb'"[ \t\r\n]+:')
_top = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _Object(list[tuple[str, object]]):
    """The members of an object, as they stand."""


def may_repeat_a_member(lines: Sequence[bytes], changes: Sequence[Record]) -> bool:
    """Whether some of the lines, read as these changes, have to be looked at one by one."""
    text = b"".join(lines)
    if _APART.search(text):
        return True
    found = text.count(_COLON)
    # A member that is null is not told from one that is absent: that is asked only where it counts.
    told = sum(
        len(fields) - fields.count(None) + len(fields[3] or ()) + len(fields[4] or ())
        for fields in map(msgspec.structs.astuple, changes)
    )
    return found != told and found != sum(map(_members, lines, changes))


def repeated_member(line: bytes, change: Record) -> str | None:
    """What stands twice in a line that was read as this change; None: nothing does."""
    if _holds_each_once(line, _members(line, change)):
        return None
    top = _loaded(line.decode("utf-8-sig"))
    if (name := _twice(top)) is not None:
        return f'"{name}" stands twice'
    for image, value in top if isinstance(top, _Object) else ():
        if image in ("before", "after") and (name := _twice(value)) is not None:
            return f'"{name}" stands twice in "{image}"'
    return None


def check_names(text: bytes, read: Mapping[str, object] | None, image: str = "") -> None:
    """Raises ValidationError where a name stands twice in a text that was read as this object."""
    if read is None or _holds_each_once(text, len(read)):
        return
    if (name := _twice(_loaded(text.decode()))) is not None:
        raise msgspec.ValidationError(
            f'"{name}" stands twice' + (f' in "{image}"' if image else "")
        )


def _holds_each_once(text: bytes, members: int) -> bool:
    """Whether a text certainly repeats none of the members that were read; else it may."""
    return text.count(_COLON) == members and not _APART.search(text)


def _members(line: bytes, change: Record) -> int:
    """How many members a line has, of which some may be null."""
    return len(_top.decode(line)) + len(change.before or ()) + len(change.after or ())


def _loaded(text: str) -> object:
    # Numbers are no concern here, and Python refuses the longest.
    return json.loads(text, object_pairs_hook=_Object, parse_int=str, parse_float=str)


def _twice(value: object) -> str | None:
    if not isinstance(value, _Object):
        return None
    names = [name for name, _ in value]
    return next((name for place, name in enumerate(names) if name in names[:place]), None)
