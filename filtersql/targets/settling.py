"""What became of a statement that an engine refused: the mark tells, and nothing is guessed.

Example
    ========================== ========================================================
    the mark is now            then
    ========================== ========================================================
    the statement's            it was committed all the same: None
    an older one               after a conflict with another commit it is tried again
    any other                  refused: somebody else writes this target
    ========================== ========================================================

    A commit that comes between and is no filtersql's, such as that of OPTIMIZE, leaves the mark.
"""

from __future__ import annotations

from collections.abc import Callable

from filtersql.errors import Mistakes
from filtersql.errors.targets import AppliedTwice
from filtersql.targets.marks import Mark, Written
from filtersql.targets.refusals import is_conflict

__all__ = ["written_once"]

_MOST_TRIES = 5


def written_once(
    write: Callable[[], Written | None], committed: Callable[[], Mark | None], mark: Mark
) -> Written | None:
    """Write once, whatever the engine answers. None: it was committed. Raises Mistakes."""
    for tries_left in reversed(range(_MOST_TRIES)):
        try:
            return write()
        except Mistakes as refused:
            if any(isinstance(each, AppliedTwice) for each in refused.mistakes):
                raise
            try:
                found = committed()
            except Mistakes:
                # The connection is gone: the next run asks.
                raise refused from None
            if found == mark:
                return None
            if not (tries_left and is_conflict(refused) and _is_before(found, mark)):
                raise
    raise AssertionError("the last try returns or raises")


def _is_before(found: Mark | None, mark: Mark) -> bool:
    """Whether a target still stands where it stood before a statement."""
    if found is None or found.generation < mark.generation:
        return True
    if found.generation != mark.generation:
        return False
    at = -1 if found.position is None else found.position
    if mark.change is not None:
        return found.position == mark.position and (found.change or -1) < mark.change
    if at == (-1 if mark.position is None else mark.position):
        return (found.clock or "") < (mark.clock or "")
    return at < (mark.position or 0)
