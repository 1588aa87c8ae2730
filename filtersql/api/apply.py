"""A plan is shown, agreed to and carried out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import asdict

from filtersql.api.inputs import inputs_of, opened, sourced_targets
from filtersql.api.loading import loaded_compilation
from filtersql.api.options import WrongUsage, check_switches
from filtersql.api.planned import defined_keys, judge_of, plan_record, write_plan
from filtersql.api.printed_plan import print_plan
from filtersql.api.records import Applied, Plan
from filtersql.api.reporter import Reporter
from filtersql.api.selecting import selected
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import TOO_MANY_DELETES
from filtersql.errors.artifacts import BROKEN_ARTIFACT, NO_ARTIFACT, PLAN_OUTDATED
from filtersql.run import apply_plan

if TYPE_CHECKING:
    from filtersql.compile import Compilation, Node
    from filtersql.project import Project
    from filtersql.run.planned_target import PlannedTarget

__all__ = ["apply"]

_MOST = re.compile(r"(\d+)(%?)")
#: what an approved plan promises of a target
_PROMISED = ("position", "change", "definition", "checksum")
_COUNTED = ("delete", "insert", "update", "unchanged")


class _Metadata(msgspec.Struct, frozen=True):
    target: str | None


class _Approved(msgspec.Struct, frozen=True):
    """What is read of a plan that was written before."""

    metadata: _Metadata
    targets: tuple[Mapping[str, object], ...]


class _Promised(msgspec.Struct, frozen=True):
    """The output of such a plan, and its targets by their names."""

    path: str
    output: str | None
    targets: Mapping[str, Mapping[str, object]]


def apply(
    reporter: Reporter,
    agreed: Callable[[], bool],
    *,
    max_deletes: str | None = None,
    plan_file: Path | None = None,
    drop_removed: bool = False,
) -> Applied:
    """Shows a plan and carries it out where it is `agreed`."""
    check_switches(drop_removed=drop_removed)
    if max_deletes is not None and not _MOST.fullmatch(max_deletes):
        raise WrongUsage("--max-deletes takes a number of rows, or a percentage: 100 or 5%.")
    project, compilation = loaded_compilation(reporter)
    nodes = selected(project, compilation, reporter.options)
    promised = None if plan_file is None else _promised(plan_file)
    shown: list[PlannedTarget] = []
    show = partial(print_plan, reporter, project, compilation, len(nodes))
    approve = _approval(show, project, compilation, agreed, max_deletes, promised, shown)
    done = _applied(reporter, project, compilation, nodes, approve, drop_removed=drop_removed)
    if done is not None:
        applied = {each.planned.unique_id for each in done}
        left = [each for each in shown if each.unique_id not in applied]
        write_plan(project, compilation, left, plan_record(project, compilation, left))
        for each in done:
            reporter.message(f"{each.planned.unique_id}: {_told(each)}", color="green")
    record = plan_record(project, compilation, [each.planned for each in done or ()])
    return Applied(record.metadata, record.targets, record.totals)


def _applied(
    reporter: Reporter,
    project: Project,
    compilation: Compilation,
    nodes: Sequence[Node],
    approve: Callable[[Sequence[PlannedTarget]], bool],
    *,
    drop_removed: bool,
) -> list[apply_plan.Applied] | None:
    with opened(project) as engine:
        return apply_plan.apply_plan(
            inputs_of(project),
            sourced_targets(project, nodes, compilation),
            engine,
            approve,
            judge_of(project, compilation),
            defined_keys(reporter, compilation),
            drop_removed=drop_removed,
        )


def _approval(
    show: Callable[[Sequence[PlannedTarget]], None],
    project: Project,
    compilation: Compilation,
    agreed: Callable[[], bool],
    max_deletes: str | None,
    promised: _Promised | None,
    shown: list[PlannedTarget],
) -> Callable[[Sequence[PlannedTarget]], bool]:
    """Shows a plan, refuses it for a reason, else asks. Its function raises Mistakes."""

    def approve(planned: Sequence[PlannedTarget]) -> bool:
        shown.extend(planned)
        record = plan_record(project, compilation, planned)
        show(planned)
        mistakes = [*_too_many(planned, max_deletes), *_outdated(record, promised)]
        if mistakes:
            raise Mistakes(mistakes)
        write_plan(project, compilation, planned, record)
        return record.moves and agreed()

    return approve


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


def _promised(path: Path) -> _Promised:
    """What a plan that was written before promises."""
    try:
        document = msgspec.json.decode(path.read_bytes(), type=_Approved)
        named = {f"{each['subscription']}/{each['relation']}": each for each in document.targets}
    except OSError:
        raise NO_ARTIFACT(what="plan", path=path.as_posix(), command="plan") from None
    except (msgspec.MsgspecError, KeyError) as error:
        raise BROKEN_ARTIFACT(
            what="plan", path=path.as_posix(), problem=str(error), command="plan"
        ) from None
    return _Promised(path.as_posix(), document.metadata.target, named)


def _outdated(record: Plan, promised: _Promised | None) -> list[Mistake]:
    """Mistakes for all in which a plan is not the one that was approved."""
    if promised is None:
        return []
    before, elsewhere = promised.targets, promised.output != record.metadata["target"]
    now = {f"{each.subscription}/{each.relation}": asdict(each) for each in record.targets}
    mistakes: list[Mistake] = []
    for name in sorted({*before, *now}):
        was, planned = before.get(name, {}), now.get(name, {})
        moved = ["output"] * (elsewhere and name in before)
        moved += [each for each in _PROMISED if was.get(each) != planned.get(each)]
        moved += ["the target's rows"] * any(was.get(x) != planned.get(x) for x in _COUNTED)
        if moved:
            mistakes.append(PLAN_OUTDATED(path=promised.path, name=name, moved=moved))
    return mistakes


def _told(applied: apply_plan.Applied) -> str:
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
