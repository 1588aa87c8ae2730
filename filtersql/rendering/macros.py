"""Which of the macros print a form of table.

Example
    `MACROS[Form.KEYLESS].merge` is `merge_keyless`: macros/merge_keyless.sql.
"""

from __future__ import annotations

from typing import NamedTuple

from filtersql.changes import Form

__all__ = ["COSTLY_PARTS", "MACROS", "MOVING_PARTS", "Macros"]


class Macros(NamedTuple):
    """The macros of one form of table."""

    source: str
    merge: str
    conflicts: str
    audit: str
    #: the source where a change of a key left a value out
    completing: str | None = None
    #: the changes that are not skipped
    not_skipped: str = "not_skipped"


MACROS = {
    Form.KEYED: Macros("merge_source", "merge", "conflicts_keyed", "audit"),
    Form.KEYED_UNCHANGED: Macros(
        "merge_source_unchanged", "merge", "conflicts_keyed", "audit", "completing_source"
    ),
    Form.KEYED_SKIPPING: Macros("merge_source_skipping", "merge", "conflicts_skipping", "audit"),
    Form.KEYED_KEEPING: Macros(
        "merge_source_keeping",
        "merge",
        "conflicts_keeping",
        "audit",
        "completing_source_keeping",
        "not_skipped_keeping",
    ),
    Form.KEYLESS: Macros(
        "merge_source_keyless", "merge_keyless", "conflicts_keyless", "audit_keyless"
    ),
    Form.KEYLESS_SKIPPING: Macros(
        "merge_source_keyless_skipping",
        "merge_keyless",
        "conflicts_keyless_skipping",
        "audit_keyless",
    ),
    Form.APPEND: Macros(
        "merge_source_append", "merge_keyless", "conflicts_append", "audit_keyless"
    ),
}

#: parts (WITH) of `source` that it names more than once and `conflicts` names, too
COSTLY_PARTS = {
    Form.KEYED_SKIPPING: ("changed", "applied"),
    Form.KEYED_KEEPING: ("changed", "found_under_key"),
}
#: of these the one that has rows only where a change moves a row to another key, and the part
#: before it that shows such changes as `left` and `arrived`
MOVING_PARTS = {
    Form.KEYED_SKIPPING: ("moved", "changed"),
    Form.KEYED_KEEPING: ("verdicts", "changed"),
}
