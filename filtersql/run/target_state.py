"""Where a target stands before a run, and what forbids to go on.

Example
    =============== ============= ==================================================
    ledger says     target        then
    =============== ============= ==================================================
    nothing         missing       it is made and copied
    nothing         exists        refused: filtersql did not make it
    copying, making any           proved (proofs.py): done; else it is made anew
    applying        exists        marked: done; else the same cut is applied first
    applied         exists        the changes above its position are applied
    applied         missing       refused
    applied         other columns refused: what they cannot hold would be lost
    left            any           it came again: copied anew, where there is a source
    =============== ============= ==================================================

    A target of which nothing changed is not asked for its columns: they are nobody's concern yet.
    Where the definition is not the one in force, it is: a type may be another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import CHANGED_FILTER, FOREIGN_TARGET, TARGET_GONE, TARGET_MOVED
from filtersql.errors.live import ROWS_NOT_CAPTURED
from filtersql.feeds.formats import own_position
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import BEGUN, INTENDED, Entry, is_in_force, key_of
from filtersql.run.model import Options
from filtersql.run.proofs import Proof, proof_of
from filtersql.run.removed_targets import comes_again, of_others
from filtersql.run.sessions import Lanes
from filtersql.run.table_columns import unfit
from filtersql.run.target_landings import copied_to, newest_of_tables, tables_of
from filtersql.targets.model import Engine

__all__ = ["Standing", "check_held", "standings"]


class Standing(Struct, frozen=True):
    """A target before the run. `until` is the cut that a killed run intended and did not reach.

    `position` is where it stands with its own changes, `reached` how far the feed was read for it:
    that is further where files land apart (`feeds.formats.own_position`).
    `settled`: its newest row is an intention, and a mark proves it.
    """

    compiled: CompiledTable
    entry: Entry | None
    copy: bool
    generation: int
    position: int | None
    reached: int | None
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
    #: as in Landing
    newest: Mapping[RelationName, int] | None = None

    @property
    def last(self) -> int:
        """The last change that it holds; -1: none."""
        return -1 if self.position is None else self.position


def standings(
    lanes: Lanes,
    subscription: Subscription,
    tables: Sequence[CompiledTable],
    known: Ledger,
    options: Options,
) -> tuple[Standing, ...]:
    """All targets of a subscription. Raises everything that forbids the run together."""

    def proved(engine: Engine, entry: Entry, compiled: CompiledTable) -> Proof:
        try:
            return proof_of(engine, known, entry, compiled.target)
        except Mistakes:
            if options.refills(compiled):
                return Proof(entry, anew=True)
            raise

    def standing(engine: Engine, compiled: CompiledTable) -> Standing | list[Mistake]:
        entry = known.newest.get(key_of(compiled))
        if entry is not None and entry.phase == "dropped":
            return _foreign(engine, compiled, known, options) or _new(compiled, subscription, entry)
        proof = None if entry is None else proved(engine, entry, compiled)
        entry = entry if proof is None else proof.entry
        if entry is None:
            return _foreign(engine, compiled, known, options) or _new(compiled, subscription, None)
        if entry.phase == "left" and (wrong := of_others(compiled, known, options)):
            return wrong
        again = options.refills(compiled) or comes_again(entry, compiled, subscription)
        if wrong := _wrong(engine, compiled, entry, options, known, anew=again):
            return wrong
        if again or proof is None or proof.anew:
            return _new(compiled, subscription, entry)
        return _known(compiled, subscription, proof)

    # Who has nothing to ask needs no session.
    asking = [table for table in tables if _asks(known, table)]
    answers = dict(zip(map(id, asking), lanes.each(list(enumerate(asking)), standing), strict=True))
    found = [answers.get(id(table)) or standing(lanes.first, table) for table in tables]
    mistakes = [mistake for one in found if isinstance(one, list) for mistake in one]
    if mistakes:
        raise Mistakes(mistakes)
    return tuple(one for one in found if isinstance(one, Standing))


def check_held(lanes: Lanes, asked: Sequence[Standing], others: Sequence[Standing]) -> None:
    """Whether targets of the ledger are there; those about to be written, with fitting columns.

    Raises Mistakes. The names of a schema's tables are one question for all others.
    """

    def wrong(engine: Engine, each: tuple[Standing, bool]) -> list[Mistake]:
        standing, written = each
        compiled = standing.compiled
        held = engine.columns(compiled.target)
        if not held:
            return [TARGET_GONE(name=compiled.unique_id, target=compiled.target_sql)]
        return unfit(compiled.unique_id, compiled, held, engine.dialect) if written else []

    listed = {schema: lanes.first.names(schema) for schema in dict.fromkeys(map(_schema, others))}
    unsure = [s for s in others if s.compiled.target[1].casefold() not in listed[_schema(s)]]
    looked = [(each, True) for each in asked] + [(each, False) for each in unsure]
    found = lanes.each(list(enumerate(looked)), wrong)
    if mistakes := [mistake for each in found for mistake in each]:
        raise Mistakes(mistakes)


def _asks(known: Ledger, compiled: CompiledTable) -> bool:
    entry = known.newest.get(key_of(compiled))
    known_change = key_of(compiled) in known.changing or key_of(compiled) in known.given_up
    if entry is None or known_change or entry.phase in (*INTENDED, "dropped"):
        return True
    return not is_in_force(entry, compiled)


def _schema(standing: Standing) -> str:
    return standing.compiled.target[0]


def _foreign(
    engine: Engine, compiled: CompiledTable, known: Ledger, options: Options
) -> list[Mistake]:
    """What filtersql did not make, or made for another definition, is left alone."""
    if not engine.exists(compiled.target):
        return []
    return of_others(compiled, known, options, left=True) or [
        FOREIGN_TARGET(name=compiled.unique_id, target=compiled.target_sql)
    ]


def _wrong(
    engine: Engine,
    compiled: CompiledTable,
    entry: Entry,
    options: Options,
    known: Ledger,
    *,
    anew: bool,
) -> list[Mistake]:
    name = compiled.unique_id
    if entry.target != compiled.target_sql:
        if wrong := _foreign(engine, compiled, known, options):
            return wrong
        if not anew:
            return [TARGET_MOVED(name=name, before=entry.target, now=compiled.target_sql)]
    if anew or entry.phase in BEGUN or options.accept_filter_change:
        return []
    if entry.via_partition_root != compiled.via_partition_root:
        return [CHANGED_FILTER(name=name, what="publish_via_partition_root")]
    if entry.judged_by != compiled.filter_hash:
        names = {column.casefold() for column, _ in engine.columns(compiled.target)}
        alike = not names or names == {column.name.casefold() for column in compiled.columns}
        return [CHANGED_FILTER(name=name, what="the filter" if alike else "what is published")]
    if is_in_force(entry, compiled):
        return []
    held = engine.columns(compiled.target)
    return unfit(name, compiled, held, engine.dialect, changed=True) if held else []


def _new(
    compiled: CompiledTable, subscription: Subscription, entry: Entry | None
) -> Standing | list[Mistake]:
    source = subscription.source
    if (
        source
        and source.captured
        and compiled.copy_data
        and source.seq_of(compiled.relation) is None
    ):
        # A renamed table: its earlier changes, which no file defines, would be refused before it.
        name = source.postgres
        return [ROWS_NOT_CAPTURED(source.span, table=compiled.relation, source=name)]
    generation = 1 if entry is None else entry.generation + 1
    filled = entry is not None and entry.phase in ("applying", "applied", "releasing", "left")
    position = copied_to(compiled, subscription)
    begun = entry is not None and entry.phase in INTENDED
    return Standing(
        compiled,
        entry,
        True,
        generation,
        position,
        position,
        refilled=filled,
        unfinished=begun,
        newest=newest_of_tables(compiled, subscription, {}, position),
    )


def _known(compiled: CompiledTable, subscription: Subscription, proof: Proof) -> Standing:
    entry, going_on = proof.entry, proof.until is None
    accepted = entry.phase != "applying" and entry.judged_by != compiled.filter_hash
    reached = entry.position if going_on else entry.from_position
    # It may take changes that it did not take when they were read.
    own = entry.read_of(tables_of(compiled)) if accepted else entry.stands
    own = own if going_on else entry.stood
    position = own_position(subscription.changes, own, reached)
    return Standing(
        compiled,
        entry,
        False,
        entry.generation,
        position,
        reached,
        proof.until,
        settled=proof.proved,
        accepted=accepted,
        released=proof.released,
        newest=newest_of_tables(compiled, subscription, entry.read, reached),
    )
