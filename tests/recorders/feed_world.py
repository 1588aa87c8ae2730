"""A small world that other tools record: every type, key changes, TOAST, partitions, copies.

`TABLES`, `PUBLICATIONS` and `SUBSCRIPTIONS` are a publisher's DDL and what live subscribers take of
it; `initial()` and `transactions()` are statements, the same for each seed. `leaf_truncates`: a
partition tree is truncated too, which some feeds cannot tell apart from its leaves.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from shop import Subscribed

__all__ = ["PUBLICATIONS", "SUBSCRIPTIONS", "TABLES", "initial", "project_files", "transactions"]

#: columns of `kinds` and values of each, as SQL; the first value is not out of the ordinary
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "truth": ("boolean", ("true", "false", "NULL")),
    "small": ("smallint", ("-5", "32767", "NULL")),
    "whole": ("integer", ("7", "-2147483648", "NULL")),
    "large": ("bigint", ("9223372036854775807", "9007199254740993", "NULL")),
    "single": ("real", ("1.5", "-0.25", "NULL")),
    "wide": ("double precision", ("0.1", "1e-300", "-123456.789", "NULL")),
    "money2": ("numeric(10,2)", ("1.50", "-99999999.99", "0", "NULL")),
    "short": ("varchar(10)", ("'ab'", "'ä€\"\\x'", "''", "NULL")),
    "padded": ("char(5)", ("'ab'", "NULL")),
    "words": ("text", ("'__debezium'", "E'two\\nlines\\t\"q\"'", "'null'", "NULL")),
    "raw": ("bytea", ("'\\x00ff10'", "'\\x'", "NULL")),
    "day": ("date", ("'2024-02-29'", "'1969-12-31'", "'9999-12-31'", "NULL")),
    "hour": ("time", ("'12:34:56.789012'", "'00:00'", "'24:00'", "NULL")),
    "hour3": ("time(3)", ("'12:34:56.789'", "'00:00:00.001'", "NULL")),
    "moment": ("timestamp", ("'2024-02-29 12:34:56.789012'", "'1969-12-31 23:59:59.9'", "NULL")),
    "moment3": ("timestamp(3)", ("'2024-02-29 12:34:56.789'", "'1969-12-31 23:59:59.999'", "NULL")),
    "instant": ("timestamptz", ("'2024-02-29 12:34:56.789012+02'", "'1970-01-01 00:00Z'", "NULL")),
    "spell": ("interval", ("'1 year 2 mons -3 days 04:05:06.789'", "'1 day'", "'-00:01'", "NULL")),
    "token": ("uuid", ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "NULL")),
    "loose": ("json", ("'{\"a\": 1.0,  \"b\":null}'", "'7'", "NULL")),
    "tidy": ("jsonb", ("'{\"b\": 1.50, \"a\":\"€\"}'", "'null'", "NULL")),
    "numbers": ("integer[]", ("'{1,NULL,3}'", "'{}'", "NULL")),
    "texts": ("text[]", ("'{a,NULL,\"b,c\",\"\\\"\"}'", "'{NULL,x}'", "NULL")),
    "days": ("date[]", ("'{2024-01-01,1970-01-01}'", "NULL")),
    "feeling": ("mood", ("'ok'", "'sad'", "NULL")),
    "feelings": ("mood[]", ("'{sad,ok}'", "NULL")),
    "flags": ("bit(9)", ("B'101010101'", "B'000000001'", "NULL")),
    "flag": ("bit(1)", ("B'1'", "B'0'", "NULL")),
    "address": ("inet", ("'10.0.0.1/8'", "'::1'", "NULL")),
    "reach": ("int4range", ("'[1,5)'", "'empty'", "NULL")),
    "number": ("oid", ("4000000000", "NULL")),
}  # fmt: skip
_KINDS = ",\n  ".join(f"{name} {kind}" for name, (kind, _) in KINDS.items())
_DOC = (
    "id int PRIMARY KEY, region text NOT NULL, body text, tags text[], blob bytea, note jsonb,"
    " numbers int[]"
)
_TABLES = {
    "kinds": f"CREATE TABLE kinds (\n  id int PRIMARY KEY,\n  {_KINDS}\n);",
    "doc": f"CREATE TABLE doc ({_DOC});",
    "doc_full": f"CREATE TABLE doc_full ({_DOC});",
    "pairs": "CREATE TABLE pairs (a int, b int, c text NOT NULL, PRIMARY KEY (a, b));",
    "orders": "CREATE TABLE orders (id int PRIMARY KEY, amount numeric(9,2) NOT NULL, state text);",
    "bag": "CREATE TABLE bag (a int, b text);",
    "log": "CREATE TABLE log (a int, b text);",
}
_TREE = """CREATE TABLE tree (k int, id int, v text, PRIMARY KEY (k, id)) PARTITION BY LIST (k);
CREATE TABLE tree1 PARTITION OF tree FOR VALUES IN (1);
CREATE TABLE tree2 PARTITION OF tree FOR VALUES IN (2);
"""
_MOOD = "CREATE TYPE mood AS ENUM ('sad', 'ok');\n"
_IDENTITIES = "".join(
    f"ALTER TABLE {name} REPLICA IDENTITY FULL;\n"
    for name in ("doc_full", "orders", "bag", "tree1", "tree2")
)
_STORAGE = "".join(
    f"ALTER TABLE {table} ALTER {column} SET STORAGE EXTERNAL;\n"
    for table in ("doc", "doc_full")
    for column in ("body", "tags", "blob", "note", "numbers")
)
TABLES = _MOOD + "\n".join(_TABLES.values()) + "\n" + _TREE + _IDENTITIES
PUBLICATIONS = """
CREATE PUBLICATION p_kinds FOR TABLE kinds WHERE (id % 7 <> 3);
CREATE PUBLICATION p_doc FOR TABLE doc, doc_full WHERE (region = 'eu');
CREATE PUBLICATION p_rest FOR TABLE pairs WHERE (a > 2),
  orders WHERE (amount > 50 AND state <> 'n'), bag WHERE (b <> 'x');
CREATE PUBLICATION p_log FOR TABLE log WHERE (a > 3) WITH (publish = 'insert');
CREATE PUBLICATION p_moves FOR TABLE pairs WITH (publish = 'insert, update, truncate');
CREATE PUBLICATION p_root FOR TABLE tree WHERE (v <> 'x') WITH (publish_via_partition_root);
CREATE PUBLICATION p_leaves FOR TABLE tree1 WHERE (v <> 'x'), tree2;
"""
SUBSCRIPTIONS = {
    "all": Subscribed(
        ("p_kinds", "p_doc", "p_rest", "p_log"),
        ("kinds", "doc", "doc_full", "pairs", "orders", "bag", "log"),
        _MOOD + "\n".join(_TABLES.values()),
    ),
    "moves": Subscribed(("p_moves",), ("pairs",), _TABLES["pairs"]),
    "root": Subscribed(("p_root",), ("tree",), _TREE),
    "leaves": Subscribed(("p_leaves",), ("tree1", "tree2"), _TREE),
}


def initial() -> Iterator[str]:
    """The rows that are there before anything is recorded."""
    yield _STORAGE
    for number in range(max(len(values) for _, values in KINDS.values())):
        yield _kinds(number + 1, number)
    for number in range(4):
        for table in ("doc", "doc_full"):
            yield _doc(table, number, "eu" if number % 2 else "us")
        yield f"INSERT INTO pairs VALUES ({number}, 0, 'old')"
        yield f"INSERT INTO orders VALUES ({number}, {number * 30}.50, 'new')"
        yield f"INSERT INTO bag VALUES ({number % 2}, 'y'), (1, 'y')"
        yield f"INSERT INTO tree VALUES ({number % 2 + 1}, {number}, 'v')"


def transactions(seed: int, count: int, *, leaf_truncates: bool) -> Iterator[list[str]]:
    """Statements in transactions. No unsent value is needed: where one is, filtersql stops."""
    rng = random.Random(seed)
    for number in range(count):
        yield [_statement(rng) for _ in range(rng.choice([1, 1, 2, 5]))]
        if number == count // 2:
            yield ["TRUNCATE pairs, orders", "INSERT INTO orders VALUES (1, 99, 'new')"]
            yield ["INSERT INTO bag SELECT 5, 'same' FROM generate_series(1, 3)"]
            if leaf_truncates:
                yield ["TRUNCATE tree1"]
                yield ["INSERT INTO tree VALUES (1, 77, 'v'), (2, 78, 'v')"]
                yield ["TRUNCATE tree"]


def _statement(rng: random.Random) -> str:
    key, other = rng.randint(0, 6), rng.randint(0, 6)
    return rng.choice(
        [
            _kinds(key, rng.randint(0, 3)),
            f"DELETE FROM kinds WHERE id = {key}",
            f"UPDATE kinds SET id = {other + 7} WHERE id = {key}"
            f" AND NOT EXISTS (SELECT FROM kinds WHERE id = {other + 7})",
            _doc(rng.choice(["doc", "doc_full"]), key, rng.choice(["eu", "us"])),
            f"UPDATE doc SET region = 'eu{other}' WHERE id = {key}",
            f"UPDATE doc_full SET region = '{rng.choice(['eu', 'us'])}' WHERE id = {key}",
            f"DELETE FROM doc WHERE id = {key}",
            f"UPDATE doc_full SET id = {other} WHERE id = {key}"
            f" AND NOT EXISTS (SELECT FROM doc_full WHERE id = {other})",
            f"INSERT INTO pairs VALUES ({key}, {other}, 'new')"
            " ON CONFLICT (a, b) DO UPDATE SET c = 'again'",
            f"UPDATE pairs SET a = {other}, b = b + 7 WHERE a = {key} AND NOT EXISTS"
            f" (SELECT FROM pairs p WHERE p.a = {other} AND p.b = pairs.b + 7)",
            f"INSERT INTO orders VALUES ({key}, {other * 20}, 'new') ON CONFLICT (id)"
            f" DO UPDATE SET amount = excluded.amount",
            f"UPDATE orders SET state = {rng.choice(['NULL', chr(39) + 'n' + chr(39), 'state'])},"
            f" amount = {other * 20} WHERE id = {key}",
            f"UPDATE orders SET id = {other} WHERE id = {key}"
            f" AND NOT EXISTS (SELECT FROM orders WHERE id = {other})",
            f"DELETE FROM orders WHERE id = {key}",
            f"INSERT INTO bag VALUES ({key % 3}, '{rng.choice('xyz')}'), ({key % 3}, 'y')",
            f"UPDATE bag SET b = '{rng.choice('xyz')}' WHERE a = {key % 3}",
            f"DELETE FROM bag WHERE a = {key % 3}",
            f"INSERT INTO log VALUES ({key}, 'line')",
            f"INSERT INTO tree VALUES ({key % 2 + 1}, {other}, '{rng.choice('xv')}')"
            " ON CONFLICT (k, id) DO UPDATE SET v = excluded.v",
            f"UPDATE tree SET k = 3 - k WHERE id = {key} AND NOT EXISTS"
            " (SELECT FROM tree t WHERE t.id = tree.id AND t.k <> tree.k)",
            f"UPDATE tree SET v = '{rng.choice('xv')}' WHERE id = {key}",
            f"DELETE FROM tree WHERE id = {key}",
        ]
    )


def _kinds(key: int, number: int) -> str:
    chosen = {name: values[number % len(values)] for name, (_, values) in KINDS.items()}
    sets = ", ".join(f"{name} = excluded.{name}" for name in chosen)
    return (
        f"INSERT INTO kinds VALUES ({key}, {', '.join(chosen.values())})"
        f" ON CONFLICT (id) DO UPDATE SET {sets}"
    )


def _doc(table: str, key: int, region: str) -> str:
    long = "(SELECT string_agg(md5(g::text), '') FROM generate_series(1, 70) g)"
    return (
        f"INSERT INTO {table} SELECT {key}, '{region}', x, ARRAY[x, NULL], x::bytea, to_jsonb(x),"
        f" (SELECT array_agg(g) FROM generate_series(1, 600) g) FROM (VALUES ({long})) v(x)"
        " ON CONFLICT (id) DO NOTHING"
    )


def project_files(feed: str, source: str) -> dict[str, str]:
    """The filtersql project: its files' texts by path. `feed` and `source` are keys in YAML."""
    subscriptions = "".join(
        f"  - {{name: {name}, publications: [{', '.join(each.publications)}],"
        f" changes: {{{feed}}}{source}}}\n"
        for name, each in SUBSCRIPTIONS.items()
    )
    return {
        "filtersql_project.yml": "name: feeds\nversion: 1\nprofile: feeds\n",
        "profiles.yml": (
            "feeds: {target: duckdb, outputs: {duckdb: {type: duckdb, path: feeds.duckdb}}}\n"
        ),
        "tables/tables.sql": "-- filtersql: raw\n" + TABLES,
        "publications/publications.sql": PUBLICATIONS,
        "subscriptions/subscriptions.yml": "subscriptions:\n" + subscriptions,
    }
