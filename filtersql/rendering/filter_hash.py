"""The hash of what must not change under a target unnoticed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256

from filtersql.changes import Judgements
from filtersql.names import RelationName
from filtersql.publications.model import ResolvedTable

__all__ = ["deciding", "filter_hash"]

#: made once: json.dumps() makes one for each call
_SORTED = json.JSONEncoder(sort_keys=True, check_circular=False)


def deciding(resolved: ResolvedTable) -> Sequence[RelationName]:
    """The sources; of a root its own name: a partition more or less changes no row's filter.

    As PostgreSQL's subscribers do not notice an ATTACH: later changes arrive, nothing is copied.
    """
    rooted = resolved.via_partition_root and resolved.table.partition_by is not None
    return (resolved.table.name,) if rooted else resolved.sources


def filter_hash(resolved: ResolvedTable, judged: Judgements, key: Sequence[str]) -> str:
    """What must not change under a target unnoticed (decision 3)."""
    arms = {
        f"{side} {op}": sorted(
            criterion.filter.deparsed if criterion.filter else str(criterion.matches)
            for criterion in arm.criteria
        )
        for side, all_arms in (("old", judged.old), ("new", judged.new))
        for arm in all_arms
        for op in arm.ops
    }
    content: dict[str, object] = {
        "arms": arms,
        "columns": [column.name for column in resolved.columns],
        "key": list(key),
        "sources": sorted(map(str, deciding(resolved))),
        "truncates": resolved.truncates,
    }
    if resolved.only_from:
        content["only_from"] = {
            str(action): sorted(map(str, sources)) for action, sources in resolved.only_from.items()
        }
    if (judged.every, judged.unknown_matches) != (False, False):
        content["combined"] = [judged.every, judged.unknown_matches]
    if judged.stay_otherwise:
        content["rows_stay"] = judged.rows_stay
    return sha256(_SORTED.encode(content).encode()).hexdigest()
