"""What a mistake calls a part of a filter.

Example
    `a + b` is `operator "+" on integer`, `ln(n)` is `function ln(numeric)`.

PostgreSQL
    parse_oper.c, op_signature_string(); parse_func.c, func_signature_string().
"""

from __future__ import annotations

from filtersql.filters.tree.nodes import (
    ArrayExpr,
    Const,
    Func,
    MinMax,
    Node,
    Op,
    Other,
    Relabel,
    Var,
)
from filtersql.filters.types import display

__all__ = ["described"]


def described(node: Node) -> str:
    """The node in a few words."""
    match node:
        case Op():
            types = " and ".join(dict.fromkeys(display(arg.type) for arg in node.args))
            return f'operator "{node.operator.name}" on {types}'
        case Func():
            return f"function {node.function.name}({', '.join(display(a.type) for a in node.args)})"
        case Var():
            return f'column "{node.name}" of type {display(node.type)}'
        case Const():
            return f"a constant of type {display(node.type)}"
        case Relabel():
            return f"the cast from {display(node.arg.type)} to {display(node.type)}"
        case Other() if not node.args:
            return node.what.removesuffix("_N")
        case Other():
            return f"{node.what} from {display(node.args[0].type)} to {display(node.type)}"
        case ArrayExpr():
            return "an array"
        case MinMax():
            return f"{'GREATEST' if node.greatest else 'LEAST'} of type {display(node.type)}"
        case _:
            return f"{type(node).__name__.upper()} of type {display(node.type)}"
