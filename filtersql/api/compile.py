"""Definitions to SQL under target/compiled/ and manifest.json, unless all stands there already."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from filtersql.api.asking import asks_for_state, root_of
from filtersql.api.notices import RememberedNotice, notices_of
from filtersql.api.options import Options
from filtersql.api.records import Compiled, CompiledTarget
from filtersql.api.remembered import Memory
from filtersql.api.reporter import Reporter
from filtersql.api.written import is_written
from filtersql.errors import Mistakes
from filtersql.errors.wording import counted
from filtersql.selection import Traits, select

__all__ = ["compile", "stale_files"]


class _Target(Struct, frozen=True):
    """A target of an earlier compile: its files are looked at before they are believed."""

    unique_id: str
    path: str
    traits: Traits
    checksums: dict[str, str]


class _Compiled(Struct, frozen=True):
    """What a compile left."""

    folder: str
    shown: str
    manifest: str
    targets: tuple[_Target, ...]
    notices: tuple[RememberedNotice, ...]


def compile(reporter: Reporter) -> Compiled:
    """Writes the SQL of every selected target. With --select of one, its MERGE is said, too."""
    started = time.perf_counter()
    memory = None if asks_for_state(reporter.options) else Memory.of(reporter)
    known = None if memory is None else memory.get("compile", _Compiled)
    if known is None or (chosen := _still_there(reporter.options, known)) is None:
        known, chosen = _compiled(reporter, memory)
    else:
        reporter.warn(known.notices)
    if reporter.options.select and len(chosen) == 1:
        file = Path(known.folder) / chosen[0].path / "merge.sql"
        reporter.statement(file.read_bytes().decode("utf-8"))
    seconds = time.perf_counter() - started
    reporter.message(
        f"Compiled {counted(len(chosen), 'target')} to {known.shown} in {seconds:.2f}s"
    )
    return Compiled(
        tuple(CompiledTarget(each.unique_id, f"{known.shown}/{each.path}") for each in chosen),
        [notice.message for notice in known.notices],
    )


def stale_files(reporter: Reporter) -> list[str]:
    """The paths of files that are not what the definitions give; nothing is written."""
    from filtersql.api import compiling

    stale = compiling.stale_files(*compiling.compiled(reporter))
    for path in stale:
        reporter.result(path)
    if stale:
        verb = "is" if len(stale) == 1 else "are"
        text = f"{counted(len(stale), 'file')} {verb} not what the definitions give"
        text += "\nhint: Run filtersql compile, and commit what it writes."
        reporter.message(text, color="red")
    else:
        reporter.message("All files are what the definitions give", color="green")
    return stale


def _compiled(reporter: Reporter, memory: Memory | None) -> tuple[_Compiled, Sequence[_Target]]:
    """All targets, and the selected ones, which are written."""
    from filtersql.api import compiling

    facts: Iterable[tuple[str, str, Traits, dict[str, str]]]
    found = None if memory is None else compiling.compiled_by_family(reporter, memory)
    if found is not None:
        project, checksum, notices = found.project, found.manifest, found.notices
        keys = {each.unique_id for each in found.chosen}
        facts = ((each.unique_id, each.path, each.traits, each.checksums) for each in found.targets)
        reporter.warn(notices)
    else:
        project, compilation, nodes = compiling.compiled(reporter)
        checksum = compiling.write(project, compilation, nodes)
        notices = notices_of(compilation.notices)
        keys = {node.compiled.unique_id for node in nodes}
        facts = compiling.facts(project, compilation)
    targets = tuple(_Target(*each) for each in facts)
    place = project.compiled_path
    shown = place.relative_to(project.root) if place.is_relative_to(project.root) else place
    done = _Compiled(str(place), shown.as_posix(), checksum, targets, notices)
    if memory is not None:
        memory.put("compile", done, project)
    return done, [each for each in targets if each.unique_id in keys]


def _still_there(options: Options, known: _Compiled) -> Sequence[_Target] | None:
    """The selected targets, if target/ holds what this compile would write; else None."""
    root = root_of(options)
    folder = Path(known.folder)
    chosen: Sequence[_Target] = known.targets
    if options.select or options.exclude:
        try:
            chosen = select(known.targets, options.select, options.exclude)
        except Mistakes:
            # It is told behind the warnings, by the compile.
            return None
    try:
        manifest = (root / "target" / "manifest.json").read_bytes()
        if sha256(manifest).hexdigest() != known.manifest:
            return None
        if not _folders(folder) <= {target.path for target in known.targets}:
            return None
    except OSError:
        return None
    there = all(is_written(f"{folder}/{target.path}", target.checksums) for target in chosen)
    return chosen if there else None


def _folders(folder: Path) -> set[str]:
    """The folders of targets that are there: `<subscription>/<schema>.<table>`."""
    return {
        f"{outer.name}/{inner.name}"
        for outer in os.scandir(folder)
        for inner in (os.scandir(outer.path) if outer.is_dir() else ())
    }
