"""`clean`: removes target/, and nothing outside the project; never a database."""

from __future__ import annotations

import shutil
from pathlib import Path

from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand
from filtersql.errors import Mistakes
from filtersql.errors.project import DATA_IN_TARGET
from filtersql.project import find_root

__all__ = ["command"]


@subcommand("clean")
def command(console: Console) -> int:
    """Remove target/, the folder of everything generated. Databases are never there."""
    root = find_root(console.options.project_dir or Path.cwd())
    target = root / "target"
    there = target.is_dir() and not target.is_symlink()
    if there and (held := _databases(target)):
        raise Mistakes([DATA_IN_TARGET(path=str(path.relative_to(root))) for path in held])
    if there:
        shutil.rmtree(target)
    console.message("Removed target/" if there else "Nothing to clean")
    if console.options.json:
        console.document({"removed": ["target"] if there else []})
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
