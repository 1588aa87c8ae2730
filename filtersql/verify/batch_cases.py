"""One statement for many cases: a MERGE, INSERT or DELETE whose tables carry a case number.

Example
    ============================== ======================================================
    written                        lifted
    ============================== ======================================================
    USING (SELECT a FROM feed)     USING (SELECT feed.n AS n, a FROM feed)
    ON t.a = s.a                   ON t.a = s.a AND t.n = s.n
    INSERT (a) VALUES (s.a)        INSERT (n, a) VALUES (s.n, s.a)
    ============================== ======================================================

Each case then sees its own changes and its own rows only, as if it were tried alone. What cannot
be lifted so that this is certain raises NotLifted. Its queries: `lifted_queries`.
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.verify.lifted_queries import Lifting, NotLifted, lift_query, put_in_place

__all__ = ["lifted", "lifted_delete", "lifted_insert"]


def lifted(merge: exp.Merge, lifting: Lifting) -> exp.Merge:
    """The MERGE for all cases. The tree that is given is changed."""
    target, using = merge.this, merge.args["using"]
    if not isinstance(target, exp.Table) or not isinstance(using, exp.Subquery):
        raise NotLifted("it does not merge a query into a table")
    names = target.alias_or_name, using.alias_or_name
    put_in_place(target, lifting.target)
    lift_query(using.this, lifting)
    condition = merge.args["on"]
    same = exp.EQ(this=lifting.number_of(names[0]), expression=lifting.number_of(names[1]))
    merge.set("on", exp.And(this=exp.paren(condition, copy=False), expression=same))
    for when in merge.args["whens"].expressions:
        _when(when, names[1], lifting)
    clauses = merge.args["on"], merge.args["whens"]
    if any(isinstance(part, exp.Query) for clause in clauses for part in clause.walk()):
        raise NotLifted("its clauses hold queries")
    return merge


def lifted_insert(insert: exp.Insert, lifting: Lifting) -> exp.Insert:
    """The INSERT of a query's rows for all cases. The tree that is given is changed."""
    into = insert.this
    others = {key for key, value in insert.args.items() if value} - {"this", "expression"}
    if not isinstance(into, exp.Schema) or others:
        raise NotLifted("it does not just insert a query into named columns")
    into.set("this", lifting.target.copy())
    into.set("expressions", [lifting.name, *into.expressions])
    lift_query(insert.expression, lifting)
    return insert


def lifted_delete(delete: exp.Delete, lifting: Lifting) -> exp.Delete:
    """The DELETE for all cases, which judges row by row. The tree that is given is changed."""
    others = {key for key, value in delete.args.items() if value} - {"this", "where"}
    if others or any(isinstance(part, exp.Query) for part in delete.walk()):
        raise NotLifted("it does not just delete the rows that meet a condition")
    delete.set("this", lifting.target.copy())
    return delete


def _when(when: exp.When, source: str, lifting: Lifting) -> None:
    then = when.args.get("then")
    if not isinstance(then, exp.Insert):
        return
    columns, values = then.this, then.expression
    if not isinstance(columns, exp.Tuple) or not isinstance(values, exp.Tuple):
        raise NotLifted("an INSERT does not name its columns")
    columns.set("expressions", [lifting.name, *columns.expressions])
    values.set("expressions", [lifting.number_of(source), *values.expressions])
