"""Filters behind SET of all kinds: PostgreSQL stores what filtersql reads, text for text.

Random scripts set DateStyle, TimeZone, IntervalStyle, array_nulls and transform_null_equals in all
the ways there are, in transactions that end either way, and publish filters with literals that hang
on them. What the server holds in the end is printed under its defaults. Older versions take part
where FILTERSQL_POSTGRES_15, …_16 and …_17 hold connection strings of their superusers.

FILTERSQL_SESSIONS says how many scripts (30 without it); FILTERSQL_SESSION_SEED where to begin.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from projects import maker
from servers import Server

from filtersql.compile import FilterShelf
from filtersql.errors import Mistake, Mistakes
from filtersql.project import load

pytestmark = pytest.mark.postgres

SCRIPTS = int(os.environ.get("FILTERSQL_SESSIONS", "30"))
FIRST = int(os.environ.get("FILTERSQL_SESSION_SEED", "1"))
TABLE = (
    "CREATE TABLE t (id int PRIMARY KEY, d date, ts timestamp, tz timestamptz, tt timetz,"
    " i interval, x text, a text[], da date[], r tstzrange)"
)
_VALUES = {
    "datestyle": (
        "'ISO, DMY'", "ISO, MDY", "ymd", "German", "'German, mdy'", "SQL", "European", "US",
        "'default, iso'", "DEFAULT",
    ),
    "timezone": (
        "'UTC'", "'Europe/Berlin'", "'america/new_york'", "'Australia/Lord_Howe'", "5", "'-3.5'",
        "'Etc/GMT+5'", "DEFAULT",
    ),
    "intervalstyle": ("postgres", "sql_standard", "'SQL_Standard'", "iso_8601", "DEFAULT"),
    "array_nulls": ("on", "off", "0", "'fal'", "DEFAULT"),
    "transform_null_equals": ("on", "off", "'ye'", "DEFAULT"),
}  # fmt: skip
_MONTHS = ("1", "2", "01", "12", "28", "05", "jan", "Feb")
_YEARS = ("24", "99", "2024", "1999", "0044", "12345")
_ZONES = ("", "", "", " +02", " -8", " UTC", " Europe/Berlin", " z")
_TIMES = ("", "", " 10:00", " 23:59:59.5", " 02:30 PM")
_UNITS = ("", " day", " mons", " year", " hours", " week")


@dataclass
class Writer:
    """One random script."""

    chance: random.Random
    published: int = 0

    def day(self) -> str:
        one = self.chance.choice
        parts = [one(("1", "2", "05", "13", "31", "70")), one(_MONTHS), one(_YEARS)]
        if self.chance.random() < 0.3:
            self.chance.shuffle(parts)
        text = one("/-. /-").join(parts)
        return one((text, text, text, "2024-07-01", "J2451187", "990102", "infinity", f"{text} BC"))

    def moment(self) -> str:
        return self.day() + self.chance.choice(_TIMES) + self.chance.choice(_ZONES)

    def interval(self) -> str:
        one = self.chance.choice
        parts = [
            one(("", "", "-", "+")) + one(("1", "2", "1.5", "1-2", "0-11")) + one(_UNITS)
            for _ in range(one((1, 1, 2)))
        ]
        parts += [one(("", "", "-", "+")) + one(("2:03:04", "10:00", "0:0:0.5"))] * one((0, 1))
        return " ".join([*parts, *["ago"] * (self.chance.random() < 0.15)])

    def condition(self) -> str:
        return self.chance.choice(
            (
                lambda: f"d < '{self.day()}'",
                lambda: f"ts >= '{self.moment()}'",
                lambda: f"tz = '{self.moment()}'",
                lambda: f"tz IN ('{self.moment()}', '{self.moment()}')",
                lambda: f"tt <> '2024-07-01 {self.chance.choice(_TIMES[2:])}'",
                lambda: f"i > '{self.interval()}'",
                lambda: f"i BETWEEN '{self.interval()}' AND interval '{self.interval()}'",
                lambda: "a = '{NULL,a,\"null\"}'",
                lambda: f"da @> '{{{self.day()},NULL}}'",
                lambda: f"r = '[{self.moment()},)'",
                lambda: "x = NULL OR NULL = id",
                lambda: "CASE x WHEN NULL THEN true END OR x <> NULL",
            )
        )()

    def setting(self) -> str:
        one = self.chance.choice
        name = one([*_VALUES])
        value = one(_VALUES[name])
        if name == "timezone" and self.chance.random() < 0.3:
            return f"SET {one(('', 'LOCAL '))}TIME ZONE {value}"
        how = one(("SET {} = {}", "SET {} TO {}", "SET LOCAL {} = {}", "call", "RESET {}"))
        if how == "call" and value != "DEFAULT":
            text = value.strip("'")
            return f"SELECT set_config('{name}', '{text}', {one(('true', 'false'))})"
        return how.format(name, value) if how != "call" else "RESET ALL"

    def statements(self) -> Iterator[str]:
        """A transaction is one text: what is refused of it is not there at all."""
        for _ in range(12):
            made = [self.setting(), self.publication()]
            if self.chance.random() < 0.25:
                end = self.chance.choice(("COMMIT", "ROLLBACK"))
                yield "; ".join(["BEGIN", *made, end])
            elif self.chance.random() < 0.05:
                yield "DISCARD ALL"
            else:
                yield from made

    def publication(self) -> str:
        self.published += 1
        return f"CREATE PUBLICATION p{self.published} FOR TABLE t WHERE ({self.condition()})"


def stored(server: Server, database: str, writer: Writer) -> tuple[list[str], dict[str, str]]:
    """What the server took, and the filters that it holds then."""
    taken = [TABLE]
    with server.connect(database) as connection:
        connection.execute(TABLE.encode())
        for statement in writer.statements():
            try:
                for part in statement.split("; "):
                    connection.execute(part.encode())
            except psycopg.Error:
                connection.execute("ROLLBACK")
            else:
                taken.append(statement)
    with server.connect(database) as connection:
        rows = connection.execute("SELECT pubname, rowfilter FROM pg_publication_tables").fetchall()
    return taken, dict(rows)


def read(folder: Path, version: int, script: str) -> dict[str, str] | list[str]:
    """The filters as filtersql would store them, or what it says of them."""
    (folder / "tables" / "t.sql").write_text(f"-- filtersql: raw\n{script}", encoding="utf-8")
    settings = f"name: shop\nversion: 1\nprofile: shop\npostgres_version: {version}\n"
    (folder / "filtersql_project.yml").write_text(settings, encoding="utf-8")
    try:
        project = load(folder)
        shelf = FilterShelf(project)
        return {
            name: f"({text})" if not text.startswith("(") else text
            for name, publication in project.definitions.publications.items()
            for entry in publication.tables
            if entry.where is not None
            for text in [shelf.deparse(entry.where, entry.name, name)]
        }
    except (Mistake, Mistakes) as mistake:
        each = mistake.mistakes if isinstance(mistake, Mistakes) else [mistake]
        return [one.message for one in each]


def played(server: Server, version: int, folder: Path) -> Counter[str]:
    """All scripts: how many filters are equal. Fails at the first that differs."""
    seen: Counter[str] = Counter()
    for seed in range(FIRST, FIRST + SCRIPTS):
        database = server.create_database("session")
        try:
            taken, theirs = stored(server, database, Writer(random.Random(seed)))
        finally:
            server.drop_database(database)
        script = "".join(f"{statement};\n" for statement in taken)
        ours = read(folder, version, script)
        if isinstance(ours, list):
            # the day that a literal was written on, and zones of which databases differ
            known = ("needs the time when", "as the source did")
            assert all(any(one in text for one in known) for text in ours), f"{seed} {ours}"
            seen["refused"] += 1
            continue
        assert ours == theirs, f"FILTERSQL_SESSION_SEED={seed}\n{script}"
        seen["equal"] += len(ours)
    return seen


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without definitions."""
    return maker(tmp_path, monkeypatch)({"tables/t.sql": ""})


def test_filters_mean_what_their_session_says(
    postgres: Server, folder: Path, announce: Callable[[str], None]
) -> None:
    """PostgreSQL 18."""
    seen = played(postgres, 18, folder)
    announce(f"filters behind SET: {seen['equal']} equal; {seen['refused']} scripts refused")
    assert seen["equal"] > 4 * SCRIPTS > 5 * seen["refused"]


def test_older_versions_read_the_same(older: tuple[Server, int], folder: Path) -> None:
    """The same on the older versions."""
    assert played(*older, folder)["equal"] > 4 * SCRIPTS
