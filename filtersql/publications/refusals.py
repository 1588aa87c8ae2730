"""What PostgreSQL refuses at CREATE PUBLICATION, and what it accepts but nobody means.

Example
    ``FOR TABLE root WHERE (a < 5)`` with publish_via_partition_root = false: refused.
    The same with true, compiled with --no-publish-via-partition-root: a warning.

PostgreSQL
    publicationcmds.c, CreatePublication(), TransformPubWhereClauses(),
    CheckPubRelationColumnList(); pg_publication.c, check_publication_add_relation()
"""

from __future__ import annotations

from collections.abc import Iterator

from filtersql.catalog import Table
from filtersql.definitions.kinds import CATALOG_SCHEMAS, system_kind
from filtersql.definitions.model import Publication, PublishedTable
from filtersql.errors import Mistake, Notice
from filtersql.errors.altering import LATER_PARAMETER
from filtersql.errors.publications import (
    COLUMN_LIST_WITH_SCHEMA,
    EXCEPT_PARTITION,
    NEVER_CHANGING,
    ROOT_WITH_FILTER,
    ROOT_WITH_LIST,
    SYSTEM_SCHEMA,
    NotPublishable,
    RelationDoesNotExist,
    is_bare,
    perhaps,
    shown,
)
from filtersql.errors.relations import UNKNOWN_SCHEMA
from filtersql.errors.replication_sets import (
    SAME_RULE_TWICE,
    VIEW_IS_COPIED_ONLY,
    VIEW_WITHOUT_COLUMNS,
)
from filtersql.names import RelationName
from filtersql.publications.columns import list_mistakes
from filtersql.publications.flag import only_flag_turns_off, via_partition_root
from filtersql.publications.lineage import Lineage
from filtersql.publications.model import Settings
from filtersql.source import Span

__all__ = ["missing_relation", "notices", "refusals"]

_PUBLISHES_GENERATED = 18


def refusals(publication: Publication, lineage: Lineage, settings: Settings) -> Iterator[Mistake]:
    """Every mistake of one publication."""
    span = publication.span
    for schema in publication.schemas:
        place = publication.schema_places.get(schema)  # SQL is judged where it stands
        if schema in CATALOG_SCHEMAS:
            yield SYSTEM_SCHEMA(place or span, schema=schema)
        elif place is not None and not lineage.has_schema(schema):
            hint = perhaps(schema, lineage.known_schemas)
            yield UNKNOWN_SCHEMA(place, schema=schema, hint=hint)
    if publication.generated_columns != "none" and settings.postgres_version < _PUBLISHES_GENERATED:
        yield LATER_PARAMETER(
            span,
            kind="publication",
            name="publish_generated_columns",
            version=_PUBLISHES_GENERATED,
        )
    yield from _exceptions(publication, lineage)
    for entry in publication.tables:
        yield from _entry(entry, publication, lineage, settings)


def notices(publication: Publication, lineage: Lineage, settings: Settings) -> Iterator[Notice]:
    """Every warning of one publication."""
    for schema in publication.schemas:
        if schema not in lineage.schemas and schema not in CATALOG_SCHEMAS:
            yield Notice(
                "empty-schema",
                f'publication "{publication.name}" publishes schema "{schema}", '
                "in which no table is defined",
                publication.schema_places.get(schema, publication.span),
            )
    if not only_flag_turns_off(publication, settings):
        return
    for entry in publication.tables:
        if _is_root(entry, lineage) and (entry.where or entry.columns is not None):
            what = "WHERE clause" if entry.where else "column list"
            yield Notice(
                "root-filter-ignored",
                f'{what} of partitioned table "{shown(entry.name)}" in publication '
                f'"{publication.name}" is ignored',
                entry.where.span() if entry.where else entry.span,
                "--no-publish-via-partition-root publishes the rows of each partition "
                "under its own name, by its own filter.",
            )


def _exceptions(publication: Publication, lineage: Lineage) -> Iterator[Mistake]:
    for name in publication.except_tables:
        table = lineage.tables.get(name)
        if table is None:
            yield missing_relation(name, lineage, publication.span)
        elif lineage.ancestors[name]:
            yield EXCEPT_PARTITION(publication.span, name=name, root=lineage.ancestors[name][-1])


def _entry(
    entry: PublishedTable, publication: Publication, lineage: Lineage, settings: Settings
) -> Iterator[Mistake]:
    table = lineage.tables.get(entry.name)
    # CheckPubRelationColumnList() comes before publication_add_relation().
    listed = entry.columns is not None and bool(publication.schemas)
    if table is None:
        missing = missing_relation(entry.name, lineage, entry.span)
        known = isinstance(missing, NotPublishable) and listed
        beside = COLUMN_LIST_WITH_SCHEMA(entry.span, name=entry.name, publication=publication.name)
        yield beside if known else missing
        return
    if listed:
        yield COLUMN_LIST_WITH_SCHEMA(entry.span, name=entry.name, publication=publication.name)
    kind = _unpublishable(table)
    if table.view and settings.semantics.snapshot_views:
        yield from _view(table, publication, entry.span)
    elif kind:
        yield NotPublishable(entry.name, kind, entry.span)
    if table.partition_by is not None:
        yield from _root(entry, publication, settings)
    if entry.columns:
        yield from list_mistakes(entry, table, settings.postgres_version)
    if entry.filters:
        yield from _same_rules(entry)


def _view(table: Table, publication: Publication, span: Span) -> Iterator[Mistake]:
    if publication.publish:
        yield VIEW_IS_COPIED_ONLY(span, name=table.name, publication=publication.name)
    if not table.columns:
        yield VIEW_WITHOUT_COLUMNS(span, name=table.name)


def missing_relation(name: RelationName, lineage: Lineage, span: Span) -> Mistake:
    """Why a name is no table: it is something else, its schema is missing, or it is."""
    if name in lineage.others:
        return NotPublishable(name, lineage.others[name], span)
    kind = system_kind(name)
    if kind == "tables":
        return NEVER_CHANGING(span, name=name)
    if kind is not None:
        return NotPublishable(name, kind, span)
    if name.schema in (*CATALOG_SCHEMAS, "information_schema"):
        return RelationDoesNotExist(name, (), span)
    if not lineage.has_schema(name.schema) and not is_bare(name, span):
        return UNKNOWN_SCHEMA(
            span, schema=name.schema, hint=perhaps(name.schema, lineage.known_schemas)
        )
    return RelationDoesNotExist(name, lineage.tables, span)


def _same_rules(entry: PublishedTable) -> Iterator[Mistake]:
    clauses: dict[str, str] = {}
    for rule, clause in entry.filters.items():
        first = clauses.setdefault(clause.text.strip(), rule)
        if first != rule:
            yield SAME_RULE_TWICE(clause.span(), first=first, second=rule, name=entry.name)


def _root(entry: PublishedTable, publication: Publication, settings: Settings) -> Iterator[Mistake]:
    if settings.semantics.partition_routing == "root_wins":
        return  # a root's own entry judges its tree, whatever the flag says
    if via_partition_root(publication, settings) or only_flag_turns_off(publication, settings):
        return
    for clause in (entry.where, *entry.filters.values()):
        if clause is not None:
            yield ROOT_WITH_FILTER(clause.span(), name=entry.name)
    if entry.columns is not None and not publication.schemas:
        yield ROOT_WITH_LIST(entry.span, name=entry.name, publication=publication.name)


def _is_root(entry: PublishedTable, lineage: Lineage) -> bool:
    table = lineage.tables.get(entry.name)
    return table is not None and table.partition_by is not None


def _unpublishable(table: Table) -> str | None:
    if table.view:
        return "views"
    if table.foreign:
        return "foreign tables"
    return "unlogged tables" if table.unlogged else None
