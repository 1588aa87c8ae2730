"""What a source system does not filter by, beside what PostgreSQL's rules refuse.

Example
    ================================== ==================== ===============
    filter                             switch               verdict
    ================================== ==================== ===============
    picture = '\\x00' (picture bytea)  binary_filters: no   refused
    deptno % 3 = 0                     modulus_beside: no   allowed
    @deptno % 3 = 0                    modulus_beside: no   allowed
    deptno % 3 = 0 AND loc = 'X'       modulus_beside: no   refused
    ================================== ==================== ===============

xDB
    Replication Server user's guide, "Table filters": binary columns (BYTEA, and on Advanced Server
    BINARY, VARBINARY, BLOB, LONG RAW, RAW, which are the same type) and the modulus operator
"""

from __future__ import annotations

from collections.abc import Iterator

from filtersql.catalog import Table
from filtersql.errors import Mistake
from filtersql.errors.replication_sets import BINARY_FILTER, MODULUS_BESIDE
from filtersql.filters.model import Filter
from filtersql.filters.tree.nodes import Bool, Node, Op
from filtersql.filters.tree.walking import walk
from filtersql.semantics import Semantics

__all__ = ["restrictions"]

_BINARY = frozenset({"bytea", "_bytea"})


def restrictions(row_filter: Filter, table: Table, semantics: Semantics) -> Iterator[Mistake]:
    """What the source system would not accept of a filter."""
    if not semantics.binary_filters:
        for name, span in row_filter.columns.items():
            column = table.column(name)
            if column is not None and column.type.name in _BINARY:
                yield BINARY_FILTER(span, name=table.name, column=name)
    if not semantics.modulus_beside and _moduli(row_filter.tree) and not _alone(row_filter.tree):
        yield MODULUS_BESIDE(row_filter.text.span(), name=table.name)


def _alone(tree: Node) -> bool:
    """Whether the filter is one condition: no AND, OR or NOT, and one modulus."""
    return _moduli(tree) == 1 and not any(isinstance(node, Bool) for node in walk(tree))


def _moduli(tree: Node) -> int:
    return sum(isinstance(node, Op) and node.operator.name == "%" for node in walk(tree))
