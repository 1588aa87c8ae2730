"""Random DDL about replication sets: calls of pglogical's functions and what happens to tables.

Example
    >>> statements = script(random.Random(1))
    >>> next(statements)                                            # doctest: +SKIP
    "SELECT pglogical.create_replication_set('a', replicate_delete := false)"

Most statements are right on their own; their order is random, so many meet what an earlier one
made, took away or renamed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

__all__ = ["script"]

SETS = ["a", "b", "default", "default_insert_only", "ddl_sql", "A b", "none"]
TABLES = ["t", "u", "s.w", "nokey", "root", "leaf1", "leaf2", "odd", '"T q"', "v", "missing"]
COLUMNS = ["id", "b", "c", "ID", "x", "g"]
FILTERS = [
    "id > 0",
    "id > 3 AND b < 5",
    "b IS NOT NULL",
    "c = 'x'",
    "c LIKE 'a%' OR id = 1",
    "id % 2 = 0",
    "b",
    "id",
    "missing > 1",
    "c ~ '^a' AND NOT (b = ANY (ARRAY[1, 2]))",
    "random() < 0.5",
    "now() > '2020-01-01'",
    "txid_current() > 0",
    "c::int > 3",
    "id IN (SELECT 1)",
    "count(*) > 0",
    "id > (",
    "ctid IS NOT NULL",
    "tableoid > 0",
    "t.id > 1",
    "$1 > 0",
    "coalesce(b, 0) >= 0",
    "CASE WHEN b > 1 THEN true ELSE c IS NULL END",
    "length(c) > lower(c)",
    "id > 1; SELECT 1",
    "",
    "NULL",
    "true",
    "'t'",
    "id BETWEEN SYMMETRIC 9 AND 1",
    "c COLLATE \"C\" < 'b'",
    "(id, b) < (1, 2)",
    "b::numeric(4,1) = 1.0",
    "current_user = 'x'",
    "current_date > '2020-01-01'",
]
MADE = [
    "CREATE TABLE t (id int PRIMARY KEY, b int, c text)",
    "CREATE TABLE u (id int, b int NOT NULL, c text, PRIMARY KEY (id, b))",
    "CREATE TABLE s.w (id bigint PRIMARY KEY, b int, c varchar(9))",
    "CREATE TABLE nokey (id int NOT NULL, b int, c text)",
    "CREATE TABLE root (id int, b int, c text, PRIMARY KEY (id, b)) PARTITION BY RANGE (b)",
    "CREATE TABLE leaf1 PARTITION OF root FOR VALUES FROM (0) TO (10)",
    "CREATE TABLE leaf2 PARTITION OF root DEFAULT",
    "CREATE TABLE leaf2 (c text, b int NOT NULL, id int NOT NULL, PRIMARY KEY (id, b))",
    "CREATE UNLOGGED TABLE odd (id int PRIMARY KEY, b int, c text)",
    "CREATE TABLE odd (id int PRIMARY KEY, b int, g int GENERATED ALWAYS AS (b + 1) STORED)",
    'CREATE TABLE "T q" ("ID" int PRIMARY KEY, b int, c text)',
    "CREATE VIEW v AS SELECT 1 AS id, 2 AS b",
    "CREATE TABLE odd (b int) INHERITS (nokey)",
    "CREATE SEQUENCE v",
]


def script(chance: random.Random, length: int = 25) -> Iterator[str]:
    """Statements, each without its semicolon."""
    yield "CREATE SCHEMA s"
    yield from chance.sample(MADE, chance.randint(3, 7))
    kinds: list[tuple[Callable[[random.Random], str], int]] = [
        (_add, 12),
        (_remove, 4),
        (_create, 4),
        (_alter, 4),
        (_drop, 2),
        (_add_all, 2),
        (_table, 6),
        (lambda one: one.choice(MADE), 2),
    ]
    for _ in range(length):
        (kind,) = chance.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])
        yield kind(chance)


def _set(chance: random.Random) -> str:
    return literal(chance.choices(SETS, [6, 5, 3, 3, 1, 1, 1])[0])


def _relation(chance: random.Random) -> str:
    return literal(chance.choices(TABLES, [7, 5, 4, 4, 4, 3, 3, 2, 2, 1, 1])[0])


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _add(chance: random.Random) -> str:
    said = [_set(chance), _relation(chance)]
    if chance.random() < 0.3:
        said = [f"set_name := {said[0]}", f"relation := {said[1]}"]
    named = said[0].startswith("set_name")
    if chance.random() < 0.3:
        value = chance.choice(["true", "false", "NULL"]) if chance.random() < 0.5 else "false"
        said.append(f"synchronize_data := {value}" if named or chance.random() < 0.5 else value)
    if chance.random() < 0.35:
        columns = chance.choice(
            ["NULL", f"'{{{','.join(chance.sample(COLUMNS, chance.randint(1, 4)))}}}'",
             "ARRAY['id', 'b']", "'{id,b,c}'", "'{id}'", "'{}'", "'{id,id}'"]
        )  # fmt: skip
        said.append(f"columns := {columns}")
    if chance.random() < 0.6:
        text = chance.choice(FILTERS) if chance.random() < 0.6 else chance.choice(FILTERS[:6])
        quoted = chance.choice([literal(text), f"$FILTER$ {text} $FILTER$", f"$${text}$$"])
        said.append(f"row_filter := {quoted if chance.random() < 0.95 else 'NULL'}")
    return f"SELECT pglogical.replication_set_add_table({', '.join(said)})"


def _remove(chance: random.Random) -> str:
    return f"SELECT pglogical.replication_set_remove_table({_set(chance)}, {_relation(chance)})"


def _flags(chance: random.Random, least: int) -> list[str]:
    names = [f"replicate_{one}" for one in ("insert", "update", "delete", "truncate")]
    picked = chance.sample(names, chance.randint(least, 3))
    return [f"{name} := {chance.choice(['true', 'false', 'false', 'NULL'])}" for name in picked]


def _create(chance: random.Random) -> str:
    if chance.random() < 0.25:
        flags = [chance.choice(["true", "false"]) for _ in range(chance.randint(1, 4))]
    else:
        flags = [one for one in _flags(chance, 0) if not one.endswith("NULL")]
    return f"SELECT pglogical.create_replication_set({', '.join([_set(chance), *flags])})"


def _alter(chance: random.Random) -> str:
    said = [_set(chance), *_flags(chance, 1)]
    return f"SELECT pglogical.alter_replication_set({', '.join(said)})"


def _drop(chance: random.Random) -> str:
    more = chance.choice(["", ", true", ", ifexists := true", ", false"])
    return f"SELECT pglogical.drop_replication_set({_set(chance)}{more})"


def _add_all(chance: random.Random) -> str:
    schemas = chance.choice(["'{public}'", "ARRAY['s']", "'{public,s}'", "'{nope}'", "'{}'"])
    more = chance.choice(["", ", false", ", synchronize_data := false"])
    return f"SELECT pglogical.replication_set_add_all_tables({_set(chance)}, {schemas}{more})"


def _table(chance: random.Random) -> str:
    # A view or sequence is left alone: what ALTER TABLE says of them is not about sets.
    table = chance.choices(TABLES, [7, 5, 4, 4, 4, 3, 3, 2, 2, 0, 1])[0]
    column = chance.choice(COLUMNS[:3])
    return chance.choice(
        [
            f"ALTER TABLE {table} REPLICA IDENTITY {chance.choice(['FULL', 'NOTHING', 'DEFAULT'])}",
            f"ALTER TABLE {table} DROP COLUMN {column}",
            f"ALTER TABLE {table} ADD COLUMN x int",
            f"ALTER TABLE {table} ALTER COLUMN {column} TYPE text",
            f"ALTER TABLE {table} ADD PRIMARY KEY (id)",
            f"ALTER TABLE {table} DROP CONSTRAINT {table.split('.')[-1]}_pkey",
            f"ALTER TABLE {table} RENAME TO u",
            f"DROP TABLE {table}",
            "ALTER TABLE root DETACH PARTITION leaf1",
            "ALTER TABLE root ATTACH PARTITION leaf2 DEFAULT",
        ]
    )
