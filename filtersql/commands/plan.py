"""`plan`: what a changed definition moves in each target, before it does."""

from __future__ import annotations

import click

from filtersql.commands.audit import audits_of
from filtersql.commands.console import Console
from filtersql.commands.inputs import inputs_of
from filtersql.commands.loading import loaded_compilation
from filtersql.commands.planned import (
    changes_anything,
    judge_of,
    plan_document,
    print_plan,
    write_plan,
)
from filtersql.commands.selecting import selected
from filtersql.commands.shared import subcommand
from filtersql.run.apply_plan import plan
from filtersql.run.ledger import key_of
from filtersql.targets.open import open_engine

__all__ = ["command"]


@subcommand("plan")
@click.option("--check", is_flag=True, help="Exit 1 if anything would change.")
def command(console: Console, *, check: bool) -> int:
    """Show what changed definitions would add to, remove from and change in each target.

    What is compiled is compared with the definition in force, at each target's position. Rows are
    counted by the engine, and one that leaves and one that enters is shown. No target is written:
    target/plan.json holds the plan, change.sql beside merge.sql what filtersql apply would execute.
    """
    project, compilation = loaded_compilation(console)
    nodes = selected(project, compilation, console.options)
    assert project.output is not None  # load() asked for one
    engine = open_engine(project.output, project.root)
    try:
        planned = plan(
            inputs_of(project),
            audits_of(project, nodes, compilation),
            engine,
            judge_of(project, compilation),
            frozenset(key_of(node.compiled) for node in compilation.nodes),
        )
    finally:
        engine.close()
    document = plan_document(project, compilation, planned)
    write_plan(project, compilation, planned, document)
    print_plan(console, project, compilation, planned)
    if console.options.json:
        console.document(document)
    codes = [mistake.exit_code for each in planned for mistake in each.mistakes]
    return max(codes, default=int(check and changes_anything(planned)))
