"""A running PostgreSQL becomes files, and these the rows that its filters say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_projects import LiveProject
from pglogical_servers import serve_installed
from servers import RELEASES, Server, serve

pytestmark = pytest.mark.postgres
_DEBIAN = Path("/usr/lib/postgresql/15/bin/postgres")


@pytest.fixture(
    scope="module",
    params=(15, *(pytest.param(each, marks=pytest.mark.long) for each in (16, 17)), 18),
)
def server(request: pytest.FixtureRequest, postgres: Server) -> Iterator[Server]:
    """PostgreSQL 18, 17 and 16, and Debian's 15 where it is installed."""
    if request.param == 18:
        yield postgres
    elif request.param in RELEASES:
        with serve(request.param) as made:
            yield made
    elif not _DEBIAN.exists():
        pytest.skip("postgresql-15 is not installed (apt-get install postgresql-15)")
    else:
        with serve_installed({"max_prepared_transactions": "2"}) as old:
            yield old


@pytest.fixture
def project(tmp_path: Path, server: Server) -> Iterator[LiveProject]:
    """Some rows in a source that nothing was captured from yet."""
    made = LiveProject.made(tmp_path, server)
    made.sql(
        "ALTER TABLE items ALTER note SET STORAGE EXTERNAL",
        "INSERT INTO orders SELECT g, (ARRAY['eu', 'us', NULL])[g % 3 + 1],"
        " (ARRAY['paid', 'cart'])[g % 2 + 1], g / 3.0, NULL FROM generate_series(1, 40) g",
        "INSERT INTO items SELECT g, 'k' || g % 4, repeat(md5(g::text), g / 6 * 99)"
        " FROM generate_series(1, 20) g",
        "INSERT INTO events SELECT g % 2 + 1, g, g FROM generate_series(1, 9) g",
    )
    yield made
    made.drop()


def records(project: LiveProject) -> list[dict[str, Any]]:
    """What was captured."""
    return [each for path in project.changes for each in lines(path)]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_targets_hold_what_the_filters_say(project: LiveProject) -> None:
    """Rows at the slot's start, then what enters, leaves, changes its key, is deleted."""
    said = project.capture("--create")
    assert f'publication "{project.slot}" was made' in said
    assert "40 rows of public.orders" in said
    project.followed()

    project.sql(
        "UPDATE orders SET region = 'us' WHERE id < 5",
        "UPDATE orders SET region = 'eu', total = NULL WHERE id BETWEEN 10 AND 20",
        "BEGIN; UPDATE items SET id = id + 100 WHERE id < 5; DELETE FROM items WHERE id = 7; END",
        "UPDATE items SET kind = 'other'",  # note is out of line, and not sent
        "BEGIN; DELETE FROM orders; ROLLBACK",
        "UPDATE events SET k = 3 - k WHERE id = 4; DELETE FROM events WHERE id = 9",
        "INSERT INTO orders VALUES (99, 'eu', E'\"\\\\\\n\\t\\x01é', 1e7, '')",
        # neither a message nor an origin is a change of a row
        "SELECT pg_logical_emit_message(t, 'prefix', 'content') FROM unnest('{t,f}'::bool[]) t",
        f"SELECT pg_replication_origin_create('{project.slot}')",
        f"SELECT pg_replication_origin_session_setup('{project.slot}')",
        "BEGIN; INSERT INTO orders VALUES (100, 'eu', 'paid', 1, ''); PREPARE TRANSACTION 'two'",
    )
    project.capture()
    unsent = [each for each in records(project) if each.get("unchanged")]
    assert {each["relation"] for each in unsent} == {"public.items"}
    project.followed()
    assert "WRONG=0" in project.goes("audit")

    # a transaction in two phases comes when it is committed
    project.sql("COMMIT PREPARED 'two'", f"SELECT pg_replication_origin_drop('{project.slot}')")
    project.brought_up_to_date()
    assert records(project)[-2]["after"]["id"] == 100

    project.sql("TRUNCATE orders, items; INSERT INTO items VALUES (1, 'a', 'b'), (3, 'c', 'd')")
    project.brought_up_to_date()
    assert "Nothing changed" in project.goes("run")


def test_files_are_a_chain(project: LiveProject) -> None:
    """Each names its last seq, and begins where the one before ended; nothing comes twice."""
    project.capture("--create")
    for number in range(3):
        project.sql(f"INSERT INTO items VALUES ({100 + number}, 'x', 'y')")
        project.capture()
        project.capture()

    first, *others = project.changes
    assert first.read_bytes() == b""
    assert len(others) == 3
    before = int(first.stem)
    for path in others:
        change, commit = lines(path)
        assert (change["op"], commit["op"]) == ("insert", "commit")
        assert change["prev_seq"] == before
        assert int(str(change["seq"])) > before
        before = int(path.stem)
        assert commit["seq"] == before
    assert "0 transactions" in project.capture()


def test_a_publication_made_by_the_owner_is_used(project: LiveProject) -> None:
    """One that is there and fits is left as it is; one that does not is refused."""
    project.sql(f"CREATE PUBLICATION {project.slot} FOR TABLE orders, items (id, kind), events")
    said = project.refused("capture", "erp", "--create")
    assert "has a row filter or a column list" in said
    assert f'CREATE PUBLICATION "{project.slot}" FOR TABLE ONLY' in said

    project.sql(f"ALTER PUBLICATION {project.slot} SET TABLE orders, items, events")
    assert "publication" not in project.capture("--create")
    project.followed()


def test_drop_removes_what_create_made(project: LiveProject) -> None:
    """Slot and publication of this project alone; begun anew, targets are filled anew."""
    project.sql(
        "CREATE PUBLICATION other FOR TABLE items",
        f"SELECT pg_create_logical_replication_slot('other_{project.slot}', 'pgoutput')",
    )
    assert "nothing of this project" in project.goes("capture", "erp", "--drop")
    project.capture("--create")
    project.goes("run")
    assert f'slot "{project.slot}" is gone' in project.goes("capture", "erp", "--drop")
    slots = "SELECT slot_name FROM pg_replication_slots WHERE database = current_database()"
    assert project.rows(slots) == [(f"other_{project.slot}",)]
    assert project.rows("SELECT pubname FROM pg_publication") == [("other",)]
    assert "has no slot of this project yet" in project.refused("capture", "erp")

    project.sql("DELETE FROM items WHERE id < 9")
    project.capture("--create")
    project.sql("INSERT INTO items VALUES (1, 'again', '')")
    project.capture()
    assert "are missing" in project.refused("run")
    project.goes("run", "--full-refresh")
    assert project.differences() == []


def test_what_cannot_be_captured_is_refused_before_anything_is_made(project: LiveProject) -> None:
    """All tables are compared at once: columns, types, replica identities."""
    project.sql(
        "ALTER TABLE orders ALTER total TYPE numeric(12,2), ADD more int",
        "ALTER TABLE orders REPLICA IDENTITY DEFAULT",
        "ALTER TABLE items DROP CONSTRAINT items_pkey",
        "DROP TABLE events_2",
    )
    said = project.refused("capture", "erp", "--create")
    assert 'Column "more" is not in the project.' in said
    assert 'table "public.events_2" does not exist' in said
    project.sql(
        "ALTER TABLE orders DROP more",
        "CREATE TABLE events_2 PARTITION OF events FOR VALUES IN (2)",
    )
    said = project.refused("capture", "erp", "--create")
    assert 'Column "total" is numeric(12,2), not numeric(10,2).' in said
    project.sql("ALTER TABLE orders ALTER total TYPE numeric(10,2)")
    said = project.refused("capture", "erp", "--create")
    assert "ALTER TABLE public.orders REPLICA IDENTITY FULL;" in said
    assert 'lack "note", "region", "status", "total"' in said
    assert 'table "public.items" of source "erp" lack "id"' in said
    assert project.rows("SELECT pubname FROM pg_publication") == []
    assert not project.changes


def test_a_slot_that_nobody_knows_is_left_alone(project: LiveProject) -> None:
    """It may be another checkout's."""
    project.sql(f"SELECT pg_create_logical_replication_slot('{project.slot}', 'pgoutput')")

    said = project.refused("capture", "erp", "--create")

    assert f'"{project.slot}" of source "erp" exists, but not by what this project knows' in said


def test_files_are_removed_when_all_have_passed(project: LiveProject) -> None:
    """And when the newest rows have: a target to come, and an audit, begin with these."""
    project.capture("--create")
    assert "is not filled yet" in project.refused("capture", "erp", "--prune")
    for number in range(3):
        project.sql(f"INSERT INTO items VALUES ({100 + number}, 'x', 'y')")
        project.capture()
    project.goes("run")
    assert "1 files" in project.goes("capture", "erp", "--prune")  # the empty one of the start
    assert len(project.changes) == 3

    project.capture("--rows", "*")
    assert "2 files" in project.goes("capture", "erp", "--prune")
    rows = project.folder / "captured/erp/rows"
    assert all(len(list(table.iterdir())) == 1 for table in rows.iterdir())
    project.sql("DELETE FROM items WHERE id = 101")
    project.capture()
    project.goes("run")
    assert "WRONG=0" in project.goes("audit")
    project.goes("run", "--full-refresh")
    assert project.differences() == []


def test_status_tells_how_far_behind_a_capture_is(project: LiveProject) -> None:
    """In bytes of the source's log; and why, where the source cannot be asked."""
    assert "Source erp: nothing is captured" in project.goes("status")
    project.capture("--create")
    project.sql("INSERT INTO items VALUES (100, 'x', 'y')")
    said = project.goes("status")
    assert "bytes of its log behind; no capture is running" in said
    targets = json.loads(project.goes("status", "--format", "json"))
    assert all(each["source_behind"] > 0 for each in targets)

    project.sql(f"SELECT pg_drop_replication_slot('{project.slot}')")
    assert "is gone, or was invalidated" in project.goes("status")
    profile = (project.folder / "profiles.yml").read_text()
    project.write("profiles.yml", profile.replace("user=postgres", "user=nobody_known"))
    assert 'Source erp: could not connect to source "erp"' in project.goes("status")


def test_one_capture_at_a_time(project: LiveProject) -> None:
    """A second one is told so."""
    from filtersql.exclusive import alone

    (project.folder / "captured/erp").mkdir(parents=True)
    with alone(project.folder / "captured/erp"):
        said = project.refused("capture", "erp", "--create")

    assert "another process captures" in said


def test_usage(project: LiveProject) -> None:
    """What a source is called; flags that exclude each other; a source that nobody reads."""
    assert 'the profile has no source "epr"' in project.refused("capture", "epr")
    assert "others record: alone" in project.refused("capture", "erp", "--drop", "--create", code=2)
    project.write("subscriptions/s.yml", "subscriptions: [{name: s, publications: [p]}]\n")
    assert "no subscription reads changes" in project.refused("capture", "erp")
    assert "nothing of this project" in project.goes("capture", "erp", "--drop")
