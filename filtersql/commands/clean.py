"""`clean`: removes target/, and nothing outside the project."""

from __future__ import annotations

import shutil
from pathlib import Path

from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand
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
    shutil.rmtree(target)
    console.message("Removed target/")
    return 0
