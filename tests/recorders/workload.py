"""Records a workload of a real PostgreSQL: a project, its feed, and what subscribers held.

    python tests/recorders/workload.py --output recorded --changes 100000 --seed 1

A PostgreSQL 18 is started (or the one that --port names is used), with a publisher's database and
one for each subscription, which really subscribes with the same row filters. Left in the folder:

    filtersql_project.yml profiles.yml tables/ publications/ subscriptions/    the project
    source/<table>.jsonl            the rows that were there before the feed
    changes/0001.jsonl …            the feed, decoded from a slot without row filters
    expected/<subscription>/<table>.jsonl      the subscriber's rows at the end
    mix.json                        what the workload was made of
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shop
from feed import Record, decoded, records, truncated
from history import History, Statement
from mix import Mix, measured
from psycopg import Connection
from recorded import keep_expected, write, write_lines, write_rows
from subscribers import create_slot, subscribed

if TYPE_CHECKING:
    from servers import Server

__all__ = ["record"]

_FILES = 4
_RECORDING = """
CREATE PUBLICATION recorded_rows FOR TABLES IN SCHEMA shop;
CREATE PUBLICATION recorded_roots FOR TABLES IN SCHEMA shop
  WITH (publish = 'truncate', publish_via_partition_root = true);
"""


def record(
    server: Server,
    output: Path,
    *,
    changes: int,
    seed: int,
    truncates: int = 20,
    initial: int = 1000,
) -> Mix:
    """Run the workload; write the project, the feed and what the subscribers held."""
    publisher = server.create_database("publisher")
    with contextlib.ExitStack() as stack:
        stack.callback(server.drop_database, publisher)
        connection = stack.enter_context(server.connect(publisher))
        connection.execute(shop.TABLES + shop.PUBLICATIONS + _RECORDING)
        history = History(seed)
        _execute(connection, [list(history.initial(initial))])
        for file, text in shop.project_files().items():
            write(output / file, text)
        for name in _published(connection):
            write_rows(output / "source" / f"{name}.jsonl", connection, name)
        for slot in ("rows", "roots", *shop.SUBSCRIPTIONS):
            create_slot(connection, f"{publisher}_{slot}")
        with subscribed(server, publisher, shop.SUBSCRIPTIONS) as databases:
            _execute(connection, history.transactions(changes, max(changes // 700, 5), truncates))
            expected = output / "expected"
            keep_expected(server, connection, databases, shop.SUBSCRIPTIONS, expected)
        mix = _decode(connection, publisher, output / "changes")
    (output / "mix.json").write_text(json.dumps(asdict(mix), indent=2) + "\n")
    return mix


def _execute(connection: Connection[Any], transactions: Iterable[list[Statement]]) -> None:
    """Each list of statements as one transaction; a pipeline saves the waits between them."""
    for statements in transactions:
        with connection.pipeline():
            connection.execute("BEGIN")
            for text, values in statements:
                connection.execute(text, values)
            if statements[-1][0] != "ROLLBACK":
                connection.execute("COMMIT")


def _decode(connection: Connection[Any], publisher: str, folder: Path) -> Mix:
    """Write the feed out of the slots, and count what it was made of."""
    rows = list(decoded(connection, f"{publisher}_rows", ["recorded_rows"]))
    via_root = decoded(connection, f"{publisher}_roots", ["recorded_roots"])
    roots = {each.lsn: truncated(each) for each in via_root if truncated(each)}
    _write_feed(folder, list(records(rows, roots)))
    sent = {
        name: {
            each.lsn: each.message
            for each in decoded(connection, f"{publisher}_{name}", wanted.publications)
        }
        for name, wanted in shop.SUBSCRIPTIONS.items()
    }
    return measured(rows, sent)


def _published(connection: Connection[Any]) -> list[str]:
    """Every table of the schema, roots and leaves."""
    query = "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'p')"
    found = connection.execute(query + " AND relnamespace = 'shop'::regnamespace ORDER BY 1")
    return [name for (name,) in found]


def _write_feed(folder: Path, feed: list[Record]) -> None:
    """Files of about the same length; each ends where a transaction does."""
    number, part = 1, []
    for position, each in enumerate(feed, 1):
        part.append(each)
        long_enough = each["op"] == "commit" and len(part) * _FILES >= len(feed)
        if long_enough or position == len(feed):
            write_lines(folder / f"{number:04}.jsonl", part)
            number, part = number + 1, []


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, required=True, help="a folder, made when missing")
    parser.add_argument("--changes", type=int, default=100_000, help="row changes, about")
    parser.add_argument("--truncates", type=int, default=20, help="TRUNCATE statements")
    parser.add_argument("--initial", type=int, default=1000, help="rows before the feed begins")
    parser.add_argument("--seed", type=int, default=1, help="the same seed, the same statements")
    parser.add_argument("--port", type=int, help="a server on this machine, in place of a new one")
    return parser.parse_args()


def main() -> None:
    """Record a workload and print its mix."""
    given = _arguments()
    sys.path.append(str(Path(__file__).parents[1] / "support"))
    from servers import Server, serve

    with contextlib.ExitStack() as stack:
        server = Server(given.port) if given.port else stack.enter_context(serve())
        mix = record(
            server,
            given.output,
            changes=given.changes,
            seed=given.seed,
            truncates=given.truncates,
            initial=given.initial,
        )
    print(mix)


if __name__ == "__main__":
    main()
