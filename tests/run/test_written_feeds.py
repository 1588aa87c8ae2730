"""`run --follow` beside somebody who writes the lines of a feed in pieces."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import duckdb
import pytest
from answers import Project
from feed_histories import debezium, history, native, wal2json

from filtersql.api.follow import Going, follow
from filtersql.api.listener import Listener
from filtersql.api.options import Options
from filtersql.api.run import RunFlags

TABLE = """tables:
  - name: t
    columns: {id: int not null, v: text, n: "numeric(10,2)"}
    primary_key: [id]
    replica_identity: full
"""
FORMATS = {
    "filtersql": (native, ""),
    "wal2json": (wal2json, ""),
    "debezium": (debezium, ", decimal_handling_mode: string"),
}
TORN = "last line of the file is torn"


def project(folder: Path, form: str, text: str = "") -> Path:
    """A project whose feed is one file; the file."""
    feed = f'{{format: {form}, path: "feed/*.json"{FORMATS[form][1]}}}'
    made = Project(folder)
    made.write("tables/t.yml", TABLE)
    made.write("publications/p.yml", "publications: [{name: p, tables: [t]}]\n")
    made.write(
        "subscriptions/s.yml", f"subscriptions: [{{name: s, publications: [p], changes: {feed}}}]\n"
    )
    made.write("feed/1.json", text)
    return folder / "feed/1.json"


def rows(folder: Path) -> list[tuple[Any, ...]]:
    """What the target holds."""
    with duckdb.connect(str(folder / "cases.duckdb"), read_only=True) as connection:
        return connection.execute("SELECT * FROM s.t ORDER BY id").fetchall()


@pytest.mark.parametrize("form", FORMATS)
def test_a_line_may_come_in_pieces(form: str, tmp_path: Path) -> None:
    """What stands before it is applied, its end is waited for; not where its writer is gone."""
    text, held = FORMATS[form][0](history(7, 30, fixed_keys=True, truncates=False)), []
    file = project(tmp_path, form)
    whole = text.index("\n", len(text) // 2) + 1
    # Torn behind its first letter and in its middle; then all but the last is there, and all.
    ends = [whole + 1, whole + 30, len(text) - 2, len(text)]

    def between() -> bool:
        """What a writer does between two runs; at last it dies within a line."""
        held.append(rows(tmp_path))
        file.write_text(text[: ends[len(held) - 1]] if len(held) <= len(ends) else text + text[:9])
        if len(held) > len(ends):
            os.utime(file, (0, 0))
        return len(held) > len(ends) + 1

    listener = Listener(Options(project_dir=tmp_path), None)
    follow(listener, RunFlags(), Going(0.0, stops=between))

    (mistake,) = listener.mistakes
    assert TORN in str(mistake)
    assert len(held) == len(ends) + 1
    assert [] == held[0] != held[1] == held[2] != held[4]
    project(tmp_path / "whole", form, text)
    Project(tmp_path / "whole").succeed("run")
    assert rows(tmp_path / "whole") == held[4]


def test_a_run_that_ends_waits_for_no_line(tmp_path: Path) -> None:
    """Nor does one that goes on until nothing is left."""
    project(tmp_path, "filtersql", '{"seq": 1, "op": "ins')
    shell = Project(tmp_path).shell
    for flags in ((), ("--follow", "--until-idle")):
        ended = shell.filtersql("run", *flags)
        assert (ended.exit_code, TORN in ended.both) == (1, True), ended.both


def test_a_last_line_may_lack_its_newline(tmp_path: Path) -> None:
    """A record that is whole is taken, blanks behind it or not; a long one is read from its end."""
    text = native(history(3, 3, fixed_keys=True, truncates=False)).replace("us", "u" * 3 * 2**20)
    project(tmp_path / "whole", "filtersql", text)
    Project(tmp_path / "whole").succeed("run")
    for number, end in enumerate(("", " \n\n ")):
        folder = tmp_path / str(number)
        project(folder, "filtersql", text.rstrip("\n") + end)
        listener = Listener(Options(project_dir=folder), None)
        follow(listener, RunFlags(), Going(0.0, stops=lambda: True))
        assert not listener.mistakes
        assert rows(folder) == rows(tmp_path / "whole") != []
