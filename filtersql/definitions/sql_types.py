"""CREATE and DROP TYPE and DOMAIN: what columns may be of, and what goes with it.

Example
    `DROP TYPE e` is refused while a column is of that type: column b of table t depends on type e.

PostgreSQL
    typecmds.c: DefineDomain(), DefineEnum(); dropcmds.c: RemoveObjects()
"""

from __future__ import annotations

from functools import partial

from filtersql.definitions.collations import create_collation
from filtersql.definitions.columns import check_collated
from filtersql.definitions.depending import Thing, check_undepended
from filtersql.definitions.kinds import has_row_type, kind_of
from filtersql.definitions.sql_names import Script, created, created_name, place_of
from filtersql.definitions.types import read_type
from filtersql.definitions.user_defined_overrides import create_operator
from filtersql.errors.definitions import ALREADY_EXISTS, UnsupportedStatement
from filtersql.errors.relations import TYPE_EXISTS
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName

__all__ = ["create_type", "drop_types"]

_DROPPED = ("type", "domain", "composite type", "base type")
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
        made_of = read_type(node.type_name, name.name, script.text, drafts)
        check_collated(node, made_of, script.text, drafts)
        drafts.bases[name] = made_of.base or made_of
        if node.HasField("coll_clause"):
            drafts.domain_collations[name] = node.coll_clause.collname[-1].string.sval
    drafts.types[name] = kind
    drafts.places[name] = span
    if kind == "range type":
        many = _multirange(script, node, name)
        if many in drafts.types or has_row_type(drafts, many):
            raise TYPE_EXISTS(span, name=many.name)
        drafts.types[many] = "multirange type"


def _multirange(script: Script, node: Node, name: RelationName) -> RelationName:
    """The multirange type that CREATE TYPE … AS RANGE makes beside, as a dump names it."""
    for option in node.params:
        if option.def_elem.defname == "multirange_type_name":
            return created_name(script, option.def_elem.arg.type_name.names)
    many = name.name.replace("range", "multirange", 1)
    return RelationName(name.schema, many if many != name.name else f"{many}_multirange")


def drop_types(script: Script, statement: Statement) -> None:
    """DROP TYPE and DROP DOMAIN of types that the files make, and of which no column is."""
    node, drafts = statement.node, script.drafts
    kinds = ("domain",) if enum_name(node, "remove_type") == "OBJECT_DOMAIN" else _DROPPED
    names = []
    for item in node.objects:
        *schema, last = (part.string.sval for part in item.type_name.names)
        candidates = (RelationName(each, last) for each in schema[-1:] or script.path)
        name = next((each for each in candidates if each in drafts.types), None)
        if name is not None and drafts.types[name] in kinds:
            names.append(name)
        elif name is not None or not (node.missing_ok or drafts.incomplete):
            construct = "DROP of a type that the files do not make, or of another kind"
            raise UnsupportedStatement.dumped(construct, place_of(script, statement, last))
    roots = [Thing("type", name) for name in names]
    place = partial(place_of, script, statement, names[0].name if names else "")
    check_undepended(script, roots, place, node)
    for name in names:
        del drafts.types[name]
        drafts.bases.pop(name, None)
        drafts.others.pop(name, None)
