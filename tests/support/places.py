"""Where the tests find what is no module, and put what is a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["BENCHMARKS", "CASES", "DATA", "HOME", "RECORDERS", "put_files"]

HOME = Path(__file__).parents[2]
BENCHMARKS = HOME / "tests" / "benchmarks"
CASES = HOME / "tests" / "cases"
DATA = HOME / "tests" / "data"
RECORDERS = HOME / "tests" / "recorders"


def put_files(folder: Path, files: Mapping[str, str]) -> None:
    """Texts into the files of a folder, by path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
