"""`init`: a copy of project_template/, or of one of examples/, which runs as it is; or a dump's."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import click

from filtersql.commands.console import Console
from filtersql.commands.from_dump import copy_frame, in_yaml, project_files
from filtersql.commands.schema import write_schemas
from filtersql.commands.shared import subcommand
from filtersql.errors.project import FOLDER_NOT_EMPTY
from filtersql.project import package_folder
from filtersql.project.dumps import read_dump

__all__ = ["command"]

_TEMPLATE = "shop"
#: how each example is run first; what it lacks is the template's
_RUN = {_TEMPLATE: "run", "postgres": "run", "window": "run --as-of 2026-11-20"}


@subcommand("init")
@click.argument("name")
@click.option(
    "--example",
    type=click.Choice([*_RUN]),
    help="A shop's regions (the default); PostgreSQL's own examples; rows that leave in time.",
)
@click.option(
    "--from-dump",
    "dump",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The tables and publications that pg_dump --schema-only wrote.",
)
def command(console: Console, *, name: str, example: str | None, dump: Path | None) -> int:
    """Start a project in the folder NAME: definitions, sample changes and unit tests.

    With --from-dump it holds the definitions of a database of yours, and a subscription to each of
    its publications; without any, a publication of all tables that have a key.
    """
    folder = (console.options.project_dir or Path.cwd()) / name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FOLDER_NOT_EMPTY(name=name)
    if dump is None:
        _copy_example(folder, example or _TEMPLATE)
        run = f"filtersql {_RUN[example or _TEMPLATE]}"
        steps = (
            (f"{run} --target local --show 10", "on DuckDB, in a second"),
            (f"{run} --show 10", "on Spark and Delta"),
            ("filtersql compile", "the SQL, in target/compiled/"),
        )
    elif example is not None:
        raise click.UsageError("--from-dump brings definitions of its own: leave --example out")
    else:
        _write_project(folder, console, dump)
        steps = (
            ("filtersql compile", "the SQL, in target/compiled/"),
            ("filtersql check", "proves it"),
            ("filtersql run --target local", "once changes/ holds the changes"),
        )
    width = max(len(step) for step, _ in steps)
    console.message(f"Your project is in {name}/. Next:")
    console.message(f"  cd {name}")
    for step, what in steps:
        console.message(f"  {step:<{width}}   # {what}")
    if console.options.json:
        console.document({"created": str(folder)})
    return 0


def _copy_example(folder: Path, example: str) -> None:
    template = package_folder("project_template")
    if example == _TEMPLATE:
        shutil.copytree(template, folder, dirs_exist_ok=True)
    else:
        copy_frame(folder)
        shutil.copy(template / "profiles.yml", folder)
        examples = Path(__file__).parents[1] / "examples"
        shutil.copytree(examples / example, folder, dirs_exist_ok=True)
    # The project and its profile are called as the folder.
    name = in_yaml(_plain_name(folder))
    for file, said, own in (
        ("filtersql_project.yml", r"^(name|profile): .*", rf"\1: {name}"),
        ("profiles.yml", r"^shop:", f"{name}:"),
    ):
        text = (folder / file).read_text(encoding="utf-8")
        text = re.sub(said, own, text, flags=re.MULTILINE)
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    write_schemas(folder)


def _plain_name(folder: Path) -> str:
    """What a project in this folder is called: a plain identifier."""
    return re.sub(r"\W+", "_", folder.name, flags=re.ASCII).lower()


def _write_project(folder: Path, console: Console, dump: Path) -> None:
    files = project_files(_plain_name(folder), read_dump(dump))
    copy_frame(folder)
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="\n")
    write_schemas(folder)
    console.message(f"Wrote {', '.join(files)}")
