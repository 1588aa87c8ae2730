"""How a type is spelled, and what pg_attribute then holds: `numeric(10,2)` → numeric, 655366.

Example
    ============================ ========== =========
    written                      name       typmod
    ============================ ========== =========
    int, integer, int4, serial   int4       -1
    varchar(14)                  varchar    18
    char                         bpchar     5
    numeric(10,2)                numeric    655366
    timestamp(3) with time zone  timestamptz 3
    interval day to second       interval   470286335
    text[]                       _text      -1
    ============================ ========== =========

PostgreSQL
    parse_type.c, typenameType() and typenameTypeMod(); parse_utilcmd.c for serial
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from filtersql.catalog import PgType
from filtersql.definitions.catalog_builder import Drafts
from filtersql.errors import columns as refusals
from filtersql.errors.definitions import Unknown, UnsupportedStatement
from filtersql.errors.relations import UNKNOWN_SCHEMA
from filtersql.grammar import Node
from filtersql.names import RelationName
from filtersql.pgtypes import typmod
from filtersql.source import Passage, Span

__all__ = ["ADVANCED_SERVER", "BUILT_IN", "EXTENSION_TYPES", "is_serial", "read_type"]

#: Advanced Server's other names of bytea
ADVANCED_SERVER = dict.fromkeys(("binary", "varbinary", "blob", "raw"), "bytea")

#: base and range types of pg_catalog that a column may have (PostgreSQL 18.6, pg_type)
BUILT_IN = frozenset(
    "aclitem bit bool box bpchar bytea char cid cidr circle date datemultirange daterange float4"
    " float8 gtsvector inet int2 int2vector int4 int4multirange int4range int8 int8multirange"
    " int8range interval json jsonb jsonpath line lseg macaddr macaddr8 money name numeric"
    " nummultirange numrange oid oidvector path pg_lsn pg_node_tree pg_snapshot point polygon"
    " refcursor regclass regcollation regconfig regdictionary regnamespace regoper regoperator"
    " regproc regprocedure regrole regtype text tid time timestamp timestamptz timetz tsmultirange"
    " tsquery tsrange tstzmultirange tstzrange tsvector txid_snapshot uuid varbit varchar xid xid8"
    " xml".split()
)
_PSEUDO = frozenset(
    "any anyarray anycompatible anycompatiblearray anycompatiblemultirange anycompatiblenonarray"
    " anycompatiblerange anyelement anyenum anymultirange anynonarray anyrange cstring"
    " event_trigger fdw_handler index_am_handler internal language_handler pg_ddl_command record"
    " table_am_handler trigger tsm_handler unknown void".split()
)
_SPELLINGS = ("int", "integer", "bigint", "smallint", "real", "boolean", "decimal", "character")
_PLAIN = {name: PgType(name) for name in BUILT_IN}
_SERIAL = {
    "smallserial": "int2",
    "serial2": "int2",
    "serial": "int4",
    "serial4": "int4",
    "bigserial": "int8",
    "serial8": "int8",
}
#: types of well-known extensions, which a project may use without saying CREATE TYPE
EXTENSION_TYPES = frozenset(
    "citext hstore ltree lquery ltxtquery cube seg isbn isbn13 ismn ismn13 issn issn13 ean13 upc"
    " geometry geography box2d box3d raster vector halfvec sparsevec earth intarray query_int"
    " gtrgm ghstore".split()
)


def is_serial(type_name: Node) -> bool:
    """Whether it is no type, but an integer with a sequence of its own."""
    return len(type_name.names) == 1 and type_name.names[0].string.sval in _SERIAL


def read_type(node: Node, column: str, text: Passage, drafts: Drafts) -> PgType:
    """The type of a column. Raises what PostgreSQL refuses."""
    names, path = [name.string.sval for name in node.names], drafts.path
    if len(names) == 1 and names[0] in drafts.type_aliases and not node.setof:
        return PgType(f"{'_' if node.array_bounds else ''}{drafts.type_aliases[names[0]]}")
    if len(names) == 1 and path is not None and "pg_catalog" in path:
        before, made = path[: path.index("pg_catalog")], (*drafts.types, *_rows(drafts))
        if any(one == (schema, names[0]) for schema in before for one in made):
            what = "a type that search_path finds before PostgreSQL's"
            raise UnsupportedStatement(what, _span(node, text))
    if not (node.typmods or node.array_bounds or node.setof or node.pct_type):
        plain = _PLAIN.get(names[-1]) if names[:-1] in ([], ["pg_catalog"]) else None
        if plain is not None:
            return plain
    if node.setof or node.pct_type:
        what = "SETOF" if node.setof else "%TYPE"
        span = _span(node, text)
        raise UnsupportedStatement(f'{what} as the type of column "{column}"', span)
    schema, name = (names[-2] if len(names) > 1 else None), names[-1]
    if schema is None and name in _SERIAL:
        if node.array_bounds:
            raise UnsupportedStatement("array of serial", _span(node, text))
        return PgType(_SERIAL[name])
    found = _named(schema, name, drafts.types, path) or _named(schema, name, _rows(drafts), path)
    if found is None:
        if schema in (None, "pg_catalog") and name in _PSEUDO:
            raise refusals.PSEUDO_TYPE(_span(node, text), column=column, name=name)
        if schema is not None and not drafts.has_schema(schema):
            raise UNKNOWN_SCHEMA(_span(node, text), schema=schema)
        shown = (name if schema is None else f"{schema}.{name}") + "[]" * bool(node.array_bounds)
        spellings = [
            *BUILT_IN,
            *_SPELLINGS,
            *(one.name for one in drafts.types if one.name != name),
        ]
        raise Unknown("type", shown, _span(node, text), spellings)
    modifier = _typmod(found, node, text) if node.typmods else -1
    base = drafts.bases.get(RelationName(found.schema, found.name))
    if node.array_bounds and not found.is_array:
        several = base and PgType(f"_{base.name.removeprefix('_')}", base.typmod, base.schema)
        return PgType(f"_{found.name}", modifier, found.schema, several)
    return PgType(found.name, modifier, found.schema, base)


def _rows(drafts: Drafts) -> Iterator[RelationName]:
    """The relations whose rows are of a type of their name."""
    yield from drafts.tables
    yield from (name for name, kind in drafts.others.items() if kind == "materialized views")


def _named(
    schema: str | None,
    name: str,
    known: Iterable[RelationName],
    path: Sequence[str] | None,
) -> PgType | None:
    bare = name[1:] if name.startswith("_") else name
    if schema in (None, "pg_catalog") and bare in BUILT_IN:
        return PgType(name)
    places = path if schema is None else [schema]
    found = [
        one
        for one in known
        if one.name in (name, bare) and (places is None or one.schema in places)
    ]
    if found:
        first = min(found, key=lambda one: places.index(one.schema)) if places else found[0]
        return PgType(name, schema=first.schema)
    if bare in EXTENSION_TYPES:
        return PgType(name, schema=schema or "public")
    return None


def _span(node: Node, text: Passage) -> Span:
    start = max(node.location, 0)
    end = start
    while end < len(text.text) and (text.text[end].isalnum() or text.text[end] in '_."'):
        end += 1
    return text.span(start, max(end, start + 1))


def _typmod(found: PgType, node: Node, text: Passage) -> int:
    if found.schema != "pg_catalog":
        return -1  # geometry(Point, 4326): only the extension knows
    span = _span(node, text)
    values = []
    for modifier in node.typmods:
        sign, constant = 1, modifier
        if modifier.WhichOneof("node") == "a_expr":  # numeric(5, -2)
            sign, constant = -1, modifier.a_expr.rexpr
        if constant.WhichOneof("node") != "a_const" or constant.a_const.WhichOneof("val") != "ival":
            raise refusals.MODIFIER_INVALID(span, name=found.name)
        values.append(sign * constant.a_const.ival.ival)
    return typmod(found.name, values, span)
