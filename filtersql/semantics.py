"""The switches in which the source systems differ, and the four systems as named values.

Rules read switches, never a system's name (SEMANTICS.md section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["HONOURED", "POSTGRES", "Semantics"]

#: switches that all layers read; a project that turns another one is refused, not misunderstood
HONOURED = frozenset({"column_lists", "copy_predicate", "partition_routing", "unfiltered_cancels"})


@dataclass(frozen=True, slots=True)
class Semantics:
    """One profile: what a source system does where the others do something else."""

    name: str
    null_policy: Literal["drop", "keep"]
    update_decision: Literal["old_new", "new_only", "target_existence"]
    delete_policy: Literal["old_filter", "key_only_filter", "target_existence"]
    combine: Literal["or_per_action", "and", "single"]
    unfiltered_cancels: bool
    missing_target: Literal["skip", "insert"]
    existing_target_on_insert: Literal["error", "upsert"]
    partition_routing: Literal["via_root_topmost", "leaf", "root_wins"]
    copy_predicate: Literal["or_all", "per_action", "none"]
    #: whether several column lists of one table must be equal, or all their columns are sent
    column_lists: Literal["agree", "union"] = "agree"


POSTGRES = Semantics(
    name="postgres",
    null_policy="drop",
    update_decision="old_new",
    delete_policy="old_filter",
    combine="or_per_action",
    unfiltered_cancels=True,
    missing_target="insert",
    existing_target_on_insert="upsert",
    partition_routing="via_root_topmost",
    copy_predicate="or_all",
)
