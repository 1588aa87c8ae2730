"""Which changes of a target are put aside, and which come back from quarantine.

Example
    changes of keys 5, 6, 7; the filter raises on change 612 of key 5
    612  update 5          aside: the filter raises
    620  update 6          applied
    640  update 5 -> 7     aside: key 5 is held back; from now on 7 is, too
    650  delete 7          aside
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from msgspec.structs import replace

from filtersql.errors import Mistakes
from filtersql.feeds.records import Record, relation_of
from filtersql.feeds.staged_files import restage, staged_columns
from filtersql.feeds.staging import ChangeStage
from filtersql.feeds.values import canonical_text
from filtersql.names import RelationName
from filtersql.run import quarantine
from filtersql.run.context import RunContext, TargetRun
from filtersql.run.ledger_rows import commit, entry, hold
from filtersql.run.quarantine import Held

__all__ = ["put_aside", "release_begins", "release_ends", "sort_out"]

_FOLLOWS = "held back: an earlier change of its row is in quarantine, seq {}"
Key = tuple[object, ...]


def sort_out(context: RunContext, raising: Mapping[str, Mapping[int, str]]) -> None:
    """Take changes out of what is staged that are put aside; add those that are released."""
    for index, target in enumerate(context.targets):
        if target.staged is None:
            continue
        if target.quarantined and not target.standing.copy:
            target.held = quarantine.read(context.engine, target.compiled)
        known = raising.get(target.name, {})
        if target.held or known:
            _sort_out(context, target, known, index)


def _sort_out(
    context: RunContext, target: TargetRun, raising: Mapping[int, str], index: int
) -> None:
    assert target.staged is not None
    position = -1 if target.position is None else target.position
    changes = [held for held in target.held if held.record.op != "truncate"]
    released: list[Held] = []
    if context.options.release and changes:
        target.releasing = True
        # What came before a TRUNCATE that was applied cannot matter any more.
        barrier = max((h.seq for h in target.held if h.record.op == "truncate"), default=-1)
        released = [held for held in changes if barrier < held.seq <= position]
    kept = {held.seq for held in released}
    if target.releasing:
        target.moot = [h.seq for h in target.held if h.seq <= position and h.seq not in kept]
    path = context.folder / f"held-{index}.parquet"
    _stage(context, target, changes, path)
    blocked = _blocked(target, path, position, releasing=context.options.release)
    again = {held.seq: held.error for held in changes if held.seq > position}
    aside, truncated = _walk(target, path, {**again, **raising}, blocked, released)
    target.truncated = [seq for seq in truncated if seq > position]
    target.aside = aside
    target.released = [held.seq for held in released if held.seq not in aside]
    target.held_back = len(released) - len(target.released)
    out = context.folder / f"sorted-{index}.parquet"
    others = {held.seq for held in changes} - kept
    restage([path, target.staged], {*aside, *others}, out)
    target.staged, target.pending, target.truncates = out, None, True


def _blocked(target: TargetRun, path: Path, position: int, *, releasing: bool) -> dict[Key, int]:
    """The keys that are held back before the first pending change, by the change that did it."""
    blocked: dict[Key, int] = {}
    if releasing:
        return blocked
    for seq, _, keys in _rows(target, path):
        if seq <= position:
            for key in keys:
                blocked.setdefault(key, seq)
    return blocked


def _walk(
    target: TargetRun,
    path: Path,
    raising: Mapping[int, str],
    blocked: dict[Key, int],
    released: Sequence[Held],
) -> tuple[dict[int, str], list[int]]:
    """The changes that are put aside with the reason, and the TRUNCATEs that then matter."""
    aside: dict[int, str] = {}
    truncated: list[int] = []
    assert target.staged is not None  # it is sorted out
    staged, again = target.staged, {held.seq for held in released}
    rows = [row for row in _rows(target, path) if row[0] in again]
    every = sorted([*rows, *_rows(target, staged)], key=itemgetter(0))
    for seq, some in groupby(every, key=itemgetter(0)):
        # Leaves of one root may have changes with one number: these stay together.
        ops, own = zip(*((op, keys) for _, op, keys in some), strict=True)
        if "truncate" in ops and blocked:
            truncated.append(seq)
        if {*ops} == {"truncate"}:
            continue
        keys = [key for each in own for key in each]
        cause = next((blocked[key] for key in keys if key in blocked), None)
        if seq in raising or cause is not None:
            aside[seq] = raising.get(seq) or _FOLLOWS.format(cause)
            for key in keys:
                blocked.setdefault(key, seq)
    return aside, truncated


def _rows(target: TargetRun, path: Path) -> Iterator[tuple[int, str, tuple[Key, ...]]]:
    """seq, op and the keys (without one: the rows) of staged changes."""
    compiled, names = target.compiled, [column.name for column in target.columns]
    wanted = compiled.key or tuple(column.name for column in compiled.columns)
    places = [names.index(f"{side}_{name}") for side in ("before", "after") for name in wanted]
    columns = staged_columns(path, (0, 2, names.index("unchanged"), *places))
    for seq, op, unchanged, *found in zip(*columns, strict=True):
        # Python's NaN equals nothing, PostgreSQL's equals itself.
        values = ["NaN" if value != value else value for value in found]
        old, new = tuple(values[: len(wanted)]), tuple(values[len(wanted) :])
        if unchanged:
            each = zip(wanted, old, new, strict=True)
            new = tuple(was if name in unchanged else value for name, was, value in each)
        both = {key for key in (old, new) if any(value is not None for value in key)}
        yield int(seq), str(op), tuple(sorted(both, key=repr))


def _stage(context: RunContext, target: TargetRun, held: Sequence[Held], path: Path) -> None:
    """Changes of the quarantine, as those of a feed are staged."""
    stage = ChangeStage(target.compiled, context.engine.dialect, path)
    places = [("quarantine", one.seq, b"") for one in held]
    stage.extend([one.record for one in held], places)
    stage.close()
    if stage.mistakes:
        raise Mistakes(mistake for _, mistake in stage.mistakes)


def put_aside(context: RunContext, target: TargetRun, upto: int | None) -> None:
    """Write the changes up to a cut that are put aside, before any row is written."""
    if upto is None:
        return
    known = {held.place for held in target.held}
    position = -1 if target.position is None else target.position
    aside = {seq: error for seq, error in target.aside.items() if position < seq <= upto}
    found = [Held(_plain(one, target), aside[one.seq]) for one in _found(context, target, aside)]
    truncates = (Held(Record(seq=seq, op="truncate"), "") for seq in target.truncated)
    held = [one for one in found if one.place not in known]
    target.put_aside += len(held)
    held += (one for one in truncates if position < one.seq <= upto and one.place not in known)
    if held and not target.quarantined:
        # The ledger tells later runs to look for a quarantine, before there is one.
        commit(context, [entry(context, target, "aside", target.position)])
        target.quarantined = True
    elif held:
        hold(context)
    quarantine.append(context, target.compiled, held)
    target.held = (*target.held, *held)


def _found(context: RunContext, target: TargetRun, seqs: Mapping[int, str]) -> Iterator[Record]:
    """The records of some changes of a target: the feed is read again for them."""
    if not seqs or context.records is None:
        return
    seen, sources = set[tuple[int, RelationName | None]](), target.compiled.sources
    for _, record in context.records([]):
        place = (record.seq, relation_of(record))
        if record.seq in seqs and place not in seen and place[1] in sources:
            seen.add(place)
            yield record


def _plain(record: Record, target: TargetRun) -> Record:
    """A record whose values are PostgreSQL's texts, of the columns that the target reads."""
    types = {column.name: column.pg_type for column in target.compiled.feed_columns}

    def plain(image: Mapping[str, object] | None) -> dict[str, object] | None:
        if image is None:
            return None
        return {
            name: None if value is None else canonical_text(types[name], value)
            for name, value in image.items()
            if name in types
        }

    return replace(record, before=plain(record.before), after=plain(record.after))


def release_begins(context: RunContext, target: TargetRun) -> None:
    """Say what is about to be applied; the commit of a release has a mark of its own."""
    hold(context)
    quarantine.mark_released(context, target.compiled, [*target.released, *target.moot])
    if not context.engine.atomic:
        generation = target.standing.generation + 1
        target.standing = replace(target.standing, generation=generation)


def release_ends(context: RunContext, target: TargetRun) -> None:
    """Forget what was applied."""
    quarantine.remove_released(context, target.compiled)
    target.releasing = False
