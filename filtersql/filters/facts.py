"""What PostgreSQL's catalogs say of types, casts, operators, functions and collations.

The answers come out of a running PostgreSQL 18 (`tests/recorders/catalog_facts.py`); the file names
its version. It is read once, when the first filter is resolved.

Example
    >>> facts().type("int4").category
    'N'
    >>> [str(facts().function(operator.function)) for operator in facts().operators("%")][:2]
    ['int8mod(int8,int8)', 'int2mod(int2,int2)']

PostgreSQL
    pg_type, pg_cast, pg_operator, pg_proc, pg_opclass, pg_amop, pg_collation.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

__all__ = [
    "NUMERIC_COMPARISONS",
    "SYMBOLS",
    "TURNED",
    "Cast",
    "Collation",
    "Facts",
    "Function",
    "Operator",
    "Type",
    "facts",
]

_FILE = Path(__file__).parent / "catalog_facts" / "postgresql-18.json"
#: how the names of comparing functions end, and what they compare by
SYMBOLS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
#: what says the same with its sides exchanged
TURNED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
#: the functions behind comparisons of numerics
NUMERIC_COMPARISONS = {f"numeric_{name}" for name in SYMBOLS}


class Type(NamedTuple):
    """A row of pg_type. `element` is set for true arrays only; `subtype` for ranges."""

    name: str
    oid: int
    kind: str
    category: str
    preferred: bool
    element: str
    array: str
    collation: str
    takes_typmod: bool
    subtype: str


_UNKNOWN = (0, "u", "U", False, "", "", "", False, "")


class Cast(NamedTuple):
    """A row of pg_cast. `context`: i, a or e; `method`: f (function), b (binary), i (text)."""

    target: str
    function: int
    context: str
    method: str


class Operator(NamedTuple):
    """A row of pg_operator; `left` is empty for a prefix operator."""

    name: str
    oid: int
    left: str
    right: str
    result: str
    function: int
    negator: int
    commutator: int


class Function(NamedTuple):
    """A row of pg_proc. `kind`: f, a, w, p; `volatility`: i, s, v."""

    name: str
    oid: int
    args: tuple[str, ...]
    result: str
    kind: str
    volatility: str
    strict: bool
    returns_set: bool
    variadic: str
    defaults: int

    def __str__(self) -> str:
        """The signature by which the engines' tables know it."""
        return f"{self.name}({','.join(self.args)})"


class Collation(NamedTuple):
    """A row of pg_collation. `provider`: b (builtin), c (libc), d (default), i (ICU)."""

    name: str
    oid: int
    provider: str
    deterministic: bool
    locale: str


class Facts:
    """The file, indexed as it is asked."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._raw = raw
        self.version: str = raw["version"]
        self._types: dict[str, Type] = {}
        self._functions: dict[str, tuple[Function, ...]] = {}
        self._operators: dict[str, tuple[Operator, ...]] = {}
        self._by_oid: dict[int, Function] = {}
        self._operator_by_oid: dict[int, Operator] = {}
        self._casts: dict[str, dict[str, Cast]] = {}
        self._names: dict[int, str] = {}

    def type(self, name: str) -> Type:
        """The type of that internal name; a user's type is one that nothing can be done with."""
        found = self._types.get(name)
        if found is None:
            row = self._raw["types"].get(name)
            found = Type(name, *(row or _UNKNOWN))
            self._types[name] = found
        return found

    def has_type(self, name: str) -> bool:
        """Whether PostgreSQL has a built-in type of that internal name."""
        return name in self._raw["types"]

    def multiranges(self) -> list[str]:
        """The names of all multirange types."""
        return [name for name, row in self._raw["types"].items() if row[1] == "m"]

    def functions(self, name: str) -> tuple[Function, ...]:
        """All built-in functions, aggregates and procedures of that name."""
        found = self._functions.get(name)
        if found is None:
            found = tuple(_function(name, row) for row in self._raw["functions"].get(name, ()))
            self._functions[name] = found
        return found

    def function(self, oid: int) -> Function:
        """The function of that OID."""
        found = self._by_oid.get(oid)
        if found is None:
            if not self._names:
                rows = self._raw["functions"]
                self._names = {row[0]: name for name in rows for row in rows[name]}
            name = self._names[oid]
            found = next(item for item in self.functions(name) if item.oid == oid)
            self._by_oid[oid] = found
        return found

    def operators(self, name: str) -> tuple[Operator, ...]:
        """All built-in operators of that name."""
        found = self._operators.get(name)
        if found is None:
            found = tuple(Operator(name, *row) for row in self._raw["operators"].get(name, ()))
            self._operators[name] = found
        return found

    def operator(self, oid: int) -> Operator:
        """The operator of that OID."""
        if not self._operator_by_oid:
            self._operator_by_oid = {
                operator.oid: operator
                for name in self._raw["operators"]
                for operator in self.operators(name)
            }
        return self._operator_by_oid[oid]

    def cast(self, source: str, target: str) -> Cast | None:
        """The pg_cast row from one type to another."""
        found = self._casts.get(source)
        if found is None:
            found = {row[0]: Cast(*row) for row in self._raw["casts"].get(source, ())}
            self._casts[source] = found
        return found.get(target)

    def strategies(self, operator: int) -> tuple[tuple[int, int], ...]:
        """(family, strategy) of an operator in B-tree operator families."""
        return tuple((row[0], row[1]) for row in self._raw["strategies"].get(str(operator), ()))

    def has_order(self, name: str) -> bool:
        """Whether values of a type can be sorted: it has a default B-tree operator class."""
        kind = self.type(name)
        if kind.element:
            return self.has_order(kind.element)
        # varchar sorts as text, which it is binary-coercible to
        family = (
            "text"
            if name == "varchar"
            else {"r": "anyrange", "m": "anymultirange"}.get(kind.kind, name)
        )
        return family in self._raw["families"]

    def collation(self, name: str) -> Collation | None:
        """The collation of that name."""
        row = self._raw["collations"].get(name)
        return Collation(name, *row) if row else None

    def zone_abbreviations(self) -> Mapping[str, int | None]:
        """Seconds east of UTC of abbreviations such as `est`; None where that has changed."""
        found: Mapping[str, int | None] = self._raw["abbreviations"]
        return found

    def function_names(self) -> Mapping[str, object]:
        """All names of functions."""
        functions: Mapping[str, object] = self._raw["functions"]
        return functions

    def operator_names(self) -> Mapping[str, object]:
        """All names of operators."""
        operators: Mapping[str, object] = self._raw["operators"]
        return operators


@cache
def facts() -> Facts:
    """The facts of PostgreSQL 18, read once."""
    return Facts(msgspec.json.decode(_FILE.read_bytes()))


def _function(name: str, row: list[Any]) -> Function:
    oid, args, result, flags, variadic, defaults = row
    return Function(
        name,
        oid,
        tuple(args.split()),
        result,
        flags[0],
        flags[1],
        flags[2] == "s",
        flags[3] == "r",
        variadic,
        defaults,
    )
