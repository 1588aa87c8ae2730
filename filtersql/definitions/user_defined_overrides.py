"""What a filter's plain names may mean beside PostgreSQL's own: functions, operators, casts, types.

Example
    After `CREATE FUNCTION length(varchar)` the filter `length(v) > 3` of a varchar column calls
    that one, which fits better than pg_catalog's length(text). After `SET search_path = public,
    pg_catalog` a function lower(text) of public is found before PostgreSQL's.

PostgreSQL
    namespace.c: FuncnameGetCandidates(), OpernameGetCandidates(), TypenameGetTypid(): pg_catalog
    is looked in first where search_path does not name it. functioncmds.c: CreateCast()
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from filtersql.catalog import PgType
from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.sql_names import Script
from filtersql.definitions.types import BUILT_IN, PSEUDO, read_type
from filtersql.errors import Mistake
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.pgtypes import format_type
from filtersql.source import Rival

__all__ = ["create_cast", "drop_cast", "note_spread", "rivals", "type_known_as"]

_CATALOG = "pg_catalog"
_CONTEXTS = {"COERCION_IMPLICIT": "i", "COERCION_ASSIGNMENT": "a", "COERCION_EXPLICIT": "e"}
_MODIFIER = re.compile(r"\([\d, ]*\)")
#: internal names, by what format_type() prints
_PRINTED = {format_type(PgType(name)): name for one in BUILT_IN for name in (one, f"_{one}")}


def create_cast(script: Script, statement: Statement) -> None:
    """CREATE CAST: between which types, and where it is done without being asked for."""
    node = statement.node
    types = _types(script, (node.sourcetype, node.targettype))
    script.drafts.casts[types] = _CONTEXTS[enum_name(node, "context")]


def drop_cast(script: Script, item: Node) -> None:
    """DROP CAST (source AS target)."""
    script.drafts.casts.pop(_types(script, [one.type_name for one in item.list.items]), None)


def _types(script: Script, nodes: Sequence[Node]) -> tuple[str, ...]:
    return tuple(type_known_as(script, node) for node in nodes)


def type_known_as(script: Script, node: Node) -> str:
    """A type by the name under which filters know it; a pseudo-type, or none, by its own."""
    name = str(node.names[-1].string.sval)
    if name in PSEUDO:
        return name
    try:
        found = read_type(node, "", script.text, *script.drafts.typed)
    except Mistake:
        return name
    return found.name if found.schema == _CATALOG else f"{found.schema}.{found.name}"


def note_spread(drafts: Drafts, name: str, signature: str, parameters: Sequence[Node]) -> None:
    """Of a function, which of its arguments may be left out, and whether the last is VARIADIC."""
    defaults = sum(one.HasField("defexpr") for one in parameters)
    variadic = any(enum_name(one, "mode") == "FUNC_PARAM_VARIADIC" for one in parameters)
    drafts.spreads[name, signature] = defaults, variadic


def rivals(drafts: Drafts, path: Sequence[str]) -> tuple[Rival, ...]:
    """What is made by now and found with that search_path."""
    if not (drafts.functions or drafts.operators or drafts.casts or _CATALOG in path):
        return ()
    before = path[: path.index(_CATALOG)] if _CATALOG in path else ()
    # of several with the same name and types the first is the one that is found
    found = {(one.kind, one.name, one.args): one for one in [*_found(drafts, path, before)][::-1]}
    return tuple(found.values())


def _found(drafts: Drafts, path: Sequence[str], before: Sequence[str]) -> Iterator[Rival]:
    for schema in path:
        first = schema in before
        for name, signatures in drafts.functions.items():
            if name.schema == schema:
                yield from (_function(drafts, name, one, first) for one in signatures)
        for one in drafts.operators:
            if one.name.schema == schema:
                yield Rival("operator", one.name.name, (one.left, one.right), first)
        for name in (*drafts.types, *drafts.tables) if first else ():
            if name.schema == schema:
                yield Rival("type", name.name, (f"{name.schema}.{name.name}",), first)
    for types, context in drafts.casts.items():
        yield Rival("cast", "", types, context=context)


def _function(drafts: Drafts, name: RelationName, signature: str, first: bool) -> Rival:
    args = tuple(map(_internal, signature.split(", "))) if signature else ()
    defaults, variadic = drafts.spreads.get((name.name, signature), (0, False))
    return Rival("function", name.name, args, first, defaults, variadic)


def _internal(printed: str) -> str:
    """A type of a signature; a user's keeps its schema there, a pseudo-type is its own name."""
    return _PRINTED.get(_MODIFIER.sub("", printed), printed)
