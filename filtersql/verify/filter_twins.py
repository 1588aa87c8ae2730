"""The filters of a compiled file: how many there are, and the same ones for DuckDB.

Example
    twins_of(node, filters, "spark", Kind.MERGE)
    {"(old_a>5)": "(old_a > 5)", …}      a filter as it is written, squeezed -> its twin
"""

from __future__ import annotations

from filtersql.changes import stopping
from filtersql.compile import Node
from filtersql.filter_cache import FilterCache
from filtersql.rendering.layout import squeezed
from filtersql.rendering.sql_fragments import raise_error, true_or_false
from filtersql.storage import Engine as Dialect
from filtersql.verify.kinds import Kind

__all__ = ["criteria_count", "twins_of"]


def criteria_count(node: Node, kind: Kind) -> int:
    """How many filters a statement holds."""
    judged = node.judged
    if not kind.merges:
        return len(judged.copy)
    leaving = len(judged.copy) if judged.expires else 0
    return leaving + sum(len(arm.criteria) for arm in (*judged.old, *judged.new))


def twins_of(node: Node, filters: FilterCache, dialect: Dialect, kind: Kind) -> dict[str, str]:
    """What a filter of a verdict may be, and the same for DuckDB."""
    if dialect == "duckdb":
        return {}
    own, duckdb = filters.writer(dialect), filters.writer("duckdb")
    found = {
        squeezed(f"({own(each, prefix)})", dialect): f"({duckdb(each, prefix)})"
        for each in node.filters.values()
        for prefix in _prefixes(node, kind)
    }
    for value in (True, False):
        word = true_or_false(value=value, engine=dialect)
        found[f"({word})"] = f"({true_or_false(value=value, engine='duckdb')})"
    for refusal in stopping(node.resolved).values():
        message = f"filtersql: {refusal}"
        stop = squeezed(f"({raise_error(message, dialect)})", dialect)
        found[stop] = f"({raise_error(message, 'duckdb')})"
    return found


def _prefixes(node: Node, kind: Kind) -> tuple[str, ...]:
    """What stands before the columns of filters: of rows of the target, or of a source, nothing."""
    if not kind.merges:
        return ("",)
    return ("old_", "new_", "") if node.judged.expires else ("old_", "new_")
