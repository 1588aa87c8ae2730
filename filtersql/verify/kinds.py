"""The compiled statements of a target: what each reads, and what comes of it.

Example
    ==================== ======================= ==========================================
    file                 reads                   is right if it leaves
    ==================== ======================= ==========================================
    merge.sql            changes, target         the rows of the model
    merge_completing.sql the same                the same, also where a value was left out
    initial_copy.sql     source                  the rows that the copy's filters take
    audit.sql            source, target          the target as it is, and gives the findings
    change.sql           source, target          the rows that a changed definition takes
    ==================== ======================= ==========================================

`apply` executes change.sql, which a plan writes and the next compile removes. It is a MERGE of what
differs; or of what enters and what leaves, where the filters tell; or rows only leave.
"""

from __future__ import annotations

from enum import StrEnum

from filtersql.artifacts.manifest import statements_of
from filtersql.compile import Node

__all__ = ["Kind", "statements"]


class Kind(StrEnum):
    """A compiled statement, by the name of its file; change.sql has several forms."""

    MERGE = "merge"
    COMPLETING = "merge_completing"
    COPY = "initial_copy"
    AUDIT = "audit"
    CHANGE = "change"
    ENTERING = "entering"
    LEAVING = "leaving"

    @property
    def file(self) -> str:
        """The file's name, without its ending."""
        return Kind.CHANGE.value if self.changes else self.value

    @property
    def changes(self) -> bool:
        """Whether it is a form of change.sql."""
        return self in (Kind.CHANGE, Kind.ENTERING, Kind.LEAVING)

    @property
    def merges(self) -> bool:
        """Whether it reads changes; else it reads the source."""
        return self in (Kind.MERGE, Kind.COMPLETING)

    @property
    def word(self) -> str:
        """The SQL statement that it is."""
        words = {Kind.COPY: "INSERT", Kind.AUDIT: "SELECT", Kind.LEAVING: "MERGE or DELETE"}
        return words.get(self, "MERGE")


def statements(node: Node) -> dict[Kind, str]:
    """The texts of a target's statements: all that a compile writes of it."""
    return {Kind(name): text for name, text in statements_of(node).items()}
