"""A type as it was written in a cast: which type it is, and its modifier.

Example
    `numeric(10, 2)` is numeric with modifier 655366, `int[]` is _int4, `mood` is the user's.

PostgreSQL
    parse_type.c, LookupTypeNameExtended() and typenameTypeMod().
"""

from __future__ import annotations

from filtersql.errors.filters import MISSING_THING, NotTranslated, Wrong
from filtersql.filters.facts import facts
from filtersql.filters.resolve.scope import Scope
from filtersql.grammar import Node as Parsed
from filtersql.pgtypes import typmod

__all__ = ["resolve"]


def resolve(scope: Scope, parsed: Parsed) -> tuple[str, int]:
    """The internal name and the modifier; a user's type as `schema.name`."""
    names = [item.string.sval for item in parsed.names]
    span = scope.span(parsed.location)
    name = names[-1]
    schema = names[-2] if len(names) > 1 else ""
    for one in scope.rivals if not schema else ():
        if one.kind == "type" and one.name == name:
            reason = "What the files call so is not read."
            raise NotTranslated(f"the type {name} of the files", "any engine", reason, span)
    if schema not in ("", "pg_catalog") or not facts().has_type(name):
        users = [
            known
            for known in scope.made.types
            if known.name == name and scope.made.finds(known, schema)
        ]
        if not users:
            shown = ".".join(names) + "[]" * bool(parsed.array_bounds)
            raise MISSING_THING(span, thing=_missing(scope, schema, shown))
        return f"{users[0].schema}.{users[0].name}", -1
    array = (facts().type(name).array if parsed.array_bounds else "") or name
    values = []
    for item in parsed.typmods:
        kind = item.WhichOneof("node")
        if kind != "a_const" or item.a_const.WhichOneof("val") != "ival":
            raise Wrong("type modifiers must be simple constants or identifiers", span)
        values.append(item.a_const.ival.ival)
    return array, typmod(name, values, span) if values else -1


def _missing(scope: Scope, schema: str, shown: str) -> str:
    """LookupExplicitNamespace(): a schema that does not exist is told before its type."""
    return f'type "{shown}"' if not schema or scope.has_schema(schema) else f'schema "{schema}"'
