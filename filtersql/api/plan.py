"""What a changed definition moves in each target, before it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from filtersql.api.inputs import inputs_of, opened, sourced_targets
from filtersql.api.loading import loaded_compilation
from filtersql.api.options import WrongUsage, check_switches
from filtersql.api.planned import defined_keys, judge_of, plan_record, write_plan
from filtersql.api.printed_plan import print_plan
from filtersql.api.records import Plan
from filtersql.api.reporter import Reporter
from filtersql.api.selecting import selected
from filtersql.artifacts import read_manifest
from filtersql.names import RelationName
from filtersql.rendering.definition import read_definition
from filtersql.run.apply_plan import plan as counted_plan
from filtersql.run.uncounted import uncounted

if TYPE_CHECKING:
    from filtersql.compile import Compilation, Node
    from filtersql.project import Project
    from filtersql.run.planned_target import PlannedTarget

__all__ = ["plan"]


def plan(reporter: Reporter, *, no_counts: bool = False) -> Plan:
    """Shows and writes the plan; `no_counts` asks no engine but the manifest of --state."""
    check_switches(no_counts=no_counts)
    if no_counts and reporter.options.state is None:
        raise WrongUsage("--no-counts needs --state DIR, the folder of a manifest.json.")
    project, compilation = loaded_compilation(reporter)
    nodes = selected(project, compilation, reporter.options)
    compare = _by_filters if no_counts else _by_data
    planned = compare(reporter, project, compilation, nodes)
    record = plan_record(project, compilation, planned)
    write_plan(project, compilation, planned, record)
    print_plan(reporter, project, compilation, len(nodes), planned)
    return record


def _by_data(
    reporter: Reporter, project: Project, compilation: Compilation, nodes: Sequence[Node]
) -> list[PlannedTarget]:
    """What the engine counts."""
    with opened(project, writes=False) as engine:
        return counted_plan(
            inputs_of(project),
            sourced_targets(project, nodes, compilation),
            engine,
            judge_of(project, compilation),
            defined_keys(reporter, compilation),
        )


def _by_filters(
    reporter: Reporter, project: Project, compilation: Compilation, nodes: Sequence[Node]
) -> list[PlannedTarget]:
    """What the definitions say against those of an earlier manifest."""
    options = reporter.options
    assert options.state is not None  # the command looked
    earlier = read_manifest(options.state, project.name)
    definitions = {
        (node.subscription, RelationName(*node.relation)): read_definition(node.definition)
        for node in earlier.nodes.values()
    }
    whole = not (options.select or options.exclude)
    compiled = [node.compiled for node in nodes]
    return uncounted(compiled, definitions, judge_of(project, compilation), removed=whole)
