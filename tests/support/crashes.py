"""Runs that are killed at any instant and started again: what their targets hold in the end.

    python tests/support/crashes.py --kills 200 --target delta iceberg --seed 1 [--warm]

prints each seed with where its kills landed. A seed is one history: its feed comes in pieces, with
replays; after each piece `run` is killed and started again, up to three times; then it runs to its
end and every target must hold exactly the rows of the model. --warm: see checkpointed.py.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from checkpointed import Warm
from executing import printed
from histories import TARGETS, History, lines, write_files
from rows import told
from transcripts import Shell

__all__ = ["Crashes", "Landed", "Runner"]

HERE = Path(__file__).parent


@dataclass
class Landed:
    """Where kills landed, counted by the last line of each log."""

    places: Counter[str] = field(default_factory=Counter)
    kills: int = 0
    runs: int = 0
    compared: int = 0

    def add(self, steps: list[dict[str, Any]]) -> str:
        """Where a process was when it died."""
        self.kills += 1
        place = _place(steps)
        self.places[place] += 1
        return place

    def __str__(self) -> str:
        told = ", ".join(f"{count} {place}" for place, count in self.places.most_common())
        return f"{self.kills} kills in {self.runs} runs, {self.compared} tables compared: {told}"


def _place(steps: list[dict[str, Any]]) -> str:
    commits = [step for step in steps if step["commit"]]
    if steps and steps[-1]["commit"]:
        side = steps[-1]["side"]
        return "after a commit, before its acknowledgement" if side == "after" else "at a commit"
    if not commits:
        return "before the first commit"
    return "between two commits, or after the last"


@dataclass
class Crashes:
    """One history on one target: pieces of its feed, kills, and the comparison."""

    folder: Path
    target: str
    seed: int
    landed: Landed
    runner: Runner | Warm
    transactions: int = 12
    pieces: int = 3
    #: how often a piece is killed before it may end
    often: tuple[int, ...] = (1, 1, 2, 3)
    #: how many moments a whole run has, which are commits, how long it takes: as last seen
    moments: int = 60
    commits: list[int] = field(default_factory=list)
    seconds: float = 0.5
    #: what is carried out, and killed
    command: tuple[str, ...] = ("run",)

    def play(self) -> list[str]:
        """The differences; none, if all is well."""
        chance = random.Random(self.seed)
        history = History(random.Random(self.seed))
        history.go(self.transactions)
        write_files(self.folder, history, self.target)
        found: list[str] = []
        for number, (last, records) in enumerate(_pieces(history, chance, self.pieces)):
            path = self.folder / "changes" / f"{number}.jsonl"
            path.write_text(lines(records), encoding="utf-8")
            for _ in range(chance.choice(self.often)):
                self._kill(chance)
            found += self.finish(history, last)
        return found

    def play_once(self, step: str, at: int) -> list[str]:
        """The whole feed at once: one kill at a step of that kind, and a run here to the end."""
        history = History(random.Random(self.seed))
        history.go(self.transactions)
        write_files(self.folder, history, self.target)
        path = self.folder / "changes" / "0.jsonl"
        path.write_text(lines(history.records), encoding="utf-8")
        log = self.folder / "killed.log"
        assert self._run(log, at, step=step) == -signal.SIGKILL, self._output()
        self.landed.add(_steps(log))
        self.landed.runs += 1
        ended = Shell(self.folder).filtersql("run", "--target", self.target)
        if ended.exit_code != 0:
            return [f"seed {self.seed}: run ended with {ended.exit_code}:\n{ended.both}"]
        return list(self._differences(history, history.seq, told(self.folder, self.target)))

    def _kill(self, chance: random.Random) -> None:
        """A third each: around a commit, at any step's beginning or end, at any instant."""
        kind, instant, at = chance.randrange(3), None, 0
        if kind == 0 and self.commits:
            at = chance.choice(self.commits)
        elif kind == 1:
            at = chance.randint(1, self.moments)
        else:
            instant = chance.random() * self.seconds
        log = self.folder / "killed.log"
        code = self._run(log, at, instant=instant)
        if code == -signal.SIGKILL:
            self.landed.add(_steps(log))
        else:
            assert code == 0, self._output()

    def finish(self, history: History, last: int) -> list[str]:
        """Run to the end, and compare."""
        log, rows = self.folder / "whole.log", self.folder / "rows.json"
        code = self._run(log, 0, rows=str(rows))
        if code != 0:
            return [f"seed {self.seed}: run ended with {code}:\n{self._output()}"]
        steps = _steps(log)
        self.seconds, self.moments = steps[-1]["time"] - steps[0]["time"], len(steps)
        self.commits = [number for number, step in enumerate(steps, 1) if step["commit"]]
        held = json.loads(rows.read_text(encoding="utf-8"))
        return list(self._differences(history, last, held))

    def _differences(self, history: History, last: int, held: dict[str, Any]) -> Iterator[str]:
        for name, columns in TARGETS.items():
            self.landed.compared += 1
            found = Counter(
                {tuple(map(tuple, row)): count for row, count in held[f"public.{name}"]}
            )
            expected: Counter[Any] = Counter()
            for row, count in history.held[last][name].items():
                texts = zip(columns, map(printed, row), strict=True)
                expected[tuple(sorted(texts))] += count
            if found != expected:
                yield (
                    f"seed {self.seed}, {self.target}, {name} at {last}: "
                    f"missing {expected - found}, leaked {found - expected}"
                )

    def _output(self) -> str:
        return (self.folder / "output.txt").read_text(encoding="utf-8")

    def _run(self, log: Path, at: int, instant: float | None = None, **more: str) -> int:
        """One run: killed so many seconds after its first step, or at its own moment."""
        self.landed.runs += 1
        log.write_bytes(b"")
        arguments = [*self.command, "--project-dir", str(self.folder), "--target", self.target]
        output = str(self.folder / "output.txt")
        process = self.runner.start(log=str(log), at=at, arguments=arguments, output=output, **more)
        if instant is not None:
            while not log.stat().st_size and not self.runner.ended(0.002):
                pass
            if not self.runner.ended(instant):
                with suppress(ProcessLookupError):
                    os.killpg(process, signal.SIGKILL)
        return self.runner.wait()


class Runner:
    """tests/support/killed.py, which forks a process for each run."""

    def __init__(self) -> None:
        self.server = subprocess.Popen(
            [sys.executable, str(HERE / "killed.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert self.server.stdin
        assert self.server.stdout
        self.stdin, self.stdout = self.server.stdin, self.server.stdout

    def start(self, **asked: object) -> int:
        """Begin a run; the id of its process."""
        self.stdin.write(json.dumps(asked).encode() + b"\n")
        return int(self._line())

    def ended(self, seconds: float) -> bool:
        """Whether the run ended meanwhile."""
        return bool(select.select([self.stdout], [], [], seconds)[0])

    def wait(self) -> int:
        """The exit code; a signal's number with a minus."""
        return int(self._line())

    def close(self) -> None:
        """End the server."""
        self.stdin.close()
        self.server.wait()
        self.stdout.close()

    def _line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            more = self.stdout.read(1)
            assert more, "the server of runs ended"
            line += more
        return line


def _steps(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def _pieces(
    history: History, chance: random.Random, number: int
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """The feed in pieces at any change, each with some changes of the piece before."""
    records = history.records
    cuts = sorted(chance.sample(range(1, len(records)), min(number, len(records) - 1) - 1))
    for begin, end in zip((0, *cuts), (*cuts, len(records)), strict=True):
        yield records[end - 1]["seq"], records[max(0, begin - chance.randrange(4)) : end]


def main() -> None:
    """The soak."""
    parser = argparse.ArgumentParser(description="Kill runs at any instant and compare.")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument(
        "--target", nargs="+", choices=["duckdb", "delta", "iceberg"], default=["duckdb"]
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--warm", action="store_true", help="each run is restored from a warm one")
    parser.add_argument("--commands", action="store_true", help="other commands, see commanded.py")
    asked = parser.parse_args()
    played: type[Any] = Crashes
    if asked.commands:
        from commanded import Commanded

        played = Commanded
    landed = {target: Landed() for target in asked.target}
    runner: Runner | Warm = Warm(asked.target) if asked.warm else Runner()
    often = (2, 4, 6) if asked.warm else (1, 1, 2, 3)
    seed, wrong = asked.seed, 0
    while left := [target for target, one in landed.items() if one.kills < asked.kills]:
        target = left[seed % len(left)]
        with tempfile.TemporaryDirectory(prefix="filtersql-crash-") as name:
            crashes = played(Path(name), target, seed, landed[target], runner, often=often)
            found = crashes.play()
        wrong += len(found)
        print(f"{target} {seed}: {'; '.join(found) or 'equal'} ({landed[target]})", flush=True)
        seed += 1
    runner.close()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
