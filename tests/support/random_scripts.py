"""Random scripts of DDL, carried out by a real PostgreSQL and read by filtersql.

    python tests/support/random_scripts.py --url "host=127.0.0.1 user=postgres" --scripts 10000

Each statement that the server refuses must be refused with its message, detail and hint; what it
carries out must be accepted, and leave the same tables and publications behind.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from catalogs import of_definitions, of_postgres
from random_publications import Publications
from random_tables import Tables
from refusals import OWN, Words, agree, is_own, of_server_now, words_of

from filtersql.compile import compile_project, mistakes_in
from filtersql.errors import Mistake, Mistakes
from filtersql.project import Project, load

__all__ = ["Difference", "Generator", "differences", "read_project"]

_PROFILES = "shop: {outputs: {dev: {type: duckdb, path: shop.duckdb}}}\n"


@dataclass
class Generator(Tables, Publications):
    """Statements about what the server holds just now, and sometimes about what it does not."""

    def statement(self) -> str | tuple[str, str]:
        makers: dict[Callable[[], str | tuple[str, str]], float] = {
            self.create_table: 5 if len(self.tables()) < 6 else 1.5,
            self.create_partitioned: 2,
            self.create_partition: 4 if self.tables("p") else 0,
            self.create_heir: 1.2,
            self.create_publication: 6 if len(self.publications) < 4 else 2,
            self.alter_publication: 9 if self.publications else 0.1,
            self.drop: 1.6,
            self.identity: 3,
            self.attach: 2.5 if self.tables("p") else 0,
            self.inherit: 0.7,
            self.rename: 2.5,
            self.column_change: 4,
            self.key_change: 2,
            self.persistence: 0.6,
            self.other_object: 1.2,
            self.reader: 1.5 if self.tables() else 0,
        }
        chosen = self.random.choices([*makers], [*makers.values()])[0]
        return chosen()


@dataclass(frozen=True)
class Difference:
    """A script whose last statement the two answer in different words, or leave different."""

    script: str
    theirs: object
    ours: object

    def __str__(self) -> str:
        return f"{self.script}\n  THEIRS {self.theirs}\n  OURS   {self.ours}\n"


def read_project(folder: Path, script: str, version: int) -> Project | list[Words]:
    """The project of a script, or what filtersql says of it."""
    (folder / "tables").mkdir(exist_ok=True)
    (folder / "tables" / "t.sql").write_text(f"-- filtersql: raw\n{script}", encoding="utf-8")
    settings = f"name: shop\nversion: 1\npostgres_version: {version}\n"
    (folder / "filtersql_project.yml").write_text(settings, encoding="utf-8")
    (folder / "profiles.yml").write_text(_PROFILES, encoding="utf-8")
    try:
        project = load(folder, judge=mistakes_in)
        compile_project(project)
    except (Mistake, Mistakes) as mistake:
        return OWN if is_own(mistake) else words_of(mistake)
    return project


def differences(
    connection: psycopg.Connection[Any], folder: Path, seed: str, version: int, length: int = 25
) -> Iterator[Difference | None]:
    """One random script; None for each statement that both answer alike."""
    with connection.transaction(force_rollback=True):
        connection.execute('CREATE SCHEMA s; CREATE SCHEMA "S x"')
        kept = ["CREATE SCHEMA s;", 'CREATE SCHEMA "S x";']
        generator = Generator(random.Random(seed), connection, version)
        for _ in range(length):
            generator.look()
            made = generator.statement()
            for statement in (made,) if isinstance(made, str) else made:
                connection.execute("SAVEPOINT kept")
                theirs = of_server_now(connection, statement)
                asked = "\n".join([*kept, f"{statement};"])
                ours = read_project(folder, asked, version)
                if ours == OWN:  # filtersql does not carry it out: the server forgets it
                    connection.execute("ROLLBACK TO kept")
                    continue
                if theirs is None:
                    kept.append(f"{statement};")
                    continue
                said = [] if isinstance(ours, Project) else ours
                if agree(theirs, said):
                    yield None
                else:
                    yield Difference(asked, theirs, said)
        script = "\n".join(kept)
        ours = read_project(folder, script, version)
        if not isinstance(ours, Project):
            yield Difference(script, None, ours)
            return
        theirs_, ours_ = of_postgres(connection, version), of_definitions(ours)
        for key in [*theirs_, *(one for one in ours_ if one not in theirs_)]:
            if theirs_.get(key) != ours_.get(key):
                yield Difference(f"{script}\n-- {key}", theirs_.get(key), ours_.get(key))
                return
        yield None


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--url", required=True)
    arguments.add_argument("--scripts", type=int, default=100)
    arguments.add_argument("--seed", default="1")
    arguments.add_argument("--length", type=int, default=25)
    asked = arguments.parse_args()
    counts: Counter[str] = Counter()
    began = time.monotonic()
    with (
        psycopg.connect(asked.url, autocommit=True) as connection,
        tempfile.TemporaryDirectory() as at,
    ):
        version = connection.info.server_version // 10000
        for number in range(asked.scripts):
            seed = f"{asked.seed}/{number}"
            for found in differences(connection, Path(at), seed, version, asked.length):
                counts["answers"] += 1
                if found is not None:
                    counts["differences"] += 1
                    print(f"== {seed}\n{found}", flush=True)
    print(f"{asked.scripts} scripts, {dict(counts)}, {time.monotonic() - began:.0f} s")
    return 1 if counts["differences"] else 0


if __name__ == "__main__":
    sys.exit(main())
