"""Judging the changes of a feed and handing them to their targets, a block at a time.

Example
    taker = Taker(catalog, landings, stages, order, tally)
    for block in blocks(mistakes):
        taker.take_all(block)

    A block of 7,000 right changes of four shapes is judged by four looks at the catalog, one at
    the order of its numbers, and one at where the targets stand. In a block where one of these
    says anything unusual, each change is judged by itself: what is then said is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress
from typing import TypeAlias

from msgspec import Struct, field

from filtersql.catalog import Catalog
from filtersql.errors.feeds import CONTRADICTING_REPLAY, LATE_CHANGE
from filtersql.feeds.blocks import Block, Shape, example, shapes
from filtersql.feeds.images import Judged, Worded, judge
from filtersql.feeds.landings import Landing
from filtersql.feeds.lines import line_span
from filtersql.feeds.order import Order
from filtersql.feeds.placed_order import PlacedOrder
from filtersql.feeds.places import MOST_MISTAKES, Place, PlacedMistake
from filtersql.feeds.records import Record, relation_name, relation_of
from filtersql.feeds.staging import ChangeStage, distinct
from filtersql.feeds.transaction_order import KnownOrder, TransactionOrder
from filtersql.names import RelationName

__all__ = ["AnyOrder", "Taker", "Tally"]

_MOST_SHAPES = 10_000


#: an order that changes of a feed are in
AnyOrder: TypeAlias = TransactionOrder | KnownOrder | Order | PlacedOrder


class Tally(Struct):
    """What was counted while reading."""

    total: int = 0
    unpublished: int = 0
    read: list[int] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    mistakes: list[PlacedMistake] = field(default_factory=list)
    tables: dict[str, Judged] = field(default_factory=dict)
    #: the last change of each table, where some target asks for that
    newest: dict[RelationName, int] = field(default_factory=dict)


class Taker(Struct, frozen=True):
    """Judges changes and hands them to their targets."""

    catalog: Catalog
    landings: Sequence[Landing]
    stages: Sequence[ChangeStage]
    order: AnyOrder
    tally: Tally
    #: what was found of changes of a shape
    known: dict[Shape, Judged | list[Worded]] = field(default_factory=dict)

    def take_all(self, block: Block) -> int:
        """Take a block's changes. Returns how many the files of targets took, all files together.

        Where all changes are right, are all new to a target or all old, and none truncates, they
        are judged by their shapes; else one by one.
        """
        if not block.records:
            return 0
        new = self._remember(block.records)
        shape_of = shapes(block.records)
        counts = Counter(shape_of)
        judged = {shape: self.judged(shape) for shape in counts}
        seqs = [change.seq for change in block.records]
        first, last = min(seqs), max(seqs)
        parted = any(landing.parts(first, last) for landing in self.landings)
        if parted or len({*new}) > 1 or None in new or None in judged.values():
            return self._take_each(block, new)
        self.tally.total += len(seqs)
        takers: dict[int, set[Shape]] = {}
        for shape, found in judged.items():
            assert found is not None  # that was asked above
            self.count(found, shape[0], counts[shape], last, new=bool(new[0]))
            for stage in self.takers(found, shape[0], last, new=bool(new[0])):
                takers.setdefault(id(stage), set()).add(shape)
        taken = 0
        for stage in distinct(self.stages):
            if some := takers.get(id(stage)):
                taken += sum(counts[shape] for shape in some)
                if len(some) == len(counts):
                    stage.extend(block.records, block.places)
                else:
                    chosen = [shape in some for shape in shape_of]
                    stage.extend(
                        list(compress(block.records, chosen)), list(compress(block.places, chosen))
                    )
        return taken

    def takers(self, judged: Judged, op: str, last: int, *, new: bool) -> list[ChangeStage]:
        """The stages that take changes of an op up to `last`: no target has only some of them."""
        taking = (i for i in _targets(judged, op) if self._takes(i, last, new=new))
        return [self.stages[index] for index in taking]

    def count(self, judged: Judged, op: str, count: int, last: int, *, new: bool) -> None:
        """Count so many of these changes as read, skipped or unpublished."""
        targets = _targets(judged, op)
        if not targets and op != "commit":
            self.tally.unpublished += count
        for index in targets:
            takes = self._takes(index, last, new=new)
            (self.tally.read if takes else self.tally.skipped)[index] += count

    def _takes(self, index: int, last: int, *, new: bool) -> bool:
        return new and not self.landings[index].has(last)

    def _remember(self, records: Sequence[Record]) -> Sequence[bool | None]:
        """Of each change whether it is new; None: its seq was used for another one."""
        if self.asks_for_newest:
            for change in records:
                self.note_newest(change.relation, change.seq)
        start, order = self.order.start, self.order
        if isinstance(order, KnownOrder):
            return [start is None or change.seq > start for change in records]
        if isinstance(order, TransactionOrder) and (
            start is None or all(change.seq > start for change in records)
        ):
            order.extend(records)
            return [True] * len(records)
        return [
            order.add(change) if start is None or change.seq > start else False
            for change in records
        ]

    @property
    def asks_for_newest(self) -> bool:
        """Whether some target asks for the last change of each table."""
        return any(landing.newest is not None for landing in self.landings)

    def note_newest(self, relation: str | list[str] | None, seq: int) -> None:
        """Remember a change of a relation, if it is the last one."""
        name = None if relation is None else relation_name(relation)
        if name is not None:
            self.tally.newest[name] = max(seq, self.tally.newest.get(name, -1))

    def judged(self, shape: Shape) -> Judged | None:
        """What is known of all changes of a shape; None where each has to be looked at."""
        if shape[0] == "truncate":
            return None
        found = self.known.get(shape)
        if found is None:
            if len(self.known) >= _MOST_SHAPES:
                self.known.clear()
            found = judge(example(shape), self.catalog, self.landings, self.tally.tables)
            self.known[shape] = found
        return found if isinstance(found, Judged) else None

    def _take_each(self, block: Block, new: Sequence[bool | None]) -> int:
        taken = 0
        for place, change, is_new in zip(block.places, block.records, new, strict=True):
            self.tally.total += 1
            taken += self._take(place, change, is_new)
            if len(self.tally.mistakes) >= MOST_MISTAKES:
                break
        return taken

    def _take(self, place: Place, change: Record, new: bool | None) -> int:
        """Judge one change and hand it to its targets. Returns how many files took it."""
        tally = self.tally
        if new is None:
            tally.mistakes.append((place, CONTRADICTING_REPLAY(line_span(*place), seq=change.seq)))
            return 0
        judged = judge(change, self.catalog, self.landings, tally.tables)
        if not isinstance(judged, Judged):
            if self._is_passed(change):
                return 0
            tally.mistakes += [(place, mistake(line_span(*place))) for mistake in judged]
            return 0
        targets = _targets(judged, change.op)
        if not targets and change.op not in ("commit", "truncate"):
            tally.unpublished += 1
        takers: dict[int, ChangeStage] = {}
        for index in targets:
            if not self._takes(index, change.seq, new=new):
                tally.skipped[index] += 1
                landing, table = self.landings[index], relation_of(change)
                if landing.misses(table, change.seq):
                    name = landing.compiled.unique_id
                    span = line_span(*place)
                    tally.mistakes.append((place, LATE_CHANGE(span, name=name, table=table)))
            else:
                tally.read[index] += 1
                takers[id(self.stages[index])] = self.stages[index]
        for stage in takers.values():
            stage.extend([change], [place])
        return len(takers)

    def _is_passed(self, change: Record) -> bool:
        """Whether all targets of a table are beyond a change: it may have other columns by now."""
        table = relation_of(change)
        own = [one for one in self.landings if table in one.compiled.sources]
        return all(
            one.has(change.seq) and not one.misses(table, change.seq)
            for one in own or self.landings
        )


def _targets(judged: Judged, op: str) -> tuple[int, ...]:
    """The targets that take an op. A commit concerns none, whatever relation it stands with."""
    if op == "commit":
        return ()
    return judged.targets if judged.partial is None else judged.partial.get(op, judged.targets)
