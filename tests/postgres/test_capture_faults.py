"""Faults of servers, tables, disks and processes: nothing is lost or repeated, or it stops."""

from __future__ import annotations

import resource
import signal
import time
from collections.abc import Callable

import pytest
from live_processes import Process, wait_for, watched
from live_projects import LiveProject
from own_servers import NEEDS_POSTGRES_15, OwnServer, own_server

pytestmark = NEEDS_POSTGRES_15


def test_a_restored_server(project: LiveProject, own: OwnServer) -> None:
    """Its log ends before the files, or has another past; either is seen."""
    own.stop()
    copied = own.copied()
    own.start()
    project.sql("INSERT INTO items VALUES (100, '', '')")
    project.capture()
    project.goes("run")
    own.stop()
    own.restore(copied)
    own.start()
    assert "Its log ends at" in project.refused("capture", "erp")

    project.sql("CREATE TABLE other AS SELECT g FROM generate_series(1, 10000) g")
    assert "never happened" in project.refused("capture", "erp", "--until-current")
    project.sql(*(f"INSERT INTO items VALUES ({200 + n}, '', '')" for n in range(50)))
    said = project.refused("capture", "erp", "--until-current")
    assert "was restored to an earlier time" in said
    assert "Transaction " in said
    project.begun_anew()


def test_a_crash_behind_a_transaction_of_other_tables(project: LiveProject, own: OwnServer) -> None:
    """The server forgets how far it was told, and sends again what left nothing in the files."""
    streamed = "ALTER SYSTEM SET logical_decoding_work_mem = '64kB'"
    project.sql(streamed, "SELECT pg_reload_conf()")
    project.sql("CREATE TABLE other AS SELECT n FROM generate_series(1, 20000) n")
    project.sql("INSERT INTO items VALUES (100, '', '')")
    project.capture()
    project.sql("UPDATE other SET n = n + 1")
    project.capture()
    own.stop("immediate")
    own.start()
    project.capture()
    project.sql("INSERT INTO items VALUES (101, '', '')")
    project.brought_up_to_date()


def test_another_timeline_and_another_server(project: LiveProject, own: OwnServer) -> None:
    """A promoted standby may lack what was captured last; another server has nothing of it."""
    own.promoted()
    assert "went over to timeline 2; 1 was captured" in project.refused("capture", "erp")
    project.begun_anew()
    with own_server(fresh=True) as other:
        profile = (project.folder / "profiles.yml").read_text()
        database = f"dbname={project.database}"
        moved = profile.replace(project.server.url(project.database), other.server.url())
        assert database in profile
        project.write("profiles.yml", moved)
        assert "is another server" in project.refused("capture", "erp")
        project.write("profiles.yml", profile)
    project.brought_up_to_date()


def test_a_slot_that_is_gone_lost_or_read_by_another(project: LiveProject) -> None:
    """What was not captured cannot be read any more: it stops."""
    project.sql("INSERT INTO items VALUES (100, '', '')")
    project.sql(f"SELECT pg_replication_slot_advance('{project.slot}', pg_current_wal_lsn())")
    assert "changes of source" in project.refused("capture", "erp")
    project.sql(f"SELECT pg_drop_replication_slot('{project.slot}')")
    assert "is gone" in project.refused("capture", "erp")
    project.begun_anew()

    project.sql("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'", "SELECT pg_reload_conf()")
    for _ in range(4):
        project.sql(
            "INSERT INTO items VALUES (101, '', '')",
            "DELETE FROM items WHERE id = 101",
            "SELECT pg_switch_wal()",
        )
    project.sql("CHECKPOINT")
    assert "was invalidated" in project.refused("capture", "erp")
    project.begun_anew()


def test_tables_that_change(project: LiveProject) -> None:
    """Each stops the capture with what to do; what was captured before stays, and it goes on."""
    project.sql(
        "INSERT INTO items VALUES (100, '', '')",
        "ALTER TABLE items ADD more int",
        "INSERT INTO items VALUES (101, '', '', 1)",
    )
    said = project.refused("capture", "erp", "--until-current")
    assert 'Column "more" is not in the project.' in said
    assert "filtersql import erp --force" in said
    assert project.changes[-1].read_text().count('"insert"') == 1
    project.sql(
        "ALTER TABLE items RENAME TO things",
        "INSERT INTO things VALUES (102, '', '', 1)",
        "ALTER TABLE things DROP more",
        "ALTER TABLE things RENAME TO items",
    )
    # Each change was made under another definition; here the project's is written as it was then.
    tables = (project.folder / "tables/tables.sql").read_text()
    project.write("tables/tables.sql", tables + "ALTER TABLE items ADD more int;\n")
    said = project.refused("capture", "erp", "--until-current")
    assert 'changes of table "public.things"' in said
    project.write("tables/tables.sql", tables)

    project.sql("DROP TABLE items")
    said = project.refused("capture", "erp")
    assert 'lacks table "public.items"' in said
    assert "the server has no such table: it was dropped or renamed" in said


def test_a_type_that_changes(project: LiveProject) -> None:
    """It stops before the first change of the new type; with the new definition it goes on."""
    project.sql(
        "INSERT INTO orders VALUES (1, 'eu', 'paid', 1.5, '')",
        "ALTER TABLE orders ALTER total TYPE numeric(12,2)",
        "INSERT INTO orders VALUES (2, 'eu', 'paid', 9999999999.99, '')",
    )
    said = project.refused("capture", "erp", "--until-current")
    assert 'Column "total" is numeric(12,2), not numeric(10,2).' in said
    project.goes("run")
    project.redefine("numeric(10,2)", "numeric(12,2)")
    project.capture()
    project.goes("apply", "--yes")
    project.followed()


def test_a_partition_that_nobody_knows(project: LiveProject) -> None:
    """Its rows are those of a published root: they are not left out."""
    project.sql("INSERT INTO events VALUES (1, 5, 5)")
    project.sql(
        "CREATE TABLE events_3 PARTITION OF events FOR VALUES IN (3)",
        "INSERT INTO events VALUES (3, 3, 3)",
    )
    assert 'changes of table "public.events_3"' in project.refused("capture", "erp")


_OTHER = "CREATE TABLE events_4 (k int NOT NULL, id int NOT NULL, n int, PRIMARY KEY (k, id))"
_ATTACHED = "ALTER TABLE events ATTACH PARTITION events_4 FOR VALUES IN (4)"
_ELSEWHERE = 'table "public.events_4" of source "erp" stands elsewhere'


def test_a_table_that_becomes_a_partition(project: LiveProject) -> None:
    """And one that is none any more: the project knows both, but elsewhere."""
    tables = (project.folder / "tables/tables.sql").read_text()
    project.write("tables/tables.sql", f"{tables}{_OTHER};\n")
    project.sql(_OTHER, "INSERT INTO events VALUES (1, 5, 5)")
    project.brought_up_to_date()
    project.sql(_ATTACHED, "INSERT INTO events VALUES (4, 4, 4), (1, 6, 6)")
    assert _ELSEWHERE in project.refused("capture", "erp")
    project.write("tables/tables.sql", f"{tables}{_OTHER};\n{_ATTACHED};\n")
    project.brought_up_to_date()

    project.sql("ALTER TABLE events DETACH PARTITION events_4")
    assert 'lacks table "public.events_4"' in project.refused("capture", "erp")
    project.sql(f"ALTER PUBLICATION {project.slot} ADD TABLE events_4")
    assert _ELSEWHERE in project.refused("capture", "erp")


@pytest.mark.parametrize(("published", "quiet"), [(False, False), (True, False), (True, True)])
def test_a_table_that_is_attached_while_it_is_captured(
    project: LiveProject, *, published: bool, quiet: bool
) -> None:
    """The capture ends before its first change, also where it was captured on its own before.

    Also where nothing of it was changed since the capture began.
    """
    tables = (project.folder / "tables/tables.sql").read_text()
    project.write("tables/tables.sql", f"{tables}{_OTHER};\n")
    project.sql(_OTHER)
    if published:
        project.write("publications/l.yml", "publications: [{name: l, tables: [events_4]}]\n")
        more = "  - {name: l, publications: [l], source: {postgres: erp}, changes: {postgres: erp}}"
        with (project.folder / "subscriptions/s.yml").open("a") as file:
            file.write(f"{more}\n")
        project.capture("--rows", "events_4")
        project.goes("run")
    with Process(project, "capture", "erp") as process:
        captured = len(project.changes)
        project.sql("INSERT INTO events VALUES (1, 5, 5)")
        if not quiet:
            project.sql("INSERT INTO events_4 VALUES (4, 3, 3)")
        wait_for(lambda: len(project.changes) > captured)
        project.sql(_ATTACHED, "INSERT INTO events VALUES (4, 4, 4)")
        code, said = process.ended()
    assert code == 1
    assert _ELSEWHERE in said
    assert '"id":4' not in project.changes[-1].read_text()
    project.write("tables/tables.sql", f"{tables}{_OTHER};\n{_ATTACHED};\n")
    project.capture()
    if published:
        lacks = 'changes of table "public.events_4" are missing for'
        said = project.refused("run")
        assert f'{lacks} "s/public.events"' in said
        assert f'{lacks} "l/public.events_4"' in said
        project.capture("--rows", "events*")
        project.goes("run", "--resync", "events", "--resync", "events_4")
        assert project.differences() == []
    project.sql("UPDATE events SET n = 7 WHERE id > 3")
    project.capture()
    project.goes("run")
    assert "WRONG=0" in project.goes("audit")


def test_a_copy_that_is_killed_is_begun_anew(project: LiveProject) -> None:
    """It says so; the rows are those of the new start."""
    project.goes("capture", "erp", "--drop")
    project.sql(
        "INSERT INTO items SELECT g, 'k', repeat('x', 500) FROM generate_series(100, 90000) g"
    )
    with Process(project, "capture", "erp", "--create") as capture:
        folder = project.folder / "captured/erp/rows"
        wait_for(lambda: list(folder.glob("*/*.part")) != [])
        capture.kill()
    assert "has no slot of this project yet" in project.refused("capture", "erp")
    project.sql("DELETE FROM items WHERE id > 200")
    assert "begun anew" in project.capture("--create")
    project.goes("run", "--full-refresh")
    assert project.differences() == []


def test_a_disk_that_is_full(project: LiveProject) -> None:
    """It stops in words; with room again it goes on."""
    project.sql("INSERT INTO items SELECT g, 'k', md5(g::text) FROM generate_series(100, 50000) g")

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    with Process(project, "capture", "erp", "--until-current", limited=limited) as capture:
        code, said = capture.ended()
    assert code == 1, said
    assert "could not write" in said
    assert "Nothing is lost" in said
    project.brought_up_to_date()


@pytest.mark.long
def test_a_gigabyte_of_large_values(project: LiveProject, announce: Callable[[str], None]) -> None:
    """Memory stays flat; an update that leaves them as they are does not send them again."""
    project.sql(
        "ALTER TABLE items ALTER note SET STORAGE EXTERNAL",
        "INSERT INTO items SELECT g, 'k', repeat(md5(g::text), 32768)"
        " FROM generate_series(100, 1123) g",
        "UPDATE items SET kind = 'other'",
    )
    with Process(project, "capture", "erp", "--until-current") as capture:
        megabytes, said = watched(capture)
    announce(f"capture of 1 GB of large values: {megabytes} MB: {said}")
    assert megabytes < 250
    assert sum(path.stat().st_size for path in project.changes) < 1.1 * 2**30
    project.brought_up_to_date()


@pytest.mark.parametrize("rows", [200_000, pytest.param(5_000_000, marks=pytest.mark.long)])
def test_many_rows_in_one_transaction(
    project: LiveProject, rows: int, announce: Callable[[str], None]
) -> None:
    """They are streamed before the commit; memory stays flat, an aborted part is dropped.

    The server hears of the capture while it writes.
    """
    project.sql(
        "ALTER SYSTEM SET logical_decoding_work_mem = '1MB'",
        "ALTER SYSTEM SET wal_sender_timeout = '3s'",
        "SELECT pg_reload_conf()",
    )
    project.sql(
        f"BEGIN; INSERT INTO items SELECT g, 'k', md5(g::text) FROM generate_series(100, {rows}) g;"
        " SAVEPOINT part; UPDATE items SET kind = 'aborted' WHERE id < 50000; ROLLBACK TO part;"
        " UPDATE items SET kind = 'kept' WHERE id < 1000; COMMIT"
    )
    began = time.monotonic()
    with Process(project, "capture", "erp", "--until-current") as capture:
        megabytes, _ = watched(capture)
    announce(
        f"capture of {rows:,} rows in one transaction: {megabytes} MB,"
        f" {time.monotonic() - began:.1f} s"
    )
    assert megabytes < 250
    assert "aborted" not in project.changes[-1].read_text()
    project.followed()
