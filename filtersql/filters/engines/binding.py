"""Long arguments of a text are written once, as the value of a variable.

Example
    ================================ ====================================================
    the text, `_1` is long           becomes
    ================================ ====================================================
    `CASE WHEN _1 > 0 THEN _1 END`   `[CASE WHEN v > 0 THEN v END FOR v IN [_1]][1]`
    `CASE WHEN _2 THEN _1 + _1 END`  the same within the branch: elsewhere nobody computes it
    `CASE WHEN _2 THEN _1 ELSE 0 END` as it is: written once
    ================================ ====================================================

    Texts inside of texts would grow with the number of uses to the power of their depth. An
    argument that the text may not need is not computed before it is known that it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

import sqlglot
from sqlglot import exp

from filtersql.storage import Engine

__all__ = [
    "SCOPES",
    "VALUE",
    "Nodes",
    "Test",
    "bound_at",
    "bound_once",
    "holding",
    "is_free",
    "is_long",
    "parts_of",
    "spots",
    "variables_of",
]

#: nodes of an argument that a text may still repeat
MOST_COPIED = 80
#: `_2`, in which a name stands for `_1`
VALUE: dict[Engine, str] = {
    "spark": "TRANSFORM(ARRAY(_1), {0} -> _2)[0]",
    "duckdb": "[_2 FOR {0} IN [_1]][1]",
}
_RAISES = ("error", "raise_error")
SCOPES = (exp.Lambda, exp.Comprehension)
Test = Callable[[exp.Expr], bool]
#: as `parts_of` gives them
Nodes = list[tuple[exp.Expr, int]]


def is_long(arg: exp.Expr) -> bool:
    """Whether an argument is too long to be repeated."""
    return any(islice(arg.walk(), MOST_COPIED, None))


def bound_once(engine: Engine, tree: exp.Expr, places: Sequence[int], taken: set[str]) -> exp.Expr:
    """The text's tree with variables for arguments of these places; `taken` are other names."""
    tree = tree.copy()
    number = 0
    for place in places:

        def is_place(node: exp.Expr, name: str = f"_{place + 1}") -> bool:
            return isinstance(node, exp.Column) and node.name == name

        for spot in list(spots(tree, is_place, holding(parts_of(tree), is_place))):
            number += 1
            while f"value{number}" in taken:
                number += 1
            whole = bound_at(engine, f"value{number}", spot, is_place)
            if spot is tree:
                tree = whole
    return tree


def bound_at(engine: Engine, name: str, spot: exp.Expr, is_place: Test) -> exp.Expr:
    """The part of a text under a variable, in its place."""
    binder = _binder(engine, name).copy()
    argument, body = (
        next(one for one in binder.find_all(exp.Column) if one.name == mark)
        for mark in ("_1", "_2")
    )
    if spot.parent is not None:
        spot.replace(binder)
    nodes = parts_of(spot)
    for node, _ in nodes:
        node._meta = None
    first, *others = [one for one, _ in nodes if is_place(one)]
    for use in (first, *others):
        use.replace(exp.column(name))
    argument.replace(first)
    # sqlglot reads `a = b FOR v IN c` as `a = (b FOR v IN c)`
    loose = engine == "duckdb" and isinstance(spot, (exp.Connector, exp.Not, exp.Binary))
    body.replace(exp.Paren(this=spot) if loose else spot)
    return binder


@lru_cache(maxsize=128)
def _binder(engine: Engine, name: str) -> exp.Expr:
    binder = sqlglot.parse_one(VALUE[engine].format(name), read=engine)
    for node in binder.walk():
        node._meta = None
    return binder


def holding(nodes: Nodes, is_place: Test) -> dict[int, int]:
    """How often the argument stands in each part that holds it, by the id() of the part.

    The parts are as `parts_of` gives them.
    """
    times = [0] * len(nodes)
    held: dict[int, int] = {}
    for place in range(len(nodes) - 1, -1, -1):
        node, whole = nodes[place]
        if is_place(node):
            times[place] += 1
        if times[place]:
            held[id(node)] = times[place]
            times[whole] += times[place]
    return held


def parts_of(tree: exp.Expr) -> Nodes:
    """Each part with the place of its whole in this list, where it stands before; of the tree 0.

    From the end they are as they are written: every part, from the left, before its whole.
    """
    nodes: Nodes = []
    later: Nodes = [(tree, 0)]
    kind = exp.Expr
    place = 0
    while later:
        part = later.pop()
        nodes.append(part)
        # without the generator of iter_expressions(), which would take most of the time
        for value in part[0].args.values():
            if not value or value is True:
                continue
            if isinstance(value, kind):
                later.append((value, place))
            elif type(value) is list:
                later += [(item, place) for item in value if isinstance(item, kind)]
        place += 1
    return nodes


def spots(node: exp.Expr, is_place: Test, held: dict[int, int]) -> Iterator[exp.Expr]:
    """The smallest parts that compute the argument in any case, and read it more than once.

    `held` is what `holding` tells of the tree.
    """
    if held.get(id(node), 0) < 2:
        return
    children = [child for child in _children(node) if id(child) in held]
    if len(children) == 1 or not _always(node, is_place, held) or isinstance(node, SCOPES):
        for child in children:
            yield from spots(child, is_place, held)
    else:
        yield node


def _children(node: exp.Expr) -> Iterator[exp.Expr]:
    """What stands in a part; of a CASE its conditions and results, which are no pairs here."""
    for child in node.iter_expressions():
        yield from (
            child.iter_expressions()
            if isinstance(node, exp.Case) and isinstance(child, exp.If)
            else (child,)
        )


def _always(node: exp.Expr, is_place: Test, held: dict[int, int]) -> bool:
    """Whether the part computes the argument whatever its value and the others' are."""
    if id(node) not in held:
        return False
    if is_place(node):
        return True
    match node:
        case exp.Case():
            first = node.args.get("this") or node.args["ifs"][0].this
            results = [branch.args["true"] for branch in node.args["ifs"]]
            default = node.args.get("default")
            every = default is not None and all(
                _always(one, is_place, held) for one in (*results, default)
            )
            return (
                every
                or _always(first, is_place, held)
                or _reads_null(node.args["ifs"][0], is_place, held)
            )
        case exp.Connector() | exp.Coalesce() | exp.If():
            return _always(node.this, is_place, held)
        case exp.Comprehension():
            return _always(node.args["iterator"], is_place, held)
        case exp.Lambda():
            return False
    return any(_always(child, is_place, held) for child in node.iter_expressions())


def _reads_null(branch: exp.Expr, is_place: Test, held: dict[int, int]) -> bool:
    """`WHEN a IS NOT NULL THEN …`: what only reads a gives NULL where a is, and does not raise."""
    test, result = branch.this, branch.args["true"]
    if not (isinstance(test, exp.Is) and isinstance(test.expression, exp.Not)):
        return False
    parts = [node for node in result.walk() if is_place(node)]
    raises = any(call.name.lower() in _RAISES for part in parts for call in part.find_all(exp.Func))
    columns = {column for part in parts for column in part.find_all(exp.Column)}
    return columns == {test.this} and not raises and _always(result, is_place, held)


def is_free(variable: exp.Expr, whole: exp.Expr) -> bool:
    """Whether no lambda or comprehension within the whole gives the variable its value."""
    inner = variable
    while inner is not whole and inner.parent is not None:
        outer = inner.parent
        given = isinstance(outer, SCOPES) and inner.arg_key != "iterator"
        if given and variable.name in variables_of(outer):
            return False
        inner = outer
    return True


def variables_of(scope: exp.Expr) -> list[str]:
    """The names to which a lambda or comprehension gives values."""
    own = scope.expressions if isinstance(scope, exp.Lambda) else [scope.expression]
    place = scope.args.get("position")
    return [one.name for one in (*own, *([place] if place else []))]
