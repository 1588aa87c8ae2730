"""What a recorded workload was made of, counted from what PostgreSQL sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass

import shop
from feed import Decoded
from pgoutput import Begin, Delete, Insert, Message, Truncate, Unchanged, Update

__all__ = ["Mix", "measured"]


@dataclass(frozen=True, slots=True)
class Mix:
    """What a workload was made of. Entering and leaving is what one of the subscriptions saw."""

    row_changes: int
    inserted: int
    updated: int
    deleted: int
    key_changed: int
    entered: int
    left: int
    truncates: int
    transactions: int
    transactions_over_several_tables: int
    unchanged_out_of_line: int

    def __str__(self) -> str:
        lines = []
        for name, count in asdict(self).items():
            share = f"{100 * count / max(self.row_changes, 1):5.1f} %" if name in _SHARES else ""
            lines.append(f"{name.replace('_', ' '):34}{count:8}  {share}".rstrip())
        return "\n".join(lines)


_SHARES = {"inserted", "updated", "deleted", "key_changed", "entered", "left"}


def measured(rows: list[Decoded], sent: Mapping[str, Mapping[str, Message]]) -> Mix:
    """Counts of a feed. `sent[subscription][lsn]` is what a slot with row filters gave there."""
    kinds = Counter(type(each.message) for each in rows)
    updates = {each.lsn: each.message for each in rows if isinstance(each.message, Update)}
    tables = _tables_of_transactions(rows)
    return Mix(
        row_changes=kinds[Insert] + kinds[Update] + kinds[Delete],
        inserted=kinds[Insert],
        updated=kinds[Update],
        deleted=kinds[Delete],
        key_changed=sum(map(_changes_key, updates.values())),
        entered=len(_became(Insert, updates.keys(), sent)),
        left=len(_became(Delete, updates.keys(), sent)),
        truncates=kinds[Truncate],
        transactions=len(tables),
        transactions_over_several_tables=sum(len(names) > 1 for names in tables),
        unchanged_out_of_line=sum(
            Unchanged.UNCHANGED in update.new.values() for update in updates.values()
        ),
    )


def _became(
    kind: type[Message], updates: Set[str], sent: Mapping[str, Mapping[str, Message]]
) -> set[str]:
    """The UPDATEs that at least one subscription got as something else."""
    return {
        lsn
        for messages in sent.values()
        for lsn, message in messages.items()
        if lsn in updates and isinstance(message, kind)
    }


def _tables_of_transactions(rows: list[Decoded]) -> list[set[str]]:
    tables: list[set[str]] = []
    for each in rows:
        match each.message:
            case Begin():
                tables.append(set())
            case Insert() | Update() | Delete() as change:
                tables[-1].add(_table(change.relation.name))
    return tables


def _changes_key(update: Update) -> bool:
    if update.old is None:
        return False
    key = shop.KEYS[_table(update.relation.name)]
    return any(update.old[name] != update.new[name] for name in key)


def _table(name: str) -> str:
    """The table of a partition (`events_2026`: `events`)."""
    return name.partition("_")[0]
