"""Cases in processes of their own: what they answer, which lines they run, and what that costs."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import tempfile
import threading
import traceback
import types
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from places import RECORDERS

sys.path.insert(0, str(RECORDERS))

from answers import Project
from cases import Case
from transcripts import normalised

__all__ = ["SECONDS", "Run", "by_lines", "carry_out", "in_child", "lines_run"]

#: of the processor, which a machine with much to do gives late: a mutant may run without end
SECONDS, _PATIENCE = 60, 900


def carry_out(cases: Sequence[Case]) -> str | None:
    """What is wrong with the first case that answers otherwise; None where all answer alike."""
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            project = Project(Path(folder))
            try:
                for fence in (*case.shared, *case.fences):
                    given = project.carry_out(fence)
                    if given is not None and normalised(given) != normalised(fence.text):
                        return f"{case.path.stem}: {case.name}"
            except BaseException as error:  # a mutant may end in any way
                return f"{case.path.stem}: {case.name}: {type(error).__name__}"
    return None


def in_child(work: types.FunctionType, *arguments: object, seconds: int = SECONDS) -> str | None:
    """The text that a function gives in a process of its own; "stopped" where it takes too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = "failed"
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            threading.Timer(_PATIENCE, os._exit, (9,)).start()
            with (
                open(os.devnull, "w") as nowhere,
                contextlib.redirect_stdout(nowhere),
                contextlib.redirect_stderr(nowhere),
            ):
                answer = work(*arguments) or ""
        except BaseException:
            answer = f"failed: {traceback.format_exc()}"
        os.write(writing, answer.encode()[:60000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return "stopped" if status else text or None


def lines_run(module: types.ModuleType, cases: Sequence[Case]) -> str:
    """The lines of a module that cases run, separated by blanks."""
    path, lines = module.__file__, set[int]()

    def trace(frame: types.FrameType, event: str, argument: object) -> object:
        if frame.f_code.co_filename != path:
            return None
        lines.add(frame.f_lineno)
        return trace

    threading.settrace(trace)  # type: ignore[arg-type]
    sys.settrace(trace)  # type: ignore[arg-type]
    wrong = carry_out(cases)
    sys.settrace(None)
    return f"failed: {wrong}" if wrong else " ".join(map(str, sorted(lines)))


@dataclass(frozen=True)
class Run:
    """What a case runs of a module by itself: lines, in seconds of the processor, or a mistake."""

    case: Case
    seconds: float
    lines: set[int]
    wrong: str = ""


def by_lines(module: types.ModuleType, cases: Sequence[Case]) -> list[Run]:
    """The lines that each case runs, the cheapest case first."""
    found = []
    for case in cases:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        said = in_child(lines_run, module, [case]) or ""  # type: ignore[arg-type]
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if said.startswith(("failed", "stopped")):
            found.append(Run(case, seconds, set(), said))
        else:
            found.append(Run(case, seconds, {int(line) for line in said.split()}))
    return sorted(found, key=lambda one: one.seconds)
