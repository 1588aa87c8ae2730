"""Worlds of the test of three engines: definitions, the source's first rows, what happens to them.

Each published table has some publications (replication sets) of its own, whose filters overlap;
all are subscribed to by one subscription, whose targets a run brings to one place of the feed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drawn_filters import Drawn
from manual_model import Member, Rules
from manual_worlds import PROFILES
from source_histories import COLUMNS, LEAVES, SHAPES, Row, Source, Statement
from subscriber_model import Held, Subscriber

__all__ = ["ACTIONS", "Publication", "Published", "World"]

ACTIONS = ("insert", "update", "delete", "truncate")
RULES = {
    "postgres": Rules(
        update="old_new", delete="old_filter", combine="or_per_action", unfiltered_cancels=True,
        missing="insert",
    ),
    **PROFILES,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication or a replication set: what it publishes of one table or tree."""

    actions: tuple[str, ...]
    #: relation -> its filter; None: every row
    filters: Mapping[str, Drawn | None]
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """A table, how it logs old rows, and who publishes it."""

    shape: str
    identity: str
    publications: tuple[Publication, ...]
    #: publish_via_partition_root, as a tree's publications say it
    via_root: bool


@dataclass(frozen=True, slots=True)
class World:
    """One example of the property."""

    profile: str
    tables: tuple[Published, ...]
    #: the flag of the command line, which goes before what publications say
    flag: bool | None
    on_conflict: str | None
    first: tuple[Statement, ...]
    #: what each run finds: transactions, of which the feed may have told the names
    pieces: tuple[tuple[tuple[Statement, ...], ...], ...]
    told: bool
    #: whether a transaction goes on in the next piece
    cut_within: bool

    def definitions(self) -> dict[str, str]:
        """Tables, publications and the subscription."""
        ddl = ""
        for table in self.tables:
            ddl += SHAPES[table.shape].ddl + _identity(table)
        write = {"postgres": _postgres, "xdb": _xdb}.get(self.profile, _sets)
        suffix, text, named = write(self)
        conflict = "" if self.on_conflict is None else f", on_conflict: {self.on_conflict}"
        return {
            "tables/t.sql": ddl,
            f"publications/p.{suffix}": text,
            "subscriptions/s.yml": f"subscriptions:\n  - {{name: s, {named}{conflict}, target:"
            ' "{subscription}.{table}", source: {path: "source/{table}.jsonl"},'
            ' changes: {path: "changes/*.jsonl"}}\n',
        }

    def happened(self) -> tuple[dict[str, list[Row]], list[list[dict[str, Any]]]]:
        """The rows of each relation at the start, and the pieces of the feed."""
        source = Source(
            {table.shape: SHAPES[table.shape] for table in self.tables},
            {table.shape: table.identity for table in self.tables},
        )
        for statement in self.first:
            source.carry_out(statement)
        names = [name for table in self.tables for name in SHAPES[table.shape].relations]
        held = {name: source.rows_of(name) for name in names}
        source.records.clear()
        pieces: list[list[dict[str, Any]]] = []
        seq = number = 0
        for piece in self.pieces:
            records = []
            number -= int(self.cut_within and number > 0)
            for transaction in piece:
                number += 1
                tx = {"tx": str(number)} if self.told else {}
                for statement in transaction:
                    source.carry_out(statement)
                for record in source.records:
                    seq += 1
                    records.append({"seq": seq, **tx, **record})
                source.records.clear()
            pieces.append(records)
        return held, pieces

    def subscriber(self, held: Mapping[str, Sequence[Row]]) -> Subscriber:
        """The model, with its initial copy."""
        targets = [target for table in self.tables for target in _targets(self, table)]
        for target in targets:
            target.copy([row for name in target.sources for row in held[name]])
        return Subscriber(targets)

    def __repr__(self) -> str:
        held, pieces = self.happened()
        flag = "" if self.flag is None else f"via_partition_root={self.flag}\n"
        said = [f"{self.profile}\n{flag}", *self.definitions().values()]
        said += [f"{name}: {row}\n" for name, rows in held.items() for row in rows]
        for number, piece in enumerate(pieces, 1):
            said += [f"run {number}\n", *(json.dumps(record) + "\n" for record in piece)]
        return "\n" + "".join(said)


def _identity(table: Published) -> str:
    """ALTER TABLE … REPLICA IDENTITY of a table, or of a tree and its partitions."""
    said = {"default": "", "full": "FULL", "nothing": "NOTHING", "index": "USING INDEX x_v"}
    words = said[table.identity]
    relations = SHAPES[table.shape].relations if words else ()
    return "".join(f"ALTER TABLE {name} REPLICA IDENTITY {words};\n" for name in relations)


def _publications(world: World) -> list[tuple[str, Published, Publication]]:
    return [
        (f"p{number}_{table.shape}", table, publication)
        for table in world.tables
        for number, publication in enumerate(table.publications, 1)
    ]


def _postgres(world: World) -> tuple[str, str, str]:
    text, publications = "", _publications(world)
    for name, table, publication in publications:
        listed = "" if publication.columns is None else f" ({', '.join(publication.columns)})"
        objects = ", ".join(
            f"{relation}{listed}" + ("" if drawn is None else f" WHERE ({drawn.text})")
            for relation, drawn in publication.filters.items()
        )
        via = ", publish_via_partition_root" if table.via_root else ""
        publish = ", ".join(publication.actions)
        options = f"(publish = '{publish}'{via})"
        text += f"CREATE PUBLICATION {name} FOR TABLE {objects} WITH {options};\n"
    return "sql", text, f"publications: [{', '.join(name for name, _, _ in publications)}]"


def _xdb(world: World) -> tuple[str, str, str]:
    text, names, enabled = "publications:\n", [], []
    for name, _, publication in _publications(world):
        tables = []
        for relation, drawn in publication.filters.items():
            rules = "" if drawn is None else f'f: "{drawn.text}", '
            tables.append(f'{{name: {relation}, filters: {{{rules}never: "id = 77"}}}}')
            enabled += [] if drawn is None else [f"{relation}: f"]
        names.append(name)
        text += f"  - {{name: {name}, tables: [{', '.join(tables)}]}}\n"
    return "yml", text, f"publications: [{', '.join(names)}], filters: {{{', '.join(enabled)}}}"


def _sets(world: World) -> tuple[str, str, str]:
    text, names = "replication_sets:\n", []
    for name, _, publication in _publications(world):
        flags = "".join(
            f", replicate_{action}: false"
            for action in ACTIONS
            if action not in publication.actions
        )
        listed = ""
        if publication.columns is not None:
            listed = f", columns: [{', '.join(publication.columns)}]"
        tables = ", ".join(
            f"{{name: {relation}{listed}"
            + ("" if drawn is None else f', row_filter: "{drawn.text}"')
            + "}"
            for relation, drawn in publication.filters.items()
        )
        names.append(name)
        text += f"  - {{name: {name}{flags}, tables: [{tables}]}}\n"
    return "yml", text, f"replication_sets: [{', '.join(names)}]"


def _targets(world: World, table: Published) -> list[Held]:
    """The targets of a table or of a tree, without rows."""
    shape = SHAPES[table.shape]
    relations = shape.relations
    via = world.flag if world.flag is not None else table.via_root
    at_root = any("root" in one.filters for one in table.publications)
    postgres = world.profile == "postgres"
    if table.shape != "root":
        return [_held(world, table, table.shape, relations, relations)]
    if at_root and (via or not postgres):
        return [_held(world, table, "root", LEAVES, ("root",))]
    return [
        _held(world, table, leaf, (leaf,), (leaf,))
        for leaf in LEAVES
        if any(leaf in one.filters or "root" in one.filters for one in table.publications)
    ]


def _held(
    world: World, table: Published, name: str, sources: Sequence[str], truncated: Sequence[str]
) -> Held:
    """One target; who publishes it under this name, and what only displaced publications do."""
    shape, members, leaked = SHAPES[table.shape], [], {}
    for publication in table.publications:
        if name in publication.filters or (name in LEAVES and "root" in publication.filters):
            # A root's filter does not count for a partition that is published under its own name.
            members.append(Member(frozenset(publication.actions), publication.filters.get(name)))
        elif name == "root" and world.profile == "postgres":
            for action in publication.actions:
                leaked.setdefault(action, set()).update(publication.filters)
    lists = [one.columns for one in table.publications if one.columns is not None]
    listed = {column for each in lists for column in each}
    return Held(
        name,
        tuple(sources),
        tuple(truncated),
        members,
        RULES[world.profile],
        shape.key if table.identity != "nothing" else (),
        COLUMNS if table.identity == "full" else shape.key,
        tuple(column for column in COLUMNS if column in listed or not lists),
        world.on_conflict,
        {action: frozenset(leaves) for action, leaves in leaked.items()},
    )
