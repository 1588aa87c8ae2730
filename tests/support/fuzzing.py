"""Feeds and definitions with something wrong in them, and what has to hold whatever it is.

    python tests/support/fuzzing.py --inputs 100000 --seed 1

A feed is applied or refused with its file and line; a project compiles or is refused. There is no
other exception, and a refusal leaves every row and the ledger as they were.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from demo import started
from histories import lines
from replaying import Stand

from filtersql.api.loading import load_project
from filtersql.api.options import Options as Flags
from filtersql.api.reporter import Reporter
from filtersql.compile import compile_project
from filtersql.errors import Mistake, Mistakes
from filtersql.feeds.changes import read
from filtersql.feeds.landings import Landing, Share
from filtersql.feeds.lines import find_files
from filtersql.feeds.native import from_files
from filtersql.run import Options, RunResult, run
from filtersql.targets.duckdb_file import connect

__all__ = ["Feeds", "Projects", "fuzz"]

_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, 1e308, [], {}, [[]],
    [None], {"a": 1}, "", "x", "\x00", "\ud800", "é\u202e", "NaN", "infinity", "1e5000", "0x10",
    "9" * 5000, "public.kept", ["public", "kept"], ["a", "b", "c"], "a.b.c.d", ".", "insert",
    "truncate", "commit", "read", "upsert", "2024-02-30", "{1,2", "\\x0", "eu", "  1 ",
)  # fmt: skip
_TOKENS = (
    *"{}[]:,-'\"#|>&*!%@`()<>=;\\\n\t ", "null", "{{ x }}", "{% if %}", "{{", "*a", "&a", "!!x",
    "publications", "tables", "where", "columns", "int", "text", "numeric(5,9)", "primary_key",
    "public.t1", "NULL", "SELECT", "CREATE TABLE", "ALTER", "''", "$$", "/*", "--", "\x00", "é",
    "partition_of", "bounds", "default", "replica_identity", "full", "(((", "CASE", "1e999", "~",
    "'2024-13-01'::date", "x::int[]", "E'\\x'", "U&'\\00'", "::", "..", "\udcff", "999999999999",
)  # fmt: skip


class Feeds:
    """One history that was applied, and the feed of what came later, to be broken."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.engine = connect(None)
        self.stand = Stand(random.Random(seed), "duckdb", folder, self.engine)
        self.stand.history.go(8)
        self.stand.deliver(10**6, 0)
        self.stand.run(["kept", "whole", "bag", "parent"])
        self.begun = len(self.stand.history.records)
        self.stand.history.go(6)
        self.path = folder / "changes" / "0002.jsonl"
        self.before = self.state()

    def state(self) -> Counter[tuple[object, ...]]:
        """Every row of every target, and of the ledger."""
        tables = ["filtersql.ledger", *(one.target_sql for one in self.stand.tables)]
        found: Counter[tuple[object, ...]] = Counter()
        for name in tables:
            found.update((name, str(row)) for row in self.engine.rows(f"SELECT * FROM {name}"))
        return found

    def broken(self, chance: random.Random) -> bytes:
        """The later changes with one to three things done to them."""
        records = json.loads(json.dumps(self.stand.history.records[self.begun :]))
        for _ in range(chance.choice((0, 1, 1, 2))):
            _break_value(records, chance)
        # A lone surrogate is a text of JSON, and not one of UTF-8.
        text = lines(records).encode("utf-8", "surrogatepass")
        for _ in range(chance.choice((0, 0, 1, 2))):
            text = chance.choice(_BYTES)(text, chance)
        return text

    def try_one(self, text: bytes, chance: random.Random) -> str:
        """`read`, `applied` or `refused`; raises AssertionError where it is neither."""
        self.path.write_bytes(text)
        if chance.random() < 0.9:
            return self._read()
        if not self._run(Options(dry_run=True)).mistakes:
            return "applied"
        result = self._run(Options())  # what is refused writes nothing without the option, too
        assert result.mistakes
        _check(result.mistakes)
        return "refused"

    def _run(self, options: Options) -> RunResult:
        result = run(self.stand.inputs, {"s1": list(self.stand.tables)}, self.engine, options)
        assert self.state() == self.before
        return result

    def _read(self) -> str:
        feed = self.stand.inputs.subscriptions["s1"].changes
        assert feed is not None
        landings = [Landing(one, self.stand.positions["bag"]) for one in self.stand.tables]
        files = find_files("changes/0002.jsonl", self.stand.folder, None)
        staged = self.stand.folder / "staged"
        staged.mkdir(exist_ok=True)
        try:
            share = Share(feed, self.stand.inputs.catalog, landings, "duckdb", staged)
            read(lambda mistakes: from_files(files, mistakes), share)
        except Mistakes as found:
            _check(found.mistakes)
            for one in found.mistakes:
                assert (
                    one.span is not None
                    or "cannot be read" in one.message
                    or ("mistakes" in one.message)
                ), one.message
            return "refused"
        return "read"


def _check(mistakes: Any) -> None:
    """Each mistake can be printed, and says more than nothing."""
    assert mistakes
    for one in mistakes:
        assert one.message
        assert str(one).encode("utf-8", "replace")
        assert "Traceback" not in str(one)


def _break_value(records: list[dict[str, Any]], chance: random.Random) -> None:
    place: Any = chance.choice(records)
    while True:
        key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
        inner = place[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.7:
            place = inner
            continue
        match chance.randrange(4):
            case 0 if isinstance(place, dict):
                del place[key]
            case 1 if isinstance(place, dict):
                place[chance.choice(("", "seq", "a", "id", "bigg", "é"))] = place.pop(key)
            case _:
                place[key] = copy.deepcopy(chance.choice(_ODD))  # a later break may fill it
        return


def _cut(text: bytes, chance: random.Random) -> bytes:
    return text[: chance.randrange(len(text) + 1)]


def _drop(text: bytes, chance: random.Random) -> bytes:
    begin = chance.randrange(len(text) + 1)
    return text[:begin] + text[begin + chance.randint(1, 20) :]


def _insert(text: bytes, chance: random.Random) -> bytes:
    begin = chance.randrange(len(text) + 1)
    more = chance.choice((b"\x00", b"\xff", b'"', b"{", b"}", b"\n", b",", b"\r", b"1e9", b"\\u"))
    return text[:begin] + more * chance.randint(1, 3) + text[begin:]


def _shuffle(text: bytes, chance: random.Random) -> bytes:
    found = text.splitlines(keepends=True)
    chance.shuffle(found)
    return b"".join(found)


def _double(text: bytes, chance: random.Random) -> bytes:
    found = text.splitlines(keepends=True)
    return text + b"".join(chance.sample(found, min(3, len(found))))


_BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _cut, _drop, _insert, _shuffle, _double,
    lambda text, _: text.replace(b"\n", b"\r\n"),
    lambda text, _: b"\xef\xbb\xbf" + text,
    lambda text, _: text.decode("utf-8", "replace").encode("utf-16"),
    lambda text, _: gzip.compress(text),
    lambda text, _: text.rstrip(b"\n"),
    lambda text, _: b"[" + text.replace(b"\n", b",") + b"]",
)  # fmt: skip


class Projects:
    """A project's definitions, to be broken."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder = started(folder).folder
        self.files = {
            path: path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.suffix in (".yml", ".sql") and "macros" not in path.parts
        }

    def try_one(self, chance: random.Random) -> str:
        """`compiled` or `refused`; any other exception is the caller's to see."""
        path = chance.choice(list(self.files))
        text = self.files[path]
        for _ in range(chance.choice((1, 1, 2, 3))):
            text = _broken_text(text, chance)
        path.write_bytes(text)
        try:
            project = load_project(Reporter(Flags(project_dir=self.folder, target="local")))
            compile_project(project)
        except (Mistake, Mistakes) as found:
            _check(found.mistakes if isinstance(found, Mistakes) else [found])
            return "refused"
        finally:
            path.write_bytes(self.files[path])
        return "compiled"


def _broken_text(text: bytes, chance: random.Random) -> bytes:
    """A token put in, left out, doubled or put in another's place."""
    words = [*re.finditer(rb"\w+|[^\w\s]|\s+", text)]
    if not words or chance.random() < 0.1:
        return chance.choice(_BYTES[:3])(text, chance)
    word, other = chance.choice(words), chance.choice(words)
    token = chance.choice(_TOKENS).encode("utf-8", "surrogateescape")
    put = chance.choice((b"", token, other[0], word[0] * 2, word[0] + token))
    return text[: word.start()] + put + text[word.end() :]


def fuzz(
    inputs: int, seed: int, folder: Path, share: float, tell: Callable[[str], None] = print
) -> Mapping[str, int]:
    """So many inputs, `share` of them projects; raises AssertionError at the first that fails."""
    feeds, projects = Feeds(seed, folder / "feeds"), Projects(folder / "project")
    outcomes: Counter[str] = Counter()
    for number in range(seed, seed + inputs):
        chance = random.Random(number)
        about = "project" if chance.random() < share else "feed"
        try:
            if about == "project":
                outcome = projects.try_one(chance)
            else:
                outcome = feeds.try_one(feeds.broken(chance), chance)
        except Exception as error:
            raise AssertionError(f"input {number} ({about}): {error!r}") from error
        outcomes[f"{about} {outcome}"] += 1
        if number % 5000 == 0:
            tell(f"input {number}: {dict(outcomes)}")
    feeds.engine.close()
    return outcomes


def main() -> None:
    """The soak."""
    parser = argparse.ArgumentParser(description="Break feeds and definitions.")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.1, help="of projects")
    asked = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="filtersql-fuzz-") as name:
        found = fuzz(asked.inputs, asked.seed, Path(name), asked.share)
    print(f"{asked.inputs} inputs: {dict(found)}, {time.monotonic() - began:.0f} s")
    sys.exit(0)


if __name__ == "__main__":
    main()
