"""What the tables of one subscription hold after some changes: a slow model of all four systems.

Example
    >>> table = Held("t", ("t",), ("t",), [Member(frozenset({"insert"}), None)], Rules(), ("id",))
    >>> table.apply({"op": "insert", "relation": "public.t", "after": {"id": 1, "v": 2}})
    >>> table.rows
    [{'id': 1, 'v': 2}]

One change at a time, as the source logged it, on a list of rows. It knows of no SQL, image or net
change. Which filters count for an action is `manual_model.combined`, from the manuals' pages.

PostgreSQL
    pgoutput.c, pgoutput_row_filter(): what is sent; worker.c, apply_handle_…(): what it does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from manual_model import Member, Row, Rules, Stop, combined

__all__ = ["UNSENT", "Ended", "Held", "Subscriber"]

#: a value that the source left out, as it did not change, and that no row of the target has
UNSENT = "\N{REPLACEMENT CHARACTER}"
Record = Mapping[str, Any]


@dataclass(slots=True)
class Held:
    """One target and its rows."""

    name: str
    #: the tables whose rows are published under this name
    sources: tuple[str, ...]
    #: the tables whose TRUNCATE names it
    truncated_by: tuple[str, ...]
    members: Sequence[Member]
    rules: Rules
    #: the columns by which rows are found; none: by all that are published
    key: tuple[str, ...]
    #: the columns of the replica identity, which a DELETE may be judged by
    identity: tuple[str, ...] = ()
    columns: tuple[str, ...] = ("id", "v")
    on_conflict: str | None = None
    #: action -> the sources from which it is sent without a filter, as PostgreSQL's displaced
    #: publications have it sent
    leaked: Mapping[str, frozenset[str]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    #: whether a row has lacked a value, in whatever change
    unsure: bool = False

    def copy(self, rows: Sequence[Row]) -> None:
        """The initial copy."""
        judged = combined(self.rules, self.members, "copy")
        self.rows = [self._published(row) for row in rows if self._is_true(judged(row))]

    def apply(self, record: Record) -> None:
        """One change. Raises Stop where a row may not be there and is."""
        op = record["op"]
        if op == "truncate":
            named = {name.removeprefix("public.") for name in record["relations"]}
            if named & {*self.truncated_by} and self._any_member("truncate"):
                self.rows.clear()
            return
        relation = record["relation"].removeprefix("public.")
        if relation not in self.sources or not self._is_sent(op, relation):
            return
        before, new = record.get("before"), dict(record.get("after") or {})
        for name in record.get("unchanged") or ():
            new[name] = (before or {}).get(name, UNSENT)
        match self._judged(op, relation, before, new):
            case "insert":
                self._insert(new)
            case "update":
                self._update(before if before is not None else new, new)
            case "delete":
                self._remove(self._find(before))

    def _any_member(self, action: str) -> bool:
        return any(action in member.actions for member in self.members)

    def _is_sent(self, action: str, relation: str) -> bool:
        return self._any_member(action) or relation in self.leaked.get(action, ())

    def _judged(self, op: str, relation: str, before: Record | None, new: Row) -> str | None:
        """What is sent: insert, update, delete or nothing."""
        if not self._any_member(op):
            return op  # by displaced publications alone: no filter judges it
        judged = combined(self.rules, self.members, op)
        old = dict.fromkeys(("id", "v", "w", *new)) | dict(before or {})
        if op == "insert":
            return op if self._is_true(judged(new)) else None
        if op == "delete":
            if self.rules.delete == "target_existence":
                return op
            if self.rules.delete == "key_only_filter":
                old = {name: old[name] if name in self.identity else None for name in old}
            return op if self._is_true(judged(old)) else None
        matches = self._is_true(judged(new))
        if self.rules.update == "target_existence":
            return "update" if matches else "delete"
        if self.rules.update == "new_only" or before is None:
            return "update" if matches else None
        matched = self._is_true(judged(old))
        return {
            (True, True): "update",
            (True, False): "delete",
            (False, True): "insert",
            (False, False): None,
        }[matched, matches]

    def _is_true(self, answer: bool | None) -> bool:
        return self.rules.null_keeps if answer is None else answer

    def _insert(self, new: Row) -> None:
        row = self._published(new)
        other = self._find(row) if self.key else None
        if other is not None:
            if self._keeps():
                return
            self._remove(other)
        self._add(row)

    def _update(self, old: Record, new: Row) -> None:
        found = self._find(old)
        if found is None:
            if self._skips_missing():
                return
            self._insert(new)
            return
        row = self._published(new)
        row = {name: found[name] if row[name] == UNSENT else row[name] for name in row}
        others = [row for row in self.rows if row is not found]
        other = self._find(row, others) if self.key else None
        if other is not None:
            if self._keeps():
                return
            self._remove(other)
        self._remove(found)
        self._add(row)

    def _keeps(self) -> bool:
        """Whether a row that exists stays. Raises Stop where the subscriber stops."""
        if self.on_conflict == "error":
            raise Stop
        return self.on_conflict == "skip"

    def _skips_missing(self) -> bool:
        if self.on_conflict is None:
            return self.rules.missing == "skip"
        return self.on_conflict != "apply"

    def _published(self, row: Record) -> Row:
        return {name: row[name] for name in self.columns}

    def _add(self, row: Row) -> None:
        self.unsure = self.unsure or UNSENT in row.values()
        self.rows.append(row)

    def _find(self, old: Record | None, rows: Sequence[Row] | None = None) -> Row | None:
        if old is None:
            return None
        names = self.key or self.columns
        for row in self.rows if rows is None else rows:
            if all(row[name] == old.get(name) for name in names):
                return row
        return None

    def _remove(self, found: Row | None) -> None:
        if found is not None:
            del self.rows[next(at for at, row in enumerate(self.rows) if row is found)]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run must end.

    `stops`: at the last end of a transaction before a conflict. `refuses`: as it began, for a row
    would be stored that lacks a value. `may_refuse`: a row lacked one meanwhile.
    """

    stops: bool
    refuses: bool
    may_refuse: bool


@dataclass(slots=True)
class Subscriber:
    """All targets of a subscription, which stand at one place of the feed."""

    tables: Sequence[Held]
    #: how many records of the feed have been applied
    applied: int = 0

    def play(self, records: Sequence[Record]) -> Ended:
        """Apply the records behind those that were applied, up to the end or a conflict."""
        transaction = None
        stops = False
        for table in self.tables:
            table.unsure = False
        boundary = self.applied, self.state()
        for at in range(self.applied, len(records)):
            record = records[at]
            if record.get("tx") is None or record["tx"] != transaction:
                boundary = at, self.state()
            transaction = record.get("tx")
            try:
                for table in self.tables:
                    table.apply(record)
            except Stop:
                stops = True
                self.restore(boundary)
                break
            self.applied = at + 1
        lacking = any(UNSENT in row.values() for table in self.tables for row in table.rows)
        return Ended(stops, lacking, any(table.unsure for table in self.tables))

    def state(self) -> dict[str, list[Row]]:
        """The rows of every target."""
        return {table.name: list(table.rows) for table in self.tables}

    def restore(self, before: tuple[int, Mapping[str, Sequence[Row]]]) -> None:
        """Go back to a place of the feed, and the rows that were held there."""
        self.applied, state = before
        for table in self.tables:
            table.rows = list(state[table.name])
