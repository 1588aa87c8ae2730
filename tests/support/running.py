"""Targets for tests of feeds, engines and runs: rendered as a compile does, filters given as SQL.

world = World(tmp_path, engine="duckdb")
world.publish(table("t1", a="int4!", b="int4"), where="{p}a > 5")
world.feed([insert("t1", a=7, b=1)])
world.run()
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace
from places import HOME

from filtersql import publications
from filtersql.catalog import Catalog, Column, PgType, ReplicaIdentity, Table
from filtersql.changes import judgements
from filtersql.definitions.model import (
    Definitions,
    Feed,
    Publication,
    PublishedTable,
    SourceOfTables,
    Subscription,
)
from filtersql.feeds.landings import Landing, Share
from filtersql.filters.model import Filter
from filtersql.names import RelationName
from filtersql.rendering import Destination, compiled_table
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import Inputs, Options, RunResult, ledger_writer, run
from filtersql.run.ledger_entry import Entry
from filtersql.semantics import POSTGRES, Semantics
from filtersql.source import Passage, Source
from filtersql.targets.model import Engine

MACROS = HOME / "macros"
SOURCE = Source("project.yml", "")
SPAN = SOURCE.span(0, 0)


def table(
    name: str, *, key: tuple[str, ...] = ("a",), schema: str = "public", **columns: str
) -> Table:
    """A table: `a="int4!"` is NOT NULL, `c="numeric(10,2)"` has a typmod."""
    return Table(
        RelationName(schema, name),
        tuple(_column(column, written) for column, written in columns.items()),
        SPAN,
        primary_key=key,
        replica_identity=ReplicaIdentity(),
    )


def pg_type(written: str) -> PgType:
    """`numeric(10,2)`, `bpchar(3)`, `int4`."""
    name, _, modifiers = written.rstrip(")").partition("(")
    if not modifiers:
        return PgType(name)
    numbers = [int(number) for number in modifiers.split(",")]
    if name == "numeric":
        scale = numbers[1] if len(numbers) > 1 else 0
        return PgType(name, ((numbers[0] << 16) | (scale & 0x7FF)) + 4)
    return PgType(name, numbers[0] + (4 if name in ("varchar", "bpchar") else 0))


def _column(name: str, written: str) -> Column:
    return Column(name, pg_type(written.rstrip("!")), SPAN, not_null=written.endswith("!"))


@dataclass
class World:
    """A project in a folder, its engine and its runs."""

    root: Path
    engine: str = "duckdb"
    catalog_name: str | None = None
    tables: dict[RelationName, Table] = field(default_factory=dict)
    published: list[PublishedTable] = field(default_factory=list)
    subscription: Subscription = field(
        default_factory=lambda: Subscription(
            "s1", SPAN, (("p1", SPAN),), changes=Feed(SPAN, path="changes/*.jsonl")
        )
    )
    via_root: bool = False
    semantics: Semantics = POSTGRES

    def add(self, *tables: Table) -> World:
        """Define tables without publishing them."""
        self.tables |= {one.name: one for one in tables}
        return self

    def publish(self, one: Table, where: str | None = None) -> World:
        """Define and publish a table; `where` is SQL in which {p} stands before each column."""
        self.add(one)
        passage = None if where is None else Passage(where, SOURCE)
        self.published.append(PublishedTable(one.name, SPAN, where=passage))
        return self

    def subscribe(self, **fields: object) -> World:
        """Change the subscription."""
        self.subscription = replace(self.subscription, **fields)
        return self

    def source(self, **fields: object) -> World:
        """Say where the published tables can be read."""
        return self.subscribe(source=SourceOfTables(SPAN, **fields))

    def write(self, path: str, records: list[dict] | bytes) -> None:
        """Write a file of JSON lines."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(records, list):
            records = "".join(json.dumps(record) + "\n" for record in records).encode()
        file.write_bytes(records)

    def feed(self, records: list[dict] | bytes, name: str = "1") -> World:
        """Write a feed file; records without seq are numbered."""
        if isinstance(records, list):
            records = [{"seq": seq, **record} for seq, record in enumerate(records, 1)]
        self.write(f"changes/{name}.jsonl", records)
        return self

    def compiled(self) -> list[CompiledTable]:
        """All targets of the subscription."""
        publication = Publication(
            "p1", SPAN, tuple(self.published), via_partition_root=self.via_root
        )
        definitions = Definitions(
            Catalog(self.tables), {"p1": publication}, {}, {"s1": self.subscription}
        )
        goal = Destination(
            self.engine,  # type: ignore[arg-type]
            self.catalog_name,
            None,
            self.engine == "spark" and self.catalog_name is None,
            (MACROS,),
        )
        return [
            compiled_table(resolved, judgements(resolved, _filter), _write, goal)
            for resolved in publications.resolve(
                self.subscription, definitions, semantics=self.semantics
            )
        ]

    def inputs(self) -> Inputs:
        """What a run reads of the project."""
        return Inputs(self.root, Catalog(self.tables), {"s1": self.subscription})

    def share(self, landings: list[Landing], folder: Path) -> Share:
        """What a reader of the feed is told."""
        changes, catalog = self.subscription.changes, Catalog(self.tables)
        return Share(changes, catalog, landings, self.engine, folder)  # type: ignore[arg-type]

    def run(self, engine, on_event=None, **options: bool | None) -> RunResult:
        """Compile and run."""
        return run(self.inputs(), {"s1": self.compiled()}, engine, Options(**options), on_event)


def _filter(contribution) -> Filter:
    passage = contribution.where
    columns = dict.fromkeys(_names(passage.text), SPAN)
    return Filter(passage, None, passage.text, columns)  # type: ignore[arg-type]


def _names(where: str) -> list[str]:
    import re

    return re.findall(r"\{p\}(\w+)", where)


def _write(row_filter: Filter, prefix: str) -> str:
    return row_filter.text.text.format(p=prefix)


def insert(relation: str, **after: object) -> dict:
    return {"op": "insert", "relation": f"public.{relation}", "after": after}


def delete(relation: str, **before: object) -> dict:
    return {"op": "delete", "relation": f"public.{relation}", "before": before}


def update(relation: str, before: dict | None = None, **after: object) -> dict:
    return {"op": "update", "relation": f"public.{relation}", "before": before, "after": after}


def truncate(relation: str, **more: object) -> dict:
    return {"op": "truncate", "relation": f"public.{relation}", **more}


def forget_the_end(engine: Engine, compiled: CompiledTable, times: int = 1) -> None:
    """As if the process had died between the MERGE's commit and the ledger's; so many commits."""
    table = engine.table_sql(("filtersql", "ledger"))
    last = int(str(engine.rows(f"SELECT MAX(ordinal) FROM {table}")[0][0]))
    for ordinal in range(last + 1, last + 1 + times):
        entry = Entry(
            ordinal=ordinal,
            subscription="s1",
            relation_schema="public",
            relation_name="t1",
            target=compiled.target_sql,
            filter_hash=compiled.filter_hash,
            via_partition_root=compiled.via_partition_root,
            generation=1,
            phase="applying",
            position=5,
        )
        ledger_writer.append(engine, "filtersql", [entry])
