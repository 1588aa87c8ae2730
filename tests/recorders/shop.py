"""The schema of the recorded workload, what is published of it, and to whom.

The same texts are run on the server and written into the filtersql project. They cover: a table
with replica identity FULL, one without a key, a composite key, an identity by index, a partitioned
table via its root and by its leaves (one leaf with its columns in another order), two publications
whose filters are ORed, NULL in every nullable column of a filter, and a column kept out of line.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KEYS", "PUBLICATIONS", "SUBSCRIPTIONS", "TABLES", "Subscribed", "project_files"]

TABLES = """\
CREATE SCHEMA shop;

CREATE TABLE shop.customers (
  id integer PRIMARY KEY,
  name text NOT NULL,
  region text,
  credit numeric(10,2),
  active boolean,
  born date,
  seen timestamp with time zone
);
ALTER TABLE shop.customers REPLICA IDENTITY FULL;

CREATE TABLE shop.orders (
  region text NOT NULL,
  id integer NOT NULL,
  amount numeric(10,2),
  paid boolean NOT NULL,
  placed date,
  changed timestamp with time zone,
  note text,
  PRIMARY KEY (region, id)
);
ALTER TABLE shop.orders ALTER COLUMN note SET STORAGE EXTERNAL;

CREATE TABLE shop.stock (
  sku integer NOT NULL,
  warehouse text NOT NULL,
  shelf text,
  quantity integer NOT NULL,
  counted date,
  CONSTRAINT stock_pkey PRIMARY KEY (sku, warehouse)
);
CREATE UNIQUE INDEX stock_identity ON shop.stock (warehouse, sku, quantity);
ALTER TABLE shop.stock REPLICA IDENTITY USING INDEX stock_identity;

CREATE TABLE shop.notes (
  customer integer NOT NULL,
  body text,
  stars numeric(10,2)
);
ALTER TABLE shop.notes REPLICA IDENTITY FULL;

CREATE TABLE shop.events (
  id integer NOT NULL,
  day date NOT NULL,
  kind text,
  value numeric(10,2),
  at timestamp with time zone,
  PRIMARY KEY (id, day)
) PARTITION BY RANGE (day);
CREATE TABLE shop.events_2025 PARTITION OF shop.events
  FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE shop.events_rest PARTITION OF shop.events DEFAULT;
CREATE TABLE shop.events_2026 (
  at timestamp with time zone,
  kind text,
  day date NOT NULL,
  id integer NOT NULL,
  value numeric(10,2),
  PRIMARY KEY (id, day)
);
ALTER TABLE shop.events ATTACH PARTITION shop.events_2026
  FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
"""

PUBLICATIONS = """\
CREATE PUBLICATION near FOR TABLE
  shop.customers WHERE (region IN ('eu', 'uk') AND credit >= 100),
  shop.orders WHERE (region = 'eu' OR region LIKE 'u%'),
  shop.stock WHERE (quantity BETWEEN 10 AND 60 AND warehouse <> 'closed'),
  shop.notes WHERE (stars > 2.5 AND body IS NOT NULL),
  shop.events WHERE (day < DATE '2026-07-01' AND id % 3 <> 0)
  WITH (publish_via_partition_root = true);

CREATE PUBLICATION loyal FOR TABLE
  shop.customers WHERE (active AND seen >= '2026-03-01 00:00:00+00' AND born IS NOT NULL);

CREATE PUBLICATION leaves FOR TABLE
  shop.events_2025 WHERE (id % 2 = 0),
  shop.events_2026 WHERE (NOT day BETWEEN '2026-03-01' AND '2026-09-30'),
  shop.orders
  WITH (publish_via_partition_root = false);
"""


KEYS = {
    "customers": ("id",),
    "orders": ("region", "id"),
    "stock": ("sku", "warehouse"),
    "events": ("id", "day"),
    "notes": (),
}


@dataclass(frozen=True, slots=True)
class Subscribed:
    """A subscription: its publications, the tables that it fills, and their DDL over there."""

    publications: tuple[str, ...]
    tables: tuple[str, ...]
    ddl: str


_LEAF = """
CREATE TABLE shop.{} (id integer, day date, kind text, value numeric(10,2),
  at timestamp with time zone, PRIMARY KEY (id, day));
"""

SUBSCRIPTIONS = {
    "near": Subscribed(
        ("near", "loyal"),
        ("shop.customers", "shop.orders", "shop.stock", "shop.notes", "shop.events"),
        TABLES,
    ),
    # The subscriber has the leaves as tables of their own.
    "leaves": Subscribed(
        ("leaves",),
        ("shop.events_2025", "shop.events_2026", "shop.orders"),
        TABLES.partition("CREATE TABLE shop.events (")[0]
        + _LEAF.format("events_2025")
        + _LEAF.format("events_2026"),
    ),
}

_PROJECT = """\
name: recorded
version: 1
profile: recorded
semantics: postgres
postgres_version: 18
"""

_PROFILES = """\
recorded:
  target: duckdb
  outputs:
    duckdb: {type: duckdb, path: recorded.duckdb}
    delta: {type: spark, method: session, format: delta, warehouse: warehouse}
    iceberg:
      type: spark
      method: session
      format: iceberg
      catalog: lake
      catalog_config: {type: hadoop, warehouse: lakehouse}
"""

_SUBSCRIPTION = """\
  - name: {}
    publications: [{}]
    copy_data: true
    source: {{format: filtersql, path: "source/{{schema}}.{{table}}.jsonl"}}
    changes: {{format: filtersql, path: "changes/*.jsonl"}}
"""


def project_files() -> dict[str, str]:
    """The filtersql project of the workload: its files' texts by path."""
    subscriptions = [
        _SUBSCRIPTION.format(name, ", ".join(subscribed.publications))
        for name, subscribed in SUBSCRIPTIONS.items()
    ]
    return {
        "filtersql_project.yml": _PROJECT,
        "profiles.yml": _PROFILES,
        "tables/shop.sql": TABLES,
        "publications/shop.sql": PUBLICATIONS,
        "subscriptions/shop.yml": "subscriptions:\n" + "".join(subscriptions),
    }
