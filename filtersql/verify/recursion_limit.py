"""A recursion without end stops a statement of a proof on DuckDB, which has no limit of its own.

Example
    ======================================== ================================================
    WITH RECURSIVE r AS (                    WITH RECURSIVE r AS (
      SELECT a FROM t                          SELECT a, 0 AS filtersql_depth FROM t
      UNION ALL                                UNION ALL
      SELECT r.a FROM r WHERE r.a > 0          SELECT r.a, r.filtersql_depth + 1 FROM r
    )                                          WHERE r.a > 0 AND CASE WHEN r.filtersql_depth …
    ======================================== ================================================

Where a row follows itself, DuckDB goes on until memory ends, and takes more than its limit: rows
are small, and what it keeps for each round is not counted. A case has a few changes; no recursion
over them is as deep as the limit. Spark has one: spark.sql.cteRecursionLevelLimit.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["DEPTH", "limit_recursion"]

#: rounds, of which a case needs one for each change
DEPTH = 1_000
_COLUMN = "filtersql_depth"
_REASON = f"a recursion goes on after {DEPTH} rounds"


def limit_recursion(tree: exp.Expr) -> None:
    """Stop each recursive query of a statement at the limit. The tree is changed."""
    for with_ in tree.find_all(exp.With):
        for cte in with_.expressions if with_.args.get("recursive") else ():
            query = cte.this
            if isinstance(query, exp.Union) and _reads(query.expression, cte.alias):
                _limit(tree, cte, query)


def _limit(tree: exp.Expr, cte: exp.CTE, query: exp.Union) -> None:
    first, step = query.this, query.expression
    if not isinstance(first, exp.Select) or not isinstance(step, exp.Select):
        return
    if any(select.is_star for select in _readers(tree, cte.alias)) or first.is_star:
        return  # a column more would be in the way
    columns = cte.args["alias"].columns
    if columns:
        cte.args["alias"].set("columns", [*columns, exp.to_identifier(_COLUMN)])
    name = next(table.alias_or_name for table in _tables(step, cte.alias))
    depth = exp.column(_COLUMN, table=exp.to_identifier(name, quoted=True))
    within = exp.LT(this=depth, expression=exp.Literal.number(DEPTH))
    stop = exp.Anonymous(this="error", expressions=[exp.Literal.string(_REASON)])
    first.select(exp.alias_(exp.Literal.number(0), _COLUMN), copy=False)
    deeper = exp.Add(this=depth.copy(), expression=exp.Literal.number(1))
    step.select(exp.alias_(deeper, _COLUMN), copy=False)
    step.where(exp.case().when(within, exp.true()).else_(stop), copy=False)


def _readers(tree: exp.Expr, name: str) -> list[exp.Select]:
    return [select for select in tree.find_all(exp.Select) if _reads(select, name)]


def _reads(select: exp.Expr, name: str) -> bool:
    return any(_tables(select, name))


def _tables(select: exp.Expr, name: str) -> list[exp.Table]:
    """Where a query itself reads a table of that name."""
    from_, joins = select.args.get("from_"), select.args.get("joins") or ()
    sources = [part.this for part in (*([from_] if from_ else ()), *joins)]
    return [one for one in sources if isinstance(one, exp.Table) and one.name == name]
