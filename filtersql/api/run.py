"""Copies what is missing, applies everything pending, and says what happened.

`retry` does the same for the targets that its file names.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from filtersql import artifacts
from filtersql.api.approving import require
from filtersql.api.audit import print_audits
from filtersql.api.clock import moment_of
from filtersql.api.inputs import inputs_of, sourced_targets
from filtersql.api.loading import loaded_compilation, variables
from filtersql.api.options import WrongUsage, check_switches
from filtersql.api.progress import Progress
from filtersql.api.records import Run
from filtersql.api.reporter import Reporter
from filtersql.api.rows import print_rows
from filtersql.api.selecting import selected
from filtersql.artifacts import write_file
from filtersql.errors import Mistakes
from filtersql.errors.auditing import NOT_ADOPTED, UnknownTable
from filtersql.project.secrets import is_secret
from filtersql.run import Options, run_results
from filtersql.run import run as run_targets
from filtersql.run.adopt import adopt
from filtersql.run.ledger_entry import key_of
from filtersql.targets.open import open_engine
from filtersql.verify.source_copies import delayed_copies

if TYPE_CHECKING:
    from filtersql.compile import Compilation, Node
    from filtersql.names import RelationName
    from filtersql.project import Project
    from filtersql.rendering.compiled import CompiledTable
    from filtersql.run import RunResult
    from filtersql.targets.model import Engine

__all__ = ["RunFlags", "carry_out", "run"]


class RunFlags(Struct, frozen=True):
    """The flags of `run` of its own; `retry` takes them from run_results.json.

    Raises WrongUsage where they are none or do not go together.
    """

    dry_run: bool = False
    full_refresh: bool = False
    accept_filter_change: bool = False
    require_approval: bool = False
    show: int | None = None
    #: the position at which targets that filtersql did not make are taken over
    adopt_at: int | None = None
    #: tables that are copied again
    resync: tuple[str, ...] = ()
    #: changes in quarantine are applied
    release: bool = False
    #: the clock of windows of time, as it was written
    as_of: str | None = None
    #: say at the end where the time went
    verbose: bool = False
    #: `run`, or `retry`: what run_results.json names
    command: str = field(default="run")

    def __post_init__(self) -> None:
        check_switches(
            dry_run=self.dry_run,
            full_refresh=self.full_refresh,
            accept_filter_change=self.accept_filter_change,
            require_approval=self.require_approval,
            release=self.release,
        )
        if not isinstance(self.adopt_at, int | None):
            raise WrongUsage(f"adopt_at is the position of a change, not {self.adopt_at!r}.")
        if self.adopt_at is not None and self.dry_run:
            raise WrongUsage("--adopt writes down what it took over: not with --dry-run.")
        if self.as_of is not None:
            moment_of(self.as_of)


def run(reporter: Reporter, flags: RunFlags) -> Run:
    """Runs the selected targets."""
    project, compilation = loaded_compilation(reporter)
    nodes = selected(project, compilation, reporter.options)
    return carry_out(reporter, project, compilation, nodes, flags)


def carry_out(
    reporter: Reporter,
    project: Project,
    compilation: Compilation,
    nodes: Sequence[Node],
    flags: RunFlags,
    *,
    goes_on: bool = False,
) -> Run:
    """Runs these targets; `goes_on`: others follow. Raises Mistakes where nothing was done."""
    if flags.require_approval:
        require(project, nodes)
    artifacts.write(project, compilation, nodes)
    tables: dict[str, list[CompiledTable]] = {}
    for node in nodes:
        tables.setdefault(node.compiled.subscription, []).append(node.compiled)
    assert project.output is not None  # load() asked for one
    progress = Progress(reporter)
    progress.found(project, nodes)
    began = time.perf_counter()
    engine = open_engine(project.output, project.root, writes=not flags.dry_run)
    started = time.perf_counter() - began
    try:
        progress.connected(engine.title, project.output.name, project.output.threads)
        at = flags.adopt_at
        if at is not None:
            _adopt(reporter, project, nodes, compilation, engine, at)
        options = Options(
            flags.dry_run,
            flags.full_refresh,
            flags.accept_filter_change,
            reporter.options.fail_fast,
            _resynced(flags.resync, nodes),
            flags.release,
            frozenset(key_of(node.compiled) for node in compilation.nodes),
            project.output.threads,
            None if flags.as_of is None else moment_of(flags.as_of),
            source_copies=delayed_copies(nodes, project),
        )
        inputs = replace(inputs_of(project), goes_on=goes_on)
        result = run_targets(inputs, tables, engine, options, progress.on_event)
        if engine.sent_rows:
            progress.sent(engine.sent_rows)
        progress.done(result, dry_run=flags.dry_run)
        if flags.verbose:
            progress.spent({**result.spent, "waiting": result.spent["waiting"] + started})
        record = _recorded(reporter, project, result, flags)
        if flags.show:
            for table in result.results:
                if table.status == "success":
                    print_rows(reporter, engine, table.compiled, flags.show)
    finally:
        engine.close()
    progress.put_aside(result)
    progress.passed_over(result)
    progress.removed(result)
    progress.failures(result)
    return record


def _adopt(
    reporter: Reporter,
    project: Project,
    nodes: Sequence[Node],
    compilation: Compilation,
    engine: Engine,
    at: int,
) -> None:
    """Takes over all unknown targets. Raises Mistakes where one is not right at a position."""
    targets = sourced_targets(project, nodes, compilation)
    audited = adopt(inputs_of(project), targets, engine, at=at)
    print_audits(reporter, audited)
    if wrong := [audit.unique_id for audit in audited if not audit.right]:
        raise Mistakes(NOT_ADOPTED(name=name) for name in wrong)


def _resynced(names: Sequence[str], nodes: Sequence[Node]) -> frozenset[RelationName]:
    """The tables that --resync names: `t1` is public.t1. Raises Mistakes."""
    known = {str(node.compiled.relation): node.compiled.relation for node in nodes}
    # A shell takes away the quotes of a name that was copied out of a hint.
    plain = {".".join(relation): relation for relation in known.values()} | known
    found = {name: plain.get(name) or plain.get(f"public.{name}") for name in names}
    unknown = [UnknownTable(name, known) for name, table in found.items() if table is None]
    if unknown:
        raise Mistakes(unknown)
    return frozenset(table for table in found.values() if table is not None)


def _recorded(reporter: Reporter, project: Project, result: RunResult, flags: RunFlags) -> Run:
    """What happened; run_results.json holds it, too."""
    folder = project.compiled_path
    if folder.is_relative_to(project.root):
        folder = folder.relative_to(project.root)
    arguments = _arguments(reporter, project, flags)
    record = msgspec.convert(run_results(result, arguments, folder.as_posix()), Run)
    record.metadata["invocation_id"] = reporter.log.invocation_id
    if not flags.dry_run:
        write_file(project.root / "target" / "run_results.json", record.to_json().encode(), b"\n")
    return record


def _arguments(reporter: Reporter, project: Project, flags: RunFlags) -> Mapping[str, object]:
    """The flags, for `retry` and for readers; a variable that holds a secret is named only."""
    options = reporter.options
    given = variables(options)
    return {
        "command": flags.command,
        "target": project.output.name if project.output else None,
        "select": list(options.select),
        "exclude": list(options.exclude),
        "vars": {name: value for name, value in given.items() if not is_secret(name)},
        "secret_vars": [name for name in given if is_secret(name)],
        "publish_via_partition_root": options.publish_via_partition_root,
        "threads": options.threads,
        "fail_fast": options.fail_fast,
        "dry_run": flags.dry_run,
        "full_refresh": flags.full_refresh,
        "accept_filter_change": flags.accept_filter_change,
        "require_approval": flags.require_approval,
        "resync": list(flags.resync),
        "release": flags.release,
        "as_of": flags.as_of,
    }
