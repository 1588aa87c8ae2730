"""Commands beside `run`, killed at any instant, between batches: what the targets hold in the end.

    python tests/support/crashes.py --commands --kills 30 --target delta iceberg --seed 1 [--warm]

A seed is one history in pieces. After each piece a batch is applied, or before it something else is
asked for: a copy again of one table or of all, a repair of rows that somebody damaged, an adoption
after the state was lost, or a quarantine and its release. All are killed and started again.
"""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import dataclass, field

from crashes import Crashes, _pieces
from histories import TARGETS, History, lines, write_files

__all__ = ["Commanded"]

_DAMAGES = (
    "INSERT INTO {kept} VALUES (100, 'eu', 5, 'leaked')",
    "DELETE FROM {kept} WHERE id < 3",
    "UPDATE {whole} SET note = 'damaged' WHERE id < 4",
    "INSERT INTO {bag} VALUES (50, 'leaked'), (50, 'leaked')",
    "DELETE FROM {bag} WHERE n = 2",
    "DELETE FROM {parent} WHERE k = 1",
    "UPDATE {parent} SET n = 77",
)
_FILTER = "(n > 3 AND note <> 'x')"
_RAISING = "(CASE WHEN n = 9 THEN 1 / (n - 9) > 0 ELSE n > 3 AND note <> 'x' END)"
_ACCEPT = "--accept-filter-change"


@dataclass
class Commanded(Crashes):
    """One history on one target, with other commands between its batches."""

    pieces: int = 5
    #: how often each kind of command was killed
    told: dict[str, int] = field(default_factory=dict)
    held_back: bool = False

    def play(self) -> list[str]:
        """The differences; none, if all is well."""
        chance, history = random.Random(self.seed), History(random.Random(self.seed))
        history.go(self.transactions)
        write_files(self.folder, history, self.target)
        subscription = self.folder / "subscriptions/s.yml"
        said = subscription.read_text().replace("[p],", "[p], on_filter_error: quarantine,")
        subscription.write_text(said)
        found: list[str] = []
        position = 0
        for number, (last, records) in enumerate(_pieces(history, chance, self.pieces)):
            if number:
                self._something_else(chance, position)
            path = self.folder / "changes" / f"{number}.jsonl"
            path.write_text(lines(records), encoding="utf-8")
            self._to_the_end(chance, "run")
            if not self.held_back:
                found += self.finish(history, last)
            position = last
        if self.held_back:
            self._filtered(_RAISING, _FILTER)
            self._to_the_end(chance, "run", "--release", _ACCEPT)
            found += self.finish(history, position)
        said = self._said("status", "--format", "json")
        if any(each["quarantine"] for each in json.loads(said[said.index("[") :])):
            found.append(f"seed {self.seed}: quarantine is not empty:\n{said}")
        print(f"    {self.target} {self.seed}: {self.told}", flush=True)
        return found

    def _something_else(self, chance: random.Random, position: int) -> None:
        kind = chance.choice(("resync", "refresh", "repair", "repair", "adopt", "quarantine"))
        if self.held_back:
            kind = chance.choice(("release", "run", "run"))
        match kind:
            case "resync":
                self._to_the_end(chance, "run", "--resync", chance.choice(list(TARGETS)))
            case "refresh":
                self._to_the_end(chance, "run", "--full-refresh")
            case "repair":
                self._execute(chance.sample(_DAMAGES, chance.randint(1, len(_DAMAGES))))
                self._to_the_end(chance, "audit", "--repair")
                self._said("audit")
            case "adopt":
                self._forget()
                self._to_the_end(chance, "run", "--adopt", "--at", str(position))
            case "quarantine":
                self._filtered(_FILTER, _RAISING)
                self.held_back = True
                self._to_the_end(chance, "run", _ACCEPT)
            case "release":
                self._filtered(_RAISING, _FILTER)
                self.held_back = False
                self._to_the_end(chance, "run", "--release", _ACCEPT)

    def _to_the_end(self, chance: random.Random, *command: str) -> None:
        """A command that is killed some times, and then ends well."""
        self.command = command
        for _ in range(chance.choice(self.often)):
            before = self.landed.kills
            try:
                self._kill(chance)
            except AssertionError:
                if not self._is_done():
                    raise
            name = " ".join(command[:2])
            self.told[name] = self.told.get(name, 0) + self.landed.kills - before
        code = self._run(self.folder / "whole.log", 0)
        assert code == 0 or self._is_done(), f"{command} ended with {code}:\n{self._output()}"
        self.command = ("run",)

    def _is_done(self) -> bool:
        """What was killed behind its last commit has nothing left to take over."""
        return "there is no target to adopt" in self._output()

    def _said(self, *command: str) -> str:
        """What a command prints, that has to end well."""
        self.command = command
        code = self._run(self.folder / "whole.log", 0)
        assert code == 0, f"{command} ended with {code}:\n{self._output()}"
        self.command = ("run",)
        return self._output()

    def _execute(self, statements: list[str]) -> None:
        assert self._run(self.folder / "whole.log", 0, statements=statements) == 0, self._output()

    def _filtered(self, old: str, new: str) -> None:
        path = self.folder / "publications/p.sql"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def _forget(self) -> None:
        """Lose filtersql's own tables: the targets are somebody else's then."""
        if self.target == "duckdb":
            self._execute(["DROP SCHEMA filtersql CASCADE"])
            return
        for state in (*self.folder.glob("*/filtersql"), *self.folder.glob("*/filtersql.db")):
            shutil.rmtree(state)
