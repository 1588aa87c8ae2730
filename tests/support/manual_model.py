"""What a target holds after some changes by the manuals of xDB, pglogical and BDR: a slow model.

Example
    >>> model = Target(Rules(update="target_existence"), ("id",))
    >>> model.update(None, {"id": 1, "v": 9}, lambda row: row["v"] > 5)
    >>> model.rows
    {(1,): {'id': 1, 'v': 9}}

One row and one change at a time; a filter is a function of a row to True, False or None. Written
from the manual pages and the table of differences, and from nothing of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

__all__ = ["EVERY_ROW", "Filter", "Member", "Rules", "Stop", "Target", "combined"]

Row = dict[str, int | None]
Filter = Callable[[Row], bool | None]


def EVERY_ROW(_: Row) -> bool:  # noqa: N802
    """No filter."""
    return True


class Stop(Exception):
    """The run stops before this change."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The switches, as the table of differences writes them."""

    null_keeps: bool = False
    update: str = "new_only"
    delete: str = "key_only_filter"
    combine: str = "and"
    unfiltered_cancels: bool = False
    missing: str = "skip"
    existing: str = "upsert"
    copy: str = "or_all"


@dataclass(frozen=True, slots=True)
class Member:
    """A table's membership of a subscribed set: what the set replicates, and the filter."""

    actions: frozenset[str]
    filter: Filter | None


def combined(rules: Rules, members: Sequence[Member], action: str) -> Filter:
    """Which rows are sent for an action (`copy` is the initial copy) that some set replicates."""
    if action == "copy":
        if rules.copy == "none":
            return EVERY_ROW
        # Filters that are ANDed judge every insert, whatever their set replicates.
        every = rules.copy == "or_all" or rules.combine == "and"
        counted = [one for one in members if every or "insert" in one.actions]
    else:
        counted = [one for one in members if rules.combine == "and" or action in one.actions]
    filters = [one.filter for one in counted if one.filter is not None]
    if not filters or (rules.unfiltered_cancels and len(filters) < len(counted)):
        return EVERY_ROW

    def sent(row: Row) -> bool | None:
        found = [one(row) for one in filters]
        if rules.combine == "and":
            return False if False in found else None if None in found else True
        return True if True in found else None if None in found else False

    return sent


@dataclass(slots=True)
class Target:
    """One table; rows are found by the key."""

    rules: Rules
    key: tuple[str, ...]
    #: the columns of the replica identity; empty: those of the key
    identity: tuple[str, ...] = ()
    rows: dict[tuple[int | None, ...], Row] = field(default_factory=dict)

    def _passes(self, filter_: Filter, row: Row) -> bool:
        found = filter_(row)
        return self.rules.null_keeps if found is None else found

    def _at(self, row: Row) -> tuple[int | None, ...]:
        return tuple(row[name] for name in self.key)

    def copy(self, rows: Sequence[Row], filter_: Filter) -> None:
        """The initial copy: a row is taken if it satisfies the filter."""
        for row in rows:
            if self._passes(filter_, row):
                self.rows[self._at(row)] = row

    def insert(self, row: Row, filter_: Filter) -> None:
        """An INSERT: taken if it satisfies the filter."""
        if self._passes(filter_, row):
            self._put(row)

    def _put(self, row: Row) -> None:
        if self.rules.existing == "error" and self._at(row) in self.rows:
            raise Stop
        self.rows[self._at(row)] = row

    def update(self, old: Row | None, new: Row, filter_: Filter) -> None:
        """An UPDATE; `old` is what was logged of the old row, with NULL for what was not."""
        before = self._at(old) if old is not None else self._at(new)
        if self.rules.update == "target_existence":
            self._by_existence(before, new, filter_)
            return
        now = self._passes(filter_, new)
        if self.rules.update == "old_new" and old is not None:
            was = self._passes(filter_, old)
            if was and not now:
                self.rows.pop(before, None)
            if now and not was:
                self._put(new)
            if not (now and was):
                return
        if not now:
            return
        self._move(before, new)

    def _by_existence(self, before: tuple[int | None, ...], new: Row, filter_: Filter) -> None:
        """The four cases of xDB's page; a key that changes is the old row's end."""
        if not self._passes(filter_, new):
            self.rows.pop(before, None)
            self.rows.pop(self._at(new), None)
        else:
            self._move(before, new)

    def _move(self, before: tuple[int | None, ...], new: Row) -> None:
        if before not in self.rows and self.rules.missing == "skip":
            return
        if (
            self._at(new) != before
            and self.rules.existing == "error"
            and self._at(new) in self.rows
        ):
            raise Stop
        self.rows.pop(before, None)
        self.rows[self._at(new)] = new

    def delete(self, old: Row, filter_: Filter) -> None:
        """A DELETE; `old` is what was logged."""
        if self.rules.delete == "key_only_filter":
            known = self.identity or self.key
            old = {name: old[name] if name in known else None for name in old}
        if self.rules.delete == "target_existence" or self._passes(filter_, old):
            self.rows.pop(self._at(old), None)
