"""CREATE, ALTER and DROP TYPE and DOMAIN: what columns may be of, and what goes with it.

Example
    `DROP TYPE e CASCADE` drops the columns of that type; without CASCADE it is refused: column b of
    table t depends on type e.

PostgreSQL
    typecmds.c: DefineDomain(), DefineEnum(), RenameType(); dropcmds.c: RemoveObjects()
"""

from __future__ import annotations

from dataclasses import replace

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.collations import create_collation, keep_collation, rename_collation
from filtersql.definitions.columns import check_collated
from filtersql.definitions.dependents import described
from filtersql.definitions.depending import Thing, lines_of
from filtersql.definitions.kinds import has_row_type, kind_of
from filtersql.definitions.multiranges import (
    create_multirange,
    drop_multirange,
    move_multiranges,
    range_of,
)
from filtersql.definitions.sql_names import Script, created, created_name, place_of
from filtersql.definitions.sql_operators import create_operator
from filtersql.definitions.types import BUILT_IN, EXTENSION_TYPES, read_type
from filtersql.errors.altering import DependedOn, NotForKind, UnknownSchema
from filtersql.errors.definitions import Duplicate, Unknown
from filtersql.errors.relations import NameTaken, Owned, RowType
from filtersql.grammar import Statement, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "create_type",
    "drop_types",
    "move_type",
    "move_types",
    "rename_type",
]

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
        raise NameTaken.of_type(name.name, span)
    if kind == "composite type":
        if kind_of(drafts, name) is not None:
            raise Duplicate("relation", name.name, span, None)
        drafts.others[name] = "composite types"
    if kind == "domain":
        made_of = read_type(node.type_name, name.name, script.text, *drafts.typed)
        check_collated(node, made_of, script.text, drafts)
        drafts.bases[name] = made_of.base or made_of
        keep_collation(drafts, name, node)
    drafts.types[name] = kind
    drafts.places[name] = span
    if kind == "range type":
        create_multirange(script, node, name, span)


def rename_type(script: Script, statement: Statement) -> None:
    """ALTER TYPE, DOMAIN or COLLATION … RENAME TO."""
    node = statement.node
    if enum_name(node, "rename_type") == "OBJECT_COLLATION":
        rename_collation(script, statement)
        return
    parts = [part.string.sval for part in node.object.list.items]
    domain = enum_name(node, "rename_type") == "OBJECT_DOMAIN"
    name = _found(script, statement, parts, domain=domain)
    if name is not None:
        _moved(script, statement, name, RelationName(name.schema, node.newname))


def move_type(script: Script, statement: Statement) -> None:
    """ALTER TYPE … SET SCHEMA, ALTER DOMAIN … SET SCHEMA."""
    node = statement.node
    parts = [part.string.sval for part in node.object.list.items]
    domain = enum_name(node, "object_type") == "OBJECT_DOMAIN"
    name = _found(script, statement, parts, domain=domain)
    if name is None:
        return
    if not script.drafts.has_schema(node.newschema):
        raise UnknownSchema(node.newschema, place_of(script, statement, node.newschema))
    _moved(script, statement, name, RelationName(node.newschema, name.name))


def _moved(script: Script, statement: Statement, old: RelationName, new: RelationName) -> None:
    drafts, span = script.drafts, place_of(script, statement, old.name)
    if drafts.types.get(old) is None:
        raise RowType(described(script, old), span)
    if new != old and (new in drafts.types or has_row_type(drafts, new)):
        raise NameTaken.of_type(new.name, span)
    move_types(drafts, {old: new})


def move_types(drafts: Drafts, names: dict[RelationName, RelationName]) -> None:
    """Types under other names, in the columns that have them too."""
    for old, new in names.items():
        if old in drafts.types:
            drafts.types[new] = drafts.types.pop(old)
        if old in drafts.bases:
            drafts.bases[new] = drafts.bases.pop(old)
        if drafts.others.get(old) == "composite types":
            drafts.others[new] = drafts.others.pop(old)
        if old in drafts.places:
            drafts.places[new] = drafts.places.pop(old)
    move_multiranges(drafts, names)
    for table in drafts.tables.values():
        for column in list((table.columns or {}).values()):
            element = column.type.name.removeprefix("_")
            for name in (column.type.name, element):
                new_name = names.get(RelationName(column.type.schema, name))
                if new_name is None or table.columns is None:
                    continue
                array = "_" if name != column.type.name else ""
                pg_type = replace(
                    column.type, name=f"{array}{new_name.name}", schema=new_name.schema
                )
                table.columns[column.name] = replace(column, type=pg_type)
                break


def drop_types(script: Script, statement: Statement) -> None:
    """DROP TYPE and DROP DOMAIN, with the columns of that type where CASCADE is written."""
    node, drafts = statement.node, script.drafts
    domain = enum_name(node, "remove_type") == "OBJECT_DOMAIN"
    found = []
    for item in node.objects:
        parts = [part.string.sval for part in item.type_name.names]
        name = _found(script, statement, parts, domain=domain, missing_ok=node.missing_ok)
        if name is None:
            continue
        span = place_of(script, statement, name.name)
        if name not in drafts.types:
            kind = str(kind_of(drafts, name)).removeprefix("partitioned ").removesuffix("s")
            shown = described(script, name)
            raise Owned(f"type {shown}", f"{kind} {shown}", span)
        owner = range_of(drafts, name)
        if owner is not None:
            raise Owned(f"type {described(script, name)}", f"type {described(script, owner)}", span)
        found.append((name, span))
    lines = lines_of(script, [Thing("type", name) for name, _ in found])
    if lines and enum_name(node, "behavior") != "DROP_CASCADE":
        what = f"type {described(script, found[0][0])}" if len(node.objects) == 1 else None
        raise DependedOn(what, lines, found[0][1])
    for name, _ in found:
        drop_multirange(drafts, name)
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
        raise UnknownSchema(parts[-2], span)
    raise Unknown("type", ".".join(parts), span, [one.name for one in drafts.types])


def _no_domain(name: RelationName, statement: Statement, span: Span) -> Exception:
    """DROP quotes the name, ALTER does not."""
    if statement.kind == "drop_stmt":
        return NotForKind.not_one(name.name, "a domain", span)
    return NotForKind.no_domain(name.name, span)
