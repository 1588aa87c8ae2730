"""Whose TRUNCATE empties a target. Row filters have no say in it.

Example
    ===================== ==================== =====================
    statement             published as root    published as the leaf
    ===================== ==================== =====================
    TRUNCATE root         empties root         empties each leaf
    TRUNCATE leaf         not sent             empties that leaf
    ===================== ==================== =====================

PostgreSQL
    pgoutput.c, pgoutput_truncate(): a partition published as an ancestor is left out of the
    message; only publications that publish under the target's own name decide.
"""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.definitions.model import Action
from filtersql.names import RelationName
from filtersql.publications.lineage import Lineage
from filtersql.publications.model import Contribution

__all__ = ["truncated_by", "truncates"]


def truncates(contributions: Iterable[Contribution]) -> bool:
    """Whether TRUNCATE reaches the target; displaced publications do not count here."""
    return any(Action.TRUNCATE in each.actions for each in contributions)


def truncated_by(name: RelationName, lineage: Lineage) -> tuple[RelationName, ...]:
    """The relations whose TRUNCATE lists the target: itself and the roots above it."""
    return lineage.lineage(name)
