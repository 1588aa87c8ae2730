"""The compiled statements of a target: what each reads, and what comes of it.

Example
    ==================== ======================= ==========================================
    file                 reads                   is right if it leaves
    ==================== ======================= ==========================================
    merge.sql            changes, target         the rows of the model
    merge_completing.sql the same                the same, also where a value was left out
    initial_copy.sql     source                  the rows that the copy's filters take
    audit.sql            source, target          the target as it is, and gives the findings
    ==================== ======================= ==========================================
"""

from __future__ import annotations

from enum import StrEnum

from filtersql.artifacts.manifest import statements_of
from filtersql.compile import Node

__all__ = ["Kind", "statements"]


class Kind(StrEnum):
    """A compiled statement, by the name of its file."""

    MERGE = "merge"
    COMPLETING = "merge_completing"
    COPY = "initial_copy"
    AUDIT = "audit"

    @property
    def merges(self) -> bool:
        """Whether it reads changes; else it reads the source."""
        return self in (Kind.MERGE, Kind.COMPLETING)

    @property
    def word(self) -> str:
        """The SQL statement that it is."""
        return {Kind.COPY: "INSERT", Kind.AUDIT: "SELECT"}.get(self, "MERGE")


def statements(node: Node) -> dict[Kind, str]:
    """The texts of a target's statements: all that a compile writes of it."""
    return {Kind(name): text for name, text in statements_of(node).items()}
