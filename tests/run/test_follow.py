"""Runs that go on: what comes is applied, an engine that is not there is waited for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from demo import edit, started
from transcripts import Shell

from filtersql.api.follow import Going, follow
from filtersql.api.listener import Event, Listener
from filtersql.api.options import Options
from filtersql.api.run import RunFlags

_HOLDS = (
    "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"
)


@pytest.fixture
def shop(tmp_path: Path) -> Shell:
    """The template's project on DuckDB, without the changes of its second day."""
    made = started(tmp_path, "shop")
    edit(made, "profiles.yml", "target: dev", "target: local")
    (made.folder / "changes/2026-11-21.jsonl").rename(made.folder / "second")
    return made


def test_what_comes_is_applied(shop: Shell) -> None:
    """Only what changes is said; who holds the database is waited for; a mistake is the end."""
    folder, said, waits = shop.folder, [], 0
    database = str(folder / "shop.duckdb")
    holder: subprocess.Popen[str] | None = None

    def between() -> bool:
        """What happens between two runs."""
        nonlocal holder, waits
        waits += 1
        if waits == 1:
            holder = subprocess.Popen(
                [sys.executable, "-c", _HOLDS, database],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            (folder / "second").rename(folder / "changes/2026-11-21.jsonl")
        elif waits == 2:
            assert holder is not None
            holder.communicate("\n")
        elif waits == 4:
            (folder / "changes/2026-11-22.jsonl").write_text('{"seq": 10}\n')
        return False

    def tell(event: Event) -> None:
        said.append(event.message)

    listener = Listener(Options(project_dir=folder), tell)
    follow(listener, RunFlags(full_refresh=True), Going(0.0, stops=between))

    assert waits == 4
    (mistake,) = listener.mistakes
    assert "2026-11-22.jsonl:1" in str(mistake)
    first = next(number for number, text in enumerate(said) if text.startswith("Done."))
    assert said[first + 1 :] == [
        'another process has the DuckDB file "shop.duckdb": tried again',
        "europe/public.orders: 2 inserted, 2 deleted",
        "finance/public.orders: 2 inserted, 1 updated, 2 deleted",
    ]


def test_until_nothing_is_left(shop: Shell) -> None:
    """The first run with nothing to do is the last; a signal ends it as well."""
    ended = shop.succeed("run", "--follow", "--interval", "0s", "--until-idle", "--format", "json")
    assert '"changes_read": 0' in ended.stdout
    listener = Listener(Options(project_dir=shop.folder), None)
    assert follow(listener, RunFlags(), Going(60.0, stops=lambda: True)).results


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("--follow --dry-run", "not with --dry-run"),
        ("--follow --as-of 2026-01-01", "not with --dry-run or --as-of"),
        ("--follow --interval 10", "such as 10s, 2m or 1h"),
        ("--until-idle", "--interval and --until-idle are given with --follow"),
        ("--interval 5s", "--interval and --until-idle are given with --follow"),
    ],
)
def test_usage(shop: Shell, flags: str, words: str) -> None:
    """What cannot be meant is refused before anything runs."""
    ended = shop.run(f"filtersql run {flags}")
    assert (ended.exit_code, words in ended.both) == (2, True), ended.both
