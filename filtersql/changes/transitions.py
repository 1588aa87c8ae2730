"""What a change becomes when its old and its new row meet the row filter.

Example
    ========== ========== ==========
    old row    new row    becomes
    ========== ========== ==========
    no match   no match   nothing
    no match   match      INSERT
    match      no match   DELETE
    match      match      UPDATE
    ========== ========== ==========

An INSERT has no old row and a DELETE no new one; an absent row never matches, so these four cases
cover every action: the action picks the filter, the table the effect.

PostgreSQL
    pgoutput.c, pgoutput_row_filter(); manual section 29.4.3, table 29.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

__all__ = ["TRANSITIONS", "Effect"]


class Effect(StrEnum):
    """What is done to the target."""

    NOTHING = "nothing"
    INSERT = "insert"
    DELETE = "delete"
    UPDATE = "update"


#: (old row matches, new row matches) -> effect
TRANSITIONS: Mapping[tuple[bool, bool], Effect] = {
    (False, False): Effect.NOTHING,
    (False, True): Effect.INSERT,
    (True, False): Effect.DELETE,
    (True, True): Effect.UPDATE,
}
