"""What a filter's plain names may mean beside PostgreSQL's own: functions, operators, types.

Example
    After `CREATE FUNCTION length(varchar)` or `CREATE OPERATOR = (…)` a filter that says
    `length(v)` or `a = 1` is refused: which of the two PostgreSQL takes is not asked. After `SET
    search_path = public, pg_catalog` that holds of types as well.

    After `CREATE EXTENSION intarray` the filter `tags && '{1}'` of an integer[] means the
    extension's operator, which fits better than anyarray && anyarray, and raises on a NULL in it.

PostgreSQL
    extension.c: CreateExtension(), of contrib in PostgreSQL 15 to 18: other extensions make
    operators and functions of such names over types of their own only.
    namespace.c: FuncnameGetCandidates(), OpernameGetCandidates(), TypenameGetTypid(): pg_catalog
    is looked in first where search_path does not name it. functioncmds.c: CreateCast()
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.sql_names import Script, created_in_schema, place_of
from filtersql.definitions.types import BUILT_IN
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement
from filtersql.source import Rival

__all__ = ["create_cast", "create_extension", "create_operator", "drop_extension", "rivals"]

_CATALOG = "pg_catalog"
_INTEGERS, _INTEGER = "_int4", "int4"
_DISTANCES = "money date float4 float8 int2 int4 int8 interval oid time timestamp timestamptz"
#: by extension: an operator's name and the types of its arguments
_OPERATORS = {
    "intarray": (
        *((name, _INTEGERS, _INTEGERS) for name in ("&&", "@>", "<@", "+", "-", "|", "&")),
        *((name, _INTEGERS, _INTEGER) for name in ("#", "+", "-", "|")),
        ("#", "", _INTEGERS),
    ),
    "btree_gist": tuple(("<->", name, name) for name in _DISTANCES.split()),
    "pg_trgm": (("%", "text", "text"), ("<->", "text", "text")),
}


def create_operator(script: Script, statement: Statement) -> None:
    """Its name, whatever it takes; DROP OPERATOR may leave one of that name, so it is kept."""
    name, _ = created_in_schema(script, statement)
    script.drafts.operators.append((name.schema, Rival("operator", name.name)))


def create_cast(script: Script, statement: Statement) -> None:
    """CREATE CAST: one between PostgreSQL's own types is refused, no filter holds another."""
    node = statement.node
    types = (node.sourcetype, node.targettype)
    if {type_name.names[-1].string.sval for type_name in types} <= BUILT_IN:
        at = place_of(script, statement, "")
        raise UnsupportedStatement("CREATE CAST between types of PostgreSQL", at)


def rivals(drafts: Drafts, path: Sequence[str]) -> tuple[Rival, ...]:
    """What is made by now and found with that search_path."""
    before = path[: path.index(_CATALOG)] if _CATALOG in path else ()
    overrides = [
        Rival("function", function.name) for function in drafts.functions if function.schema in path
    ]
    overrides += (one for schema, one in drafts.operators if schema in path)
    if before:
        types = (*drafts.types, *drafts.tables)
        overrides += (Rival("type", type_.name) for type_ in types if type_.schema in before)
    return tuple(dict.fromkeys(overrides))


def create_extension(script: Script, statement: Statement) -> None:
    """Its operators, in the schema that is said or would be made in."""
    node, operators = statement.node, script.drafts.operators
    named = [
        option.def_elem.arg.string.sval
        for option in node.options
        if option.def_elem.defname == "schema"
    ]
    schema = next(iter((*named, *script.path)), "public")
    if node.extname not in script.drafts.extensions:
        script.drafts.extensions[node.extname] = schema
        operators += _made(node.extname, schema)


def drop_extension(script: Script, item: Node) -> None:
    """DROP EXTENSION: its operators go with it."""
    schema = script.drafts.extensions.pop(item.string.sval, None)
    gone = [] if schema is None else _made(item.string.sval, schema)
    kept = [operator for operator in script.drafts.operators if operator not in gone]
    script.drafts.operators[:] = kept


def _made(extension: str, schema: str) -> list[tuple[str, Rival]]:
    operators = _OPERATORS.get(extension, ())
    return [
        (schema, Rival("operator", name, tuple(filter(None, types)))) for name, *types in operators
    ]
