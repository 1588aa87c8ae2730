"""A project whose source is a running PostgreSQL, for tests of `capture`.

project = LiveProject.made(tmp_path, server)
project.sql("INSERT INTO orders VALUES (…)")
project.goes("capture", "erp", "--create", "--until-current")
project.goes("run")
assert project.differences() == []
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import duckdb
from servers import Server
from transcripts import Ended, Shell

__all__ = ["DDL", "FILTERS", "LiveProject"]

DDL = """
CREATE TABLE orders (id int PRIMARY KEY, region text, status text, total numeric(10,2), note text);
ALTER TABLE orders REPLICA IDENTITY FULL;
CREATE TABLE items (id int PRIMARY KEY, kind text, note text);
CREATE TABLE events (k int NOT NULL, id int NOT NULL, n int, PRIMARY KEY (k, id))
    PARTITION BY LIST (k);
CREATE TABLE events_1 PARTITION OF events FOR VALUES IN (1);
CREATE TABLE events_2 PARTITION OF events FOR VALUES IN (2);
"""
FILTERS = {
    "orders": "SELECT * FROM orders WHERE region = 'eu' AND status <> 'cart'",
    "items": "SELECT * FROM items WHERE id % 3 <> 0",
    "events": "SELECT * FROM events WHERE id > 2",
}
_PUBLICATIONS = """
publications:
  - {name: p, tables: [{name: orders, where: "region = 'eu' AND status <> 'cart'"},
                       {name: items, where: id % 3 <> 0}]}
  - {name: root, publish: [insert, update, delete], publish_via_partition_root: true,
     tables: [{name: events, where: id > 2}]}
"""
_SUBSCRIPTIONS = """
subscriptions:
  - {name: s, publications: [p, root], source: {postgres: erp}, changes: {postgres: erp}}
"""


@dataclass(frozen=True)
class LiveProject:
    """A project in a folder, and the database that is its source."""

    folder: Path
    server: Server
    database: str
    #: target -> the rows that it is to hold
    filters: ClassVar[Mapping[str, str]] = FILTERS

    @classmethod
    def made(cls, folder: Path, server: Server, ddl: str = DDL) -> LiveProject:
        """A new database with its tables, and a project that knows them."""
        project = cls(folder, server, server.create_database("erp"))
        project.sql(ddl)
        project.write("tables/tables.sql", ddl)
        project.write("publications/p.yml", _PUBLICATIONS)
        project.write("subscriptions/s.yml", _SUBSCRIPTIONS)
        # The name of the project is part of the slot's, and a server's slots have one each.
        name = project.database
        project.write("filtersql_project.yml", f"name: {name}\nprofile: shop\n")
        project.write(
            "profiles.yml",
            "shop:\n  outputs: {local: {type: duckdb, path: shop.duckdb}}\n"
            f'  sources: {{erp: {{type: postgres, dsn: "{server.url(name)}"}}}}\n',
        )
        return project

    @property
    def slot(self) -> str:
        """What slot and publication are called."""
        return f"filtersql_{self.database}_erp"

    @property
    def changes(self) -> list[Path]:
        """The closed files of changes."""
        return sorted((self.folder / "captured/erp/changes").glob("*.jsonl"))

    def write(self, path: str, text: str) -> None:
        """Write a file of the project."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def redefine(self, old: str, new: str) -> None:
        """Other words in the project's tables."""
        tables = (self.folder / "tables/tables.sql").read_text()
        assert old in tables
        self.write("tables/tables.sql", tables.replace(old, new))

    def sql(self, *statements: str) -> None:
        """Carry out statements on the source, each in a transaction of its own."""
        with self.server.connect(self.database) as connection:
            for statement in statements:
                connection.execute(statement)  # type: ignore[call-overload]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query on the source."""
        with self.server.connect(self.database) as connection:
            return connection.execute(query).fetchall()  # type: ignore[call-overload]

    def call(self, *arguments: str) -> Ended:
        """A command, however it ends."""
        return Shell(self.folder).filtersql(*arguments)

    def goes(self, *arguments: str) -> str:
        """A command that must end well; what it printed."""
        return Shell(self.folder).succeed(*arguments).both

    def refused(self, *arguments: str, code: int = 1) -> str:
        """A command that must be refused; what it said."""
        ended = self.call(*arguments)
        assert ended.exit_code == code, ended.both
        return ended.stderr

    def capture(self, *flags: str) -> str:
        """Capture up to the present."""
        return self.goes("capture", "erp", "--until-current", *flags)

    def differences(self) -> list[str]:
        """The targets that do not hold what the filters say of the source's rows now."""
        found = []
        with duckdb.connect(str(self.folder / "shop.duckdb"), read_only=True) as target:
            for name, query in self.filters.items():
                held = sorted(target.execute(f"SELECT * FROM s.{name}").fetchall(), key=str)
                meant = sorted(self.rows(query), key=str)
                if held != meant:
                    found.append(f"{name}: {len(held)} rows, not {len(meant)}")
        return found

    def is_right(self) -> bool:
        """Whether the targets are as the source is now, while another process may write them."""
        time.sleep(1)  # who looks at DuckDB's file keeps the other from writing
        try:
            return self.differences() == []
        except duckdb.IOException:
            return False

    def followed(self) -> None:
        """One more run: then the targets must be as the source is now."""
        self.goes("run")
        assert self.differences() == []

    def brought_up_to_date(self) -> None:
        """Capture and run up to the present: then the targets must be right."""
        self.capture()
        self.followed()

    def begun_anew(self) -> None:
        """What the hints say is the way on, where a capture cannot go on."""
        self.goes("capture", "erp", "--drop")
        self.capture("--create")
        self.goes("run", "--full-refresh")
        assert self.differences() == []

    def drop(self) -> None:
        """Remove the database with its slots, when the server knows that nobody reads them."""
        reading = "SELECT FROM pg_replication_slots WHERE active AND database = current_database()"
        until = time.monotonic() + 20
        while self.rows(reading) and time.monotonic() < until:
            time.sleep(0.05)
        self.server.drop_database(self.database)
