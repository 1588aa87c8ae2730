"""`clean`: removes target/, and nothing outside the project; never a database."""

from __future__ import annotations

import shutil
from pathlib import Path

from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand
from filtersql.errors import Mistakes
from filtersql.errors.project import DataInTarget
from filtersql.project import find_root

__all__ = ["command"]


@subcommand("clean")
def command(console: Console) -> int:
    """Remove target/, the folder of everything generated. Databases are never there."""
    root = find_root(console.options.project_dir or Path.cwd())
    target = root / "target"
    if target.is_symlink() or not target.is_dir():
        console.message("Nothing to clean")
        return 0
    if held := _databases(target):
        raise Mistakes([DataInTarget(str(path.relative_to(root))) for path in held])
    shutil.rmtree(target)
    console.message("Removed target/")
    return 0


def _databases(folder: Path) -> list[Path]:
    """DuckDB files and Delta tables, however they came there."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if (path.is_dir() and path.name == "_delta_log") or (path.is_file() and _is_duckdb(path))
    ]


def _is_duckdb(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(12)[8:] == b"DUCK"
