"""Which columns are published: a list, or all but generated ones; one answer for a table.

Example
    ================================ ============================ =====================
    CREATE TABLE t (a, b, g stored)  publish_generated_columns    published
    ================================ ============================ =====================
    t                                none                         a, b
    t                                stored                       a, b, g
    t (a, g)                         either                       a, g (PostgreSQL 18)
    t (a) in p1 and t in p2                                       an error
    t (a, b) in p1 and t in p2       none                         a, b: they agree
    t (a) and t (b), replication sets                             a, b: lists are united
    t (a) and t, replication sets                                 a
    ================================ ============================ =====================

PostgreSQL
    pgoutput.c, pgoutput_column_list_init(), check_and_init_gencol();
    pg_publication.c, pub_collist_validate(); subscriptioncmds.c, fetch_table_list()
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filtersql.catalog import Column, Generated, Table
from filtersql.definitions.model import PublishedTable
from filtersql.errors import Mistake
from filtersql.errors.columns import UNKNOWN_IN_TABLE
from filtersql.errors.publications import (
    COLUMN_NOT_IN_LIST,
    COLUMN_TWICE,
    DIFFERENT_COLUMN_LISTS,
    DIFFERENT_GENERATED_COLUMNS,
    perhaps,
)
from filtersql.names import quote_identifier
from filtersql.publications.membership import Membership
from filtersql.source import Span

__all__ = ["column_list", "list_mistakes", "published_columns", "published_names"]

_PUBLISHES_GENERATED = 18
_LEAVES_GENERATED_OUT = 16
_SYSTEM = frozenset({"ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"})


def published_columns(
    table: Table,
    members: Sequence[Membership],
    span: Span,
    *,
    postgres_version: int,
    changes: bool,
    union: bool = False,
) -> tuple[tuple[Column, ...], tuple[Mistake, ...]]:
    """The columns in the table's order, and a mistake where the publications disagree.

    PostgreSQL compares the columns when it subscribes, the parameters when it sends `changes`.
    """
    # Publications are many, different answers are few: one for each list or parameter.
    lists: dict[frozenset[str] | str, Membership] = {}
    for member in members:
        listed = column_list(table, member) if member.lists_columns else None
        lists.setdefault(member.generated_columns if listed is None else listed, member)
    answers: dict[frozenset[str], Membership] = {}
    for member in lists.values():
        answers.setdefault(_compared_names(table, member, postgres_version), member)
    chosen = published_names(table, members[0])
    named = [column_list(table, member) for member in lists.values()]
    if union and any(named):
        # A set without a list adds nothing to the lists of the others (seen on pglogical 2.4.2).
        chosen = frozenset[str]().union(*(each for each in named if each))
    columns = tuple(column for column in table.columns if column.name in chosen)
    if union:
        return columns, ()
    if len(answers) > 1:
        described = [
            f'Publication "{member.name}" publishes ({_listed(table, published)}).'
            for published, member in answers.items()
        ]
        described_lists = " ".join(described)
        return columns, (DIFFERENT_COLUMN_LISTS(span, name=table.name, lists=described_lists),)
    parameters = [listed for listed in lists if isinstance(listed, str)]
    if changes and len(parameters) > 1 and any(column.generated for column in table.columns):
        return columns, (DIFFERENT_GENERATED_COLUMNS(span, name=table.name),)
    return columns, ()


def column_list(table: Table, member: Membership) -> frozenset[str] | None:
    """The column list of a publication for a table published under its own name."""
    if not member.lists_columns or member.all_tables:
        return None
    entry = member.entries.get(table.name)
    return None if entry is None or entry.columns is None else frozenset(entry.columns)


def published_names(table: Table, member: Membership) -> frozenset[str]:
    """The plain names of the columns that one publication publishes."""
    listed = column_list(table, member)
    if listed is not None:
        return listed
    generated = {None} | ({Generated.STORED} if member.generated_columns == "stored" else set())
    return frozenset(column.name for column in table.columns if column.generated in generated)


def _compared_names(table: Table, member: Membership, postgres_version: int) -> frozenset[str]:
    """What CREATE SUBSCRIPTION compares: before 16, generated columns count without being sent."""
    if postgres_version < _LEAVES_GENERATED_OUT and column_list(table, member) is None:
        return frozenset(column.name for column in table.columns)
    return published_names(table, member)


def list_mistakes(entry: PublishedTable, table: Table, postgres_version: int) -> Iterator[Mistake]:
    """What a column list may not name."""
    seen: set[str] = set()
    for name in entry.columns or ():
        column = table.column(name)
        if column is None and name in _SYSTEM:
            yield COLUMN_NOT_IN_LIST(entry.span, column=name, kind="system")
        elif column is None and table.view and not table.columns:
            continue  # its columns are not known
        elif column is None:
            known = [column.name for column in table.columns]
            yield UNKNOWN_IN_TABLE(
                entry.span, column=name, table=table.name.name, hint=perhaps(name, known)
            )
        elif column.generated and postgres_version < _PUBLISHES_GENERATED:
            yield COLUMN_NOT_IN_LIST(entry.span, column=name, kind="generated")
        elif column.generated is Generated.VIRTUAL:
            yield COLUMN_NOT_IN_LIST(entry.span, column=name, kind="virtual generated")
        elif name in seen:
            yield COLUMN_TWICE(entry.span, column=name)
        seen.add(name)


def _listed(table: Table, names: frozenset[str]) -> str:
    return ", ".join(
        quote_identifier(column.name) for column in table.columns if column.name in names
    )
