"""CREATE and DROP TYPE and DOMAIN: what columns may be of, and what goes with it.

Example
    `DROP TYPE e CASCADE` drops the columns of that type; without CASCADE it is refused: column b of
    table t depends on type e.

PostgreSQL
    typecmds.c: DefineDomain(), DefineEnum(), RenameType(); dropcmds.c: RemoveObjects()
"""

from __future__ import annotations

from filtersql.definitions.collations import create_collation, keep_collation
from filtersql.definitions.columns import check_collated
from filtersql.definitions.depending import Thing, check_undepended
from filtersql.definitions.kinds import has_row_type, kind_of
from filtersql.definitions.sql_names import Script, created, created_name, place_of
from filtersql.definitions.types import BUILT_IN, EXTENSION_TYPES, read_type
from filtersql.definitions.user_defined_overrides import create_operator
from filtersql.errors.definitions import ALREADY_EXISTS, Unknown, UnsupportedStatement
from filtersql.errors.relations import NOT_A_DOMAIN, NOT_ONE, TYPE_EXISTS, UNKNOWN_SCHEMA
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["create_type", "drop_types"]

_NOT_DROPPED = ("range type", "multirange type", "row type")
_KINDS = {
    "create_domain_stmt": ("domainname", "domain"),
    "create_range_stmt": ("type_name", "range type"),
}


def create_type(script: Script, statement: Statement) -> None:
    """CREATE TYPE and CREATE DOMAIN: names that a column may use and a filter may not."""
    node, drafts, kind = statement.node, script.drafts, "type"
    shell = statement.kind == "define_stmt"
    if statement.kind == "composite_type_stmt":
        name, kind = created(script, node.typevar), "composite type"
    elif shell:
        match enum_name(node, "kind"):
            case "OBJECT_COLLATION":
                create_collation(script, statement)
            case "OBJECT_OPERATOR":
                create_operator(script, statement)
        if enum_name(node, "kind") != "OBJECT_TYPE":
            return
        name, kind = created_name(script, node.defnames), "base type"
    else:
        named, kind = _KINDS.get(statement.kind, ("type_name", "type"))
        name = created_name(script, getattr(node, named))
    span = place_of(script, statement, name.name)
    if not shell and (name in drafts.types or has_row_type(drafts, name)):
        raise TYPE_EXISTS(span, name=name.name)
    if kind == "composite type":
        if kind_of(drafts, name) is not None:
            raise ALREADY_EXISTS(span, kind="relation", name=name.name, first=None)
        drafts.others[name] = "composite types"
    if kind == "domain":
        made_of = read_type(node.type_name, name.name, script.text, *drafts.typed)
        check_collated(node, made_of, script.text, drafts)
        drafts.bases[name] = made_of.base or made_of
        keep_collation(drafts, name, node)
    drafts.types[name] = kind
    drafts.places[name] = span
    if kind == "range type":
        many = _multirange(script, node, name)
        if many in drafts.types or has_row_type(drafts, many):
            raise TYPE_EXISTS(span, name=many.name)
        drafts.types[many] = "multirange type"


def _multirange(script: Script, node: Node, name: RelationName) -> RelationName:
    """The multirange type that CREATE TYPE … AS RANGE makes beside, as a dump names it."""
    for one in node.params:
        if one.def_elem.defname == "multirange_type_name":
            return created_name(script, one.def_elem.arg.type_name.names)
    many = name.name.replace("range", "multirange", 1)
    return RelationName(name.schema, many if many != name.name else f"{many}_multirange")


def drop_types(script: Script, statement: Statement) -> None:
    """DROP TYPE and DROP DOMAIN, of which no column is."""
    node, drafts = statement.node, script.drafts
    domain = enum_name(node, "remove_type") == "OBJECT_DOMAIN"
    found = []
    for item in node.objects:
        parts = [part.string.sval for part in item.type_name.names]
        name = _found(script, statement, parts, domain=domain, missing_ok=node.missing_ok)
        if name is None:
            continue
        span = place_of(script, statement, name.name)
        if drafts.types.get(name, "row type") in _NOT_DROPPED:
            raise UnsupportedStatement.dumped("DROP TYPE of a range or a row type", span)
        found.append((name, span))
    roots = [Thing("type", name) for name, _ in found]
    cascades = enum_name(node, "behavior") == "DROP_CASCADE"
    check_undepended(script, roots, lambda: found[0][1], cascades=cascades)
    for name, _ in found:
        drafts.types.pop(name, None)
        drafts.bases.pop(name, None)
        if drafts.others.get(name) == "composite types":
            del drafts.others[name]


def _found(
    script: Script,
    statement: Statement,
    parts: list[str],
    *,
    domain: bool,
    missing_ok: bool = False,
) -> RelationName | None:
    """A type of the project's own; None for one of PostgreSQL or of an extension."""
    drafts, span = script.drafts, place_of(script, statement, parts[-1])
    if parts[-1] in BUILT_IN or parts[-1] in EXTENSION_TYPES:
        return None
    for schema in [parts[-2]] if len(parts) > 1 else script.path:
        name = RelationName(schema, parts[-1])
        if name in drafts.types or has_row_type(drafts, name):
            if domain and drafts.types.get(name) != "domain":
                raise _no_domain(name, statement, span)
            return name
    if missing_ok or drafts.incomplete:
        return None
    if len(parts) > 1 and not drafts.has_schema(parts[-2]):
        raise UNKNOWN_SCHEMA(span, schema=parts[-2])
    raise Unknown("type", ".".join(parts), span, [one.name for one in drafts.types])


def _no_domain(name: RelationName, statement: Statement, span: Span) -> Exception:
    """DROP quotes the name, ALTER does not."""
    if statement.kind == "drop_stmt":
        return NOT_ONE(span, name=name.name, one="a domain")
    return NOT_A_DOMAIN(span, name=name.name)
