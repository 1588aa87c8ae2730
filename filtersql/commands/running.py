"""What `run` and `retry` do once they know which targets: connect, apply, tell, write results."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from filtersql import artifacts
from filtersql.artifacts import write_file
from filtersql.commands.adopting import adopted
from filtersql.commands.approving import require
from filtersql.commands.clock import moment_of
from filtersql.commands.console import Console
from filtersql.commands.inputs import inputs_of
from filtersql.commands.loading import variables
from filtersql.commands.progress import Progress
from filtersql.commands.rows import print_rows
from filtersql.errors import Mistakes
from filtersql.errors.auditing import UnknownTable
from filtersql.project.profiles import is_secret
from filtersql.run import Options, run, run_results
from filtersql.run.ledger import key_of
from filtersql.targets.open import open_engine
from filtersql.verify.source_copies import delayed_copies

if TYPE_CHECKING:
    from filtersql.compile import Compilation, Node
    from filtersql.names import RelationName
    from filtersql.project import Project
    from filtersql.rendering.compiled import CompiledTable
    from filtersql.run import RunResult

__all__ = ["RunFlags", "carry_out"]


class RunFlags(Struct, frozen=True):
    """The flags of `run` of its own; `retry` takes them from run_results.json."""

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


def carry_out(
    console: Console,
    project: Project,
    compilation: Compilation,
    nodes: Sequence[Node],
    flags: RunFlags,
) -> int:
    """Runs the targets and gives the exit code."""
    if flags.require_approval:
        require(project, nodes)
    artifacts.write(project, compilation, nodes)
    tables: dict[str, list[CompiledTable]] = {}
    for node in nodes:
        tables.setdefault(node.compiled.subscription, []).append(node.compiled)
    assert project.output is not None  # load() asked for one
    progress = Progress(console)
    progress.found(project, nodes)
    began = time.perf_counter()
    engine = open_engine(project.output, project.root)
    started = time.perf_counter() - began
    try:
        progress.connected(engine.title, project.output.name, project.output.threads)
        at = flags.adopt_at
        if at is not None and not adopted(console, project, nodes, compilation, engine, at):
            return 1
        options = Options(
            flags.dry_run,
            flags.full_refresh,
            flags.accept_filter_change,
            console.options.fail_fast,
            _resynced(flags.resync, nodes),
            flags.release,
            frozenset(key_of(node.compiled) for node in compilation.nodes),
            project.output.targets_at_once,
            None if flags.as_of is None else moment_of(flags.as_of),
            source_copies=delayed_copies(nodes, project),
        )
        result = run(inputs_of(project), tables, engine, options, progress.on_event)
        if engine.sent_rows:
            progress.sent(engine.sent_rows)
        progress.done(result, dry_run=flags.dry_run)
        if flags.verbose:
            progress.spent({**result.spent, "waiting": result.spent["waiting"] + started})
        _write_results(console, project, result, flags)
        if flags.show and not console.options.json:
            for table in result.results:
                if table.status == "success":
                    print_rows(console, engine, table.compiled, flags.show)
    finally:
        engine.close()
    progress.put_aside(result)
    progress.removed(result)
    progress.failures(result)
    return result.exit_code


def _resynced(names: Sequence[str], nodes: Sequence[Node]) -> frozenset[RelationName]:
    """The tables that --resync names: `t1` is public.t1. Raises Mistakes."""
    known = {str(node.compiled.relation): node.compiled.relation for node in nodes}
    found = {name: known.get(name) or known.get(f"public.{name}") for name in names}
    unknown = [UnknownTable(name, known) for name, table in found.items() if table is None]
    if unknown:
        raise Mistakes(unknown)
    return frozenset(table for table in found.values() if table is not None)


def _write_results(console: Console, project: Project, result: RunResult, flags: RunFlags) -> None:
    folder = project.compiled_path
    if folder.is_relative_to(project.root):
        folder = folder.relative_to(project.root)
    content = run_results(result, _arguments(console, project, flags), str(folder))
    metadata = content["metadata"]
    assert isinstance(metadata, dict)  # run_results made it
    metadata["invocation_id"] = console.log.invocation_id
    if not flags.dry_run:
        encoded = msgspec.json.format(msgspec.json.encode(content, enc_hook=str), indent=2) + b"\n"
        write_file(project.root / "target" / "run_results.json", encoded)
    if console.options.json:
        console.document(content)


def _arguments(console: Console, project: Project, flags: RunFlags) -> Mapping[str, object]:
    """The flags, for `retry` and for readers; a variable that holds a secret is named only."""
    options = console.options
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
