"""A MERGE that matches a row of the target twice: Spark stops, and some versions of DuckDB do not.

Example
    ==================================== =================================================
    MERGE INTO t USING (q) AS s ON c …   SELECT ERROR('…') FROM (SELECT t.rowid FROM t
                                         INNER JOIN (q) AS s ON c
                                         GROUP BY t.rowid HAVING COUNT(*) > 1) LIMIT 1
    ==================================== =================================================

DuckDB 2.0.0 stops, 2.0.1 carries both changes out; so a proof asks first.
"""

from __future__ import annotations

from sqlglot import exp, select

from filtersql.rendering.sql_fragments import raise_error

__all__ = ["stop_if_matched_twice"]

_MESSAGE = "MERGE matches a row of the target with several rows of its source"


def stop_if_matched_twice(merge: exp.Merge) -> exp.Select:
    """A query of DuckDB that stops where the MERGE, not carried out yet, matches a row twice."""
    target, using, condition = (merge.args[part].copy() for part in ("this", "using", "on"))
    row = exp.column("rowid", table=target.alias_or_name, quoted=True)
    several = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(1))
    matched = select(row).from_(target).join(using, on=condition).group_by(row).having(several)
    stop: exp.Expr = exp.maybe_parse(raise_error(_MESSAGE, "duckdb"), dialect="duckdb")
    return select(stop).from_(matched.subquery("matched")).limit(1)
