"""The corpus of filters on the whole line: a live subscriber beside `filtersql run` on DuckDB.

    python tests/support/whole_line.py [FAMILY …] [--shape wide] [--form scalars] [--each 14]
        [--share 0.1]

For each filter of tests/support/filter_corpus.py a table of its columns, a publication with the
filter, and rows chosen to hurt: some are there before anybody subscribes, some are inserted, and
UPDATE and DELETE move them in and out. A subscription of a second database says which rows a
subscriber holds, and with which texts; the same changes, decoded by pgoutput without any filter,
are the feed of a project that `filtersql run` applies. What raises in PostgreSQL stands in the feed
too: it has to be put into quarantine. Every column of every row is compared as text.

FILTERSQL_POSTGRES names the server, with wal_level = logical; without it one is started.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import duckdb
from filter_corpus import COLUMNS, create_table, families
from line_compared import compare
from line_filters import SHAPES, Line, Tally, lengthen, lines
from line_projects import FORMS, project, raising_inserts, run
from line_tables import carry_out, fill_values, is_copied, printed_rows
from places import RECORDERS
from psycopg.conninfo import conninfo_to_dict

sys.path.insert(0, str(RECORDERS))
from feed import decoded, records
from servers import Server, serve
from shop import Subscribed
from subscribers import caught_up, create_slot, subscribed

__all__ = ["play"]

#: so many filters are in one project, and have one subscription
TOGETHER = 120


def play(
    server: Server,
    folder: Path,
    chosen: Sequence[str] = (),
    *,
    shape: str = "key",
    form: str = "strings",
    each: int = 14,
    share: float = 1,
) -> Iterator[Tally]:
    """All that was tried so far, after each project; `share` of the filters are drawn."""
    if shape == "wide":
        lengthen()
    tally = Tally()
    database = server.create_database("line_corpus")
    try:
        with server.connect(database) as connection:
            create_table(connection)
            for family in families(chosen):
                every = list(lines(connection, [family], each, tally, shape, share))
                for start in range(0, len(every), TOGETHER):
                    batch = every[start : start + TOGETHER]
                    _together(server, batch, folder / f"{family}{start}", form, tally)
                    yield tally
    finally:
        server.drop_database(database)


def _together(server: Server, batch: Sequence[Line], folder: Path, form: str, tally: Tally) -> None:
    """One subscription of some filters, and one project."""
    publisher = server.create_database("line")
    with ExitStack() as stack:
        stack.callback(server.drop_database, publisher)
        connection = stack.enter_context(server.connect(publisher))
        for line in batch:
            connection.execute(line.ddl)
            connection.execute(line.publication)
        connection.execute("CREATE PUBLICATION recorder FOR ALL TABLES")
        steps = {line.name: fill_values(connection, line) for line in batch}
        for line in batch:
            carry_out(connection, line, steps[line.name], 0)
            if not is_copied(connection, line):
                tally.copy_raises.append(line.answer.text)
        sources = {line.name: printed_rows(connection, line) for line in batch}
        create_slot(connection, f"{publisher}_rows")
        wanted = Subscribed(
            tuple(f"p_{line.name}" for line in batch), (), "".join(line.ddl for line in batch)
        )
        databases = stack.enter_context(subscribed(server, publisher, {"s": wanted}))
        for step in (1, 2):
            for line in batch:
                carry_out(connection, line, steps[line.name], step)
        assert caught_up(server, connection, databases["s"])
        feed = list(records(decoded(connection, f"{publisher}_rows", ["recorder"]), {}))
        kinds = {name: COLUMNS[name] for line in batch for name in line.rows.names}
        raising = raising_inserts(batch, feed[-1]["seq"] + 1 if feed else 1, connection)
        project(folder, batch, sources, [*feed, *raising[0]], form, kinds)
        code, said = run(folder)
        if code:
            tally.failed.append(f"{folder.name}: the run ended with {code}: {said[-1500:]}")
            return
        with (
            server.connect(databases["s"]) as subscriber,
            closing(duckdb.connect(str(folder / "line.duckdb"))) as target,
        ):
            target.execute("SET TimeZone = 'UTC'")
            for line in batch:
                compare(line, subscriber, target, raising[1][line.name], tally)
        tally.changes += len(feed)


def main() -> None:
    """Play the families that are named, or all."""
    parser = argparse.ArgumentParser(description="The corpus on the whole line.")
    parser.add_argument("family", nargs="*")
    parser.add_argument("--shape", choices=SHAPES, default=SHAPES[0])
    parser.add_argument("--form", choices=FORMS, default=FORMS[0])
    parser.add_argument("--each", type=int, default=14, help="rows of a filter")
    parser.add_argument("--share", type=float, default=1, help="of the filters")
    asked = parser.parse_args()
    began, told, tally = time.monotonic(), 0, Tally()
    named = os.environ.get("FILTERSQL_POSTGRES")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = _server(named) if named else stack.enter_context(serve())
        options = {"shape": asked.shape, "form": asked.form}
        for tally in play(
            server, folder, asked.family, each=asked.each, share=asked.share, **options
        ):
            print(
                *tally.failed[told:], tally.short(), f"{time.monotonic() - began:.0f} s", sep="\n"
            )
            told = len(tally.failed)
    for text, count in tally.stopped.most_common():
        print(f"here alone, {count} rows: {text}")
    sys.exit(bool(told))


def _server(named: str) -> Server:
    told = conninfo_to_dict(named)
    return Server(int(told["port"]), None, str(told["host"]), str(told["user"]))


if __name__ == "__main__":
    main()
