"""The schema of the recorded workload, what is published of it, and to whom.

Its texts are those of the project in tests/data/shop; a server runs them, too. They cover: a table
with replica identity FULL, one without a key, a composite key, an identity by index, a partitioned
table via its root and by its leaves (one leaf with its columns in another order), two publications
whose filters are ORed, NULL in every nullable column of a filter, and a column kept out of line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["KEYS", "PUBLICATIONS", "SUBSCRIPTIONS", "TABLES", "Subscribed", "project_files"]

#: the recorded workload, which a recorder writes again
_PROJECT = Path(__file__).parents[1] / "data" / "shop"
_FILES = (
    "filtersql_project.yml",
    "profiles.yml",
    "tables/shop.sql",
    "publications/shop.sql",
    "subscriptions/shop.yml",
)


def project_files() -> dict[str, str]:
    """The filtersql project of the workload: its files' texts by path."""
    return {name: (_PROJECT / name).read_text(encoding="utf-8") for name in _FILES}


TABLES = project_files()["tables/shop.sql"]
PUBLICATIONS = project_files()["publications/shop.sql"]
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
