"""With `on_conflict: error` a run stops where a live subscriber of PostgreSQL stops, with its rows.

Random publications, transactions and changes by hand of the subscriber's tables and of the targets;
rows that are in the way stop the apply worker, rows that are missing are skipped. All targets are
compared, those of subscriptions that stopped among them.

FILTERSQL_LIVE_SECONDS says for how long (10 without it); FILTERSQL_LIVE_SEED where to begin.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import duckdb
from live_worlds import TREE, World
from rows import rows_of
from servers import Server
from shop import Subscribed
from subscribers import caught_up, create_slot, subscribed
from test_publications_live import (
    RECORDERS,
    TABLES,
    arrived,
    complaints,
    execute,
    write_feed,
    write_project,
)

BUDGET = float(os.environ.get("FILTERSQL_LIVE_SECONDS", "10"))
FIRST = int(os.environ.get("FILTERSQL_LIVE_SEED", "1"))


@dataclass
class Keyed(World):
    """Worlds whose published tables have a key; without one no row can be in the way."""

    def _publication(self, name: str) -> str:
        while True:
            made = super()._publication(name)
            if "keyless" not in made and "ALL TABLES" not in made and "SCHEMA" not in made:
                return made

    def by_hand(self, relation: str) -> Iterator[str]:
        """What somebody does to one table of a subscriber; {} stands for its name."""
        k = {"mid": 2, "leaf2": 2, "leaf3": 3}.get(relation, 1)
        if self.random.random() < 0.4:
            yield f"DELETE FROM {{}} WHERE id = {self.random.randint(1, 8)}"
        if self.random.random() < 0.3:
            number = self.random.randint(1, 8)
            yield f"DELETE FROM {{}} WHERE k = {k} AND id = {number}"
            yield f"INSERT INTO {{}} VALUES ({k}, {number}, 77, NULL)"


def test_a_run_stops_where_a_subscriber_stops(
    postgres: Server, tmp_path: Path, announce: Callable[[str], None]
) -> None:
    """Every target holds the subscriber's rows, whether it stopped or not."""
    began, seed = time.monotonic(), FIRST
    targets = stopped = 0
    while seed == FIRST or time.monotonic() - began < BUDGET:
        compared, gave_up = play(postgres, seed, tmp_path / str(seed))
        targets, stopped, seed = targets + compared, stopped + gave_up, seed + 1
    announce(
        f"{seed - FIRST} worlds with on_conflict error: {targets} targets are equal to live"
        f" subscribers' tables, of which {stopped} subscribers had stopped"
    )
    assert targets


def play(server: Server, seed: int, folder: Path) -> tuple[int, int]:
    """One world: how many targets were compared, and how many subscribers stopped."""
    world = Keyed(random.Random(seed), columns_vary=False).build(subscriptions=3)
    publisher = server.create_database("live")
    with ExitStack() as stack:
        stack.callback(server.drop_database, publisher)
        connection = stack.enter_context(server.connect(publisher))
        connection.execute(world.tables + "".join(world.publications.values()) + RECORDERS)
        for statement in world.initial():
            connection.execute(statement)
        project = write_project(folder, world, connection)
        text = (folder / "subscriptions/s.yml").read_text()
        project.write(
            "subscriptions/s.yml", text.replace("{name: s", "{on_conflict: error, name: s")
        )
        project.write("changes/0.jsonl", "")
        project.succeed("run")
        for slot in ("rows", *TREE):
            create_slot(connection, f"{publisher}_{slot}")
        wanted = {
            name: Subscribed(publications, TABLES, world.tables)
            for name, publications in world.subscriptions.items()
        }
        with subscribed(server, publisher, wanted) as databases:
            change_by_hand(server, world, folder, databases)
            execute(connection, world.transactions(25))
            stopped = {
                name: not caught_up(server, connection, database)
                for name, database in databases.items()
            }
            write_feed(connection, publisher, folder)
            ended = project.shell.run("filtersql run")
            targets = rows_of(folder, "dev")
            for (subscription, relation), held in targets.items():
                with server.connect(databases[subscription]) as subscriber:
                    expected = arrived(subscriber, relation)
                assert held == expected, (
                    f"FILTERSQL_LIVE_SEED={seed}: {subscription} {relation}\n"
                    f"missing {expected - held}, leaked {held - expected}\n"
                    f"{ended.stderr}\n" + "\n".join(complaints(server))
                )
            for name, gave_up in stopped.items():
                if any(subscription == name for subscription, _ in targets):
                    assert gave_up == (f'"{name}/' in ended.stderr), f"{seed} {name} {ended.stderr}"
            return len(targets), sum(stopped.values())


def change_by_hand(server: Server, world: Keyed, folder: Path, databases: dict[str, str]) -> None:
    """The same in the subscribers' tables and in the targets."""
    targets = [*rows_of(folder, "dev")]
    with duckdb.connect(str(folder / "cases.duckdb")) as shelf:
        for subscription, relation in targets:
            for statement in world.by_hand(relation.partition(".")[2]):
                shelf.execute(statement.format(f"{subscription}.{relation.partition('.')[2]}"))
                with server.connect(databases[subscription]) as subscriber:
                    subscriber.execute(statement.format(relation))
