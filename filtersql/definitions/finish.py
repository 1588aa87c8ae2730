"""The drafts of all files as `Definitions`: what refers to something must find it.

Example
    A partition whose parent stands in a later YAML file gets its columns here; a subscription to a
    publication that nobody defines is a mistake here, with the nearest name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from filtersql.catalog import Catalog, Column, PgType, Table
from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.earlier_statements import earlier
from filtersql.definitions.foreign_keys import check_key
from filtersql.definitions.freezing import frozen, made
from filtersql.definitions.generations import check_generation
from filtersql.definitions.keys import set_not_null
from filtersql.definitions.model import Definitions
from filtersql.definitions.partitions import attach, check_partitioned
from filtersql.definitions.sql_names import unknown_table
from filtersql.errors import Mistake
from filtersql.errors.definitions import Unknown
from filtersql.errors.keys import COLUMN_UNKNOWN, IDENTITY_NULLABLE_COLUMN
from filtersql.errors.partitions import CIRCULAR
from filtersql.errors.wording import meant
from filtersql.names import RelationName

__all__ = ["finish"]


def finish(drafts: Drafts) -> Definitions:
    """The definitions; everything that is wrong is added to the drafts' mistakes."""
    for table in list(drafts.tables.values()):
        _complete(drafts, table, ())
    _shorten_lists(drafts)
    if not drafts.incomplete:
        _check_keys(drafts)
        _check_references(drafts)
        _check_subscriptions(drafts)
    tables = {name: frozen(drafts, table) for name, table in drafts.tables.items()}
    return Definitions(
        catalog=Catalog(
            tables=tables,
            made=made(drafts),
            schemas=frozenset(drafts.schemas),
            others=dict(drafts.others),
            unpublishable={table.name: table for table in _unpublishable(drafts)},
        ),
        publications=dict(drafts.publications),
        replication_sets=dict(drafts.replication_sets),
        subscriptions=dict(drafts.subscriptions),
        unit_tests=tuple(drafts.unit_tests),
        notices=tuple(drafts.notices),
        earlier=tuple(earlier(drafts, tables)),
    )


def _shorten_lists(drafts: Drafts) -> None:
    """Of a set's column list, which holds names, those count that a column has in the end."""
    for replication_set in list(drafts.replication_sets.values()):
        members = []
        for entry in replication_set.tables:
            table = drafts.tables.get(entry.name)
            if table is not None and table.columns is not None and entry.columns is not None:
                gone = table.gone - table.columns.keys()
                kept = tuple(name for name in entry.columns if name not in gone)
                entry = replace(entry, columns=kept)
            members.append(entry)
        drafts.replication_sets[replication_set.name] = replace(
            replication_set, tables=tuple(members)
        )


def _complete(drafts: Drafts, table: DraftTable, below: tuple[RelationName, ...]) -> None:
    """Settles a YAML partition after its parents, then checks the columns of its keys."""
    if table.name in drafts.completed:
        return
    drafts.completed.add(table.name)
    known = len(drafts.mistakes)
    try:
        if table.partition_of is not None and table.unattached:
            _attach_late(drafts, table, below)
        if table.columns is not None and table.name not in drafts.broken:
            _check_key(drafts, table.columns, table)
            _check_generations(drafts, table)
            if table.partition_span is not None:  # that of SQL was judged where it stands
                check_partitioned(table, table.partition_span, drafts.postgres_version)
    except Mistake as mistake:
        drafts.mistakes.append(mistake)
    if len(drafts.mistakes) > known:
        drafts.doubts.append(("relations", table.name.name))


def _attach_late(drafts: Drafts, table: DraftTable, below: tuple[RelationName, ...]) -> None:
    name, span = table.partition_of, table.parent_span or table.span
    assert name is not None
    parent = drafts.tables.get(name)
    if parent is None:
        if name not in drafts.broken and not drafts.incomplete:
            raise unknown_table(drafts, name, name.schema, span)
        return
    if name in (*below, table.name):
        raise CIRCULAR(span, child=name.name, parent=table.name.name)
    _complete(drafts, parent, (*below, table.name))
    table.partition_of, table.unattached = None, False
    if parent.name not in drafts.broken:
        attach(drafts, table, parent, table.late_bounds, span)
    table.partition_of = name


def _check_key(drafts: Drafts, columns: Mapping[str, Column], table: DraftTable) -> None:
    named = [*table.primary_key, *table.identity.index]
    for key, _ in table.foreign_keys:
        named += key.columns
    for name in dict.fromkeys(named):
        if name not in columns:
            span = table.key_places.get(name) or table.span
            drafts.mistakes.append(COLUMN_UNKNOWN(span, column=name, hint=meant(name, columns)))
    set_not_null(table, table.primary_key, True)
    for name in table.identity.index if table.identity.index_name is None else ():
        if name in columns and not columns[name].not_null:
            span = table.key_places.get(name) or table.span
            name_of_table = str(table.name)
            drafts.mistakes.append(IDENTITY_NULLABLE_COLUMN(span, table=name_of_table, column=name))


def _check_generations(drafts: Drafts, table: DraftTable) -> None:
    """What generated columns of YAML read; those of SQL were judged where they stand."""
    for column in (table.columns or {}).values() if not table.all_named else ():
        if column.generation is not None:
            try:
                check_generation(table, column.generation)
            except Mistake as mistake:
                drafts.mistakes.append(mistake)


def _check_keys(drafts: Drafts) -> None:
    """The foreign keys of YAML; those of SQL were judged where they stand."""
    for table in drafts.tables.values():
        if table.all_named or table.name in drafts.broken:
            continue
        for key, span in table.foreign_keys:
            schema = key.references.schema
            known = table.columns is not None and table.columns.keys() >= {*key.columns}
            if known and key.references not in drafts.broken:
                try:
                    check_key(drafts, table, key, "" if schema == "public" else schema, span)
                except Mistake as mistake:
                    drafts.mistakes.append(mistake)


def _check_references(drafts: Drafts) -> None:
    """YAML may define in a later file what a foreign key of SQL references."""
    for name, mistake in drafts.references:
        there = drafts.tables.get(name)
        if (there is None or there.all_named) and name not in drafts.broken:
            drafts.mistakes.append(mistake)


def _check_subscriptions(drafts: Drafts) -> None:
    """Publications and sets that a subscription names are looked up by `publications.index`."""
    below = [
        named
        for subscription in drafts.subscriptions.values()
        for named in subscription.superset_of
    ]
    for name, span in (*below, *drafts.test_subscriptions):
        if name not in drafts.subscriptions:
            drafts.mistakes.append(Unknown("subscription", name, span, drafts.subscriptions))


def _unpublishable(drafts: Drafts) -> Iterator[Table]:
    """Sequences, with their columns."""
    for name, kind in drafts.others.items():
        span = drafts.places.get(name)
        if kind == "sequences" and span is not None:
            columns = tuple(Column(one, type_, span) for one, type_ in _OF_SEQUENCE.items())
            yield Table(name, columns, span)


_OF_SEQUENCE = {
    "last_value": PgType("int8"),
    "log_cnt": PgType("int8"),
    "is_called": PgType("bool"),
}
