"""CREATE and DROP EXTENSION: operators over PostgreSQL's own types, which filters then mean.

Example
    After `CREATE EXTENSION intarray` the filter `tags && '{1}'` of an integer[] means the
    extension's operator, which fits better than anyarray && anyarray, and raises on a NULL in it.

PostgreSQL
    extension.c: CreateExtension(); contrib of PostgreSQL 15 to 18. Other extensions of contrib
    make operators and functions of such names over types of their own only.
"""

from __future__ import annotations

from filtersql.definitions.sql_names import Script
from filtersql.grammar import Node, Statement
from filtersql.source import Rival

__all__ = ["create_extension", "drop_extension"]

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


def create_extension(script: Script, statement: Statement) -> None:
    """Its operators, in the schema that is said or would be made in."""
    node, operators = statement.node, script.drafts.operators
    said = [
        one.def_elem.arg.string.sval for one in node.options if one.def_elem.defname == "schema"
    ]
    schema = next(iter((*said, *script.path)), "public")
    if node.extname not in script.drafts.extensions:
        script.drafts.extensions[node.extname] = schema
        operators += _made(node.extname, schema)


def drop_extension(script: Script, statement: Statement, item: Node) -> None:
    """DROP EXTENSION: its operators go with it."""
    schema = script.drafts.extensions.pop(item.string.sval, None)
    gone = [] if schema is None else _made(item.string.sval, schema)
    kept = [one for one in script.drafts.operators if one not in gone]
    script.drafts.operators[:] = kept


def _made(extension: str, schema: str) -> list[tuple[str, Rival]]:
    found = _OPERATORS.get(extension, ())
    return [(schema, Rival("operator", name, tuple(filter(None, types)))) for name, *types in found]
