"""INHERITS as a dump writes it, PARTITION OF and DETACH: which tables can be parent and child.

Example
    `CREATE TABLE x (b int) INHERITS (t)` has the columns of t and its own. A column of two parents,
    or one that x defines in another way than t, is refused.

PostgreSQL
    tablecmds.c: MergeAttributes(), ATExecDetachPartition()
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.catalog import Column
from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.kinds import SHARED_IDENTITIES, kind_of
from filtersql.definitions.sql_names import Place, Script, known_table, referenced, span_of
from filtersql.errors import partitions as refusals
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node
from filtersql.source import Span

__all__ = ["check_own", "detach", "inherit", "read_root"]

_NO_TABLES = ("views", "materialized views", "sequences")


def read_root(script: Script, node: Node) -> DraftTable:
    """PARTITION OF: the partitioned table."""
    span, name = span_of(script, node), referenced(script, node)
    kind = kind_of(script.drafts, name)
    if kind in _NO_TABLES:
        raise refusals.PARENT_NO_TABLE(span, name=name.name)
    table = known_table(script, node)
    if table.partition_by is None:
        raise refusals.PARENT_NOT_PARTITIONED(span, name=name.name)
    return table


def inherit(script: Script, table: DraftTable, nodes: list[Node]) -> None:
    """INHERITS (…) of a table that is made: every parent gives its columns."""
    for node in nodes:
        span = span_of(script, node)
        kind = kind_of(script.drafts, referenced(script, node))
        if kind not in (None, "tables", "foreign tables"):
            raise UnsupportedStatement(f"INHERITS of one of the {kind}", span)
        parent = known_table(script, node)
        twice = any(name == parent.name for name, _ in table.inherits)
        if twice or parent.partition_of is not None:
            construct = "INHERITS of a partition, or of one table twice,"
            raise UnsupportedStatement(construct, span)
        table.inherits.append((parent.name, span))
        _inherit_columns(table, parent, span)


def _inherit_columns(table: DraftTable, parent: DraftTable, span: Span) -> None:
    """The columns of one parent; two parents with a column of one name are refused."""
    assert table.columns is not None
    for column in (parent.columns or {}).values():
        if column.name in table.columns:
            raise UnsupportedStatement.dumped("a column of several parents", span)
        table.columns[column.name] = column


def check_own(inherited: Column, own: Column, default: str | None) -> Column:
    """A column that a table defines and a parent has: as one, where only NOT NULL differs."""
    same = (inherited.type, inherited.collation) == (own.type, own.collation)
    if not same or default is not None or inherited.generated is not None:
        raise UnsupportedStatement.dumped("a parent's column that is defined again", own.span)
    return replace(own, not_null=own.not_null or inherited.not_null)


def detach(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """ALTER TABLE … DETACH PARTITION."""
    node = getattr(command, "def").partition_cmd.name
    name = referenced(script, node)
    if getattr(command, "def").partition_cmd.concurrent:
        construct = "DETACH PARTITION … CONCURRENTLY"
        raise UnsupportedStatement(construct, span_of(script, node), "Write DETACH PARTITION.")
    if kind_of(script.drafts, name) in _NO_TABLES:
        raise refusals.NOT_ITS_PARTITION(
            span_of(script, node), table=name.name, parent=table.name.name
        )
    child = known_table(script, node)
    if child.partition_of != table.name:
        raise refusals.NOT_ITS_PARTITION(
            span_of(script, node), table=child.name.name, parent=table.name.name
        )
    child.constraints |= table.constraints
    if script.drafts.postgres_version >= SHARED_IDENTITIES:
        child.identities -= table.identities
    child.partition_of = child.bounds = child.late_bounds = child.parent_span = None
