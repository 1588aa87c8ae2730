"""One statement for many cases: feed, source, target, joins and windows carry a case number.

Example
    ============================== ======================================================
    written                        lifted
    ============================== ======================================================
    SELECT a FROM feed             SELECT feed.n AS n, a FROM feed
    FROM target CROSS JOIN cut     FROM target INNER JOIN cut ON cut.n = target.n
    SELECT MAX(seq) FROM feed      one row for each case, whether it has changes or not
    (SELECT seq FROM cut)          (SELECT seq FROM cut WHERE cut.n = feed.n)
    OVER (PARTITION BY a)          OVER (PARTITION BY n, a)
    ON t.a = s.a                   ON t.a = s.a AND t.n = s.n
    e FULL OUTER JOIN t            the same; a row's number is COALESCE(e.n, t.n)
    ============================== ======================================================

Each case then sees its own changes and its own rows only, as if it were tried alone. What cannot
be lifted so that this is certain raises NotLifted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, field
from sqlglot import exp

from filtersql.filters.model import CLOCK

__all__ = ["Lifting", "NotLifted", "lifted", "lifted_delete", "lifted_insert", "lifted_query"]


class NotLifted(Exception):
    """What stands in the way."""


class Lifting(Struct):
    """`number` is the case's column; `is_feed` and `is_target` recognise the tables that have it.

    `cases` is a table with one row for each case. `tables` give the names that stand in their
    places.
    """

    number: str
    cases: str
    is_feed: Callable[[exp.Table], bool]
    is_target: Callable[[exp.Table], bool]
    feed: exp.Table
    target: exp.Table
    #: names of the CTEs that are in sight and carry the number
    known: set[str] = field(default_factory=set)


def lifted(merge: exp.Merge, lifting: Lifting) -> exp.Merge:
    """The MERGE for all cases. The tree that is given is changed."""
    target, using = merge.this, merge.args["using"]
    if not isinstance(target, exp.Table) or not isinstance(using, exp.Subquery):
        raise NotLifted("it does not merge a query into a table")
    names = target.alias_or_name, using.alias_or_name
    _put(target, lifting.target)
    _query(using.this, lifting)
    condition = merge.args["on"]
    same = exp.EQ(this=_number(names[0], lifting), expression=_number(names[1], lifting))
    merge.set("on", exp.And(this=exp.paren(condition, copy=False), expression=same))
    for when in merge.args["whens"].expressions:
        _when(when, names[1], lifting)
    if any(isinstance(part, exp.Query) for part in _parts_of(merge, using)):
        raise NotLifted("its clauses hold queries")
    return merge


def lifted_insert(insert: exp.Insert, lifting: Lifting) -> exp.Insert:
    """The INSERT of a query's rows for all cases. The tree that is given is changed."""
    into = insert.this
    others = {key for key, value in insert.args.items() if value} - {"this", "expression"}
    if not isinstance(into, exp.Schema) or others:
        raise NotLifted("it does not just insert a query into named columns")
    into.set("this", lifting.target.copy())
    into.set("expressions", [_identifier(lifting), *into.expressions])
    _query(insert.expression, lifting)
    return insert


def lifted_delete(delete: exp.Delete, lifting: Lifting) -> exp.Delete:
    """The DELETE for all cases, which judges row by row. The tree that is given is changed."""
    others = {key for key, value in delete.args.items() if value} - {"this", "where"}
    if others or any(isinstance(part, exp.Query) for part in delete.walk()):
        raise NotLifted("it does not just delete the rows that meet a condition")
    delete.set("this", lifting.target.copy())
    return delete


def lifted_query(query: exp.Query, lifting: Lifting) -> exp.Query:
    """The query for all cases; each row has its number. The tree that is given is changed."""
    _query(query, lifting)
    return query


def _parts_of(merge: exp.Merge, using: exp.Subquery) -> Iterator[exp.Expr]:
    for part in (merge.args["on"], merge.args["whens"]):
        yield from part.walk()


def _when(when: exp.When, source: str, lifting: Lifting) -> None:
    then = when.args.get("then")
    if not isinstance(then, exp.Insert):
        return
    columns, values = then.this, then.expression
    if not isinstance(columns, exp.Tuple) or not isinstance(values, exp.Tuple):
        raise NotLifted("an INSERT does not name its columns")
    columns.set("expressions", [_identifier(lifting), *columns.expressions])
    values.set("expressions", [_number(source, lifting), *values.expressions])


def _query(query: exp.Expr, lifting: Lifting) -> None:
    """Gives every row of a query its number, as the first column."""
    outside = lifting.known
    lifting.known = set(outside)
    try:
        _ctes(query, lifting)
        if isinstance(query, exp.SetOperation):
            _query(query.this, lifting)
            _query(query.expression, lifting)
        elif isinstance(query, exp.Subquery):
            _query(query.this, lifting)
        elif isinstance(query, exp.Select):
            _select(query, lifting)
        else:
            raise NotLifted(f"{query.key} is no query")
    finally:
        lifting.known = outside


def _ctes(query: exp.Expr, lifting: Lifting) -> None:
    with_ = query.args.get("with_")
    if with_ is None:
        return
    for cte in with_.expressions:
        alias = cte.args["alias"]
        if with_.args.get("recursive"):
            lifting.known.add(alias.name)
        if alias.columns:
            alias.set("columns", [_identifier(lifting), *alias.columns])
        _query(cte.this, lifting)
        lifting.known.add(alias.name)


def _select(select: exp.Select, lifting: Lifting) -> None:
    if select.args.get("limit") or select.args.get("offset"):
        raise NotLifted("it takes a limited number of rows")
    parts = list(_own(select))
    grouped = select.args.get("group")
    counted = any(map(_aggregates, parts)) and not grouped
    numbers = _sources(select, lifting)
    if not numbers:
        raise NotLifted("a query reads neither the feed nor the target")
    first = _first(select, numbers, lifting)
    for part in parts:
        if isinstance(part, exp.Window):
            part.set("partition_by", [first.copy(), *(part.args.get("partition_by") or ())])
    _inner(select, first, lifting)
    if counted:
        _for_each_case(select, parts, lifting)
    elif _is_star(select):
        if len(numbers) > 1:
            raise NotLifted("* takes the columns of several tables")
    else:
        named = exp.alias_(first.copy(), _identifier(lifting), copy=False)
        select.set("expressions", [named, *select.expressions])
        if grouped:
            grouped.set("expressions", [first.copy(), *grouped.expressions])


def _first(select: exp.Select, numbers: Sequence[str], lifting: Lifting) -> exp.Expr:
    """The number of a row; where either side of a join may lack one, that of the other."""
    first = _number(numbers[0], lifting)
    if not any(join.side == "FULL" for join in select.args.get("joins") or ()):
        return first
    if len(numbers) > 2:
        raise NotLifted("of several joins it is not certain which side has a row")
    return exp.Coalesce(this=first, expressions=[_number(numbers[1], lifting)])


def _is_star(select: exp.Select) -> bool:
    """Whether all columns of the source come first, and its number with them."""
    stars = [one for one in select.expressions if one.is_star]
    if stars and (len(stars) > 1 or select.expressions[0] is not stars[0]):
        raise NotLifted("* is not the first column")
    return bool(stars)


def _own(select: exp.Select) -> Iterator[exp.Expr]:
    """The nodes of a query itself, without those of queries in it."""
    for key, value in select.args.items():
        if key in ("with_", "from_", "joins"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr):
                yield from _walk(part)


def _walk(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Query):
        return
    yield node
    for child in node.iter_expressions():
        yield from _walk(child)


def _aggregates(node: exp.Expr) -> bool:
    """An aggregate function that is not a window's."""
    if not isinstance(node, exp.AggFunc):
        return False
    above = node.parent
    while isinstance(above, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        above = above.parent
    return not isinstance(above, exp.Window)


def _sources(select: exp.Select, lifting: Lifting) -> list[str]:
    """The names of all tables that carry the number, joined by it."""
    from_ = select.args.get("from_")
    if from_ is None:
        return []
    found = [*_source(from_.this, lifting)]
    for join in select.args.get("joins") or ():
        names = _source(join.this, lifting)
        if names and found:
            _join(join, found[0], names[0], lifting)
        elif names:
            raise NotLifted("a join begins with another table")
        found += names
    return found


def _source(source: exp.Expr, lifting: Lifting) -> list[str]:
    if isinstance(source, exp.Table) and not source.args.get("joins"):
        name = source.alias_or_name
        if not source.db and source.name in lifting.known:
            return [name]
        if lifting.is_target(source):
            _put(source, lifting.target)
            return [name]
        if lifting.is_feed(source):
            _put(source, lifting.feed)
            return [name]
        raise NotLifted(f'it reads "{name}"')
    if isinstance(source, exp.Subquery) and source.alias:
        _query(source.this, lifting)
        return [source.alias]
    raise NotLifted(f"it reads {source.key}")


def _join(join: exp.Join, left: str, right: str, lifting: Lifting) -> None:
    if join.side == "RIGHT" or join.args.get("using"):
        raise NotLifted("of a join it is not certain which side has a row")
    if join.kind == "CROSS":
        join.set("kind", "INNER")
    same = exp.EQ(this=_number(right, lifting), expression=_number(left, lifting))
    on = join.args.get("on")
    join.set("on", same if on is None else exp.And(this=exp.paren(on), expression=same))


def _inner(select: exp.Select, outer: exp.Expr, lifting: Lifting) -> None:
    """Queries inside expressions: of the same case as the row that they stand beside."""
    for key, value in list(select.args.items()):
        if key in ("with_", "from_"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr):
                for query in list(_queries(part, joined=key == "joins")):
                    _correlate(query, outer, lifting)


def _queries(node: exp.Expr, *, joined: bool) -> Iterator[exp.Expr]:
    """The outermost queries below a node; of a join those of its condition only."""
    if joined:
        on = node.args.get("on")
        if isinstance(on, exp.Expr):
            yield from _queries(on, joined=False)
        return
    if isinstance(node, exp.Select | exp.SetOperation):
        if not _is_clock(node):
            yield node
        return
    for child in node.iter_expressions():
        yield from _queries(child, joined=False)


def _is_clock(query: exp.Expr) -> bool:
    """Whether it reads a moment of the run's clock, which is that of all cases."""
    from_ = query.args.get("from_")
    others = {key for key, value in query.args.items() if value} - {"from_", "expressions", "kind"}
    return from_ is not None and not others and from_.this == exp.to_table(CLOCK)


def _correlate(query: exp.Expr, outer: exp.Expr, lifting: Lifting) -> None:
    if not isinstance(query, exp.Select) or query.args.get("with_"):
        raise NotLifted("a query inside an expression is not a plain one")
    if query.args.get("group") or query.args.get("limit"):
        raise NotLifted("a query inside an expression groups or limits its rows")
    names = _sources(query, lifting)
    if not names:
        raise NotLifted("a query inside an expression reads no table")
    if any(names[0] == column.table for column in outer.find_all(exp.Column)):
        raise NotLifted("a query inside an expression reads the table around it by its name")
    first = _number(names[0], lifting)
    for part in _own(query):
        if isinstance(part, exp.Window):
            part.set("partition_by", [first.copy(), *(part.args.get("partition_by") or ())])
    _inner(query, first, lifting)
    query.where(exp.EQ(this=first, expression=outer.copy()), copy=False)


def _for_each_case(select: exp.Select, parts: list[exp.Expr], lifting: Lifting) -> None:
    """An aggregate without GROUP BY has one row even of nothing: one for each case, then.

    The condition moves into the join, so that a case without rows meets NULLs: what MAX, MIN and
    SUM make of those is what they make of nothing.
    """
    if any(isinstance(part, exp.Count) for part in parts) or select.args.get("joins"):
        raise NotLifted("it counts the rows of a whole table")
    source = select.args["from_"].this
    where = select.args.get("where")
    same = exp.EQ(
        this=_number(source.alias_or_name, lifting), expression=_number(lifting.cases, lifting)
    )
    on = same if where is None else exp.And(this=exp.paren(where.this), expression=same)
    select.set("where", None)
    cases = exp.to_table(lifting.cases)
    select.set("from_", exp.From(this=cases))
    select.set("joins", [exp.Join(this=source, side="LEFT", on=on)])
    first = _number(lifting.cases, lifting)
    named = exp.alias_(first, _identifier(lifting), copy=False)
    select.set("expressions", [named, *select.expressions])
    select.set("group", exp.Group(expressions=[first.copy()]))


def _identifier(lifting: Lifting) -> exp.Identifier:
    return exp.to_identifier(lifting.number, quoted=True)


def _number(table: str, lifting: Lifting) -> exp.Column:
    return exp.Column(this=_identifier(lifting), table=exp.to_identifier(table, quoted=True))


def _put(table: exp.Table, other: exp.Table) -> None:
    """Another table in a table's place, under the name by which the statement knows it."""
    name = table.alias_or_name
    for key in ("catalog", "db", "this"):
        table.set(key, other.args[key].copy() if other.args.get(key) else None)
    if not table.alias and name != other.name:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
