"""Commands run in this process as a shell would show them; texts without what always differs."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

__all__ = ["Ended", "Shell", "normalised", "transcript"]

_CHANGING = (
    (re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+\+00:00"), "2026-01-01T00:00:00+00:00"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b(?!:)"), "2026-01-01 00:00"),
    (re.compile(r"\b\d+(\.\d+)?( ?)(s|ms|seconds)\b"), r"0.0\2\3"),
    (re.compile(r"\b\d\d:\d\d:\d\d(\.\d+)?\b"), "00:00:00"),
    # An engine's versions are those of the machine.
    (re.compile(r"\b(DuckDB|Spark) \d+(\.\d+)+"), r"\1 0.0.0"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
    # How long the dots before a duration are depends on the duration.
    (re.compile(r"\.{4,}"), "...."),
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: what it printed, apart and together, and its exit code."""

    stdout: str
    stderr: str
    both: str
    exit_code: int


def normalised(text: str) -> str:
    """A text without trailing blanks, durations, times of day and versions of engines."""
    for pattern, replacement in _CHANGING:
        text = pattern.sub(replacement, text)
    return text.strip("\n")


class _Tee(io.StringIO):
    def __init__(self, both: io.StringIO) -> None:
        super().__init__()
        self._both = both

    def write(self, text: str) -> int:
        self._both.write(text)
        return super().write(text)


class Shell:
    """A working directory in which `filtersql`, `cat`, `ls` and `cd` work."""

    def __init__(self, folder: Path) -> None:
        self.home = self.folder = folder

    def run(self, line: str) -> Ended:
        """Carry out one command line; behind ` > ` stands the file for its stdout."""
        line, _, file = line.partition(" > ")
        if file:
            ended = self.run(line)
            (self.folder / file).write_text(ended.stdout, encoding="utf-8")
            return replace(ended, stdout="", both=ended.stderr)
        program, *arguments = shlex.split(line, comments=True)
        if program == "filtersql":
            return self.filtersql(*arguments)
        known: dict[str, Callable[..., str]] = {"cat": self._cat, "ls": self._ls, "cd": self._cd}
        own = known.get(program)
        assert own is not None, f"a transcript runs filtersql, cat, ls and cd, not {program!r}"
        text = own(*arguments)
        return Ended(text, "", text, 0)

    def filtersql(self, *arguments: str) -> Ended:
        """`filtersql ARGUMENTS …` as the console script runs it, but in this process."""
        from filtersql.cli import main

        both = io.StringIO()
        stdout, stderr = _Tee(both), _Tee(both)
        exit_code, thresholds = 0, gc.get_threshold()
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
            mock.patch.object(sys, "argv", ["filtersql", *arguments]),
            # The process goes on: what it does not need any more is to be found again.
            mock.patch.object(gc, "freeze"),
        ):
            try:
                main()
            except SystemExit as end:
                exit_code = end.code if isinstance(end.code, int) else int(end.code is not None)
            finally:
                gc.set_threshold(*thresholds)
        out, err, talk = (self._local(each.getvalue()) for each in (stdout, stderr, both))
        return Ended(out, err, talk, exit_code)

    def succeed(self, *arguments: str) -> Ended:
        """`filtersql ARGUMENTS …`, which must end well."""
        ended = self.filtersql(*arguments)
        assert ended.exit_code == 0, f"filtersql {' '.join(arguments)}:\n{ended.both}"
        return ended

    def _local(self, text: str) -> str:
        for name in {str(self.home), os.path.realpath(self.home)}:
            text = text.replace(name, "<folder>")
        return text

    def _cat(self, *names: str) -> str:
        return "".join((self.folder / name).read_text(encoding="utf-8") for name in names)

    def _ls(self, *names: str) -> str:
        folder = self.folder.joinpath(*names)
        return "".join(f"{path.name}\n" for path in sorted(folder.iterdir()))

    def _cd(self, name: str) -> str:
        self.folder = self.folder / name
        return ""


def transcript(shell: Shell, text: str) -> str:
    """A console block run again: its `$` lines with the output that they give now."""
    written: list[str] = []
    for line in commands(text):
        ended = shell.run(line.replace("\\\n", " "))
        written += [f"$ {line}", ended.both.strip("\n")] if ended.both.strip() else [f"$ {line}"]
        if ended.exit_code:
            written.append(f"[exit {ended.exit_code}]")
    return "\n".join(written)


def commands(text: str) -> list[str]:
    """The command lines of a console block, continued ones (`\\` at the end) as one."""
    found: list[str] = []
    for line in text.split("\n"):
        if found and found[-1].endswith("\\"):
            found[-1] += f"\n{line}"
        elif line.startswith("$ "):
            found.append(line.removeprefix("$ "))
    return found
