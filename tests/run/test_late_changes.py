"""Changes whose file lands behind a run that went beyond them: applied, never taken for replays."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow
import pytest
from landing_files import FEEDS, PUBLICATION, TABLES, WRITERS, Change, Landing, ended
from portioned import read_in_portions
from rows import execute, rows_of

from filtersql.feeds.staged_files import StagedFile, newest_staged


@pytest.fixture(params=FEEDS)
def landing(request: pytest.FixtureRequest, tmp_path: Path) -> Landing:
    return Landing(tmp_path, request.param)


def test_a_change_of_a_file_that_lands_late_is_applied(landing: Landing) -> None:
    """Its own table was not read that far, whatever others of the subscription were."""
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12))
    landing.run()
    landing.land("u", "2", (2, 15), (3, 30))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 2, 3])
    assert "nothing new" in landing.run()


def test_a_change_that_lands_alone_behind_others_is_applied_once(landing: Landing) -> None:
    """No position is passed by it; its row that another hand deletes afterwards stays away."""
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12))
    landing.run()
    landing.land("u", "2", (2, 15))
    landing.run()
    execute(landing.project.folder, "dev", ["DELETE FROM s.u WHERE id = 2"])
    landing.land("u", "3", (3, 17))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 3])


def test_a_late_file_waits_for_the_run_of_its_target(landing: Landing) -> None:
    """A run of other targets reads it, and does not count it as read by all."""
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12))
    landing.run()
    landing.land("u", "2", (2, 15))
    landing.project.succeed("run", "--select", "s/public.t")
    landing.run()
    assert landing.keys("u") == [1, 2]


def test_a_quiet_table_is_remembered(landing: Landing) -> None:
    """Runs that have nothing for it, and that know its files already, change nothing of that."""
    landing.land("t", "1", (1, 10))
    landing.run()
    for number in (2, 3):
        landing.land("t", str(number), (number, 10 * number))
        landing.run()
    landing.land("u", "1", (1, 15), (2, 40))
    landing.run()
    landing.land("t", "5", (5, 50))
    landing.run()
    landing.land("u", "2", (3, 45))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2, 3, 5], [1, 2, 3])


def test_a_change_that_is_sent_again_is_none(landing: Landing) -> None:
    """What a target has is passed over, in whatever file it comes again."""
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (1, 12), (2, 18))
    landing.run()
    landing.land("u", "2", (1, 12), (2, 18), (3, 30))
    landing.land("t", "2", (2, 20))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 2, 3])


def test_a_late_transaction_may_have_its_end(tmp_path: Path) -> None:
    """Whether that was read before, or lands with it."""
    landing = Landing(tmp_path, "debezium")

    def end(name: str, *told: tuple[int, str]) -> None:
        text = "".join(ended(table, at) for at, table in told)
        landing.project.write(f"feed/public/ends/{name}", text)

    landing.land("t", "1", (1, 1), (2, 4))
    landing.land("u", "1", (1, 1))
    end("1", (2, "u"), (4, "t"))
    landing.run()
    landing.land("u", "2", (2, 2))
    landing.run()
    landing.land("u", "3", (3, 3))
    end("2", (3, "u"))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 2, 3])


@pytest.mark.parametrize("how", ["accept", "apply"])
def test_a_changed_definition_takes_late_changes(landing: Landing, how: str) -> None:
    """And none that it did not take when they were read."""
    landing.land("t", "1", (1, 10), (2, 20))
    text = WRITERS[landing.form]("u", Change(1, 12), Change(1, 14, "u"))
    landing.project.write("feed/public/u/1", text)
    inserts = PUBLICATION.replace("insert, update, delete", "insert")
    landing.project.write("publications/p.yml", inserts)
    landing.run()
    assert "12." in str(rows_of(landing.project.folder, "dev")["s", "public.u"])
    landing.project.write("publications/p.yml", PUBLICATION)
    if how == "apply":
        landing.project.succeed("apply", "--yes")
    landing.project.write("feed/public/u/1", text + landing.changes("u", (2, 16)))
    landing.project.succeed("run", *(["--accept-filter-change"] if how == "accept" else []))
    assert "12." in str(rows_of(landing.project.folder, "dev")["s", "public.u"])
    assert landing.keys("u") == [1, 2]


def spoil(file: Path) -> None:
    """Other bytes, which nobody notices who does not open it."""
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    file.write_bytes(b"#" * file.stat().st_size)
    os.utime(file, ns=times)


def test_rows_of_a_quiet_table_are_not_read_again(landing: Landing) -> None:
    """A snapshot, or a full load, goes on in later files: the earlier ones were counted."""
    write, folder = landing.project.write, landing.project.folder

    def first(table: str, name: str, *keys: int) -> None:
        rows = [Change(key, 1, "r") for key in keys]
        text = "".join(["id,v\n", *(f"{key},x\n" for key in keys)])
        if landing.form != "dms":
            text = WRITERS[landing.form](table, *rows)
        write(f"feed/public/{table}/LOAD{name}.csv", text)

    first("t", "1", 1, 2)
    first("u", "1", 11, 12, 13)
    landing.land("t", "2", (3, 10))
    landing.run()
    landing.land("t", "3", (4, 20))
    landing.run()
    spoil(folder / "feed/public/u/LOAD1.csv")
    first("u", "2", 14, 15)
    landing.run()
    first("u", "0", 16)
    landing.land("u", "4", (17, 15))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2, 3, 4], [11, 12, 13, 14, 15, 16, 17])
    assert "nothing new" in landing.run()


@pytest.mark.parametrize("portions", [False, True])
def test_nothing_is_opened_where_nothing_came(
    landing: Landing, portions: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever place may go on, and whoever read the files."""
    if portions:
        read_in_portions(monkeypatch, 700)
    landing.land("t", "1", (1, 10))
    landing.land("u", "1", (1, 12), (2, 12))
    landing.run()
    for table in "tu":
        spoil(landing.project.folder / f"feed/public/{table}/1")
    assert "nothing new" in landing.run()


LEAVES = """CREATE TABLE root (id int NOT NULL, v text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE t PARTITION OF root FOR VALUES FROM (0) TO (10);
CREATE TABLE u PARTITION OF root DEFAULT;
"""


def test_leaves_under_one_root_are_told_apart(landing: Landing) -> None:
    """A leaf's change that lands behind those of others is refused; what is sent again is not."""
    (landing.project.folder / "tables/t.yml").unlink()
    landing.project.write("tables/t.sql", LEAVES)
    (landing.project.folder / "publications/p.yml").unlink()
    landing.project.write(
        "publications/p.sql",
        "CREATE PUBLICATION p FOR TABLE root"
        " WITH (publish = 'insert, update, delete', publish_via_partition_root = true);",
    )
    landing.land("t", "1", (1, 10), (2, 20))
    landing.land("u", "1", (11, 12))
    landing.run()
    landing.land("t", "2", (3, 30))
    if landing.form != "dms":  # it sends nothing again
        landing.land("u", "2", (11, 12))
    landing.run()
    landing.land("u", "3", (12, 15), (13, 40))
    said = landing.refused()
    assert "feed/public/u/3" in said
    assert 'change of "public.u" came late: target s/public.root is beyond it already' in said
    assert landing.keys("root") == [1, 2, 3, 11]
    landing.project.succeed("run", "--full-refresh")
    assert landing.keys("root") == [1, 2, 3, 11, 12, 13]
    landing.land("t", "3", (4, 35))
    assert 'change of "public.t" came late' in landing.refused()


def test_a_table_that_is_added_moves_no_other_one(tmp_path: Path) -> None:
    """Rows of the full load are numbered over all tables: those of a quiet one are no late ones."""
    landing = Landing(tmp_path, "dms")
    project = landing.project
    project.write("feed/public/t/LOAD1.csv", "id,v\n1,x\n2,x\n")
    project.write("feed/public/u/LOAD1.csv", "id,v\n1,x\n")
    landing.land("u", "1", (5, 10))
    landing.run()
    added = "  - {name: a, columns: {id: int not null, v: text}, primary_key: [id]}\n"
    project.write("tables/t.yml", TABLES + added)
    project.write("publications/p.yml", PUBLICATION.replace("{name: u}", "{name: u}, {name: a}"))
    project.write("feed/public/a/LOAD1.csv", "id,v\n1,x\n2,x\n3,x\n")
    landing.run()
    assert [landing.keys(name) for name in "tua"] == [[1, 2], [1, 5], [1, 2, 3]]


def test_the_end_of_a_transaction_may_land_before_its_changes(tmp_path: Path) -> None:
    """It is kept until a run is beyond it: so some of them alone are refused."""
    landing = Landing(tmp_path, "debezium")
    landing.land("u", "1", (10, 1))
    landing.project.write("feed/public/ends/1", ended("u", 1) + ended("u", 2, 2))
    landing.run()
    landing.land("u", "2", (21, 2))
    assert "transaction 2 is incomplete" in landing.refused()
    landing.land("u", "3", (20, 2))
    landing.run()
    assert landing.keys("u") == [10, 20, 21]


@pytest.mark.parametrize("portioned", [False, True])
def test_a_transaction_of_which_nothing_is_here_is_refused(
    tmp_path: Path, portioned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once later changes of its table are: its file was lost, or another partition's is late."""
    if portioned:
        read_in_portions(monkeypatch, 200)
    landing = Landing(tmp_path, "debezium")
    told = [ended(name, at, behind=500) for at, name in enumerate("utuuutu", 1)]
    landing.project.write("feed/public/ends/1", "".join(told))
    landing.land("t", "1", (1, 2), (2, 6))
    landing.land("u", "1", (1, 1), (3, 3))
    landing.run()
    landing.land("u", "3", (5, 5))
    said = landing.refused()
    assert "feed/public/ends/1:4:1: transaction 4 is incomplete" in said
    assert 'It changed 1 rows of table "public.u"; 0 changes are in the feed.' in said
    landing.land("u", "2", (4, 4))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 3, 4, 5])
    (tmp_path / "feed/public/u/2").unlink()
    landing.land("u", "4", (7, 7))
    landing.run()
    assert landing.keys("u") == [1, 3, 4, 5, 7]


@pytest.mark.parametrize("form", ["debezium", "unnumbered"])
def test_a_change_of_a_key_that_was_read_by_halves_is_refused(tmp_path: Path, form: str) -> None:
    """Debezium writes two messages, and a run that came between took the first for a delete."""
    landing = Landing(tmp_path, form)
    landing.land("u", "1", (1, 1))
    gone = WRITERS[form]("u", Change(1, 2, "d"))
    landing.project.write("feed/public/u/2", gone)
    landing.run()
    # At the same log position: the same change.
    come = WRITERS[form]("u", Change(2, 2, "c", 1)).replace('"lsn": 2001', '"lsn": 2000')
    landing.project.write("feed/public/u/3", come)
    assert 'a change of a key of "public.u" was read by halves' in landing.refused()
    landing.project.succeed("run", "--full-refresh")
    assert landing.keys("u") == [2]


def test_a_file_of_several_tables_is_read_again_for_one(tmp_path: Path) -> None:
    """While the last transaction of one of them may go on; the others have gone further."""
    landing = Landing(tmp_path, "unnumbered")
    both = WRITERS["unnumbered"]("t", Change(1, 5)) + WRITERS["unnumbered"]("u", Change(1, 9))
    landing.project.write("feed/public/all/1", both)
    landing.run()
    landing.land("u", "2", (2, 20))
    landing.run()
    landing.project.write("feed/public/t/2", WRITERS["unnumbered"]("t", Change(2, 5, "c", 3)))
    landing.run()
    assert (landing.keys("t"), landing.keys("u")) == ([1, 2], [1, 2])


def test_the_newest_staged_change(tmp_path: Path) -> None:
    """Up to a number that lies in a part of a file, before all, or behind them."""
    for number, parts in enumerate(([[1, 5], [9, 7]], [[12]], [])):
        file = StagedFile(tmp_path / f"{number}.parquet", [pyarrow.int64()])
        for part in parts:
            file.write([pyarrow.array(part)])
        file.close()
    told = [newest_staged(tmp_path, upto) for upto in (0, 1, 4, 8, 9, 11, 12, None)]
    assert told == [None, 1, 1, 7, 9, 9, 12, 12]
    assert newest_staged(tmp_path / "0.parquet", None) == 9
