"""The nodes of a jsonpath, and how PostgreSQL prints them.

Example
    >>> show(Path("$", (Step("key", "a"), Step("items"))))
    '$."a"[*]'

PostgreSQL
    jsonpath.c, printJsonPathItem().
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal

from msgspec import Struct
from msgspec.structs import replace

from filtersql.filters.values.documents import printed

__all__ = ["TURNED",
    "Compare", "Exists", "Junction", "Not", "Path", "Predicate", "Scalar", "Starts", "Step", "Tree",
    "Unknown", "Whole", "show", "with_values",
]  # fmt: skip

Scalar = str | bool | Decimal | None


#: a comparison, the other way round
TURNED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Step(Struct, frozen=True):
    """One accessor: `key`, `values` (.*), `items` ([*]), `range`, `levels`, `filter`, `size`."""

    kind: str
    key: str = ""
    #: places from 0, from the end below 0; both ends are in. Of levels, -1 is the deepest
    first: int = 0
    last: int = 0
    condition: Predicate | None = None


class Path(Struct, frozen=True):
    """Steps from `$`, from `@`, from a variable (`$"x"`), or a scalar (`=`) alone."""

    base: str
    steps: tuple[Step, ...] = ()
    value: Scalar = None


class Compare(Struct, frozen=True):
    """`@ == 1`."""

    symbol: str
    left: Path
    right: Path


class Junction(Struct, frozen=True):
    """`&&` or `||`."""

    symbol: str
    left: Predicate
    right: Predicate


class Not(Struct, frozen=True):
    """`!`."""

    arg: Predicate


class Unknown(Struct, frozen=True):
    """`is unknown`."""

    arg: Predicate


class Exists(Struct, frozen=True):
    """`exists ($.a)`."""

    path: Path


class Starts(Struct, frozen=True):
    """`starts with`."""

    path: Path
    text: str


class Whole(Struct, frozen=True):
    """A jsonpath: in its strict mode nothing is forgiven, and arrays stand for themselves."""

    tree: Tree
    strict: bool = False


Predicate = Compare | Junction | Not | Unknown | Exists | Starts
Tree = Path | Predicate


def show(whole: Whole | Tree) -> str:
    """The tree as PostgreSQL's output function prints it."""
    if isinstance(whole, Whole):
        return f"{'strict ' * whole.strict}{show(whole.tree)}"
    bare = isinstance(whole, (Path, Exists, Not, Unknown))
    return _shown(whole) if bare else f"({_shown(whole)})"


def _shown(tree: Tree) -> str:
    match tree:
        case Path():
            base = printed(tree.value) if tree.base == "=" else tree.base
            return base + "".join(map(_step, tree.steps))
        case Compare():
            return f"{_shown(tree.left)} {tree.symbol} {_shown(tree.right)}"
        case Junction():
            return f" {tree.symbol} ".join(_side(tree, side) for side in (tree.left, tree.right))
        case Not():
            return f"!({_shown(tree.arg)})"
        case Unknown():
            return f"({_shown(tree.arg)}) is unknown"
        case Exists():
            return f"exists ({_shown(tree.path)})"
        case Starts():
            return f"{_shown(tree.path)} starts with {printed(tree.text)}"


def _side(tree: Junction, side: Predicate) -> str:
    """`||` binds looser than `&&`; at the same height both sides are in parentheses."""
    shown = _shown(side)
    if isinstance(side, Junction) and (side.symbol == "||" or tree.symbol == "&&"):
        return f"({shown})"
    return shown


def _step(step: Step) -> str:
    match step.kind:
        case "key":
            return f".{printed(step.key)}"
        case "values":
            return ".*"
        case "items":
            return "[*]"
        case "filter":
            assert step.condition is not None
            return f"?({_shown(step.condition)})"
        case "range":
            ends = [_place(step.first)] + [_place(step.last)] * (step.first != step.last)
            return f"[{' to '.join(ends)}]"
        case "levels":
            ends = [_level(step.first)] + [_level(step.last)] * (step.first != step.last)
            return ".**" if ends == ["0", "last"] else f".**{{{' to '.join(ends)}}}"
    return f".{step.kind}()"


def _place(number: int) -> str:
    if number >= 0:
        return str(number)
    return "last" if number == -1 else f"last - {-1 - number}"


def _level(number: int) -> str:
    return str(number) if number >= 0 else "last"


def with_values(tree: Tree, known: Mapping[str, Scalar]) -> Tree:
    """The tree with scalars in the place of variables; KeyError where one is not known."""
    return _path(tree, known) if isinstance(tree, Path) else _predicate(tree, known)


def _path(path: Path, known: Mapping[str, Scalar]) -> Path:
    steps = tuple(
        replace(step, condition=_predicate(step.condition, known)) if step.condition else step
        for step in path.steps
    )
    if path.base.startswith('$"'):
        return Path("=", steps, known[json.loads(path.base[1:])])
    return replace(path, steps=steps)


def _predicate(tree: Predicate, known: Mapping[str, Scalar]) -> Predicate:
    match tree:
        case Compare():
            operands = _path(tree.left, known), _path(tree.right, known)
            return replace(tree, left=operands[0], right=operands[1])
        case Junction():
            sides = _predicate(tree.left, known), _predicate(tree.right, known)
            return replace(tree, left=sides[0], right=sides[1])
        case Not() | Unknown():
            return replace(tree, arg=_predicate(tree.arg, known))
        case Exists() | Starts():
            return replace(tree, path=_path(tree.path, known))
