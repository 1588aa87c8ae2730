"""The page of what filters can call: each operator, function and cast is tried on each engine.

Example
    `starts_with(text, text)` of two columns is written for both engines. `regexp_like(text, text)`
    is not, and the mistake says why: "All arguments but the first must be constants."
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache

from sqlglot import exp

from filtersql.catalog import Column, PgType, ReplicaIdentity, Table
from filtersql.errors import Mistake
from filtersql.errors.filters import NotTranslated
from filtersql.filters import resolve
from filtersql.filters.facts import Function, facts
from filtersql.filters.tree.nodes import Node, NullTest
from filtersql.filters.types import display
from filtersql.filters.write.dispatch import writer_of
from filtersql.names import RelationName
from filtersql.pgtypes import typmod
from filtersql.source import Passage, Source
from filtersql.storage import Engine

__all__ = ["page"]

_HEAD = """# Operators, functions and casts

Written when the site is built, by trying each of them on columns. `yes`: each row has PostgreSQL's
answer, or [stops the run](filters.md#where-a-row-stops-the-run). Anything else is what the mistake
says: most often a constant is needed in place of a column. What is not listed is refused by name
([what to write instead](filters.md#what-is-refused-and-what-to-write-instead)); what is not
immutable, PostgreSQL refuses itself.

`~~` is LIKE, `~~*` is ILIKE, `~` a regular expression. CASE, COALESCE, NULLIF, GREATEST, LEAST, IN,
BETWEEN, ANY, ALL and IS DISTINCT FROM are written where the comparisons in them are, constant
patterns of SIMILAR TO and LIKE … ESCAPE as regular expressions are, and `->` and `#>` of json in
front of `->>`. Numerics have declared digits here, as `numeric(10,2)`: without them a few functions
need a constant."""
_NO_FORM = "filtersql has no exact form for"
_FIELD = f"{_NO_FORM} this field yet."
_YES = "yes"
_ENGINES: tuple[Engine, ...] = ("spark", "duckdb")
#: a type for each one that stands for many
_ONE_OF = {
    "any": "int4", "anyarray": "_int4", "anycompatible": "int4", "anycompatiblearray": "_int4",
    "anyelement": "int4", "anyrange": "int4range",
}  # fmt: skip
_CAST = (
    "bool int2 int4 int8 numeric float4 float8 text varchar bpchar bytea date time timetz timestamp"
    " timestamptz interval uuid json jsonb inet cidr macaddr money bit varbit"
).split()
#: what each engine says -> what is written so
_Said = dict[tuple[str, ...], list[str]]


@cache
def page() -> str:
    """The page as Markdown."""
    tables: dict[str, dict[str, _Said]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    operators: dict[int, list[str]] = defaultdict(list)
    for name in facts().operator_names():
        for operator in facts().operators(name):
            operators[operator.function].append(name)
    for function in _immutable():
        columns, types = _names(function.args), [*map(_shown, function.args)]
        for name in operators[function.oid]:
            said = _said(_applied(name, columns), function.args)
            tables["Operators"][name][said].append(_applied(name, types))
        if not operators[function.oid]:
            call = f'"{function.name}"({", ".join(columns)})'
            said = _said(call, function.args)
            tables["Functions"][function.name][said].append(f"{function.name}({', '.join(types)})")
    for source in _CAST:
        for target in (each for each in _CAST if each != source):
            said = _said(f'a::"{target}"', [source])
            tables["Casts"][_shown(source)][said].append(f"{_shown(source)}::{_shown(target)}")
    return "\n".join([_HEAD, *(line for name in tables for line in _table(name, tables[name]))])


def _immutable() -> Iterator[Function]:
    """What a filter may call, over types that a target holds; casts have a table of their own."""
    for name in sorted(facts().function_names()):
        for function in facts().functions(name):
            plain = function.volatility == "i" and not function.returns_set
            if plain and name not in _CAST and all(map(_is_held, function.args)):
                yield function


def _is_held(name: str) -> bool:
    kind = facts().type(name)
    return name in (*_CAST, *_ONE_OF, "jsonpath") or kind.element in _CAST or kind.kind == "r"


def _names(types: Sequence[object]) -> list[str]:
    return [chr(ord("a") + place) for place in range(len(types))]


def _applied(operator: str, operands: Sequence[str]) -> str:
    return f"{operator}{operands[0]}" if len(operands) == 1 else f" {operator} ".join(operands)


def _shown(name: str) -> str:
    """A type as people write it."""
    printed = display(name)
    return printed if len(printed) < 18 else name


def _column(name: str, kind: str) -> Column:
    meant = _ONE_OF.get(kind, kind)
    modifier = typmod("numeric", [10, 2], None) if meant == "numeric" else -1
    return Column(name, PgType(meant, modifier), _NOWHERE)


_NOWHERE = Source("", " ").span(0, 1)


def _said(text: str, types: Sequence[str]) -> tuple[str, ...]:
    """For each engine `yes`, or what it asks for; nothing where PostgreSQL refuses it."""
    try:
        tree = _tree(f"({text}) IS NULL", types)
    except Mistake:
        return ()
    assert isinstance(tree, NullTest), text
    said = _written(tree.arg)
    if set(said) != {_YES}:
        # What some types are compared with says how they have to be written.
        with suppress(Mistake):
            compared = "1" if tree.arg.type == "numeric" else _names(range(len(types) + 1))[-1]
            said = _written(_tree(f"({text}) = {compared}", [*types, tree.arg.type]))
    return said


def _tree(text: str, types: Sequence[str]) -> Node:
    columns = tuple(map(_column, _names(types), types))
    table = Table(RelationName("", "t"), columns, _NOWHERE, replica_identity=ReplicaIdentity())
    return resolve(Passage(text, Source("", text)), table).tree


def _written(tree: Node) -> tuple[str, ...]:
    return tuple(_written_for(engine, tree) for engine in _ENGINES)


def _written_for(engine: Engine, tree: Node) -> str:
    passage = Passage(" ", _NOWHERE.source)
    try:
        writer_of(engine, lambda name: exp.column(name, quoted=True), passage).put(tree)
    except NotTranslated as refused:
        said = refused.detail or refused.message
        return "The field must be a constant." if said == _FIELD else said
    return _YES


def _table(heading: str, rows: dict[str, _Said]) -> Iterator[str]:
    """A line for each name and what is said of it."""
    yield from ("", f"## {heading}", "", "| | Spark | DuckDB |", "|---|---|---|")
    for name in sorted(rows):
        for said, written in rows[name].items():
            if not all(each.startswith(_NO_FORM) for each in said):
                yield f"| {', '.join(f'`{each}`' for each in written)} | {' | '.join(said)} |"
