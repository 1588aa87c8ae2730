"""Tables whose key, or whose generated column, became another one: no target is silently short."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from live_processes import Process, wait_for
from live_projects import DDL, LiveProject
from own_servers import NEEDS_POSTGRES_15, OwnServer, own_server
from servers import Server

pytestmark = NEEDS_POSTGRES_15
_TABLE = "CREATE TABLE items (id int PRIMARY KEY, kind text, note text);"
_INTO_EVENTS = "INSERT INTO events VALUES (2, 5, 5), (1, 6, 6)"
_DETACH = "ALTER TABLE events DETACH PARTITION events_2"
_EVENTS_2 = "events_2 (k int NOT NULL, id int NOT NULL, n int, PRIMARY KEY (k, id))"


@pytest.fixture(scope="module")
def own() -> Iterator[OwnServer]:
    """One for all: no test harms it."""
    with own_server() as server:
        yield server


@pytest.fixture
def project(project: LiveProject) -> Iterator[LiveProject]:
    yield project
    project.drop()


def test_a_primary_key_that_became_wider(project: LiveProject) -> None:
    """Rows that its old key does not tell apart came over each other, as a counted conflict."""
    project.sql(
        "INSERT INTO items VALUES (100, '', '')",
        "ALTER TABLE items DROP CONSTRAINT items_pkey, ADD PRIMARY KEY (id, kind)",
        "INSERT INTO items VALUES (100, 'x', '')",
    )
    said = project.refused("capture", "erp", "--until-current")
    _taken_over(project, said)


def _taken_over(project: LiveProject, said: str) -> None:
    """The wider key is told, and what the hint names brings the targets up to date."""
    assert "Its primary key is (id, kind), not (id)." in said
    project.goes("run")
    wider = "CREATE TABLE items (id int, kind text, note text, PRIMARY KEY (id, kind));"
    project.redefine(_TABLE, wider)
    project.capture("--rows", "items")
    project.goes("run", "--resync", "items")
    project.brought_up_to_date()


@pytest.mark.parametrize(("applied", "seen"), [(True, True), (False, True), (False, False)])
def test_a_partition_that_leaves(project: LiveProject, *, applied: bool, seen: bool) -> None:
    """Its changes were the root's up to there: a root that has not taken all is copied again."""
    project.sql(_INTO_EVENTS)
    project.capture()
    project.sql(_DETACH)
    if seen:
        assert 'lacks table "public.events_2"' in project.refused("capture", "erp")
    if applied:
        project.goes("run")
    project.redefine("events_2 PARTITION OF events FOR VALUES IN (2)", _EVENTS_2)
    if seen:
        project.capture()
    if applied:
        project.goes("run")
    else:
        said = project.refused("run")
        assert 'changes of table "public.events_2" are pending for "s/public.events"' in said
        project.capture("--rows", "events")
        project.goes("run", "--resync", "events")
        project.brought_up_to_date()


def test_a_partition_that_was_never_there(project: LiveProject) -> None:
    """A root lacks nothing of it: once the project has it no more, all goes on."""
    leaf = "CREATE TABLE events_2 PARTITION OF events FOR VALUES IN (2);"
    wrong = "CREATE TABLE events_3 PARTITION OF events FOR VALUES IN (3);"
    project.redefine(leaf, leaf + wrong)
    project.sql(_INTO_EVENTS)
    assert 'lacks table "public.events_3"' in project.refused("capture", "erp", "--until-current")
    project.redefine(wrong, "")
    project.brought_up_to_date()


@pytest.mark.parametrize("first", ["capture", "capture --rows items", "import"])
def test_what_a_partition_brought_before_it_left(project: LiveProject, first: str) -> None:
    """What the log still has of it was the root's, whoever notices first."""
    project.sql(_INTO_EVENTS, _DETACH)
    if first != "import":
        said = project.refused(*first.replace("capture", "capture erp").split())
        assert 'lacks table "public.events_2"' in said
    project.redefine("events_2 PARTITION OF events FOR VALUES IN (2)", _EVENTS_2)
    if first == "capture":
        project.goes("run")
    project.capture()
    said = project.refused("run")
    assert 'changes of table "public.events_2" are pending for "s/public.events"' in said
    project.capture("--rows", "events")
    project.goes("run", "--resync", "events")
    project.sql("INSERT INTO events_2 VALUES (2, 9, 9)", "INSERT INTO events VALUES (1, 9, 9)")
    project.brought_up_to_date()


def test_columns_that_a_key_includes_are_none_of_it(project: LiveProject) -> None:
    """They are in the index of the key alone."""
    project.sql("ALTER TABLE items DROP CONSTRAINT items_pkey, ADD PRIMARY KEY (id) INCLUDE (kind)")
    project.sql("INSERT INTO items VALUES (100, '', '')")
    project.capture("--rows", "items")
    project.brought_up_to_date()


def test_a_column_that_is_generated_no_more(project: LiveProject) -> None:
    """The server sends it from then on; targets of a generated column do not have it."""
    generated = "twice int GENERATED ALWAYS AS (id * 2) STORED"
    project.redefine(_TABLE, _TABLE.replace(");", f", {generated});"))
    project.sql(f"ALTER TABLE items ADD {generated}", "INSERT INTO items VALUES (100, '', '')")
    project.capture()
    project.sql("ALTER TABLE items ALTER twice DROP EXPRESSION")
    project.sql("INSERT INTO items VALUES (101, '', '', 7)")
    said = project.refused("capture", "erp", "--until-current")
    assert 'Column "twice" is not generated any more.' in said


def test_a_publication_of_another_role_stays_as_it_is(tmp_path: Path, postgres: Server) -> None:
    """It sends no generated column, which the targets do not have either."""
    generated = "twice int GENERATED ALWAYS AS (id * 2) STORED"
    ddl = DDL.replace(_TABLE, _TABLE.replace(");", f", {generated});"))
    project = LiveProject.made(tmp_path, postgres, ddl)
    name, role = project.database, f"rep_{project.database}"
    project.sql(
        f"CREATE ROLE {role} LOGIN REPLICATION",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}",
        f"GRANT CREATE ON DATABASE {name} TO {role}",
        f"CREATE PUBLICATION {project.slot} FOR TABLE ONLY events, ONLY items, ONLY orders",
    )
    profile = (tmp_path / "profiles.yml").read_text()
    project.write("profiles.yml", profile.replace("user=postgres", f"user={role}"))
    project.capture("--create")
    project.goes("run")
    project.sql("INSERT INTO items VALUES (100, '', '')")
    project.capture("--rows", "items")
    assert "1 inserted" in project.goes("run")
    project.drop()
    with postgres.connect("postgres") as connection:
        connection.execute(f"DROP ROLE {role}")


def test_a_generated_column_that_is_new(tmp_path: Path, postgres: Server) -> None:
    """The publication was made where there was none, and sends none until it is told so."""
    project = LiveProject.made(tmp_path, postgres)
    project.capture("--create")
    project.goes("run")
    generated = "twice int GENERATED ALWAYS AS (id * 2) STORED"
    project.sql(f"ALTER TABLE items ADD {generated}")
    project.redefine(_TABLE, _TABLE.replace(");", f", {generated});"))
    published = (tmp_path / "publications/p.yml").read_text()
    stored = published.replace("{name: p,", "{name: p, publish_generated_columns: stored,")
    project.write("publications/p.yml", stored)
    project.capture("--rows", "items")
    project.goes("run", "--resync", "items")
    project.sql("INSERT INTO items VALUES (100, '', '')", "UPDATE items SET id = 101")
    project.brought_up_to_date()
    project.drop()


@pytest.mark.parametrize("live", [False, True])
def test_a_primary_key_that_became_wider_below_a_full_identity(
    project: LiveProject, live: bool
) -> None:
    """Messages describe such a table without its key; a change of it is seen all the same."""
    whole = f"{_TABLE}\nALTER TABLE items REPLICA IDENTITY FULL;"
    project.redefine(_TABLE, whole)
    project.sql("ALTER TABLE items REPLICA IDENTITY FULL", "INSERT INTO items VALUES (100, '', '')")
    project.brought_up_to_date()
    widen = "ALTER TABLE items DROP CONSTRAINT items_pkey, ADD PRIMARY KEY (id, kind)"
    insert = "INSERT INTO items VALUES (100, 'x', '')"
    if live:
        with Process(project, "capture", "erp") as capture:
            wait_for(lambda: project.rows("SELECT FROM pg_replication_slots WHERE active") != [])
            project.sql("INSERT INTO items VALUES (101, '', '')", widen, insert)
            code, said = capture.ended()
        assert code == 1
    else:
        project.sql(widen, insert)
        said = project.refused("capture", "erp", "--until-current")
    _taken_over(project, said)


def test_a_unique_index_is_a_key_too(project: LiveProject) -> None:
    """One of the key's columns tells rows apart as well; none is refused."""
    project.redefine(_TABLE, f"{_TABLE}\nALTER TABLE items REPLICA IDENTITY FULL;")
    project.sql(
        "ALTER TABLE items REPLICA IDENTITY FULL",
        "ALTER TABLE items DROP CONSTRAINT items_pkey",
        "CREATE UNIQUE INDEX one ON items (id)",
        "INSERT INTO items VALUES (100, '', '')",
    )
    project.brought_up_to_date()
    project.sql("DROP INDEX one", "INSERT INTO items VALUES (101, '', '')")
    said = project.refused("capture", "erp", "--until-current")
    assert "It has no primary key (id), nor another unique index of these columns." in said


def test_a_domain_over_a_domain(project: LiveProject) -> None:
    """What is sent names the base type of both."""
    domains = "CREATE DOMAIN short AS varchar(9); CREATE DOMAIN kinds AS short;\n"
    project.redefine(_TABLE, domains + _TABLE.replace("kind text", "kind kinds"))
    project.sql(
        domains,
        "ALTER TABLE items ALTER kind TYPE kinds",
        "INSERT INTO items VALUES (100, 'a', '')",
    )
    project.capture("--rows", "items")
    project.goes("run", "--resync", "items")
    project.brought_up_to_date()


@pytest.mark.parametrize(
    ("for_a_while", "said"),
    [
        (
            "CREATE TABLE events_3 PARTITION OF events FOR VALUES IN (3);"
            "INSERT INTO events VALUES (3, 3, 3); DROP TABLE events_3",
            'sends changes of table "public.events_3", which the project does not define',
        ),
        (
            "ALTER TABLE items ADD more int; INSERT INTO items VALUES (100, '', '', 1);"
            "ALTER TABLE items DROP more",
            'Column "more" is not in the project.',
        ),
        (
            "ALTER TABLE items REPLICA IDENTITY NOTHING; INSERT INTO items VALUES (100, '', '');"
            "ALTER TABLE items REPLICA IDENTITY DEFAULT",
            'old rows of table "public.items" of source "erp" lack "id"',
        ),
    ],
    ids=["partition", "column", "identity"],
)
def test_a_table_that_was_otherwise_for_a_while(
    project: LiveProject, for_a_while: str, said: str
) -> None:
    """The server cannot be asked how it was then: the hint has what ends it."""
    project.sql(*for_a_while.split(";"))
    refused = project.refused("capture", "erp", "--until-current")
    assert said in refused
    assert 'was otherwise only for a while: "filtersql capture erp --drop", then' in refused
    assert refused == project.refused("capture", "erp", "--until-current")
    project.begun_anew()
