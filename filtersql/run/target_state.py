"""Where a target stands before a run, and what forbids to go on.

Example
    =============== ============= ==================================================
    ledger says     target        then
    =============== ============= ==================================================
    nothing         missing       it is made and copied
    nothing         exists        refused: filtersql did not make it
    copying         any           a marked copy counts, another is made anew
    applying        exists        marked: done; else the same cut is applied first
    applied         exists        the changes above its position are applied
    applied         missing       refused
    applied         other columns refused: what they cannot hold would be lost
    left            any           it came again: copied anew, where there is a source
    =============== ============= ==================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import CHANGED_FILTER, FOREIGN_TARGET, TARGET_GONE, TARGET_MOVED
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.ledger import Entry, Key, key_of
from filtersql.run.model import Options
from filtersql.run.removed_targets import comes_again
from filtersql.run.sessions import Lanes
from filtersql.run.table_columns import unfit
from filtersql.targets.model import Engine, Mark

__all__ = ["Standing", "copied_to", "standings"]


@dataclass(frozen=True, slots=True)
class Standing:
    """A target before the run. `until` is the cut that a killed run intended and did not reach.

    `settled` is the ledger's row that an earlier run could not write any more.
    """

    compiled: CompiledTable
    entry: Entry | None
    copy: bool
    generation: int
    position: int | None
    until: int | None = None
    settled: bool = False
    #: the filter differs from the one that the ledger names, and the user accepts it
    accepted: bool = False
    #: it was filled before, and is to be filled again
    refilled: bool = False
    #: a run began to write it, and it is not known to have ended
    unfinished: bool = False
    #: changes of the quarantine were applied that still stand there
    released: bool = False


def standings(
    lanes: Lanes,
    subscription: Subscription,
    tables: Sequence[CompiledTable],
    entries: Mapping[Key, Entry],
    options: Options,
) -> tuple[Standing, ...]:
    """All targets of a subscription. Raises everything that forbids the run together."""

    def standing(engine: Engine, compiled: CompiledTable) -> Standing | list[Mistake]:
        entry = entries.get(key_of(compiled))
        dropped = entry is not None and entry.phase == "dropped"
        anew = options.refills(compiled) or comes_again(entry, compiled, subscription)
        if wrong := _wrong(engine, compiled, None if dropped else entry, options, anew=anew):
            return wrong
        if entry is None or dropped or anew:
            return _new(compiled, subscription, entry)
        return _known(engine, compiled, subscription, entry)

    found = lanes.each(list(enumerate(tables)), standing)
    mistakes = [mistake for one in found if isinstance(one, list) for mistake in one]
    if mistakes:
        raise Mistakes(mistakes)
    return tuple(one for one in found if isinstance(one, Standing))


def _wrong(
    engine: Engine,
    compiled: CompiledTable,
    entry: Entry | None,
    options: Options,
    *,
    anew: bool,
) -> list[Mistake]:
    name = compiled.unique_id
    held = engine.columns(compiled.target)
    exists = bool(held)
    moved = entry is not None and entry.target != compiled.target_sql
    if exists and (entry is None or moved):
        return [FOREIGN_TARGET(name=name, target=compiled.target_sql)]
    if entry is None or anew:
        return []
    if moved:
        return [TARGET_MOVED(name=name, before=entry.target, now=compiled.target_sql)]
    if not exists and entry.phase != "copying":
        return [TARGET_GONE(name=name, target=compiled.target_sql)]
    wrong: list[Mistake] = []
    if entry.phase != "copying":
        wrong += unfit(name, compiled, held, engine.dialect)
    if not options.accept_filter_change and entry.phase != "copying":
        if entry.via_partition_root != compiled.via_partition_root:
            wrong.append(CHANGED_FILTER(name=name, what="publish_via_partition_root"))
        elif entry.filter_hash != compiled.filter_hash:
            wrong.append(CHANGED_FILTER(name=name, what="the filter"))
    return wrong


def _new(compiled: CompiledTable, subscription: Subscription, entry: Entry | None) -> Standing:
    generation = 1 if entry is None else entry.generation + 1
    filled = entry is not None and entry.phase in ("applying", "applied", "releasing", "left")
    position = copied_to(compiled, subscription)
    begun = entry is not None and entry.phase in ("copying", "applying", "releasing")
    return Standing(compiled, entry, True, generation, position, refilled=filled, unfinished=begun)


def _known(
    engine: Engine, compiled: CompiledTable, subscription: Subscription, entry: Entry
) -> Standing:
    generation = entry.generation
    if entry.phase in ("copied", "applied", "left"):
        accepted = entry.filter_hash != compiled.filter_hash
        return Standing(compiled, entry, False, generation, entry.position, accepted=accepted)
    intended = Mark(entry.subscription, entry.relation, generation, entry.position)
    done = engine.committed(compiled) == intended
    if entry.phase == "releasing":
        # A release that was not committed leaves all as it was.
        return Standing(
            compiled, entry, False, generation, entry.position, settled=done, released=done
        )
    if entry.phase == "copying":
        if not done:
            return _new(compiled, subscription, entry)
        return Standing(compiled, entry, False, generation, entry.position, settled=True)
    if done:
        return Standing(compiled, entry, False, generation, entry.position, settled=True)
    return Standing(compiled, entry, False, generation, entry.from_position, entry.position)


def copied_to(compiled: CompiledTable, subscription: Subscription) -> int | None:
    """The changes that a source of an initial copy holds already."""
    source = subscription.source
    return source.seq if source is not None and compiled.copy_data else None
