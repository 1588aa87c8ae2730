"""The typed tree of a row filter: every node names the one function that PostgreSQL calls.

Example
    `a > 5 AND c = 'NSW'` over `(a int, c text)`:

    Bool AND
    ├── Op int4gt(int4,int4)   Var a int4, Const 5 int4
    └── Op texteq(text,text)   Var c text, Const 'NSW' text

PostgreSQL
    primnodes.h. The collation that parse_collate.c would assign is in each node: `collation` is
    that of the result, `strength` how it came about, `input_collation` the one a function uses.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

from msgspec import Struct, field

from filtersql.filters.facts import Function, Operator
from filtersql.filters.values.cuts import ClockColumn
from filtersql.names import RelationName

__all__ = [
    "ArrayExpr",
    "Bool",
    "BooleanTest",
    "Case",
    "CaseTest",
    "Coalesce",
    "Collate",
    "Const",
    "Cut",
    "Display",
    "Distinct",
    "Func",
    "Lookup",
    "MinMax",
    "Node",
    "NullIf",
    "NullTest",
    "Op",
    "Other",
    "Relabel",
    "Row",
    "RowCompare",
    "ScalarArrayOp",
    "Strength",
    "Value",
    "Var",
    "is_null_const",
]

#: A constant as Python holds it; `filters.values` says which class for which type.
Value = object
Display = Literal["call", "explicit", "implicit", "sql"]


class Strength(IntEnum):
    """How a collation came about (parse_collate.c, CollateStrength)."""

    NONE = 0
    IMPLICIT = 1
    CONFLICT = 2
    EXPLICIT = 3


class Node(Struct, frozen=True):
    """`type` is the internal name (`int4`); `location` the first character of its own token."""

    type: str
    typmod: int = -1
    location: int = -1
    collation: str | None = None
    strength: Strength = Strength.NONE


class Var(Node, frozen=True):
    """A column. A system column or the whole row has `special`: both are refused later."""

    name: str = ""
    special: Literal["", "system", "row"] = ""
    #: digits before and behind the point of a numeric that the target stores as DECIMAL
    decimal: tuple[int, int] | None = None
    #: the type that the project asks the target to store, where it is not this one
    target_type: str | None = None


class Const(Node, frozen=True):
    """A literal after the type's input function; None is NULL."""

    value: Value = None


class Cut(Node, frozen=True):
    """A moment of the run's clock: a window of time compares a column with it."""

    column: ClockColumn = field(default=None)  # type: ignore[assignment]


class Func(Node, frozen=True):
    """A function call, a cast by function, or a piece of SQL syntax that is one."""

    function: Function = field(default=None)  # type: ignore[assignment]
    args: tuple[Node, ...] = ()
    display: Display = "call"
    variadic: bool = False
    input_collation: str | None = None


class Op(Node, frozen=True):
    """An operator with one or two arguments."""

    operator: Operator = field(default=None)  # type: ignore[assignment]
    function: Function = field(default=None)  # type: ignore[assignment]
    args: tuple[Node, ...] = ()
    input_collation: str | None = None


class Distinct(Op, frozen=True):
    """IS DISTINCT FROM; the operator is `=`."""


class NullIf(Op, frozen=True):
    """NULLIF; the operator is `=`."""


class ScalarArrayOp(Op, frozen=True):
    """`x op ANY (array)`, `x op ALL (array)`, and every IN list of plain values."""

    any: bool = True


class Bool(Node, frozen=True):
    """AND and OR with two or more arguments, NOT with one."""

    kind: Literal["and", "or", "not"] = "and"
    args: tuple[Node, ...] = ()


class Relabel(Node, frozen=True):
    """A cast that changes nothing but the type's name (text to varchar)."""

    arg: Node = field(default=None)  # type: ignore[assignment]
    display: Display = "implicit"
    #: the domain of a column that is taken for what that is made of: mistakes name it
    domain: str = ""


class Collate(Node, frozen=True):
    """COLLATE."""

    arg: Node = field(default=None)  # type: ignore[assignment]


class CaseTest(Node, frozen=True):
    """The tested value inside `CASE x WHEN …`."""


class Case(Node, frozen=True):
    """Conditions and results; with `arg`, each condition compares a CaseTest."""

    arg: Node | None = None
    whens: tuple[tuple[Node, Node], ...] = ()
    default: Node = field(default=None)  # type: ignore[assignment]


class ArrayExpr(Node, frozen=True):
    """ARRAY[…]."""

    elements: tuple[Node, ...] = ()
    #: its elements are arrays themselves
    multidimensional: bool = False


class Row(Node, frozen=True):
    """ROW(…) or (a, b)."""

    args: tuple[Node, ...] = ()
    explicit: bool = True


class RowCompare(Node, frozen=True):
    """(a, b) < (c, d)."""

    kind: Literal["<", "<=", ">=", ">"] = "<"
    operators: tuple[Operator, ...] = ()
    functions: tuple[Function, ...] = ()
    collations: tuple[str | None, ...] = ()
    left: tuple[Node, ...] = ()
    right: tuple[Node, ...] = ()


class Coalesce(Node, frozen=True):
    """COALESCE."""

    args: tuple[Node, ...] = ()


class MinMax(Node, frozen=True):
    """GREATEST and LEAST."""

    greatest: bool = True
    args: tuple[Node, ...] = ()
    input_collation: str | None = None


class NullTest(Node, frozen=True):
    """IS NULL, IS NOT NULL."""

    arg: Node = field(default=None)  # type: ignore[assignment]
    is_null: bool = True
    #: a row is asked value by value; else as a whole, which is never NULL
    by_value: bool = True


class BooleanTest(Node, frozen=True):
    """IS [NOT] TRUE, FALSE, UNKNOWN."""

    arg: Node = field(default=None)  # type: ignore[assignment]
    test: Literal["TRUE", "FALSE", "UNKNOWN"] = "TRUE"
    negated: bool = False


class Lookup(Node, frozen=True):
    """`column [NOT] IN (SELECT column FROM table)`; `looked` is a column of that table."""

    arg: Var = field(default=None)  # type: ignore[assignment]
    relation: RelationName = field(default=None)  # type: ignore[assignment]
    looked: Var = field(default=None)  # type: ignore[assignment]
    negated: bool = False


class Other(Node, frozen=True):
    """What no row filter may hold: a cast by text or element by element, or CURRENT_DATE."""

    what: str = ""
    args: tuple[Node, ...] = ()


def is_null_const(node: Node) -> bool:
    """Whether it is the constant NULL, of whichever type."""
    return isinstance(node, Const) and node.value is None
