"""Records what Debezium writes of one table under each way to set its encodings up.

    python tests/recorders/debezium_modes.py --output tests/data/feeds/debezium_modes

Left there: changes/<way>.jsonl.gz with schemas, table.sql, and expected.jsonl: the rows as
PostgreSQL prints them at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from foreign_feeds import debezium
from recorded import write, write_rows
from servers import Server, serve

__all__ = ["COLUMNS", "WAYS"]

#: columns, their types and values as SQL
COLUMNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "wide": ("double precision", ("0.1", "-1e-300", "NULL")),
    "money2": ("numeric(10,2)", ("1.50", "-99999999.99", "NULL")),
    "big": ("numeric(30,4)", ("12345678901234567890.1234", "-0.0001", "NULL")),
    "loose": ("numeric", ("1.50", "1e20", "NULL")),
    "sums": ("numeric(6,2)[]", ("'{1.50,NULL}'", "'{}'", "NULL")),
    "raw": ("bytea", ("'\\x00fffbf0'", "'\\x'", "'\\xfbff'")),
    "day": ("date", ("'2024-02-29'", "'9999-12-31'", "NULL")),
    "days": ("date[]", ("'{2024-02-29,NULL}'", "'{}'", "NULL")),
    "hour": ("time", ("'12:34:56.789012'", "'00:00'", "NULL")),
    "hour3": ("time(3)", ("'12:34:56.789'", "'23:59:59.999'", "NULL")),
    "moment": ("timestamp", ("'2024-02-29 12:34:56.789012'", "'infinity'", "NULL")),
    "moment3": ("timestamp(3)", ("'2024-02-29 12:34:56.789'", "'1600-12-31 23:59:59.9'", "NULL")),
    "moments": ("timestamp[]", ("'{\"2024-02-29 12:34:56.789012\"}'", "'{}'", "NULL")),
    "moments3": ("timestamp(3)[]", ("'{\"2024-02-29 12:34:56.789\"}'", "'{}'", "NULL")),
    "instant": ("timestamptz", ("'2024-02-29 12:34:56.789012+02'", "'-infinity'", "NULL")),
    "instants": ("timestamptz[]", ("'{\"2024-02-29 12:34:56.789012+02\"}'", "'{}'", "NULL")),
    "spell": ("interval", ("'1 year 2 mons -3 days 04:05:06.789'", "'-00:01'", "NULL")),
}  # fmt: skip
#: Debezium's settings
WAYS = {
    "connect": {
        "time.precision.mode": "connect",
        "decimal.handling.mode": "double",
        "binary.handling.mode": "base64",
    },
    "isostring": {
        "time.precision.mode": "isostring",
        "decimal.handling.mode": "string",
        "binary.handling.mode": "base64-url-safe",
    },
    "microseconds": {
        "time.precision.mode": "microseconds",
        "binary.handling.mode": "hex",
        "interval.handling.mode": "numeric",
    },
    "nanoseconds": {"time.precision.mode": "nanoseconds"},
}
_NAMES = ", ".join(COLUMNS)
_TABLE = f"""CREATE TABLE t (
  id int PRIMARY KEY,
  {", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())}
);
ALTER TABLE t REPLICA IDENTITY FULL;
"""


def record(server: Server, output: Path) -> None:
    """Three rows before the snapshot; afterwards they are changed and others come."""
    publisher = server.create_database("modes")
    with contextlib.ExitStack() as stack:
        stack.callback(server.drop_database, publisher)
        connection = stack.enter_context(server.connect(publisher))
        connection.execute(_TABLE)
        for number in range(3):
            connection.execute(f"INSERT INTO t VALUES ({number}, {_values(number)})")
        ways = {way: {**own, "converter.schemas.enable": "true"} for way, own in WAYS.items()}
        with debezium(server, connection, publisher, ways) as texts:
            for number in range(3):
                connection.execute(f"INSERT INTO t VALUES ({number + 7}, {_values(number)})")
                connection.execute(
                    f"UPDATE t SET ({_NAMES}) = ROW ({_values(number + 1)}) WHERE id = {number}"
                )
            connection.execute("DELETE FROM t WHERE id = 8")
        for way, text in texts().items():
            write(output / "changes" / f"{way}.jsonl.gz", text)
        write_rows(output / "expected.jsonl", connection, "t")
        write(output / "table.sql", "-- filtersql: raw\n" + _TABLE)


def _values(number: int) -> str:
    return ", ".join(values[number % len(values)] for _, values in COLUMNS.values())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--port", type=int, help="a running PostgreSQL 18")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        server = Server(options.port) if options.port else stack.enter_context(serve())
        record(server, options.output)


if __name__ == "__main__":
    main()
