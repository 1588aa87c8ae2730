"""Files of DMS that are renamed, packed, put together or grow: each row is applied once."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from landing_files import Landing
from portioned import read_in_portions
from rows import rows_of

FEED = '{format: dms, path: "feed/*/*/*", sequence: at, before_image: true, assume: [no_truncate]}'
TABLES = """CREATE TABLE t (id int, v text);
ALTER TABLE t REPLICA IDENTITY FULL;
CREATE TABLE u (id int PRIMARY KEY, v text);
"""


@pytest.fixture(params=["one reader", "portions"])
def landing(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Landing:
    """A table without a key, and one that has one."""
    if request.param == "portions":
        read_in_portions(monkeypatch, 700)
    landing = Landing(tmp_path, "dms")
    (tmp_path / "tables/t.yml").unlink()
    (tmp_path / "publications/p.yml").unlink()
    landing.project.write("tables/t.sql", TABLES)
    landing.project.write("publications/p.sql", "CREATE PUBLICATION p FOR TABLE t, u;")
    said = f"subscriptions: [{{name: s, publications: [p], changes: {FEED}}}]\n"
    landing.project.write("subscriptions/s.yml", said)
    return landing


def rows(*changes: str) -> str:
    """Lines such as `I,1,a` and when: a second of a minute, microseconds behind its point."""
    lines = []
    for change in changes:
        op, key, value, at = change.split(",")
        old = f"{key},old" if op in "UD" else ","
        when = f"2026-01-02 03:04:{at.replace('.', '.000')}"
        lines.append(f"{op},{key},{value},{when},{old}\n")
    return "".join(["Op,id,v,at,BI_id,BI_v\n", *lines])


def write(landing: Landing, name: str, *changes: str) -> Path:
    """A file of changes."""
    landing.project.write(f"feed/public/{name}", rows(*changes))
    return landing.project.folder / "feed/public" / name


def held(landing: Landing, table: str) -> list[str]:
    """The rows of a target, each as often as it is there."""
    found = rows_of(landing.project.folder, "dev")["s", f"public.{table}"]
    return sorted(" ".join(value for _, value in row) for row in found.elements())


@pytest.mark.parametrize("how", ["renamed", "packed", "moved"])
@pytest.mark.parametrize("table", ["t", "u"])
def test_a_file_under_another_name_is_refused(landing: Landing, table: str, how: str) -> None:
    """Its last rows would come once more; under its own name it is known again."""
    file = write(landing, f"{table}/1.csv", "I,1,a,09.001", "I,2,old,10.001")
    write(landing, f"{table}/2.csv", "U,2,new,10.002")
    landing.run()
    expected = ["1 a", "2 new"]
    assert held(landing, table) == expected
    other = file.with_name({"renamed": "0.csv", "packed": "1.csv.gz", "moved": "1b.csv"}[how])
    file.rename(other)
    if how == "packed":
        other.write_bytes(gzip.compress(other.read_bytes()))
    said = landing.refused()
    text = f'feed/public/{table}/{other.name} may hold rows of table "public.{table}" that were'
    assert f'{text} read from "feed/public/{table}/1.csv"' in said
    assert held(landing, table) == expected
    if how == "renamed":
        other.rename(file)
    else:
        assert "hint: Put it back under its name, or run with --full-refresh." in said
        landing.project.succeed("run", "--full-refresh")
    assert "nothing new" in landing.run()
    assert held(landing, table) == expected
    write(landing, f"{table}/4.csv", "I,3,b,11.001")
    landing.run()
    assert held(landing, table) == [*expected, "3 b"]


def test_a_file_that_was_put_together_with_later_rows_is_refused(landing: Landing) -> None:
    """What was read stands in the midst of it."""
    file = write(landing, "t/1.csv", "I,1,a,09.001", "I,2,b,10.001")
    landing.run()
    file.unlink()
    write(landing, "t/2.csv", "I,1,a,09.001", "I,2,b,10.001", "I,3,c,11.001")
    assert 'that were read from "feed/public/t/1.csv"' in landing.refused()
    landing.project.succeed("run", "--full-refresh")
    assert held(landing, "t") == ["1 a", "2 b", "3 c"]


def test_a_full_load_under_another_name_is_refused(landing: Landing) -> None:
    """Before any change is there."""
    landing.project.write("feed/public/t/LOAD1.csv", "id,v\n1,a\n1,a\n")
    landing.run()
    file = landing.project.folder / "feed/public/t/LOAD1.csv"
    file.rename(file.with_name("LOAD2.csv"))
    assert 'that were read from "feed/public/t/LOAD1.csv"' in landing.refused()
    assert held(landing, "t") == ["1 a", "1 a"]


@pytest.mark.parametrize("first", ["09.001", "10.001"])
def test_a_file_is_split(landing: Landing, first: str) -> None:
    """Some of its last rows went to another file, or all of them."""
    write(landing, "t/1.csv", f"I,1,a,{first}", "I,2,b,10.002")
    landing.run()
    write(landing, "t/1.csv", f"I,1,a,{first}")
    write(landing, "t/2.csv", "I,2,b,10.002", "I,3,c,10.003")
    assert 'feed/public/t/2.csv may hold rows of table "public.t"' in landing.refused()
    assert held(landing, "t") == ["1 a", "2 b"]


def test_files_that_are_taken_away_are_none_of_these(landing: Landing) -> None:
    """Whatever lands later, late or in other tables; nor is one that its table is beyond."""
    write(landing, "t/1.csv", "I,1,a,10.001")
    old = write(landing, "t/2.csv", "I,2,b,11.001")
    landing.run()
    old.rename(old.with_name("5.csv"))
    write(landing, "t/3.csv", "I,3,c,11.002")
    write(landing, "u/1.csv", "I,1,a,11.001")
    assert 'that were read from "feed/public/t/2.csv"' in landing.refused()
    old.with_name("5.csv").unlink()
    write(landing, "t/3.csv", "I,3,c,12.002")
    landing.run()
    assert (held(landing, "t"), held(landing, "u")) == (["1 a", "2 b", "3 c"], ["1 a"])
    first = landing.project.folder / "feed/public/t/1.csv"
    first.rename(first.with_name("6.csv"))
    write(landing, "t/4.csv", "I,4,d,12.003")
    write(landing, "u/2.csv", "I,2,b,11.001")
    landing.run()
    assert held(landing, "t") == ["1 a", "2 b", "3 c", "4 d"]
    assert held(landing, "u") == ["1 a", "2 b"]


@pytest.mark.parametrize("key", ["10.002", "10.003"])
def test_a_row_between_those_that_were_read_is_refused(landing: Landing, key: str) -> None:
    """A file grew while a later one holds rows of the same hundredth of a second."""
    write(landing, "t/1.csv", "I,1,a,10.001")
    write(landing, "t/2.csv", "I,2,b,10.003")
    landing.run()
    write(landing, "t/1.csv", "I,1,a,10.001", f"I,3,c,{key}")
    said = landing.refused()
    assert 'feed/public/t/1.csv has a change of table "public.t" that came late' in said
    assert 'a later one of "feed/public/t/2.csv" was read' in said
    assert held(landing, "t") == ["1 a", "2 b"]
    landing.project.succeed("run", "--full-refresh")
    assert held(landing, "t") == ["1 a", "2 b", "3 c"]
    assert "nothing new" in landing.run()


def test_a_line_that_was_still_being_written_is_seen_once_it_is_whole(landing: Landing) -> None:
    """What stood of it looked like a row."""
    file = write(landing, "u/1.csv", "I,1,a,10.001", "U,1,b,10.002")
    whole = file.read_text()
    file.write_text(whole.removesuffix("ld\n"))
    landing.run()
    assert "nothing new" in landing.run()
    file.write_text(whole)
    said = landing.refused()
    assert '"feed/public/u/1.csv" was read while its last line was still being written' in said
    landing.project.succeed("run", "--full-refresh")
    assert "nothing new" in landing.run()
    assert held(landing, "u") == ["1 b"]


def test_a_last_line_without_an_end_goes_on_in_the_next_one(landing: Landing) -> None:
    """It was whole."""
    file = write(landing, "u/1.csv", "I,1,a,10.001")
    file.write_text(file.read_text().removesuffix("\n"))
    landing.run()
    write(landing, "u/1.csv", "I,1,a,10.001", "U,1,b,10.002")
    landing.run()
    assert held(landing, "u") == ["1 b"]


def test_files_that_grow_at_their_end_are_read_on(landing: Landing) -> None:
    """Alone at their last place, behind others there, or at later places."""
    write(landing, "t/1.csv", "I,1,a,10.001")
    write(landing, "t/2.csv", "I,2,b,10.002")
    write(landing, "u/1.csv", "I,1,a,10.001")
    landing.run()
    write(landing, "t/2.csv", "I,2,b,10.002", "I,2,b,10.002", "I,3,c,11.001")
    write(landing, "u/1.csv", "I,1,a,10.001", "I,2,b,10.001")
    landing.run()
    assert held(landing, "t") == ["1 a", "2 b", "2 b", "3 c"]
    assert held(landing, "u") == ["1 a", "2 b"]
    write(landing, "t/2.csv", "I,2,b,10.002", "I,2,b,10.002", "I,3,c,11.001", "I,3,c,11.002")
    write(landing, "t/3.csv", "I,4,d,11.003")
    landing.run()
    assert held(landing, "t") == ["1 a", "2 b", "2 b", "3 c", "3 c", "4 d"]
