"""What a filter reads out of a column several times is computed once, under a name.

Example
    ===================================== ===================================================
    filter                                written for Spark
    ===================================== ===================================================
    `j ->> 'a' = 'x' AND j ->> 'b' = 'y'` `TRANSFORM(ARRAY(…), decoded -> … AND …)[0]`
    `p > 0 AND p < 100`                   the same with p's number
    `b AND (j ->> 'a' = 'x' OR …)`        the same behind `b AND`: j is read where b is not false
    `b AND j ->> 'a' = 'x'`               as it is: read once
    ===================================== ===================================================

    A document, an array or a numeric without declared digits is stored as PostgreSQL's text, and
    each operator reads it for itself. A name stands only for what is computed in any case at its
    place, so nothing raises that did not raise before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from itertools import count, islice

from sqlglot import exp

from filtersql.filters.engines.binding import Nodes, bound_at, holding, is_free, parts_of, spots
from filtersql.filters.model import PREFIX_MARK
from filtersql.filters.write.simplify import simplified
from filtersql.storage import Engine

__all__ = ["decoded_once"]

_NAME = "decoded"
#: characters that are worth a name, and nodes of the shortest filter that repeats as many
_WORTH, _FEWEST = 60, 12
#: what has no value of its own, or that of a shorter part
_NO_VALUES = (
    exp.Lambda,
    exp.Comprehension,
    exp.DataType,
    exp.Column,
    exp.If,
    exp.Literal,
    exp.Paren,
)


def decoded_once(tree: exp.Expr, engine: Engine) -> exp.Expr:
    """The expression with a name for each long part that it would compute again."""
    if not any(islice(tree.walk(), _FEWEST, None)):
        return tree
    done: set[exp.Expr] = set()
    nodes = parts_of(tree)
    for node, _ in nodes:
        node._hash = None  # it may have got other parts since it was compared
    none = next(_repeated(tree, nodes, done), None) is None
    if none or any(isinstance(node, exp.Query) for node, _ in nodes):
        return tree  # no engine has a query inside of a lambda
    tree = tree.copy()  # one part may be the same object in two places
    nodes = parts_of(tree)
    while part := next(_repeated(tree, nodes, done), None):
        done.add(part)

        def is_part(node: exp.Expr, part: exp.Expr = part) -> bool:
            return node == part

        names = _names(nodes)
        held = holding(nodes, is_part)
        if _group(nodes, held):
            held = holding(parts_of(tree), is_part)
        for spot in list(spots(tree, is_part, held)):
            bound = bound_at(engine, _unused(names), spot, is_part)
            tree = bound if spot is tree else tree
        nodes = parts_of(tree)
    return simplified(tree, engine)  # a name needs no parentheses


def _repeated(tree: exp.Expr, nodes: Nodes, done: set[exp.Expr]) -> Iterator[exp.Expr]:
    """The long parts that stand in several places; first those whose names save most."""
    saved: dict[exp.Expr, int] = {}
    for length, part in _alike(nodes):
        saved[part] = saved[part] + length if part in saved else 0
    again = [part for part, length in saved.items() if length and part not in done]
    again.sort(key=lambda part: -saved[part])
    yield from (part for part in again if _has_columns_only(part, tree))


def _alike(nodes: Nodes) -> list[tuple[int, exp.Expr]]:
    """The long parts as long as another one of their kind, with about how many characters.

    They come as they are written, before their wholes. Few parts are compared so.
    """
    lengths = [0] * len(nodes)
    long: list[tuple[int, exp.Expr]] = []
    for place in range(len(nodes) - 1, -1, -1):
        node, whole = nodes[place]
        own = node.name if isinstance(node, (exp.Literal, exp.Identifier)) else node.key
        lengths[place] += len(own)
        if place:
            lengths[whole] += lengths[place]
        if lengths[place] >= _WORTH and not isinstance(node, _NO_VALUES):
            long.append((lengths[place], node))
    times = Counter((length, type(part)) for length, part in long)
    return [(length, part) for length, part in long if times[length, type(part)] > 1]


def _has_columns_only(part: exp.Expr, tree: exp.Expr) -> bool:
    """Whether a part reads columns, and no variable that something around it gives a value."""
    columns = [column for column in part.find_all(exp.Column) if is_free(column, part)]
    return bool(columns) and all(is_free(column, tree) for column in columns)


def _group(nodes: Nodes, held: Mapping[int, int]) -> bool:
    """`a AND x AND x AND b` as `a AND (x AND x) AND b`: the name is known where it is used.

    Whether there is anything of that kind.
    """
    found = False
    connectors = [node for node, _ in nodes if isinstance(node, exp.Connector)]
    for node in [node for node in connectors if held.get(id(node), 0) > 1]:
        operands = [] if type(node.parent) is type(node) else list(node.flatten(unnest=False))
        places = [place for place, operand in enumerate(operands) if id(operand) in held]
        if len(places) > 1:
            first, last = places[0], places[-1] + 1
            # from the right, so that what follows one of them is a part of its own
            group = reduce(_joined(type(node)), reversed(operands[first:last]))
            before = [*operands[:first], group, *operands[last:]]
            whole = reduce(lambda left, right: _joined(type(node))(right, left), before)
            node.set("this", whole.this)
            node.set("expression", whole.expression)
            found = True
    return found


def _joined(kind: type[exp.Expr]) -> Callable[[exp.Expr, exp.Expr], exp.Expr]:
    return lambda right, left: kind(this=left, expression=right)


def _names(nodes: Nodes) -> set[str]:
    """All names, whatever prefix columns will have."""
    identifiers = (node.name for node, _ in nodes if isinstance(node, exp.Identifier))
    return {name.replace(PREFIX_MARK, "").lower() for name in identifiers}


def _unused(names: set[str]) -> str:
    """A variable's name that nothing else has; from now on it has."""
    numbered = (f"{_NAME}{number}" for number in count(2))
    name = next(name for name in (_NAME, *islice(numbered, len(names))) if name not in names)
    names.add(name)
    return name
