"""`schema`: the JSON schemas of a project's files and of what is generated, for editors."""

from __future__ import annotations

import json
from pathlib import Path

import click

from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand
from filtersql.project import find_root

__all__ = ["command", "write_schemas"]

SCHEMAS = (
    "definitions",
    "manifest",
    "plan",
    "profiles",
    "project",
    "publications",
    "run_results",
    "subscriptions",
    "tables",
    "tests",
)
#: schema -> the files of a project that it describes
_FILES = {
    "project": ["filtersql_project.yml"],
    "profiles": ["profiles.yml"],
    **{
        name: [f"{name}/**/*.yml", f"{name}/**/*.yaml"]
        for name in ("tables", "publications", "subscriptions", "tests")
    },
}
_FOLDER = ".vscode/filtersql"


@subcommand("schema")
@click.argument("name", type=click.Choice(SCHEMAS), required=False)
@click.option("--write", is_flag=True, help="Write all of them for VS Code into .vscode/.")
def command(console: Console, *, name: str | None, write: bool) -> int:
    """Print the JSON schema NAME, or write all of them where an editor finds them.

    With --write, .vscode/settings.json maps them to the project's files for the YAML extension. In
    other editors a file's first line does it:

    # yaml-language-server: $schema=../.vscode/filtersql/tables.json
    """
    if name is not None:
        click.echo(_text(name), nl=False)
    elif write:
        _write(console)
    else:
        console.result("\n".join(SCHEMAS))
        if console.options.json:
            console.document(list(SCHEMAS))
    return 0


def write_schemas(root: Path) -> None:
    """Put all schemas where the first lines of a project's files look for them."""
    folder = root / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCHEMAS:
        (folder / f"{name}.json").write_text(_text(name), encoding="utf-8", newline="\n")


def _text(name: str) -> str:
    file = Path(__file__).parents[1] / "schemas" / f"{name}.json"
    return file.read_text(encoding="utf-8")


def _write(console: Console) -> None:
    root = find_root(console.options.project_dir or Path.cwd())
    write_schemas(root)
    mapped = {f"./{_FOLDER}/{name}.json": files for name, files in _FILES.items()}
    settings = root / ".vscode" / "settings.json"
    text = json.dumps({"yaml.schemas": mapped}, indent=2) + "\n"
    console.message(f"Wrote {len(SCHEMAS)} schemas to {_FOLDER}/")
    if not settings.exists():
        settings.write_text(text, encoding="utf-8", newline="\n")
        console.message("Wrote .vscode/settings.json, which maps them to the project's files")
    elif "/filtersql/tables.json" not in settings.read_text(encoding="utf-8"):
        # A person's settings hold comments, too: they are not rewritten.
        console.message("Add to .vscode/settings.json:")
        console.result(text)
