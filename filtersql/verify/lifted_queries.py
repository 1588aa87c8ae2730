"""One query for many cases: feed, source, target, joins and windows carry a case number.

Example
    ============================== ======================================================
    written                        lifted
    ============================== ======================================================
    SELECT a FROM feed             SELECT feed.n AS n, a FROM feed
    FROM target CROSS JOIN cut     FROM target INNER JOIN cut ON cut.n = target.n
    SELECT MAX(seq) FROM feed      one row for each case, whether it has changes or not
    (SELECT seq FROM cut)          (SELECT seq FROM cut WHERE cut.n = feed.n)
    OVER (PARTITION BY a)          OVER (PARTITION BY n, a)
    e FULL OUTER JOIN t            the same; a row's number is COALESCE(e.n, t.n)
    ============================== ======================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, field
from sqlglot import exp

from filtersql.verify.query_parts import inner_queries, is_aggregate, own_nodes

__all__ = ["Lifting", "NotLifted", "lift_query", "put_in_place"]


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

    @property
    def name(self) -> exp.Identifier:
        """The number's name."""
        return exp.to_identifier(self.number, quoted=True)

    def number_of(self, table: str) -> exp.Column:
        """The number of a table's row."""
        return exp.Column(this=self.name, table=exp.to_identifier(table, quoted=True))


def lift_query(query: exp.Expr, lifting: Lifting) -> None:
    """Gives every row of a query its number, as the first column. Raises NotLifted."""
    outside = lifting.known
    lifting.known = set(outside)
    try:
        _ctes(query, lifting)
        if isinstance(query, exp.SetOperation):
            lift_query(query.this, lifting)
            lift_query(query.expression, lifting)
        elif isinstance(query, exp.Subquery):
            lift_query(query.this, lifting)
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
            alias.set("columns", [lifting.name, *alias.columns])
        lift_query(cte.this, lifting)
        lifting.known.add(alias.name)


def _select(select: exp.Select, lifting: Lifting) -> None:
    if select.args.get("limit") or select.args.get("offset"):
        raise NotLifted("it takes a limited number of rows")
    parts = list(own_nodes(select))
    grouped = select.args.get("group")
    counted = any(map(is_aggregate, parts)) and not grouped
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
        named = exp.alias_(first.copy(), lifting.name, copy=False)
        select.set("expressions", [named, *select.expressions])
        if grouped:
            grouped.set("expressions", [first.copy(), *grouped.expressions])


def _first(select: exp.Select, numbers: Sequence[str], lifting: Lifting) -> exp.Expr:
    """The number of a row; where either side of a join may lack one, that of the other."""
    first = lifting.number_of(numbers[0])
    if not any(join.side == "FULL" for join in select.args.get("joins") or ()):
        return first
    if len(numbers) > 2:
        raise NotLifted("of several joins it is not certain which side has a row")
    return exp.Coalesce(this=first, expressions=[lifting.number_of(numbers[1])])


def _is_star(select: exp.Select) -> bool:
    """Whether all columns of the source come first, and its number with them."""
    stars = [one for one in select.expressions if one.is_star]
    if stars and (len(stars) > 1 or select.expressions[0] is not stars[0]):
        raise NotLifted("* is not the first column")
    return bool(stars)


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
            put_in_place(source, lifting.target)
            return [name]
        if lifting.is_feed(source):
            put_in_place(source, lifting.feed)
            return [name]
        raise NotLifted(f'it reads "{name}"')
    if isinstance(source, exp.Subquery) and source.alias:
        lift_query(source.this, lifting)
        return [source.alias]
    raise NotLifted(f"it reads {source.key}")


def _join(join: exp.Join, left: str, right: str, lifting: Lifting) -> None:
    if join.side == "RIGHT" or join.args.get("using"):
        raise NotLifted("of a join it is not certain which side has a row")
    if join.kind == "CROSS":
        join.set("kind", "INNER")
    same = exp.EQ(this=lifting.number_of(right), expression=lifting.number_of(left))
    on = join.args.get("on")
    join.set("on", same if on is None else exp.And(this=exp.paren(on), expression=same))


def _inner(select: exp.Select, outer: exp.Expr, lifting: Lifting) -> None:
    """Queries inside expressions: of the same case as the row that they stand beside."""
    for key, value in list(select.args.items()):
        if key in ("with_", "from_"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr):
                for query in list(inner_queries(part, joined=key == "joins")):
                    _correlate(query, outer, lifting)


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
    first = lifting.number_of(names[0])
    for part in own_nodes(query):
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
        this=lifting.number_of(source.alias_or_name), expression=lifting.number_of(lifting.cases)
    )
    on = same if where is None else exp.And(this=exp.paren(where.this), expression=same)
    select.set("where", None)
    cases = exp.to_table(lifting.cases)
    select.set("from_", exp.From(this=cases))
    select.set("joins", [exp.Join(this=source, side="LEFT", on=on)])
    first = lifting.number_of(lifting.cases)
    named = exp.alias_(first, lifting.name, copy=False)
    select.set("expressions", [named, *select.expressions])
    select.set("group", exp.Group(expressions=[first.copy()]))


def put_in_place(table: exp.Table, other: exp.Table) -> None:
    """Another table in a table's place, under the name by which the statement knows it."""
    name = table.alias_or_name
    for key in ("catalog", "db", "this"):
        table.set(key, other.args[key].copy() if other.args.get(key) else None)
    if not table.alias and name != other.name:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
