"""A project, and the commands as its methods.

Example
    project = Project.load("my_project", target="prod", vars={"state": "NSW"})
    project.compile()
    for check in project.check().checks:
        print(check.unique_id, check.status)
    project.run(select=["subscription:s1"], on_event=lambda event: print(event.message))

Nothing is printed, no process ends, nothing outside the project and its target is changed. Each
method reads the project's files anew, as its command does, and gives back what the command prints
as JSON. What a command reports as mistakes is raised as `Mistakes`: at once, or for a target of
several as `Failed` when the others have ended. In a process that has an active SparkSession, an
output of `method: session` uses it and leaves it as it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from filtersql.api.answering import Answering, OnEvent, listened, several
from filtersql.api.apply import apply
from filtersql.api.audit import audit
from filtersql.api.check import check
from filtersql.api.compile import compile
from filtersql.api.loading import load_project
from filtersql.api.ls import ls
from filtersql.api.options import Options, WrongUsage
from filtersql.api.plan import plan
from filtersql.api.records import (
    Applied,
    Audits,
    Checks,
    Compiled,
    Listing,
    Plan,
    Run,
    Statuses,
    Tests,
)
from filtersql.api.retry import retry
from filtersql.api.run import RunFlags, run
from filtersql.api.status import status
from filtersql.api.test import test

__all__ = ["Project"]


class Project(Answering, frozen=True):
    """A project on disk, with the flags that all commands share. Made by `load`."""

    watchable: ClassVar[Sequence[str]] = (
        "compile check test ls plan apply run retry audit status".split()
    )

    @classmethod
    def load(
        cls,
        folder: str | Path = ".",
        *,
        target: str | None = None,
        vars: Mapping[str, object] | str | None = None,
        profiles_dir: str | Path | None = None,
        publish_via_partition_root: bool | None = None,
        threads: int | None = None,
    ) -> Project:
        """The project around a folder. Raises Mistakes where its files cannot be read, ValueError.

        `target` is an output of the profile, `vars` are the project's variables, or what
        --vars says; the others are the flags of those names.
        """
        if threads is not None and threads < 1:
            raise WrongUsage("--threads takes 1 or more.")
        given = vars if isinstance(vars, str) else json.dumps(dict(vars)) if vars else None
        options = Options(
            project_dir=Path(folder).absolute(),
            profiles_dir=None if profiles_dir is None else Path(profiles_dir).absolute(),
            target=target,
            vars=given,
            threads=threads,
            publish_via_partition_root=publish_via_partition_root,
        )
        listened(options, None, load_project)
        return cls(options)

    def compile(
        self,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        on_event: OnEvent | None = None,
    ) -> Compiled:
        """Write the SQL of every subscription under target/compiled/, and manifest.json.

        Raises Mistakes.
        """
        return self._answer(compile, on_event, select, exclude)

    def check(
        self,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        deep: bool = False,
        engine: str = "duckdb",
        on_event: OnEvent | None = None,
    ) -> Checks:
        """Prove the compiled files against a slow model of PostgreSQL's semantics.

        What is not proved is in the record. Raises Mistakes where files cannot be tried.
        """
        return self._answer(partial(check, deep=deep, engine=engine), on_event, select, exclude)

    def test(
        self,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        on_event: OnEvent | None = None,
    ) -> Tests:
        """Run the project's unit tests; those that fail are in the record. Raises Mistakes."""
        return self._answer(test, on_event, select, exclude)

    def ls(
        self,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        on_event: OnEvent | None = None,
    ) -> Listing:
        """Publications, tables, subscriptions and targets. Raises Mistakes."""
        return self._answer(ls, on_event, select, exclude)

    def plan(
        self,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        no_counts: bool = False,
        state: str | Path | None = None,
        on_event: OnEvent | None = None,
    ) -> Plan:
        """What changed definitions would move in each target. Raises Mistakes.

        `no_counts` asks no engine and compares with the manifest in the folder `state`.
        """
        work = partial(plan, no_counts=no_counts)
        return self._answer(work, on_event, select, exclude, state=state)

    def apply(
        self,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        max_deletes: int | str | None = None,
        plan: str | Path | None = None,
        drop_removed: bool = False,
        on_event: OnEvent | None = None,
    ) -> Applied:
        """Carry out what `plan` shows; nobody is asked. Raises Mistakes: nothing was written then.

        `max_deletes` (a number of rows, or "5%") and `plan` (the path of a plan.json) refuse a plan
        that deletes more, or is another one by now. Where Failed is raised, the others changed.
        """
        work = partial(
            apply,
            agreed=lambda: True,
            max_deletes=None if max_deletes is None else str(max_deletes),
            plan_file=None if plan is None else Path(plan),
            drop_removed=drop_removed,
        )
        return self._answer(work, on_event, select, exclude)

    def run(
        self,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        dry_run: bool = False,
        full_refresh: bool = False,
        accept_filter_change: bool = False,
        require_approval: bool = False,
        adopt_at: int | None = None,
        resync: Iterable[str] = (),
        release: bool = False,
        as_of: str | None = None,
        fail_fast: bool = False,
        on_event: OnEvent | None = None,
    ) -> Run:
        """Copy what is missing, then apply every pending change in order, once.

        `adopt_at` is the last change that targets hold which filtersql did not make; `as_of` the
        clock of windows, in UTC. `on_event` is called as targets start and end. Raises Mistakes;
        where a target failed, Failed: the others were run.
        """
        flags = RunFlags(
            dry_run=dry_run,
            full_refresh=full_refresh,
            accept_filter_change=accept_filter_change,
            require_approval=require_approval,
            adopt_at=adopt_at,
            resync=several(resync),
            release=release,
            as_of=as_of,
        )
        work = partial(run, flags=flags)
        return self._answer(work, on_event, select, exclude, fail_fast=fail_fast)

    def retry(
        self,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        on_event: OnEvent | None = None,
    ) -> Run:
        """Run again what failed, was skipped or waited in the last run, with that run's flags.

        Reads target/run_results.json; where nothing failed the record is empty. Who knows from
        elsewhere what failed selects it: no file is read then. Raises as `run`.
        """
        return self._answer(retry, on_event, select, exclude)

    def audit(
        self,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        repair: bool = False,
        on_event: OnEvent | None = None,
    ) -> Audits:
        """Compare each target with the filter over its source, at the target's position.

        What differs is in the record. Raises Failed where a target cannot be compared.
        """
        return self._answer(partial(audit, repair=repair), on_event, select, exclude)

    def status(
        self,
        *,
        select: Iterable[str] = (),
        exclude: Iterable[str] = (),
        on_event: OnEvent | None = None,
    ) -> Statuses:
        """Position, lag, conflicts and quarantine of every target. Raises Mistakes."""
        return self._answer(status, on_event, select, exclude)
