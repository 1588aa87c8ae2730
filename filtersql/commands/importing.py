"""`import`: what a live PostgreSQL, or a dump, defines, as files of a project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import unified_diff
from pathlib import Path

import click

from filtersql.api.loading import variables
from filtersql.api.notices import notices_of
from filtersql.commands.console import Console
from filtersql.commands.from_dump import ProjectFiles, copy_frame, dump_files
from filtersql.commands.schema import write_schemas
from filtersql.commands.shared import subcommand
from filtersql.definitions.sql_text import without_secrets
from filtersql.errors import Mistake
from filtersql.errors.live import DIFFERENT_FILES
from filtersql.errors.wording import counted
from filtersql.postgres.driver import require_driver
from filtersql.project import PROJECT_FILE, find_root, find_source
from filtersql.project.dumps import read_dump

__all__ = ["command"]

_PARTS = ("tables", "publications", "subscriptions")
#: lines of a difference that are shown, and the colours of their first characters
_MOST_LINES = 60
_COLORS = {"+": "green", "-": "red", "@": "cyan"}
#: what is counted for people
_TOLD = ("table", "publication", "replication set", "subscription")


@subcommand("import")
@click.argument("source")
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite files that say otherwise.")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(_PARTS),
    help="Tables, publications or subscriptions; several times for several.",
)
def command(
    console: Console, *, source: str, directory: Path | None, force: bool, only: tuple[str, ...]
) -> int:
    """Write the definitions of SOURCE into the project in DIR, or begin one there.

    SOURCE is one of the profile's sources, or a file that pg_dump --schema-only wrote. Imported
    again, nothing changes; what differs is shown, and overwritten with --force alone. What cannot
    be taken over is listed, with the reason.
    """
    folder = (directory or console.options.project_dir or _root()).absolute()
    name = re.sub(r"\W+", "_", folder.name, flags=re.ASCII).lower()
    if Path(source).suffix == ".sql" or Path(source).is_file():
        files = dump_files(name, read_dump(Path(source)))
    else:
        files = _from_server(console, folder, name, source, only or _PARTS)
    written = _written(console, folder, files, force)
    console.warn(notices_of(files.notices))
    _report(console, files, written)
    if console.options.json:
        content = {"project": str(folder), "written": written, "made": files.counts}
        lists = {"left_out": files.left_out, "never_sent": files.never_sent}
        console.document({**content, **lists})
    return 0


def _root() -> Path:
    try:
        return find_root(Path.cwd())
    except Mistake:
        return Path.cwd()


def _from_server(
    console: Console, folder: Path, name: str, source: str, parts: Sequence[str]
) -> ProjectFiles:
    options = console.options
    given = variables(options)
    found = find_source(folder, source, profiles_dir=options.profiles_dir, variables=given)
    require_driver()
    from filtersql.commands.from_server import server_files

    return server_files(found, name, [part for part in _PARTS if part in parts])


def _written(console: Console, folder: Path, files: ProjectFiles, force: bool) -> list[str]:
    """Writes what is not there as it is to be, and gives the paths; nothing of it, or all."""
    begins = not (folder / PROJECT_FILE).exists()
    wanted = {
        path: text
        for path, text in files.defined.items()
        if path not in files.empty or (folder / path).exists()
    }
    wanted |= {path: files.begun[path] for path in _missing(folder, files.begun)}
    found = {path: (folder / path).read_bytes() for path in wanted if (folder / path).exists()}
    changed = [path for path, held in found.items() if held != wanted[path].encode()]
    if changed and not force:
        for path in changed:
            _show_difference(console, path, found[path], wanted[path])
        raise DIFFERENT_FILES(count=len(changed), files=changed)
    if begins:
        copy_frame(folder)
    fresh = [path for path in wanted if path in changed or path not in found]
    for path in fresh:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(wanted[path], encoding="utf-8", newline="\n")
    if begins:
        write_schemas(folder)
    return fresh


def _show_difference(console: Console, path: str, held: bytes, wanted: str) -> None:
    """What --force would make of a file, as `diff -u` prints it."""
    texts = (held.decode("utf-8", "replace"), wanted)
    before, after = (without_secrets(text).splitlines() for text in texts)
    lines = [*unified_diff(before, after, path, path, n=1, lineterm="")]
    for line in lines[:_MOST_LINES]:
        console.result(line, color=_COLORS.get(line[:1]))
    if more := lines[_MOST_LINES:]:
        console.result(f"… {counted(len(more), 'more line')}")


def _missing(folder: Path, begun: Iterable[str]) -> list[str]:
    """The files to begin; a subscription to a publication that is not begun names nothing."""
    missing = [path for path in begun if _is_missing(folder, path)]
    published = [path for path in begun if path.startswith("publications/")]
    if all(path in missing or (folder / path).exists() for path in published):
        return missing
    return [path for path in missing if not path.startswith("subscriptions/")]


def _is_missing(folder: Path, path: str) -> bool:
    """Whether a file is to be begun: where its folder holds any, somebody has written his own."""
    beside = (folder / path).parent
    return not (folder / path).exists() and (beside == folder or not any(beside.glob("*")))


def _report(console: Console, files: ProjectFiles, written: Sequence[str]) -> None:
    made = ", ".join(counted(files.counts[kind], kind) for kind in _TOLD if kind in files.counts)
    if made:
        console.message(f"Read {made}")
    console.message(f"Wrote {', '.join(written)}" if written else "Nothing has changed")
    for label, some in (("Left out", files.left_out), ("Never sent", files.never_sent)):
        for one in some:
            text = f"{label}: {one['kind']} {one['name']}: {one['reason']}"
            console.message(text, color="yellow")
