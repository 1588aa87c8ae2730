"""Random tables, partition trees and publications, as records and as DDL, and a workload."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from filtersql.catalog import Catalog, Column, Generated, Identity, PgType, ReplicaIdentity, Table
from filtersql.definitions.model import (
    Action,
    Definitions,
    Publication,
    PublishedTable,
    Subscription,
)
from filtersql.names import RelationName
from filtersql.source import Passage, Source

SPAN = Source("p.sql", "x").span(0, 1)
INT = PgType("int4")
COLUMNS = ("k", "id", "b", "c")
KEYS = {"leaf1": 1, "leaf2": 2, "leaf3": 3, "leaf4": 4}
#: schema, name, what it is, parent; a leaf of list partitions holds the k of KEYS
TREE = (
    ("public", "root", "root", None),
    ("s", "mid", "root", ("public", "root")),
    ("public", "leaf1", "leaf", ("s", "mid")),
    ("s", "leaf2", "leaf", ("s", "mid")),
    ("public", "leaf3", "leaf", ("public", "root")),
    ("s", "leaf4", "leaf", ("public", "root")),
    ("public", "empty", "root", None),
    ("public", "plain", "plain", None),
    ("s", "other", "plain", None),
    ("public", "keyless", "keyless", None),
    ("public", "parent", "plain", None),
    ("public", "child", "heir", ("public", "parent")),
    ("s", "grandchild", "heir", ("public", "child")),
    ("public", "gen", "generated", None),
    ("s", "calc", "virtual", None),
    ("public", "noisy", "unlogged", None),
)
MIDDLE_KEYS = (1, 2)


def name_of(pair: tuple[str, str]) -> RelationName:
    return RelationName(*pair)


@dataclass
class World:
    """One random project: records, and the DDL that makes the same on the server."""

    random: random.Random
    version: int = 18
    tables: dict[RelationName, Table] = field(default_factory=dict)
    ddl: list[str] = field(default_factory=list)
    publications: list[Publication] = field(default_factory=list)

    def build(self) -> World:
        for schema, name, kind, parent in TREE:
            if kind == "virtual" and self.version < 18:
                continue
            self._table(RelationName(schema, name), kind, name_of(parent) if parent else None)
        for number in range(self.random.randint(1, 4)):
            self._publication(f"p{number}")
        return self

    def _table(self, name: RelationName, kind: str, parent: RelationName | None) -> None:
        columns = tuple(Column(each, INT, SPAN) for each in COLUMNS)
        table = Table(name, columns, SPAN, ("k", "id"), f"{name.name}_pkey")
        head = f"CREATE TABLE {name} (k int, id int, b int, c int"
        if kind == "root":
            table = replace(table, partition_by=("list", ("k",)))
        if kind == "leaf" or (kind == "root" and parent):
            table = replace(table, partition_of=parent)
            keys = f"{KEYS[name.name]}" if kind == "leaf" else ", ".join(map(str, MIDDLE_KEYS))
            head = f"CREATE TABLE {name} PARTITION OF {parent} FOR VALUES IN ({keys})"
        elif kind == "heir":
            table = replace(table, inherits=(parent,)) if parent else table
            head = f"CREATE TABLE {name} (PRIMARY KEY (k, id)) INHERITS ({parent})"
        elif kind == "keyless":
            table = replace(table, primary_key=(), primary_key_name=None)
            head += ")"
        elif kind in ("generated", "virtual"):
            how = Generated.STORED if kind == "generated" else Generated.VIRTUAL
            table = replace(table, columns=(*columns, Column("g", INT, SPAN, generated=how)))
            head += f", g int GENERATED ALWAYS AS (b * 2) {how}, PRIMARY KEY (k, id))"
        else:
            head += ", PRIMARY KEY (k, id))"
        if kind == "unlogged":
            head = head.replace("CREATE TABLE", "CREATE UNLOGGED TABLE")
            table = replace(table, unlogged=True)
        if kind == "root":
            head += " PARTITION BY LIST (k)"
        self.ddl.append(head)
        identity = self.random.choice([Identity.DEFAULT, Identity.FULL, Identity.FULL])
        if self.random.random() < 0.05:
            identity = Identity.NOTHING
        if kind == "virtual" and identity is Identity.FULL and self.random.random() < 0.7:
            identity = Identity.DEFAULT
        self.ddl.append(f"ALTER TABLE {name} REPLICA IDENTITY {identity}")
        self.tables[name] = replace(table, replica_identity=ReplicaIdentity(identity))

    def _publication(self, name: str) -> None:
        kind = self.random.choices(["tables", "schema", "both", "all"], [7, 2, 1, 1.5])[0]
        tables: tuple[PublishedTable, ...] = ()
        if kind in ("tables", "both"):
            tables = tuple(self._entry(kind) for _ in range(self.random.randint(1, 3)))
        actions = self.random.choice(
            [
                *[tuple(Action)] * 3,
                ("insert",),
                ("update",),
                ("delete",),
                ("insert", "truncate"),
                ("update", "delete"),
                ("insert", "update"),
                (),
            ]
        )
        self.publications.append(
            Publication(
                name,
                SPAN,
                tables,
                (self.random.choice(["public", "s"]),) if kind in ("schema", "both") else (),
                all_tables=kind == "all",
                publish=frozenset(map(Action, actions)),
                via_partition_root=self.random.random() < 0.5,
                generated_columns=self.random.choice(
                    ["none", "none", "stored" if self.version >= 18 else "none"]
                ),
                written_in="sql",
            )
        )

    def _entry(self, kind: str) -> PublishedTable:
        picked = list(self.tables)
        weights = [4 if each.name in (*KEYS, "root", "mid") else 1.5 for each in picked]
        weights = [
            0.2 if each.name == "noisy" else weight
            for each, weight in zip(picked, weights, strict=True)
        ]
        name = self.random.choices(picked, weights)[0]
        where = columns = None
        if self.random.random() < 0.6:
            column = self.random.choice(["id", "id", "id", "b", "c"])
            text = f"({column} {self.random.choice(['>', '<', '<>'])} {self.random.randint(1, 4)})"
            where = Passage(text, Source("p.sql", text))
        if self.random.random() < (0.15 if kind == "tables" else 0.05):
            known = [column.name for column in self.tables[name].columns]
            columns = tuple(
                dict.fromkeys(
                    ["k", "id", *self.random.choices([*known, "zz"], [*[9] * len(known), 0.3], k=2)]
                )
            )
            columns = columns if self.random.random() < 0.8 else columns[1:]
        return PublishedTable(name, SPAN, where, columns, only=self.random.random() < 0.3)

    @property
    def definitions(self) -> Definitions:
        names = tuple((each.name, SPAN) for each in self.publications)
        return Definitions(
            Catalog(self.tables),
            {each.name: each for each in self.publications},
            subscriptions={"s": Subscription("s", SPAN, names)},
        )


def publication_ddl(publication: Publication, version: int = 18) -> str:
    """CREATE PUBLICATION for a record."""
    generated = f", publish_generated_columns = {publication.generated_columns})"
    objects = [
        f"TABLE {'ONLY ' if each.only else ''}{each.name}"
        + (f" ({', '.join(each.columns)})" if each.columns is not None else "")
        + (f" WHERE ({each.where})" if each.where else "")
        for each in publication.tables
    ] + [f"TABLES IN SCHEMA {schema}" for schema in publication.schemas]
    what = "ALL TABLES" if publication.all_tables else ", ".join(objects)
    return (
        f"CREATE PUBLICATION {publication.name} FOR {what} WITH (publish = '"
        + ", ".join(publication.publish)
        + f"', publish_via_partition_root = {publication.via_partition_root}"
        + (generated if version >= 18 else ")")
    )


@dataclass(frozen=True)
class Change:
    """One statement, and the row changes that it makes: (leaf, action, old, new)."""

    statement: str
    rows: tuple[tuple[RelationName, Action, tuple[int, ...] | None, tuple[int, ...] | None], ...]
    truncated: RelationName | None = None


def workload(tables: Mapping[RelationName, Table], *, inserts_only: bool) -> Iterator[Change]:
    """Rows that enter, stay in, leave and miss the filters, in every table that has rows."""
    for name, table in tables.items():
        if table.partition_by is not None or table.unlogged:
            continue
        k = KEYS.get(name.name, 9)
        rows = [(k, 1, 1, 4), (k, 2, 4, 1), (k, 3, 3, 3), (k, 4, 2, 2)]
        for row in rows:
            yield Change(f"INSERT INTO {name} VALUES {row}", ((name, Action.INSERT, None, row),))
        if inserts_only:
            continue
        for old, new in [(0, (1, 4, 4)), (1, (5, 4, 1)), (2, (0, 1, 1)), (3, (4, 2, 0))]:
            image = (k, *new)
            yield Change(
                f"UPDATE ONLY {name} SET id = {new[0]}, b = {new[1]}, c = {new[2]}"
                f" WHERE id = {rows[old][1]}",
                ((name, Action.UPDATE, rows[old], image),),
            )
            rows[old] = image
        for row in rows[:3]:
            yield Change(
                f"DELETE FROM ONLY {name} WHERE id = {row[1]}", ((name, Action.DELETE, row, None),)
            )
    if not inserts_only:
        old, new = (3, 4, 2, 0), (2, 4, 2, 0)
        leaf3, leaf2 = RelationName("public", "leaf3"), RelationName("s", "leaf2")
        # leaf2 holds the row (2, 4, 2, 0) already, so it goes first.
        yield Change("DELETE FROM s.leaf2", ((leaf2, Action.DELETE, new, None),))
        moved = ((leaf3, Action.DELETE, old, None), (leaf2, Action.INSERT, None, new))
        yield Change("UPDATE public.root SET k = 2 WHERE k = 3", moved)
    for name, table in tables.items():
        if not table.unlogged:
            only = "" if table.partition_by else "ONLY "
            yield Change(f"TRUNCATE {only}{name}", (), name)
