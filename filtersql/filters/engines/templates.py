"""An engine's table: SQL texts with places for arguments, read once into trees.

Example
    `"int4div": "CAST(_1 DIV _2 AS INT)"` says how PostgreSQL's int4div(int4,int4) is written; `_1`
    and `_2` are its arguments. The text is a constant of this package, never a user's; what a user
    wrote arrives as trees that take the places of `_1`, `_2`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

import sqlglot
from sqlglot import exp

from filtersql.filters.engines.binding import SCOPES, bound_once, is_free, is_long, variables_of
from filtersql.filters.model import PREFIX_MARK
from filtersql.storage import Engine

__all__ = [
    "Template",
    "field_of",
    "fill",
    "first_place",
    "joined",
    "of_a_table",
    "operand",
    "template",
]

Template = Callable[[Sequence[exp.Expr]], exp.Expr]

_ATOMS = (
    exp.Column,
    exp.Identifier,
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Paren,
    exp.Cast,
    exp.Case,
    exp.Anonymous,
    exp.Subquery,
)
#: what computes its first part in any case; IS NULL of what is never NULL is known without it
_IN_ORDER = (exp.Binary, exp.Unary, exp.Cast, exp.Paren)
#: Spark computes the divisor first, and nothing else where that is NULL
_RIGHT_FIRST = (exp.IntDiv, exp.Div, exp.Mod)
_OF_A_TABLE = "of_a_table"
_OPERATORS = (exp.Binary, exp.Unary, exp.In, exp.Between)


def operand(expression: exp.Expr) -> exp.Expr:
    """The expression with parentheses around it where an operator beside it needs them."""
    if isinstance(expression, _ATOMS):
        return expression
    if isinstance(expression, exp.Neg) and isinstance(expression.this, exp.Literal):
        return expression
    if isinstance(expression, exp.Func) and not isinstance(expression, _OPERATORS):
        return expression
    return exp.Paren(this=expression)


def joined(expression: exp.Expr) -> exp.Expr:
    """The expression as one side of AND or OR: only another AND or OR needs parentheses."""
    return exp.Paren(this=expression) if isinstance(expression, exp.Connector) else expression


def fill(engine: Engine, text: str, args: Sequence[exp.Expr]) -> exp.Expr:
    """The text's tree with the arguments in their places."""
    return template(engine, text)(args)


@lru_cache(maxsize=2048)
def template(engine: Engine, text: str) -> Template:
    """The text as a function from arguments to a tree."""
    tree = sqlglot.parse_one(text, read=engine)
    for call in list(tree.find_all(exp.ParseJSON)):
        # sqlglot leaves this function out when it writes Spark's SQL
        call.replace(exp.Anonymous(this="PARSE_JSON", expressions=[call.this]))
    tree = tree.transform(lambda node: _called(node, engine), copy=False)
    if engine == "duckdb":
        for column in [one for one in tree.find_all(exp.Column) if one.table]:
            column.replace(field_of(engine, column.table, column.name))
    if isinstance(tree, exp.Binary) and _place(tree.this) == 0 and _place(tree.expression) == 1:
        kind = type(tree)
        return lambda args: kind(this=operand(args[0]), expression=operand(args[1]))
    for node in tree.walk():
        # Where a token stood: every copy of a tree would make a deep copy of it.
        node._meta = None
    bound = tuple(_bound(tree))
    used = Counter(map(_place, tree.walk()))
    repeated = [place for place, times in used.items() if place >= 0 and times > 1]

    def filled(args: Sequence[exp.Expr]) -> exp.Expr:
        long = [place for place in repeated if is_long(args[place])] if repeated else repeated
        used = _once(engine, tree, long, bound, args) if long else tree
        return _apart(used, bound, args) if bound else _grown(used, args, set())

    return filled


def _once(
    engine: Engine,
    tree: exp.Expr,
    long: Sequence[int],
    bound: Sequence[str],
    args: Sequence[exp.Expr],
) -> exp.Expr:
    """The text with variables for long arguments, but for those that use one of the text's own."""
    names = {one.name.lower() for arg in args for one in arg.find_all(exp.Identifier)}
    taken = {*bound, *(name.removeprefix(PREFIX_MARK.lower()) for name in names), *names}
    outer = [place for place in long if not _uses(args[place], bound)]
    return bound_once(engine, tree, outer, taken)


def _uses(arg: exp.Expr, bound: Sequence[str]) -> bool:
    return bool(bound) and any(
        one.name in bound and _OF_A_TABLE not in one.args and is_free(one, arg)
        for one in arg.find_all(exp.Column)
    )


@lru_cache(maxsize=2048)
def first_place(engine: Engine, text: str) -> int:
    """The place of the argument that is computed whatever the others are; -1: none is known."""
    node = sqlglot.parse_one(text, read=engine)
    while _place(node) < 0:
        if engine == "spark" and isinstance(node, _RIGHT_FIRST):
            node = node.expression
        elif isinstance(node, exp.Case):
            node = node.args.get("this") or node.args["ifs"][0].this
        elif isinstance(node, _IN_ORDER) and not isinstance(node, exp.Is):
            node = node.this
        else:
            # of a call: only where it has one argument
            places = {_place(column) for column in node.find_all(exp.Column)}
            alone = isinstance(node, exp.Func) and len(places) == 1
            return places.pop() if alone else -1
    return _place(node)


def _called(node: exp.Expr, engine: Engine) -> exp.Expr:
    """Calls as they are written here; sqlglot would write them otherwise.

    The arrow of JSON_EXTRACT would be read as part of the lambda beside it; LOG10 became LOG of
    base 10, which Spark computes as a quotient: of 1000 it is less than 3.
    """
    if isinstance(node, exp.Log) and node.this.sql() == "10":
        return exp.Anonymous(this="LOG10", expressions=[node.expression])
    if isinstance(node, exp.UnixDate):  # it became a DATEDIFF from 1970
        return exp.Anonymous(this="UNIX_DATE", expressions=[node.this])
    if not isinstance(node, (exp.JSONExtract, exp.JSONExtractScalar)):
        return node
    name = "JSON_EXTRACT" if isinstance(node, exp.JSONExtract) else "JSON_EXTRACT_STRING"
    path = node.expression
    if isinstance(path, exp.JSONPath):
        path = exp.Literal.string(path.sql(dialect=engine).strip("'"))
    return exp.Anonymous(this=name, expressions=[node.this, path])


def field_of(engine: Engine, variable: str, name: str) -> exp.Expr:
    """A field of a variable; DuckDB takes `c.a` for a column a of c, or for one in a column c."""
    if engine == "spark":
        return exp.column(name, table=variable)
    arguments = [exp.column(variable), exp.Literal.string(name)]
    return exp.Anonymous(this="STRUCT_EXTRACT", expressions=arguments)


def of_a_table(column: exp.Expr) -> exp.Expr:
    """The column, known as one that variables must not be called by."""
    # Not in the metadata, of which every copy of a tree would make a deep copy.
    column.args[_OF_A_TABLE] = True
    return column


def _bound(tree: exp.Expr) -> Iterator[str]:
    """The names of the variables of the text's lambdas and list comprehensions."""
    for node in tree.find_all(*SCOPES):
        yield from variables_of(node)


def _clashing(bound: Iterable[str], args: Sequence[exp.Expr]) -> tuple[set[str], set[str]]:
    """The variables that a column of the arguments is called by, in any case; and the columns.

    Columns are marked as such: an argument may also use the text's own variable.
    """
    columns = {
        part.name.removeprefix(PREFIX_MARK).lower()
        for arg in args
        for column in arg.find_all(exp.Column)
        if _OF_A_TABLE in column.args
        for part in column.parts
    }
    return {name for name in bound if name.lower() in columns}, columns


def _apart(tree: exp.Expr, bound: tuple[str, ...], args: Sequence[exp.Expr]) -> exp.Expr:
    """The tree with variables that no column of the arguments is called by."""
    clashing, columns = _clashing(bound, args)
    if not clashing:
        return _grown(tree, args, set())
    tree = tree.copy()
    for name in clashing:
        new = name
        while new.lower() in columns or new in bound:
            new += "_"
        for one in (tree, *args):
            for identifier in one.find_all(exp.Identifier):
                parent = identifier.parent or identifier
                if identifier.name == name and _OF_A_TABLE not in parent.args:
                    identifier.set("this", new)
    return _grown(tree, args, set())


def _grown(node: exp.Expr, args: Sequence[exp.Expr], used: set[int]) -> exp.Expr:
    """A copy of the text's tree in which the arguments have taken their places."""
    place = _place(node)
    if place >= 0:
        # A tree has one parent: the second use of an argument is a copy of it.
        value = args[place].copy() if place in used else args[place]
        used.add(place)
        return operand(value) if isinstance(node.parent, _OPERATORS) else value
    new = node.__class__()
    for key, found in node.args.items():
        if isinstance(found, exp.Expr):
            new.set(key, _grown(found, args, used))
        elif type(found) is list:
            new.set(
                key,
                [_grown(one, args, used) if isinstance(one, exp.Expr) else one for one in found],
            )
        else:
            new.args[key] = found
    return new


def _place(node: object) -> int:
    """The argument that a name `_1`, `_2`, … stands for, from 0; -1 for anything else."""
    if isinstance(node, exp.Column) and node.name[:1] == "_" and node.name[1:].isdigit():
        return int(node.name[1:]) - 1
    return -1
