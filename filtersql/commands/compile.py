"""`compile`: definitions to SQL under target/compiled/ and manifest.json."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import click
from msgspec import Struct

from filtersql.commands.asking import asks_for_state, root_of
from filtersql.commands.console import Console
from filtersql.commands.notices import RememberedNotice, notices_of
from filtersql.commands.remembered import Memory
from filtersql.commands.shared import subcommand
from filtersql.commands.written import is_written
from filtersql.errors import Mistakes
from filtersql.errors.wording import counted
from filtersql.selection import Traits, select

__all__ = ["command"]


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


@subcommand("compile", ("text", "json", "github", "sarif"))
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when the files differ.")
def command(console: Console, *, check: bool) -> int:
    """Write the SQL of every subscription under target/compiled/, and manifest.json.

    Needs no engine. With --select, one target's MERGE is printed too.
    """
    started = time.perf_counter()
    memory = None if check or asks_for_state(console.options) else Memory.of(console)
    known = None if memory is None else memory.get("compile", _Compiled)
    if known is not None and (chosen := _still_there(console, known)) is not None:
        console.warn(known.notices)
        return _report(console, chosen, known, started)
    return _compile(console, memory, started, check=check)


def _compile(console: Console, memory: Memory | None, started: float, *, check: bool) -> int:
    from filtersql.commands import compiling

    facts: Iterable[tuple[str, str, Traits, dict[str, str]]]
    found = None if memory is None else compiling.compiled_by_family(console, memory)
    if found is not None:
        project, checksum, notices = found.project, found.manifest, found.notices
        keys = {each.unique_id for each in found.chosen}
        facts = ((each.unique_id, each.path, each.traits, each.checksums) for each in found.targets)
        console.warn(notices)
    else:
        project, compilation, nodes = compiling.compiled(console)
        if check:
            return _check(console, compiling.stale_files(project, compilation, nodes))
        checksum = compiling.write(project, compilation, nodes)
        notices = notices_of(compilation.notices)
        keys = {node.compiled.unique_id for node in nodes}
        facts = compiling.facts(project, compilation)
    targets = tuple(_Target(*each) for each in facts)
    place = project.compiled_path
    shown = place.relative_to(project.root) if place.is_relative_to(project.root) else place
    done = _Compiled(str(place), str(shown), checksum, targets, notices)
    if memory is not None:
        memory.put("compile", done, project)
    return _report(console, [each for each in targets if each.unique_id in keys], done, started)


def _still_there(console: Console, known: _Compiled) -> Sequence[_Target] | None:
    """The selected targets, if target/ holds what this compile would write; else None."""
    options = console.options
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


def _report(console: Console, chosen: Sequence[_Target], done: _Compiled, started: float) -> int:
    if console.options.select and len(chosen) == 1:
        file = Path(done.folder) / chosen[0].path / "merge.sql"
        console.result(_printed(console, file.read_bytes().decode("utf-8")))
    seconds = time.perf_counter() - started
    console.message(f"Compiled {counted(len(chosen), 'target')} to {done.shown} in {seconds:.2f}s")
    if console.options.json:
        console.document(
            {
                "compiled": [
                    {"unique_id": each.unique_id, "path": f"{done.shown}/{each.path}"}
                    for each in chosen
                ],
                "warnings": [notice.message for notice in done.notices],
            }
        )
    return 0


def _check(console: Console, stale: list[str]) -> int:
    for path in stale:
        console.result(path)
    if console.options.json:
        console.document({"stale": stale})
    if stale:
        verb = "is" if len(stale) == 1 else "are"
        text = f"{counted(len(stale), 'file')} {verb} not what the definitions give"
        console.message(text, fg="red")
        return 1
    console.message("All files are what the definitions give", fg="green")
    return 0


def _printed(console: Console, sql: str) -> str:
    if not console.colored or console.options.json:
        return sql
    from filtersql.commands.highlighting import highlighted

    return highlighted(sql)
