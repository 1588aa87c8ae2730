"""A plan as plan.json holds it; what `plan` and `apply` share: how filters are compared for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from filtersql import __version__
from filtersql.api import records
from filtersql.api.records import Plan
from filtersql.artifacts import CHANGE_FILE, compiled_path, write_changes, write_file
from filtersql.errors.wording import json_row
from filtersql.filter_cache import FilterCache
from filtersql.filters import resolve
from filtersql.filters.resolve.windows import printed_filter, within_window
from filtersql.rendering.definition import Definition
from filtersql.rendering.filters_in_force import earlier_criteria
from filtersql.review.filter_verdicts import filter_verdict
from filtersql.review.review import Move
from filtersql.review.row_trials import Condition, Trials
from filtersql.run.ledger_entry import Key, key_of
from filtersql.run.planned_target import Judge, PlannedTarget
from filtersql.source import Source
from filtersql.storage import Engine as Dialect
from filtersql.targets.duckdb_file import connect

if TYPE_CHECKING:
    from filtersql.api.reporter import Reporter
    from filtersql.compile import Compilation, Node
    from filtersql.filters import Filter
    from filtersql.project import Project
    from filtersql.rendering.compiled import CompiledTable
    from filtersql.rendering.definition_changes import FilterVerdict
    from filtersql.rendering.plan_records import PlannedCriterion

__all__ = [
    "PLAN_FILE",
    "defined_keys",
    "judge_of",
    "plan_record",
    "planned_moves",
    "statement_paths",
    "write_plan",
]

PLAN_FILE = "plan.json"
_VERSION = 1
_COUNTS = ("delete", "insert", "update", "unchanged")


class _Planned(msgspec.Struct, frozen=True):
    """What the review reads of plan.json."""

    targets: tuple[Move, ...]


def judge_of(project: Project, compilation: Compilation) -> Judge:
    """Compares the filters of two definitions over rows at their boundaries, in DuckDB."""
    nodes = {node.compiled.unique_id: node for node in compilation.nodes}
    dialect: Dialect = project.output.engine if project.output else "spark"
    writer = FilterCache(project).writer(dialect)

    def write(what: Condition, prefix: str) -> tuple[PlannedCriterion, ...]:
        return earlier_criteria(what.filters, writer, dialect, matches=what.matches, prefix=prefix)

    def judge(compiled: CompiledTable, before: Definition) -> FilterVerdict:
        node = nodes[compiled.unique_id]
        engine = connect(None)
        try:
            # Tiny queries: handing them to several threads costs more than it gives.
            engine.execute("SET threads = 1")
            trials = Trials(engine, node.resolved.table)
            read = partial(_read, project, node)
            return filter_verdict(before, node, trials, read, write)
        finally:
            engine.close()

    return judge


def _read(project: Project, node: Node, text: str) -> Filter:
    table = node.resolved.table
    found = resolve(
        printed_filter(Source("the definition in force", text).passage(), table),
        table,
        postgres_version=project.postgres_version,
        made=project.definitions.catalog.made,
        semantics=project.semantics,
    )
    return within_window(found, table, project.semantics)


def defined_keys(reporter: Reporter, compilation: Compilation) -> frozenset[Key] | None:
    """All targets of the project; None where some are selected: others are not looked for."""
    options = reporter.options
    if options.select or options.exclude:
        return None
    return frozenset(key_of(node.compiled) for node in compilation.nodes)


def plan_record(
    project: Project, compilation: Compilation, planned: Sequence[PlannedTarget]
) -> Plan:
    """The plan for programs: what plan.json and --format json hold."""
    folders = statement_paths(project, compilation)
    totals: dict[str, int] = {"targets": len(planned)}
    totals |= {name: sum(getattr(each, name) or 0 for each in planned) for name in _COUNTS}
    return Plan(
        metadata={
            "filtersql_version": __version__,
            "plan_version": _VERSION,
            "project_name": project.name,
            "target": project.output.name if project.output else None,
        },
        targets=tuple(_record(each, folders) for each in planned),
        totals=totals,
    )


def write_plan(
    project: Project,
    compilation: Compilation,
    planned: Sequence[PlannedTarget],
    record: Plan,
) -> None:
    """plan.json, and change.sql of each target that has one."""
    statements = {each.unique_id: each.statement for each in planned}
    texts = {
        compiled_path(node): statements.get(node.compiled.unique_id) for node in compilation.nodes
    }
    folder = project.root / "target"
    folder.mkdir(exist_ok=True)
    write_changes(project, texts)
    write_file(folder / PLAN_FILE, record.to_json().encode(), b"\n")


def planned_moves(project: Project, nodes: Sequence[Node]) -> tuple[Move, ...] | None:
    """What plan.json says of some targets; None: there is no plan of these definitions."""
    try:
        content = (project.root / "target" / PLAN_FILE).read_bytes()
        moves = msgspec.json.decode(content, type=_Planned).targets
    except (OSError, msgspec.MsgspecError):
        return None
    now = {node.compiled.unique_id: node.compiled.definition.hash for node in nodes}
    known = [(now.get(f"{move.subscription}/{move.relation}"), move) for move in moves]
    mine = [(hashed, move) for hashed, move in known if hashed is not None]
    if any(move.definition["now"] != hashed for hashed, move in mine):
        return None
    return tuple(move for _, move in mine)


def statement_paths(project: Project, compilation: Compilation) -> dict[str, str]:
    """Where each target's change.sql stands, as a person is told, by the target's unique_id."""
    compiled = project.compiled_path
    inside = compiled.is_relative_to(project.root)
    shown_path = (compiled.relative_to(project.root) if inside else compiled).as_posix()
    return {
        node.compiled.unique_id: f"{shown_path}/{compiled_path(node)}/{CHANGE_FILE}"
        for node in compilation.nodes
    }


def _record(planned: PlannedTarget, folders: Mapping[str, str]) -> records.PlannedTarget:
    statement = planned.statement
    return records.PlannedTarget(
        subscription=planned.subscription,
        relation=str(planned.relation),
        target=planned.target,
        position=planned.position,
        change=planned.change,
        delete=planned.delete,
        insert=planned.insert,
        update=planned.update,
        unchanged=planned.unchanged,
        leaves=None if planned.leaves is None else json_row(planned.leaves),
        enters=None if planned.enters is None else json_row(planned.enters),
        constructed=planned.constructed,
        statement=folders.get(planned.unique_id) if statement else None,
        checksum=sha256(statement.encode()).hexdigest() if statement else None,
        reads_source=planned.reads_source,
        says=list(planned.says),
        definition={"before": planned.before, "now": planned.now},
        message="\n\n".join(map(str, planned.mistakes)) or None,
    )
