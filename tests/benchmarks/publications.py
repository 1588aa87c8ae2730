"""How long it takes to resolve many tables in many publications of mixed kinds.

    python tests/benchmarks/publications.py [--tables 1000] [--publications 50] [--most 0.3]

A fifth of the tables are partitions of trees of 100 leaves, in ten schemas. A third of the
publications list tables with filters, others schemas, roots via root, and one is FOR ALL TABLES.
One subscription takes them all. Seconds are CPU seconds, the least of all rounds; with `--most`
the command fails where they are more.
"""

from __future__ import annotations

import argparse
import sys
import time

from filtersql import publications
from filtersql.catalog import Catalog, Column, Identity, PgType, ReplicaIdentity, Table
from filtersql.definitions.model import (
    Action,
    Definitions,
    Publication,
    PublishedTable,
    Subscription,
)
from filtersql.names import RelationName
from filtersql.semantics import POSTGRES
from filtersql.source import Passage, Source

__all__ = ["definitions", "seconds"]

SPAN = Source("b.sql", "a > 5").span(0, 5)
_COLUMNS = tuple(Column(name, PgType("int4"), SPAN, not_null=True) for name in "abcdefgh")
_LEAVES = 100
_SCHEMAS = 10


def definitions(tables: int, number: int) -> Definitions:
    """A project of so many tables and publications, and a subscription to all of them."""
    catalog: dict[RelationName, Table] = {}
    roots = tables // 5 // _LEAVES
    for root in range(roots):
        name = RelationName(f"s{root % _SCHEMAS}", f"root{root}")
        catalog[name] = _table(name, partition_by=("range", ("a",)))
        for leaf in range(_LEAVES):
            below = RelationName(name.schema, f"leaf{root}_{leaf}")
            catalog[below] = _table(below, partition_of=name)
    for plain in range(tables - len(catalog)):
        name = RelationName(f"s{plain % _SCHEMAS}", f"t{plain}")
        catalog[name] = _table(name)
    listed = list(catalog)
    made = [_publication(index, listed, roots) for index in range(number)]
    subscription = Subscription("s", SPAN, publications=tuple((one.name, SPAN) for one in made))
    return Definitions(
        Catalog(catalog), {one.name: one for one in made}, subscriptions={"s": subscription}
    )


def _table(
    name: RelationName,
    partition_by: tuple[str, tuple[str, ...]] | None = None,
    partition_of: RelationName | None = None,
) -> Table:
    return Table(
        name,
        _COLUMNS,
        SPAN,
        ("a",),
        replica_identity=ReplicaIdentity(Identity.FULL),
        partition_by=partition_by,
        partition_of=partition_of,
    )


def _publication(index: int, listed: list[RelationName], roots: int) -> Publication:
    name = f"p{index}"
    if index == 0:
        return Publication(name, SPAN, all_tables=True, publish=frozenset({Action.INSERT}))
    if index % 3 == 0:
        return Publication(name, SPAN, schemas=(f"s{index % _SCHEMAS}",))
    if index % 3 == 1 and index // 3 < roots:
        root = next(one for one in listed if one.name == f"root{index // 3}")
        entry = PublishedTable(root, SPAN, Passage("a > 5", SPAN.source))
        return Publication(name, SPAN, (entry,), via_partition_root=True)
    where = Passage("a > 5", SPAN.source)
    entries = tuple(PublishedTable(one, SPAN, where) for one in listed if one.name.startswith("t"))
    return Publication(name, SPAN, entries)


def seconds(project: Definitions) -> tuple[float, int]:
    """CPU seconds of checking and resolving, as compile does; and the number of targets."""
    began = time.process_time()
    publications.check(project, semantics=POSTGRES)
    found = publications.resolve(project.subscriptions["s"], project, semantics=POSTGRES)
    return time.process_time() - began, len(found)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--publications", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=float)
    options = parser.parse_args()
    measured = [
        seconds(definitions(options.tables, options.publications)) for _ in range(options.rounds)
    ]
    least, targets = min(measured)
    size = f"{options.tables} tables, {options.publications} publications: {targets} targets"
    print(f"{size}, {least:.3f} s")
    if options.most is not None and least > options.most:
        sys.exit(f"more than {options.most} s")


if __name__ == "__main__":
    main()
