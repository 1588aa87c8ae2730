"""When a publication was created, by which version and session: what literals depend on.

`Reader` is a type's input function, `Shower` its output function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec import Struct

from filtersql.source import DEFAULTS, Session

__all__ = ["Clock", "Read", "Reader", "Show", "Shower", "Types"]


class Clock(Struct, frozen=True):
    """`created` freezes 'today' and its like (decision 11); None refuses them."""

    created: datetime | None = None
    postgres_version: int = 18
    session: Session = DEFAULTS


#: the text of a literal, its type's modifier
Reader = Callable[[str, int, Clock], object]
Shower = Callable[[object], str]
Types = Mapping[str, tuple[Reader, Shower]]
#: the same of the type of that name
Read = Callable[[str, str, int, Clock], object]
Show = Callable[[str, object], str]
