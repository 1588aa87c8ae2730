"""filtersql/docs/commands.md says what the commands say of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

import filtersql
from filtersql.cli import COMMANDS, cli
from filtersql.commands.manual import manual

PAGE = Path(filtersql.__file__).parent / "docs" / "commands.md"


def test_page_is_true(request: pytest.FixtureRequest) -> None:
    """Every command and every flag; `--update` writes the page anew."""
    text = manual(cli)
    if request.config.getoption("--update"):
        PAGE.write_text(text, encoding="utf-8", newline="\n")
    assert PAGE.read_text(encoding="utf-8") == text, "pytest tests/commands/test_manual.py --update"


def test_page_names_everything() -> None:
    """A heading for each command, a row for each flag."""
    text = PAGE.read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"\n## {name}\n" in text
    for flag in ("--publish-via-partition-root", "--require-approval", "--log-format", "--state"):
        assert flag in text
