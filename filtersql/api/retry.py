"""Runs again what failed, was skipped or waited in the last run, with that run's flags.

Example
    orders met a conflict at seq 7: customers, of the same subscription, stopped before it, too, and
    both are run. Which failed stands in target/run_results.json, or is said by selectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from filtersql.api.loading import loaded_compilation, variables
from filtersql.api.options import Options, WrongUsage
from filtersql.api.records import Run
from filtersql.api.reporter import Reporter
from filtersql.api.run import RunFlags, carry_out, run
from filtersql.errors import Mistakes
from filtersql.errors.artifacts import BROKEN_ARTIFACT, NO_ARTIFACT, OTHER_VERSION
from filtersql.errors.reviewing import NOT_DEFINED
from filtersql.errors.wording import meant
from filtersql.project import find_root

__all__ = ["retry"]

_VERSION = 1


class _Arguments(Struct, frozen=True):
    target: str | None = None
    vars: Mapping[str, object] = msgspec.field(default_factory=dict)
    secret_vars: tuple[str, ...] = ()
    publish_via_partition_root: bool | None = None
    threads: int | None = None
    fail_fast: bool = False
    full_refresh: bool = False
    accept_filter_change: bool = False
    require_approval: bool = False
    resync: tuple[str, ...] = ()
    as_of: str | None = None


class _Result(Struct, frozen=True):
    unique_id: str
    status: str


class _Metadata(Struct, frozen=True):
    run_results_version: int
    filtersql_version: str = ""


class _Head(Struct, frozen=True):
    metadata: _Metadata


class _Results(Struct, frozen=True):
    args: _Arguments
    results: tuple[_Result, ...]


def retry(reporter: Reporter) -> Run:
    """Runs those targets; a flag that is given now comes before the earlier one.

    Who selects targets knows that they failed, from elsewhere: they are run as `run` does it, since
    the last results may be those of other targets, with other flags.
    """
    options = reporter.options
    if options.select or options.exclude:
        return run(reporter, RunFlags(command="retry"))
    root = find_root(options.project_dir or Path.cwd())
    earlier = _read(root / "target" / "run_results.json")
    failed = [each.unique_id for each in earlier.results if each.status != "success"]
    if not failed:
        reporter.message("Nothing to retry: no target failed or was skipped in the last run")
        return Run(results=())
    reporter.options = _restored(reporter, earlier.args)
    project, compilation = loaded_compilation(reporter)
    by_name = {node.compiled.unique_id: node for node in compilation.nodes}
    if gone := [name for name in failed if name not in by_name]:
        raise Mistakes(
            NOT_DEFINED(kind="target", name=name, hint=meant(name, by_name)) for name in gone
        )
    tables = [str(by_name[name].compiled.relation) for name in failed]
    flags = RunFlags(
        accept_filter_change=earlier.args.accept_filter_change,
        require_approval=earlier.args.require_approval,
        resync=_copied_again(earlier.args, tables),
        as_of=earlier.args.as_of,
        command="retry",
    )
    # A subscription stops at one boundary: its other targets waited for those that failed.
    stopped = {by_name[name].compiled.subscription for name in failed}
    nodes = [by_name[each.unique_id] for each in earlier.results if each.unique_id in by_name]
    nodes = [node for node in nodes if node.compiled.subscription in stopped]
    return carry_out(reporter, project, compilation, nodes, flags)


def _copied_again(earlier: _Arguments, failed: Sequence[str]) -> tuple[str, ...]:
    """The tables that were to be copied anew, of those whose targets failed."""
    if earlier.full_refresh:
        return tuple(failed)
    return tuple(name for name in earlier.resync if {name, f"public.{name}"} & set(failed))


def _read(path: Path) -> _Results:
    shown = "target/run_results.json"
    try:
        content = path.read_bytes()
    except OSError:
        raise NO_ARTIFACT(what="earlier run", path=shown, command="run") from None
    try:
        head = msgspec.json.decode(content, type=_Head).metadata
        if head.run_results_version != _VERSION:
            raise OTHER_VERSION(
                what="results",
                path=shown,
                found=head.run_results_version,
                known=_VERSION,
                by=head.filtersql_version or "of another version",
            )
        return msgspec.json.decode(content, type=_Results)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BROKEN_ARTIFACT(
            what="file of results", path=shown, problem=str(error), command="run"
        ) from None


def _restored(reporter: Reporter, earlier: _Arguments) -> Options:
    """The flags of the earlier run below those that were given now."""
    options = reporter.options
    now = variables(options)
    if missing := [name for name in earlier.secret_vars if name not in now]:
        raise WrongUsage(
            f"--vars: {', '.join(missing)} must be given again: secrets are kept nowhere."
        )
    root_flag = options.publish_via_partition_root
    return replace(
        options,
        target=options.target or earlier.target,
        vars=msgspec.json.encode({**earlier.vars, **now}).decode(),
        publish_via_partition_root=(
            earlier.publish_via_partition_root if root_flag is None else root_flag
        ),
        threads=options.threads or earlier.threads,
        fail_fast=options.fail_fast or earlier.fail_fast,
    )
