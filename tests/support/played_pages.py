"""A page of documentation played from top to bottom in one folder, as its reader would.

Example
    ```console                      commands and what they print
    ```yaml publications/shop.yml   a file as it stands there; a line `…` leaves lines out
    ```yaml write profiles.yml      a file that the reader writes
    ```sql run shop.duckdb          a script for DuckDB
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import duckdb
from cases import Fence, read_fences
from transcripts import Shell, transcript

__all__ = ["is_played", "played"]


def is_played(fence: Fence) -> bool:
    """Whether `played` does something with it."""
    return fence.language == "console" or fence.words[:1] in (("write",), ("run",)) or _shows(fence)


def _shows(fence: Fence) -> bool:
    """Whether it is a file as it stands in the folder."""
    return len(fence.words) == 1 and "/" in fence.words[0]


def played(page: Path, folder: Path) -> Iterator[tuple[Fence, str]]:
    """The fences that show what a command prints or a file holds, with what it is now."""
    shell = Shell(folder)
    for fence in read_fences(page):
        if fence.language == "console":
            yield fence, transcript(shell, fence.text)
        elif fence.words[:1] == ("write",):
            file = shell.folder / fence.words[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{fence.text}\n", encoding="utf-8")
        elif fence.words[:1] == ("run",):
            # A script names files as a reader would who stands in the folder.
            with contextlib.chdir(shell.folder), duckdb.connect(fence.words[1]) as connection:
                connection.execute(fence.text)
        elif _shows(fence):
            yield fence, (shell.folder / fence.words[0]).read_text(encoding="utf-8")
