"""`plan`: what a changed definition moves in each target, before it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from filtersql.artifacts import read_manifest
from filtersql.commands.audit import audits_of
from filtersql.commands.console import Console
from filtersql.commands.inputs import inputs_of
from filtersql.commands.loading import loaded_compilation
from filtersql.commands.planned import (
    changes_anything,
    defined_keys,
    judge_of,
    plan_document,
    print_plan,
    write_plan,
)
from filtersql.commands.selecting import selected
from filtersql.commands.shared import subcommand
from filtersql.names import RelationName
from filtersql.rendering.definition import read_definition
from filtersql.run.apply_plan import plan
from filtersql.run.uncounted import uncounted
from filtersql.targets.open import open_engine

if TYPE_CHECKING:
    from filtersql.compile import Compilation, Node
    from filtersql.project import Project
    from filtersql.run.planned_target import PlannedTarget

__all__ = ["command"]


@subcommand("plan")
@click.option("--check", is_flag=True, help="Exit 1 if anything would change.")
@click.option(
    "--no-counts",
    is_flag=True,
    help="Ask no engine: compare with the manifest of --state, by the filters alone.",
)
def command(console: Console, *, check: bool, no_counts: bool) -> int:
    """Show what changed definitions would add to, remove from and change in each target.

    What is compiled is compared with the definition in force, at each target's position. Rows are
    counted by the engine, and one that leaves and one that enters is shown. No target is written:
    target/plan.json holds the plan, change.sql beside merge.sql what filtersql apply would execute.
    With --no-counts --state DIR definitions are compared with those of an earlier manifest.json.
    """
    if no_counts and console.options.state is None:
        raise click.UsageError("--no-counts needs --state DIR, the folder of a manifest.json.")
    project, compilation = loaded_compilation(console)
    nodes = selected(project, compilation, console.options)
    compare = _by_filters if no_counts else _by_data
    planned = compare(console, project, compilation, nodes)
    document = plan_document(project, compilation, planned)
    write_plan(project, compilation, planned, document)
    print_plan(console, project, compilation, planned)
    if console.options.json:
        console.document(document)
    codes = [mistake.exit_code for each in planned for mistake in each.mistakes]
    return max(codes, default=int(check and changes_anything(planned)))


def _by_data(
    console: Console, project: Project, compilation: Compilation, nodes: Sequence[Node]
) -> list[PlannedTarget]:
    """What the engine counts."""
    assert project.output is not None  # load() asked for one
    engine = open_engine(project.output, project.root)
    try:
        return plan(
            inputs_of(project),
            audits_of(project, nodes, compilation),
            engine,
            judge_of(project, compilation),
            defined_keys(console, compilation),
        )
    finally:
        engine.close()


def _by_filters(
    console: Console, project: Project, compilation: Compilation, nodes: Sequence[Node]
) -> list[PlannedTarget]:
    """What the definitions say against those of an earlier manifest."""
    options = console.options
    assert options.state is not None  # the command looked
    earlier = read_manifest(options.state, project.name)
    definitions = {
        (node.subscription, RelationName(*node.relation)): read_definition(node.definition)
        for node in earlier.nodes.values()
    }
    whole = not (options.select or options.exclude)
    compiled = [node.compiled for node in nodes]
    return uncounted(compiled, definitions, judge_of(project, compilation), removed=whole)
