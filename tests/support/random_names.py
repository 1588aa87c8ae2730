"""What a server holds just now, from which random statements choose their names."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import psycopg

__all__ = ["Names"]

_NAMES = ("t", "u", "v", "w", "x", "y", '"T t"')


@dataclass
class Names:
    """Names that are there, and sometimes some that are not."""

    random: random.Random
    connection: psycopg.Connection[Any]
    version: int
    made: int = 0
    #: relation kinds by quoted name, columns by relation, publications, of the moment
    relations: dict[str, str] = field(default_factory=dict)
    columns: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    publications: list[str] = field(default_factory=list)
    schemas: list[str] = field(default_factory=list)

    def look(self) -> None:
        """Ask what there is."""
        run = self.connection.execute
        rows = run(
            "SELECT c.oid::regclass::text, relkind::text, coalesce(array_agg(quote_ident(attname)"
            " || ' ' || format_type(atttypid, atttypmod) ORDER BY attnum)"
            " FILTER (WHERE attnum > 0 AND NOT attisdropped), '{}')"
            " FROM pg_class c LEFT JOIN pg_attribute a ON attrelid = c.oid"
            " WHERE relnamespace::regnamespace::text NOT LIKE 'pg\\_%'"
            " AND relnamespace <> 'information_schema'::regnamespace AND relkind IN"
            " ('r', 'p', 'v', 'm', 'S', 'i', 'I') GROUP BY c.oid, relkind ORDER BY c.oid"
        ).fetchall()
        self.relations = {name: kind for name, kind, _ in rows}
        self.columns = {
            name: [(one.split(" ", 1)[0], one.split(" ", 1)[1]) for one in columns]
            for name, kind, columns in rows
            if kind in "rpvm"
        }
        self.publications = [
            name for (name,) in run("SELECT pubname FROM pg_publication ORDER BY oid").fetchall()
        ]
        self.schemas = [
            name
            for (name,) in run(
                "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%'"
                " AND nspname <> 'information_schema' ORDER BY oid"
            ).fetchall()
        ]

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def tables(self, kinds: str = "rp") -> list[str]:
        return [name for name, kind in self.relations.items() if kind in kinds]

    def table(self, kinds: str = "rp") -> str:
        """A relation, nearly always one of the kinds that is there."""
        known = self.tables(kinds)
        if self.chance(0.04) or not known:
            return str(self.pick("nope", "s.nope", "nope.t", *self.relations or ["nope"]))
        return self.random.choice(known)

    def schema(self, *others: str) -> str:
        if self.chance(0.05):
            return str(self.pick("nope", "nope", "CURRENT_SCHEMA", *others))
        return self.random.choice(self.schemas or ["nope"])

    def publication(self) -> str:
        if self.chance(0.04) or not self.publications:
            return "nope"
        return self.random.choice(self.publications)

    def column(self, table: str) -> str:
        known = [name for name, _ in self.columns.get(table, ())]
        if self.chance(0.04) or not known:
            return str(self.pick("zz", "ctid", "A", "oid"))
        return self.random.choice(known)

    def new_name(self) -> str:
        self.made += 1
        name = self.random.choice(_NAMES)
        if not self.chance(0.1):
            name = f'"T {self.made}"' if name.startswith('"') else f"{name}{self.made}"
        schema = self.random.choice([*self.schemas, "", "", ""])
        return f"{schema}.{name}" if schema else name
