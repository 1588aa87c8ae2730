"""What a generated column's expression may hold: what is computed from its row, always alike.

Example
    =================================== ========================================================
    b int GENERATED ALWAYS AS …         refused because
    =================================== ========================================================
    (random()::int)                     generation expression is not immutable
    (sum(a))                            aggregate functions are not allowed in column generation …
    (ctid::text)                        cannot use system column "ctid" in column generation …
    (c), a text                         column "b" is of type integer but default expression is …
    (mine(a)) VIRTUAL                   generation expression uses user-defined function
    =================================== ========================================================

    What this cannot know is taken: functions, operators and types of extensions and of the files.

PostgreSQL
    heap.c: cookDefault(), check_nested_generated(), check_virtual_generated_security()
"""

from __future__ import annotations

from collections.abc import Iterator

from filtersql.catalog import Catalog, Column, Generated, PgType, Table
from filtersql.definitions.expressions import columns_named, functions_named
from filtersql.definitions.types import EXTENSION_TYPES
from filtersql.errors import Mistake
from filtersql.errors.filters import BadLiteral, CannotCast, InvalidExpression, Wrong
from filtersql.filters.facts import facts
from filtersql.filters.resolve.allowed import MUTABLE
from filtersql.filters.resolve.coercion import BY_TEXT, OF_ARRAY, coerce
from filtersql.filters.resolve.pathways import can_coerce
from filtersql.filters.resolve.scope import Scope, type_of
from filtersql.filters.resolve.text_input_output import reads_or_writes_differently
from filtersql.filters.resolve.transform import transform
from filtersql.filters.resolve.versions import is_mutable
from filtersql.filters.tree.nodes import Func, Node, Op, Other, RowCompare, Var
from filtersql.filters.tree.walking import leftmost, walk
from filtersql.filters.types import display
from filtersql.filters.values.clock import Clock
from filtersql.grammar import parse_expression
from filtersql.names import RelationName
from filtersql.pgtypes import format_type
from filtersql.source import Passage

__all__ = ["check_generations"]

_WHERE = "column generation expression"
_NOT_IMMUTABLE = "generation expression is not immutable"
_STRINGS = ("text", "character varying", "character", "name")
_REWRITE = "You will need to rewrite or cast the expression."
#: stable functions whose SQL the planner puts in their place: `c || a` casts an integer to text
_BODIES = ("anytextcat", "quote_literal", "quote_nullable", "textanycat")
_NO_FUNCTION = (
    "Virtual generated columns that make use of user-defined functions are not yet supported."
)


def check_generations(catalog: Catalog, postgres_version: int) -> list[Mistake]:
    """What is wrong in the generated columns of all tables."""
    return [
        mistake
        for table in catalog.tables.values()
        for column in table.columns
        if column.generation is not None
        for mistake in _wrong(catalog, table, column, postgres_version)
    ]


def _wrong(catalog: Catalog, table: Table, column: Column, version: int) -> Iterator[Mistake]:
    assert column.generation is not None
    read = columns_named(column.generation)
    if any(one.name in read and not _is_known(catalog, one.type) for one in table.columns):
        return  # what an extension's type can do is not known
    clock = Clock(None, version, column.generation.session)
    scope = Scope(column.generation, table, clock, catalog.made, True, clause=f"{_WHERE}s")
    try:
        node = transform(scope, parse_expression(column.generation))
        _check(scope, node)
        _check_type(scope, node, column)
    except InvalidExpression as unknown:
        own = unknown.detail == MUTABLE and column.generated is Generated.VIRTUAL
        if own:
            message = "generation expression uses user-defined function"
            yield Wrong(message, unknown.span, detail=_NO_FUNCTION)
    except Wrong as mistake:
        yield mistake
    except CannotCast as mistake:
        made = {format_type(PgType(one.name, schema=one.schema)) for one in catalog.made.types}
        if mistake.source in made and mistake.target in _STRINGS:
            yield Wrong(_NOT_IMMUTABLE, mistake.span)  # an enum's labels may be renamed
        elif {mistake.source, mistake.target}.isdisjoint({*made, *EXTENSION_TYPES}):
            yield mistake
    except Mistake as mistake:
        if isinstance(mistake, BadLiteral) and mistake.is_told_by_postgres:
            yield mistake
        # A function or operator of an extension, what filtersql alone does not read, or what the
        # definitions told already.
        elif _calls_change(catalog, column.generation):
            yield Wrong(_NOT_IMMUTABLE, column.generation.span())


def _is_known(catalog: Catalog, pg_type: PgType) -> bool:
    """Whether it is one of PostgreSQL's types, or an enum that the files make."""
    name = RelationName(pg_type.schema, pg_type.name)
    return pg_type.schema == "pg_catalog" or catalog.made.types.get(name) == "type"


def _calls_change(catalog: Catalog, expression: Passage) -> bool:
    """Whether a function is called of which PostgreSQL has no immutable form, as nextval()."""
    own = {one.name for one in catalog.made.functions}
    forms = (
        facts().functions(name[-1])
        for name in functions_named(expression)
        if name[:-1] in ((), ("pg_catalog",)) and name[-1] not in own
    )
    return any(each and all(one.volatility != "i" for one in each) for each in forms)


def _check(scope: Scope, node: Node) -> None:
    """Raises for what an expression holds that is no value of its row, or another one later."""
    nodes = walk(node)
    for one in nodes:
        if isinstance(one, Var) and one.special == "system" and one.name != "tableoid":
            message = f'cannot use system column "{one.name}" in {_WHERE}'
            raise Wrong(message, scope.span(one.location))
    for one in nodes:
        if isinstance(one, Var) and one.special == "row":
            raise Wrong(
                f"cannot use whole-row variable in {_WHERE}",
                scope.span(one.location),
                detail="This would cause the generated column to depend on its own value.",
            )
    if any(_changes(scope, one) for one in nodes):
        raise Wrong(_NOT_IMMUTABLE, scope.span(leftmost(node)))


def _check_type(scope: Scope, node: Node, column: Column) -> None:
    """Raises where the column cannot have the value."""
    wanted = type_of(column.type.base or column.type)
    if not facts().has_type(wanted):
        return
    if can_coerce(node.type, wanted, "a"):  # what has no type yet, too
        coerce(scope, node, wanted, "a")
    elif facts().has_type(node.type):
        message = f'column "{column.name}" is of type {display(wanted)} but default expression is '
        message += f"of type {display(node.type)}"
        raise Wrong(message, scope.span(leftmost(node)), hint=_REWRITE)


def _elements_change(scope: Scope, source: str, array: str) -> bool:
    """The same of a cast of an array, which casts its elements."""
    target = facts().type(array).element
    found = facts().cast(source, target)
    if found is not None and found.method != "i":
        return bool(found.function) and is_mutable(scope, facts().function(found.function))
    return source != target and reads_or_writes_differently(source, target)


def _changes(scope: Scope, node: Node) -> bool:
    """Whether a node's value may change while the row does not."""
    match node:
        case Op() | Func():
            return node.function.name not in _BODIES and is_mutable(scope, node.function)
        case RowCompare():
            return any(is_mutable(scope, one) for one in node.functions)
        case Other(what=what, args=(arg,)) if what == BY_TEXT:
            return reads_or_writes_differently(arg.type, node.type)
        case Other(what=what, args=(arg,)) if what == OF_ARRAY:
            return _elements_change(scope, facts().type(arg.type).element, node.type)
        case Other():
            return (
                node.what.startswith(("CURRENT_", "LOCALTIME", "SESSION_")) or node.what == "USER"
            )
        case _:
            return False
