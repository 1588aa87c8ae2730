"""What PostgreSQL leaves in a subscriber's table, slowly and obviously: one change at a time.

Example
    model = Model.of(resolved, says)
    rows = model.apply((), Change("insert", None, {"a": "6", "c": "NSW"}))
    rows = model.apply(rows, Change("update", {"a": "6"}, {"a": "5", "c": "NSW"}))     # ()

It shares nothing with what is compiled: no SQL, no image, no form of table. `says(filter, row)`
alone is asked, what one filter answers for one row.

PostgreSQL
    pgoutput.c, pgoutput_row_filter(): which row is judged, by which filter, and what is sent.
    worker.c, apply_handle_insert(), _update(), _delete(): what the subscriber does with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from filtersql.catalog import Identity
from filtersql.changes import stopping
from filtersql.definitions.model import Action
from filtersql.filters import Filter
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.verify.clock import is_over

__all__ = ["Change", "Image", "Model", "Row", "Stops"]

#: a row, or what is known of one: PostgreSQL's text of each value
Image = Mapping[str, str | None]
#: the published columns of a row, in the target's order
Row = tuple[str | None, ...]
_Rows = tuple[Row, ...]


class Stops(Exception):
    """A row would have to be added of which a value is not known."""


class Change(Struct, frozen=True):
    """A change of the feed: `before` is what the source logged of the old row."""

    op: str
    before: Image | None = None
    after: Image | None = None
    unchanged: tuple[str, ...] = ()


class Model(Struct, frozen=True, eq=False):
    """One published table and the one subscriber that only this feed writes to."""

    resolved: ResolvedTable
    filters: Mapping[Contribution, Filter]
    says: Callable[[Filter, Image], bool | None]
    #: the columns of the subscriber's table
    columns: tuple[str, ...]
    #: the columns by which the subscriber finds a row; none: by all of them
    key: tuple[str, ...]
    #: the actions that stop a run
    _stopping: frozenset[str]
    #: where the key's columns stand in a row
    _places: tuple[int, ...]
    #: whether a row that exists stays as it is: skipped, or the run stops before
    _keeps: bool
    #: a change's new row and what was sent; the change stands there, so that its id is no other's
    _known: dict[int, tuple[Change, Image, str | None]] = field(default_factory=dict)
    #: the rows that a change left of others; it stands beside them for the same reason
    _after: dict[tuple[_Rows, int], tuple[Change, _Rows]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        resolved: ResolvedTable,
        filters: Mapping[Contribution, Filter],
        says: Callable[[Filter, Image], bool | None],
    ) -> Model:
        """The model of a published table."""
        columns = tuple(column.name for column in resolved.columns)
        identity, named = resolved.table.replica_identity, resolved.table.finding_key
        if identity.kind is Identity.INDEX:
            named = identity.index
        found = identity.kind is not Identity.NOTHING and set(named) <= set(columns)
        key = named if found else ()
        # A record is made once, and asked thousands of times.
        stops, places = frozenset(stopping(resolved)), tuple(map(columns.index, key))
        keeps = resolved.subscription.on_conflict in ("skip", "error")
        return cls(resolved, filters, says, columns, key, stops, places, keeps)

    def play(self, rows: Sequence[Row], changes: Sequence[Change]) -> _Rows:
        """The rows after all changes, at the clock of the trial. Raises Stops."""
        held = tuple([row for row in rows if not self.leaves(row)])
        for change in changes:
            # Histories begin alike: what a change makes of some rows is worked out once.
            step = held, id(change)
            after = self._after.get(step)
            if after is None:
                after = self._after[step] = change, self.apply(held, change)
            held = after[1]
        return held

    def apply(self, rows: Sequence[Row], change: Change) -> _Rows:
        """The rows after one change. Raises Stops."""
        if change.op == "truncate":
            return () if self.resolved.truncates else tuple(rows)
        if change.op in self._stopping:
            raise Stops
        new, sent = self._taken(change)
        strict = self.resolved.semantics.toast_unchanged == "error"
        if strict and sent in ("insert", "update") and not new.keys() >= {*self.columns}:
            raise Stops
        match sent:
            case "insert":
                return self._insert(rows, new, change)
            case "update":
                return self._update(rows, change, new)
            case "delete":
                return self._delete(rows, change)
            case _:
                return tuple(rows)

    def _new_row(self, change: Change) -> Image:
        """PostgreSQL takes an unchanged value from the old row where that holds it."""
        new = dict(change.after or {})
        for name in change.unchanged:
            if change.before is not None and name in change.before:
                new[name] = change.before[name]
        return new

    def sent(self, change: Change) -> str | None:
        """What is sent to the subscriber: insert, update, delete or nothing.

        The subscriber's rows have no say in it, and a change comes in hundreds of cases.
        """
        return self._taken(change)[1]

    def _taken(self, change: Change) -> tuple[Image, str | None]:
        known = self._known.get(id(change))
        if known is None:
            new = self._new_row(change)
            known = self._known[id(change)] = change, new, self._judged(change, new)
        return known[1:]

    def _judged(self, change: Change, new: Image) -> str | None:
        old = change.before or {}
        switches = self.resolved.semantics
        if change.op == "read":
            return "insert" if self.copies(new) else None
        action = Action(change.op)
        if action not in self.resolved.filters:
            return None
        judges = self.resolved.filters[action]
        if action is Action.INSERT:
            return "insert" if self._any(judges, new) else None
        if action is Action.DELETE:
            if switches.delete_policy == "target_existence":
                return "delete"
            if switches.delete_policy == "key_only_filter":
                old = {name: old.get(name) for name in self.resolved.table.identity_columns}
            return "delete" if self._any(judges, old) else None
        if switches.update_decision == "target_existence":
            return "update" if self._any(judges, new) else "delete"
        if switches.update_decision == "new_only" or change.before is None:
            return "update" if self._any(judges, new) else None
        matched, matches = self._any(judges, old), self._any(judges, new)
        if matched:
            return "update" if matches else "delete"
        return "insert" if matches else None

    def leaves(self, row: Row) -> bool:
        """Whether a row leaves before any change: a window ends its time, and nothing holds it."""
        image = dict(zip(self.columns, row, strict=True))
        windows = (self.filters[each] for each in self.resolved.copy_filters)
        return any(is_over(each, image) for each in windows) and not self.copies(image)

    def copies(self, image: Image) -> bool:
        """Whether the initial copy takes a row of the source."""
        return self._any(self.resolved.copy_filters, image)

    def _any(self, judges: Sequence[Contribution], image: Image) -> bool:
        """Whether filters let a row through; without one, every row."""
        if not judges:
            return True
        answers = [self.says(self.filters[each], image) for each in judges]
        decisive = self.resolved.semantics.combine != "and"
        if decisive in answers:
            return decisive
        if None in answers:
            return self.resolved.semantics.null_policy == "keep"
        return not decisive

    def _insert(self, rows: Sequence[Row], new: Image, change: Change) -> _Rows:
        return self._put(rows, tuple(rows), self._complete(new, change, None))

    def _update(self, rows: Sequence[Row], change: Change, new: Image) -> _Rows:
        old = change.before if change.before is not None else new
        found = self._find(rows, old)
        if found is None and self.skips:
            return tuple(rows)
        return self._put(rows, self._remove(rows, found), self._complete(new, change, found))

    def _put(self, rows: Sequence[Row], left: _Rows, row: Row) -> _Rows:
        """What is left and a row; the rows as they were where one of its key is to stay."""
        if not self.key:
            return (*left, row)
        others = self._without(left, self.key_of(row))
        return tuple(rows) if self._keeps and others != left else (*others, row)

    @property
    def skips(self) -> bool:
        """Whether an UPDATE of a row that is not there does nothing."""
        said = self.resolved.subscription.on_conflict
        skips = self.resolved.semantics.missing_target == "skip"
        return self._keeps or (skips and said is None)

    def _delete(self, rows: Sequence[Row], change: Change) -> _Rows:
        old = change.before if change.before is not None else change.after
        return self._remove(rows, self._find(rows, old or {}))

    def _complete(self, new: Image, change: Change, found: Row | None) -> Row:
        """The row as it is stored: what was not sent is the value that the target has."""
        missing = [name for name in self.columns if name not in new]
        if not missing:
            return tuple([new[name] for name in self.columns])
        if found is None or not set(missing) <= set(change.unchanged):
            raise Stops
        held = dict(zip(self.columns, found, strict=True))
        return tuple(new[name] if name in new else held[name] for name in self.columns)

    def _find(self, rows: Sequence[Row], old: Image) -> Row | None:
        """The subscriber's row for an old row: by its key, or by everything."""
        wanted = tuple(map(old.get, self.key or self.columns))
        return next(
            (row for row in rows if (self.key_of(row) if self.key else row) == wanted), None
        )

    def _remove(self, rows: Sequence[Row], found: Row | None) -> _Rows:
        """One copy less."""
        left = list(rows)
        if found is not None:
            left.remove(found)
        return tuple(left)

    def _without(self, rows: Sequence[Row], key: Row) -> _Rows:
        return tuple([row for row in rows if self.key_of(row) != key])

    def key_of(self, row: Row) -> Row:
        """The values by which the subscriber finds a row."""
        return tuple([row[place] for place in self._places])
