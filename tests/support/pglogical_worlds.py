"""What a provider of pglogical has changed, as a feed, and what its subscriber holds in the end.

Example
    >>> write_feed(source, "slot", folder)                             # doctest: +SKIP
    >>> equal, differences = compared(folder, subscriber)              # doctest: +SKIP
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg
from feed import decoded, records
from pglogical_servers import ask
from rows import rows_of
from servers import Server

__all__ = ["compared", "remove", "write_feed"]


def write_feed(connection: psycopg.Connection[Any], slot: str, folder: Path) -> None:
    """All changes of the provider, as filtersql's native feed."""
    (folder / "changes").mkdir()
    lines = records(decoded(connection, slot, ["r"]), {})
    text = "".join(json.dumps(record) + "\n" for record in lines)
    (folder / "changes" / "1.jsonl").write_text(text, encoding="utf-8")


def compared(folder: Path, target: psycopg.Connection[Any]) -> tuple[list[int], list[str]]:
    """The targets beside the subscriber's tables."""
    results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
    met = {one["unique_id"]: one["conflicts"]["update_exists"] for one in results}
    equal: list[int] = []
    differences: list[str] = []
    for (subscription, relation), held in rows_of(folder, "dev").items():
        if met[f"{subscription}/{relation}"]:
            continue
        names = [name for name, _ in next(iter(held))] if held else []
        expected = arrived(target, relation, names)
        equal.append(expected.total())
        for side, rows in (("missing", expected - held), ("leaked", held - expected)):
            differences += [f"{relation}: {side} {dict(row)}" for row in rows]
    return equal, differences


def arrived(
    connection: psycopg.Connection[Any], relation: str, names: list[str]
) -> Counter[tuple[tuple[str, str], ...]]:
    """The rows of the subscriber's table, of the columns that are sent."""
    found = connection.execute(f"SELECT * FROM ONLY {relation}")
    columns = [column.name for column in found.description or ()]
    wanted = names or columns
    return Counter(
        tuple(
            sorted(
                (name, "NULL" if value is None else str(value))
                for name, value in zip(columns, row, strict=True)
                if name in wanted
            )
        )
        for row in found
    )


def remove(server: Server, provider: str, subscriber: str) -> None:
    """Drop the subscription, the nodes and the slot; a worker holds the databases until the end."""
    with server.connect(subscriber) as connection:
        if ask(connection, "SELECT 1 FROM pglogical.subscription"):
            connection.execute("SELECT pglogical.drop_subscription('sub')")
    for name in (subscriber, provider):
        with server.connect(name) as connection:
            connection.execute("SELECT pglogical.drop_node(%s)", (name,))
            connection.execute("DROP EXTENSION pglogical CASCADE")
    with server.connect(provider) as connection:
        drop = "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
        connection.execute(drop + " WHERE database = current_database() AND NOT active")
