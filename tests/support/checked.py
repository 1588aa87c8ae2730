"""A project whose targets have every form, and changes of its compiled files on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = [
    "EQUIVALENT",
    "MUTATIONS",
    "PROFILES",
    "PROJECT",
    "Mutation",
    "with_conflicts",
    "with_profile",
    "with_published",
]

PROJECT: Mapping[str, str] = {
    "filtersql_project.yml": "name: proved\nversion: 1\nprofile: proved\n",
    "profiles.yml": (
        "proved:\n  target: dev\n  outputs:\n"
        "    dev: {type: spark, method: session, format: delta, schema: proved}\n"
        "    ice: {type: spark, method: session, format: iceberg, catalog: lake, schema: proved,\n"
        "          catalog_config: {type: hadoop, warehouse: lakehouse}}\n"
        "    local: {type: duckdb, path: proved.duckdb}\n"
    ),
    "tables/tables.sql": """
CREATE TABLE keyed (a int, n int NOT NULL, c char(3), PRIMARY KEY (a, c));
CREATE TABLE kept (id int PRIMARY KEY, body text, note text, n int);
CREATE TABLE bare (a int, c text);
ALTER TABLE bare REPLICA IDENTITY FULL;
CREATE TABLE added (a int, c text);
CREATE TABLE whole (id bigint PRIMARY KEY, region text, total numeric(10,2));
ALTER TABLE whole REPLICA IDENTITY FULL;
""",
    "publications/publications.sql": """
CREATE PUBLICATION p1 FOR TABLE keyed WHERE (a > 5 AND c = 'NSW'), kept WHERE (id < 10),
  bare WHERE (a >= 3), whole WHERE (region = 'eu' OR total > 100);
CREATE PUBLICATION p2 FOR TABLE keyed WHERE (NOT a BETWEEN 2 AND 7);
CREATE PUBLICATION p3 FOR TABLE added WHERE (c LIKE 'x%') WITH (publish = 'insert, truncate');
""",
    "subscriptions/subscriptions.sql": """
CREATE SUBSCRIPTION s1 CONNECTION '' PUBLICATION p1, p2, p3;
""",
}


@dataclass(frozen=True, slots=True)
class Mutation:
    """Text that is replaced, once, in the compiled file of a table."""

    name: str
    table: str
    old: str
    new: str


def _of(tables: str, name: str, old: str, new: str) -> tuple[Mutation, ...]:
    return tuple(Mutation(name, table, old, new) for table in tables.split())


_KEYED = "keyed kept whole"
_ALL = "keyed kept bare added whole"
MUTATIONS: tuple[Mutation, ...] = (
    *_of(
        _ALL,
        "new row also where only the old one matches",
        "WHEN NOT old_matches AND NOT new_matches",
        "WHEN NOT old_matches AND new_matches",
    ),
    *_of(
        _ALL,
        "drop a NOT of the transformation table",
        "WHEN NOT old_matches AND new_matches",
        "WHEN old_matches AND new_matches",
    ),
    *_of(
        _KEYED + " bare",
        "a row that leaves the filter stays",
        "new_matches THEN 'delete'\n",
        "new_matches THEN 'nothing'\n",
    ),
    *_of(
        _KEYED, "a row that enters the filter is not added", "THEN 'insert'\n", "THEN 'nothing'\n"
    ),
    *_of(_KEYED + " bare", "an update becomes an insert", "THEN 'update'\n", "THEN 'insert'\n"),
    *_of("keyed", "OR of two filters to AND", "OR (NOT", "AND (NOT"),
    *_of(
        "bare whole",
        "NULL for a match of the old row",
        "),\n                        FALSE",
        "),\n                        TRUE",
    ),
    *_of(
        "added",
        "NULL for a match of the new row",
        "(new_c LIKE 'x%'),\n                        FALSE",
        "(new_c LIKE 'x%'),\n                        TRUE",
    ),
    *_of(
        "bare whole",
        "lose a COALESCE",
        "),\n                        FALSE",
        "),\n                        NULL",
    ),
    *_of(
        _ALL,
        "an insert has an old row",
        "ELSE FALSE\n            END AS old_matches",
        "ELSE TRUE\n            END AS old_matches",
    ),
    *_of(
        _KEYED + " bare",
        "a delete has a new row",
        "ELSE FALSE\n            END AS new_matches",
        "ELSE TRUE\n            END AS new_matches",
    ),
    *_of(
        _KEYED,
        "forget the key change",
        "effect = 'update'\n                        AND (",
        "effect = 'nothing'\n                        AND (",
    ),
    *_of(_KEYED, "keep the old key only", "ARRAY('old', 'new')", "ARRAY('old')"),
    *_of(_KEYED, "keep the new key only", "ARRAY('old', 'new')", "ARRAY('new')"),
    *_of(
        _KEYED + " bare",
        "a delete by the new row",
        "'delete' THEN ARRAY('old')",
        "'delete' THEN ARRAY('new')",
    ),
    *_of(
        _ALL,
        "drop the truncate barrier",
        "AND seq > COALESCE((SELECT truncated.seq FROM truncated), -1)",
        "",
    ),
    *_of(
        _ALL,
        "a barrier that takes the truncate's past",
        "AND seq > COALESCE((SELECT truncated.seq FROM truncated), -1)",
        "AND seq < COALESCE((SELECT truncated.seq FROM truncated), 99999)",
    ),
    *_of(_ALL, "truncate at its first", "MAX(seq) AS seq", "MIN(seq) AS seq"),
    *_of(_ALL, "an aggregate of nothing is a row", "HAVING MAX(seq) IS NOT NULL", ""),
    *_of(_ALL, "no truncate", "IN ('truncate')", "IN ('TRUNCATE')"),
    *_of(_ALL, "reads are forgotten", "'delete', 'read')", "'delete')"),
    *_of(
        _KEYED + " bare",
        "deletes are forgotten",
        "'update', 'delete', 'read')",
        "'update', 'read')",
    ),
    *_of("keyed whole", "the first change decides", "change_seq DESC", "change_seq ASC"),
    *_of("kept", "the first change decides", "LEAD(change_seq)", "LAG(change_seq)"),
    *_of(
        "bare",
        "`=` for IS NOT DISTINCT FROM in ON",
        "AND t.c IS NOT DISTINCT FROM s.c",
        "AND t.c = s.c",
    ),
    *_of(
        "added",
        "`=` for IS NOT DISTINCT FROM in ON",
        "AND t.c IS NOT DISTINCT FROM s.c",
        "AND t.c = s.c",
    ),
    *_of(
        "bare",
        "`=` for IS NOT DISTINCT FROM in the count",
        "tallied.c IS NOT DISTINCT FROM held.c",
        "tallied.c = held.c",
    ),
    *_of(
        _KEYED,
        "drop the clause that deletes",
        "WHEN MATCHED AND s.effect = 'delete' THEN\n    DELETE\n",
        "",
    ),
    *_of("bare added", "drop the clause that deletes", "WHEN MATCHED THEN\n    DELETE\n", ""),
    *_of(
        "keyed whole",
        "deletes insert",
        "WHEN NOT MATCHED AND s.effect <> 'delete' THEN",
        "WHEN NOT MATCHED THEN",
    ),
    *_of("keyed", "wrong column updated", "n = s.n", "n = s.a"),
    *_of("keyed", "wrong column inserted", "s.a,\n        s.n,", "s.n,\n        s.a,"),
    *_of("keyed", "half of the key in ON", "t.a = s.a\n        AND t.c = s.c", "t.a = s.a"),
    *_of("keyed", "half of the key in the window", "PARTITION BY a, c", "PARTITION BY a"),
    *_of("keyed", "half of the key change", "old_a <> new_a OR ", ""),
    *_of(
        "keyed",
        "the key changes if both parts do",
        "old_a <> new_a OR ",
        "old_a <> new_a AND ",
    ),
    *_of("whole", "old for new in a filter", "new_region = 'eu'", "old_region = 'eu'"),
    *_of("whole", "a filter with another constant", "new_region = 'eu'", "new_region = 'us'"),
    *_of("keyed", "old for new in an image", "after_n AS new_n", "before_n AS new_n"),
    *_of(
        "keyed kept",
        "an update without old row has none",
        "WHEN op = 'update' AND",
        "WHEN op = 'delete' AND",
    ),
    *_of(
        "kept",
        "NULL for a kept column",
        "CASE WHEN s.keeps_body THEN t.body ELSE s.body END",
        "s.body",
    ),
    *_of(
        "kept",
        "keep another column",
        "CASE WHEN s.keeps_body THEN t.body ELSE s.body END",
        "CASE WHEN s.keeps_note THEN t.note ELSE s.body END",
    ),
    *_of(
        "kept",
        "a row that enters lacks a value",
        "(effect = 'insert' OR ",
        "(effect = 'never' OR ",
    ),
    *_of(
        "kept",
        "NULL for a value that nobody knows",
        "CASE\n            WHEN s.keeps_body\n                THEN RAISE_ERROR(\n"
        "                    'filtersql: an incomplete UPDATE found no row in the target'\n"
        "                )\n            ELSE s.body\n        END",
        "s.body",
    ),
    *_of("kept", "forget what the batch knows", "LAST_VALUE(", "FIRST_VALUE("),
    *_of("bare", "an old row adds a copy", "THEN -1 ELSE 1 END", "THEN 1 ELSE 1 END"),
    *_of("bare", "the count falls below zero", "-tallied.copy_lowest", "0"),
    *_of(
        "bare",
        "new rows before old ones",
        "ORDER BY change_seq, copy_step\n",
        "ORDER BY change_seq, copy_step DESC\n",
    ),
    *_of(
        "bare",
        "held rows survive a truncate",
        "CASE\n                    WHEN EXISTS (SELECT 1 FROM truncated) THEN 0\n"
        "                    ELSE COALESCE(held.copies_held, 0)\n                END",
        "COALESCE(held.copies_held, 0)",
    ),
    *_of(
        "bare",
        "only fewer copies are written",
        "WHERE copies_left <> copies_held",
        "WHERE copies_left < copies_held",
    ),
    *_of(
        "bare added",
        "ordinal zero is inserted",
        "copy_ordinal > 0 THEN",
        "copy_ordinal >= 0 THEN",
    ),
    *_of("added", "held copies twice", "SELECT DISTINCT\n", "SELECT\n"),
)
#: mutations that change no row, and why
_NO_OLD_KEY = (
    "An INSERT has no old row: what it would delete has the key NULL, which no row of the target"
    " has; as an UPDATE it leaves the same row."
)
EQUIVALENT: Mapping[tuple[str, str], str] = {
    **{(table, "an insert has an old row"): _NO_OLD_KEY for table in _KEYED.split()},
    ("keyed", "an update without old row has none"): (
        "Its key did not change and the filter reads the key alone: as an INSERT it replaces the"
        " row that the UPDATE would change."
    ),
    ("kept", "a row that enters lacks a value"): (
        "The filter reads the key alone: a row enters by a change of its key, and that stops too."
    ),
    ("added", "ordinal zero is inserted"): (
        "Ordinal zero stands for rows that the target holds, so it is never without a match."
    ),
}

_PUBLICATIONS = """
publications:
  - {name: p, tables: [{name: t1, filters: {f1: "b > 3"}}, {name: t2, filters: {f2: "id % 3 = 0"}}]}
"""
_SETS = """
replication_sets:
  - {name: r1, tables: [{name: t1, row_filter: "b > 3"}, {name: t2, row_filter: "b < 9 or id = 4"}]}
  - {name: r2, tables: [{name: t1, row_filter: "id < 7"}]}
"""
_SUBSCRIBED = "subscriptions: [{name: s1, %s, changes: {path: 'changes/*'}}]\n"
#: the other source systems: project settings, definitions, subscription
PROFILES: Mapping[str, tuple[str, str, str]] = {
    "xdb": ("xdb", _PUBLICATIONS, "publications: [p], filters: {t1: f1, t2: f2}"),
    "pglogical": ("pglogical", _SETS, "replication_sets: [r1, r2]"),
    "bdr": ("{profile: bdr, combine: or_per_action}", _SETS, "replication_sets: [r1, r2]"),
    "bdr, all sets": ("{profile: bdr, combine: and}", _SETS, "replication_sets: [r1, r2]"),
}


def with_profile(name: str) -> Mapping[str, str]:
    """A project of another source system."""
    semantics, definitions, subscription = PROFILES[name]
    full = "".join(f"ALTER TABLE t{n} REPLICA IDENTITY FULL;\n" for n in (1, 2))
    tables = "CREATE TABLE t1 (id int PRIMARY KEY, b int, c text);\n"
    tables += "CREATE TABLE t2 (id int PRIMARY KEY, b numeric(5,2));\n"
    return {
        "filtersql_project.yml": f"name: proved\nversion: 1\nsemantics: {semantics}\n",
        "profiles.yml": PROJECT["profiles.yml"],
        "tables/tables.sql": tables + (full if name == "xdb" else ""),
        "publications/publications.yml": definitions,
        "subscriptions/subscriptions.yml": _SUBSCRIBED % subscription,
    }


def with_conflicts(mode: str) -> Mapping[str, str]:
    """The project under another `on_conflict`."""
    return {
        **{name: text for name, text in PROJECT.items() if not name.startswith("subscriptions/")},
        "subscriptions/subscriptions.yml": (
            f"subscriptions: [{{name: s1, publications: [p1, p2, p3], on_conflict: {mode}}}]\n"
        ),
    }


def with_published(actions: str, mode: str) -> Mapping[str, str]:
    """The project whose publications publish these actions alone, under an `on_conflict`.

    `numbers` is a table more, of no column that is ever stored out of line.
    """
    published = "CREATE PUBLICATION p1 FOR TABLE numbers WHERE (n > 5), " + ", ".join(
        ("keyed WHERE (a > 5 AND c = 'NSW')", "kept WHERE (id < 10)", "bare WHERE (a >= 3)")
    )
    numbers = "CREATE TABLE numbers (id int, n int, amount bigint, PRIMARY KEY (id, n));\n"
    return {
        **{name: text for name, text in PROJECT.items() if not name.startswith("subscriptions/")},
        "tables/tables.sql": PROJECT["tables/tables.sql"] + numbers,
        "publications/publications.sql": f"{published} WITH (publish = '{actions}');\n",
        "subscriptions/subscriptions.yml": (
            f"subscriptions: [{{name: s1, publications: [p1], on_conflict: {mode}}}]\n"
        ),
    }
