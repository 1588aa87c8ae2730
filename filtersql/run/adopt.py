"""`run --adopt --at SEQ`: a target that filtersql did not make is audited, then taken over.

Example
    adopted = adopt(inputs, {"s1": (SourcedTarget(compiled, copy),)}, engine, at=120)

    Targets that exist and that the ledger does not know have to hold exactly what the filter gives
    of the source at SEQ, in exactly the columns of the definition. Either all are taken over, or
    none. Their next change is the one after SEQ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.auditing import NOTHING_TO_ADOPT, OTHER_COLUMNS
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import definitions_in_force, ledger, ledger_writer
from filtersql.run.auditing import Audited, SourcedTarget, audit
from filtersql.run.clock import clock_for, read_clock
from filtersql.run.holding import now
from filtersql.run.ledger_entry import Entry, key_of, named_definition
from filtersql.run.model import Inputs
from filtersql.run.table_columns import usual
from filtersql.targets.model import Engine

__all__ = ["adopt"]


def adopt(
    inputs: Inputs, tables: Mapping[str, Sequence[SourcedTarget]], engine: Engine, *, at: int
) -> list[Audited]:
    """Audit all unknown targets; where all are right, remember that they stand at a position.

    Raises Mistakes where there is none, or where one has other columns.
    """
    schema = inputs.state_schema
    known = ledger.read(engine, schema)
    unknown: dict[str, list[SourcedTarget]] = {}
    for name, targets in tables.items():
        for one in targets:
            entry = known.newest.get(key_of(one.compiled))
            unheld = entry is None or entry.phase in ("dropped", "left")
            if unheld and engine.exists(one.compiled.target):
                unknown.setdefault(name, []).append(one)
    if not unknown:
        raise Mistakes([NOTHING_TO_ADOPT()])
    if wrong := [
        found for ones in unknown.values() for one in ones for found in _other(engine, one)
    ]:
        raise Mistakes(wrong)
    clock = read_clock()
    audited = audit(inputs, unknown, engine, at=at, clock=clock)
    if all(one.right for one in audited):
        made = known.made
        for name in unknown:
            own = [one.compiled for one in audited if one.compiled.subscription == name]
            first = known.number_of(name) + 1
            entries = [
                _entry(compiled, at, clock, number, known.newest.get(key_of(compiled)))
                for number, compiled in enumerate(own, first)
            ]
            texts = (compiled.definition for compiled in own)
            definitions_in_force.store(engine, schema, texts)
            ledger_writer.append(engine, schema, entries, made=made)
            made = True
    return audited


def _entry(
    compiled: CompiledTable, at: int, clock: datetime, ordinal: int, dropped: Entry | None
) -> Entry:
    return Entry(
        ordinal=ordinal,
        subscription=compiled.subscription,
        relation_schema=compiled.relation.schema,
        relation_name=compiled.relation.name,
        target=compiled.target_sql,
        filter_hash=named_definition(compiled),
        via_partition_root=compiled.via_partition_root,
        generation=1 if dropped is None else dropped.generation + 1,
        phase="applied",
        from_position=at,
        position=at,
        at=now(),
        clock=clock_for(compiled, clock),
    )


def _other(engine: Engine, one: SourcedTarget) -> list[Mistake]:
    """The mistake that the target's columns are, if they are not those of the definition."""
    compiled = one.compiled
    held = [(name, usual(kind, engine.dialect)) for name, kind in engine.columns(compiled.target)]
    wanted = [(column.name, usual(column.sql_type, engine.dialect)) for column in compiled.columns]
    if held == wanted:
        return []
    name, target = compiled.unique_id, compiled.target_sql
    return [OTHER_COLUMNS(name=name, target=target, held=_listed(held), wanted=_listed(wanted))]


def _listed(columns: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns)
