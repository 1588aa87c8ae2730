"""`plan`: what a changed definition would move in each target, counted at the target's position.

Example
    ============ ================================================= ==============
    change       rows are found                                    reads source
    ============ ================================================= ==============
    narrower     in the target: the new filter is not true         no
    others       the source at the position beside the target      yes
    ============ ================================================= ==============

    The rows that move are staged by the query that change.sql holds. They are counted there, and
    `apply` writes them from there: what is counted is what is written. Rows that only leave are
    counted in the target, from which a DELETE takes them.

    Where the filters alone prove that no row enters, the source is not read. Where they do not, it
    is, and the statement is the same if the data shows that none does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from filtersql.errors import Mistakes
from filtersql.errors.applying import AnotherRun
from filtersql.errors.targets import EngineRefused
from filtersql.run import definitions_in_force, ledger
from filtersql.run.clock import clock_of_run, read_clock
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import Key, key_of, owner_of
from filtersql.run.model import Inputs
from filtersql.run.planned_target import Judge, PlannedTarget, removed_targets
from filtersql.run.proofs import true_row
from filtersql.run.source_at_position import SourcedTarget
from filtersql.run.sources import source_named
from filtersql.run.target_planner import Planner
from filtersql.targets.depth import configure
from filtersql.targets.model import Engine

__all__ = ["plan_targets"]


def plan_targets(
    inputs: Inputs,
    tables: Mapping[str, Sequence[SourcedTarget]],
    engine: Engine,
    folder: Path,
    judge: Judge | None = None,
    defined: frozenset[Key] | None = None,
    *,
    drop_removed: bool = False,
    keeps: bool = True,
) -> tuple[Ledger, list[PlannedTarget]]:
    """The ledger as it was read, and every target that changes; `keeps`: its rows stay staged.

    `defined` are all targets of the project: one that the ledger knows beside them is removed.
    """
    known = ledger.read(engine, inputs.state_schema)
    entries = {
        key_of(sourced.compiled): true_row(engine, known, sourced.compiled)
        for targets in tables.values()
        for sourced in targets
    }
    hashes = [entry.definition for entry in entries.values() if entry is not None]
    texts = definitions_in_force.in_force(engine, inputs.state_schema, hashes)
    found: list[PlannedTarget] = []
    read = read_clock()
    for name, targets in tables.items():
        subscription, clock = inputs.subscriptions[name], clock_of_run(read, None, known, name)
        for sourced in targets:
            entry = entries[key_of(sourced.compiled)]
            planner = Planner(
                inputs, subscription, sourced, engine, folder, judge, clock, len(found), keeps
            )
            try:
                configure(engine, dict(sourced.compiled.settings))
                before = texts.get(entry.definition) if entry else None
                if (changed := planner.plan(entry, before)) is not None:
                    found.append(replace(changed, earlier=before))
            except Mistakes as wrong:
                source_named(subscription, wrong.mistakes)
                found.append(
                    planner.refused(entry, _overtaken(inputs, engine, known, name) or wrong)
                )
                if engine.atomic and any(
                    isinstance(each, EngineRefused) for each in wrong.mistakes
                ):
                    # What was refused ended the transaction: nothing more can be asked in it.
                    return known, found
    found += removed_targets(
        engine, known, defined, inputs.subscriptions, drop_removed=drop_removed
    )
    return known, found


def _overtaken(inputs: Inputs, engine: Engine, known: Ledger, name: str) -> Mistakes | None:
    """That another run wrote meanwhile: then what was read of a target is of two positions."""
    if engine.atomic:
        return None
    last = ledger.read(engine, inputs.state_schema).last.get(name)
    if last is None or last == known.last.get(name):
        return None
    return Mistakes([AnotherRun(name, owner_of(last), None)])
