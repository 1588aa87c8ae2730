"""`apply`: a plan is shown, agreed to and carried out."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

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
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import TOO_MANY_DELETES
from filtersql.errors.artifacts import BROKEN_ARTIFACT, NO_ARTIFACT, PLAN_OUTDATED
from filtersql.run.apply_plan import Applied, apply_plan
from filtersql.targets.open import open_engine

if TYPE_CHECKING:
    from filtersql.compile import Compilation, Node
    from filtersql.project import Project
    from filtersql.run.planned_target import PlannedTarget

__all__ = ["command"]

_MOST = re.compile(r"(\d+)(%?)")
#: what an approved plan promises of a target
_PROMISED = ("position", "change", "definition", "checksum")
_COUNTED = ("delete", "insert", "update", "unchanged")


@subcommand("apply")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--max-deletes",
    metavar="N|N%",
    help="Refuse a plan that deletes more rows in all, or more of a target's.",
)
@click.option(
    "--plan",
    "plan_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Refuse if the plan is not the one of this file any more.",
)
@click.option("--drop-removed", is_flag=True, help="Drop targets that no definition names.")
def command(
    console: Console,
    *,
    yes: bool,
    max_deletes: str | None,
    plan_file: Path | None,
    drop_removed: bool,
) -> int:
    """Carry out what filtersql plan shows: rows, definition and position in one commit a target.

    The plan is made anew and shown, and a person is asked. Later changes go on from the same
    position. A process that dies leaves each target at the old or the new definition, and apply
    again goes on.
    """
    if max_deletes is not None and not _MOST.fullmatch(max_deletes):
        raise click.UsageError("--max-deletes takes a number of rows, or a percentage: 100 or 5%.")
    project, compilation = loaded_compilation(console)
    nodes = selected(project, compilation, console.options)
    promised = None if plan_file is None else _promised(plan_file)
    shown: list[PlannedTarget] = []
    approve = _approval(console, project, compilation, yes, max_deletes, promised, shown)
    done = _applied(console, project, compilation, nodes, approve, drop_removed=drop_removed)
    if done is None:
        if console.options.json:
            console.document(plan_document(project, compilation, []))
        return 0
    applied = {each.planned.unique_id for each in done}
    left = [each for each in shown if each.unique_id not in applied]
    write_plan(project, compilation, left, plan_document(project, compilation, left))
    for each in done:
        console.message(f"{each.planned.unique_id}: {_told(each)}", fg="green")
    if console.options.json:
        planned = [each.planned for each in done]
        console.document(plan_document(project, compilation, planned))
    return 0


def _applied(
    console: Console,
    project: Project,
    compilation: Compilation,
    nodes: Sequence[Node],
    approve: Callable[[Sequence[PlannedTarget]], bool],
    *,
    drop_removed: bool,
) -> list[Applied] | None:
    assert project.output is not None  # load() asked for one
    engine = open_engine(project.output, project.root)
    try:
        return apply_plan(
            inputs_of(project),
            audits_of(project, nodes, compilation),
            engine,
            approve,
            judge_of(project, compilation),
            defined_keys(console, compilation),
            drop_removed=drop_removed,
        )
    finally:
        engine.close()


def _approval(
    console: Console,
    project: Project,
    compilation: Compilation,
    yes: bool,
    max_deletes: str | None,
    promised: tuple[str, Mapping[str, Mapping[str, object]]] | None,
    shown: list[PlannedTarget],
) -> Callable[[Sequence[PlannedTarget]], bool]:
    """Shows a plan, refuses it for a reason, else asks. Its function raises Mistakes."""

    def approve(planned: Sequence[PlannedTarget]) -> bool:
        shown.extend(planned)
        document = plan_document(project, compilation, planned)
        print_plan(console, project, compilation, planned)
        mistakes = [*_too_many(planned, max_deletes), *_outdated(document, promised)]
        if mistakes:
            raise Mistakes(mistakes)
        write_plan(project, compilation, planned, document)
        if not changes_anything(planned):
            return False
        return yes or _asked()

    return approve


def _asked() -> bool:
    if not sys.stdin.isatty():
        raise click.UsageError("Nobody can answer here: --yes carries the plan out unasked.")
    return click.confirm("Carry it out?", err=True)


def _too_many(planned: Sequence[PlannedTarget], most: str | None) -> list[Mistake]:
    match = _MOST.fullmatch(most or "")
    if match is None:
        return []
    allowed, percent = int(match[1]), match[2]
    if not percent:
        count = sum(each.delete or 0 for each in planned)
        return [TOO_MANY_DELETES(count=count, where="", allowed=most)] * (count > allowed)
    return [
        TOO_MANY_DELETES(count=each.delete, where=f" of {each.unique_id}", allowed=most)
        for each in planned
        if each.delete and each.delete * 100 > allowed * _before(each)
    ]


def _before(planned: PlannedTarget) -> int:
    """How many rows the target has."""
    return sum((planned.delete or 0, planned.update or 0, planned.unchanged or 0))


def _promised(path: Path) -> tuple[str, Mapping[str, Mapping[str, object]]]:
    """The targets of a plan that was written before, by their names."""
    try:
        document = msgspec.json.decode(path.read_bytes(), type=dict[str, object])
        targets = msgspec.convert(document["targets"], list[dict[str, object]])
        named = {f"{each['subscription']}/{each['relation']}": each for each in targets}
    except OSError:
        raise NO_ARTIFACT(what="plan", path=path.as_posix(), command="plan") from None
    except (msgspec.MsgspecError, KeyError) as error:
        raise BROKEN_ARTIFACT(
            what="plan", path=path.as_posix(), problem=str(error), command="plan"
        ) from None
    return path.as_posix(), named


def _outdated(
    document: Mapping[str, object],
    promised: tuple[str, Mapping[str, Mapping[str, object]]] | None,
) -> list[Mistake]:
    """Mistakes for all in which a plan is not the one that was approved."""
    if promised is None:
        return []
    path, before = promised
    targets = msgspec.convert(document["targets"], list[dict[str, object]])
    now = {f"{each['subscription']}/{each['relation']}": each for each in targets}
    mistakes: list[Mistake] = []
    for name in sorted({*before, *now}):
        was, planned = before.get(name, {}), now.get(name, {})
        moved = [each for each in _PROMISED if was.get(each) != planned.get(each)]
        moved += ["the target's rows"] * any(was.get(x) != planned.get(x) for x in _COUNTED)
        if moved:
            mistakes.append(PLAN_OUTDATED(path=path, name=name, moved=moved))
    return mistakes


def _told(applied: Applied) -> str:
    planned = applied.planned
    if planned.change == "removed":
        return "dropped"
    counts = (
        (planned.delete, "deleted"),
        (planned.insert, "inserted"),
        (planned.update, "updated"),
    )
    if not any(count for count, _ in counts):
        return "the new definition is in force; no row moved"
    return ", ".join(f"{count:,} {word}" for count, word in counts if count)
