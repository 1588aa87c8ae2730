"""Formatting, lint and types: the three tools of pyproject.toml have nothing to say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
TOOLS = {
    "ruff format": ["ruff", "format", "--check", "--diff", "."],
    "ruff check": ["ruff", "check", "--output-format", "concise", "."],
    "mypy": ["mypy"],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_tool_is_content(tool: str) -> None:
    """The tool ends with 0 on the whole repository."""
    ended = subprocess.run(
        [sys.executable, "-m", *TOOLS[tool]], cwd=HOME, capture_output=True, text=True
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_modules_are_short() -> None:
    """A module has at most 250 lines, unless it is a table of facts (its first lines say so)."""
    paths = [*HOME.glob("filtersql/**/*.py"), *HOME.glob("tests/**/*.py")]
    lengths = {path: len(path.read_text(encoding="utf-8").split("\n")) for path in paths}
    long = {str(path.relative_to(HOME)): count for path, count in lengths.items() if count > 251}
    tables = {name for name in long if "# a table of facts" in (HOME / name).read_text()[:2000]}

    assert {name: count for name, count in long.items() if name not in tables} == {}
