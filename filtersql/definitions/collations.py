"""What is equal in somebody's own collations and types, as far as a filter and a key ask.

Example
    `CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`: a
    column `name text COLLATE ci` holds `Ann` and `ann` to be equal; no publication's filter reads
    it, and no row is found by it. `CREATE TYPE pair AS (n numeric, s text)` holds (1.0,x) and
    (1.00,x) to be equal.

PostgreSQL
    collationcmds.c: DefineCollation(); publicationcmds.c: check_simple_rowfilter_expr_walker()
"""

from __future__ import annotations

from dataclasses import replace

from filtersql.catalog import Column, OwnCollation, PgType
from filtersql.definitions.drafts import Drafts
from filtersql.grammar import Node
from filtersql.names import RelationName

__all__ = ["compared", "create_collation", "keep_collation", "own_collations", "rename_collation"]

_NO = ("false", "off", "no", "0")


def create_collation(drafts: Drafts, node: Node) -> None:
    """A collation of somebody's own, or a copy of one under another name."""
    name: str = node.defnames[-1].string.sval
    exact = True
    for wrapped in node.definition:
        option = wrapped.def_elem
        if option.defname == "from":
            copied = option.arg.list.items[-1].string.sval
            exact = drafts.collations.get(copied, True)
        elif option.defname == "deterministic":
            exact = _word(option.arg) not in _NO
    drafts.collations[name] = exact


def _word(argument: Node) -> str:
    """An option's value, which may be a word, a text, a number or nothing: that is true."""
    for kind in ("string", "integer", "type_name", "boolean"):
        if argument.HasField(kind):
            value = getattr(argument, kind)
            match kind:
                case "string":
                    return str(value.sval).lower()
                case "integer":
                    return str(value.ival)
                case "boolean":
                    return str(value.boolval).lower()
                case _:
                    return str(value.names[-1].string.sval).lower()
    return "true"


def rename_collation(drafts: Drafts, node: Node) -> None:
    """Columns keep the name that they were defined with: both mean the same."""
    old = node.object.list.items[-1].string.sval
    if old in drafts.collations:
        drafts.collations[node.newname] = drafts.collations[old]


def keep_collation(drafts: Drafts, domain: RelationName, node: Node) -> None:
    """CREATE DOMAIN … COLLATE: its columns are compared by it."""
    if node.HasField("coll_clause"):
        drafts.domain_collations[domain] = node.coll_clause.collname[-1].string.sval


def compared(drafts: Drafts, column: Column) -> Column:
    """A column with what is known of its collation, and of the equality of its type."""
    several = _is_composed(drafts, column.type)
    if several:
        column = replace(column, several_texts=True)
    of_domain = drafts.domain_collations.get(RelationName(column.type.schema, column.type.name))
    name = column.collation or of_domain
    if name is None:
        return column
    own = own_collations(drafts).get(name)
    several = several or own is OwnCollation.LOOSE
    return replace(column, domain_collation=of_domain, own_collation=own, several_texts=several)


def own_collations(drafts: Drafts) -> dict[str, OwnCollation]:
    """By name, whether only the same texts are equal by them."""
    return {
        name: OwnCollation.EXACT if exact else OwnCollation.LOOSE
        for name, exact in drafts.collations.items()
    }


def _is_composed(drafts: Drafts, pg_type: PgType) -> bool:
    """Whether its values are made of others, or compared by somebody's own function."""
    made_of = pg_type.base or pg_type
    name = RelationName(made_of.schema, made_of.name.removeprefix("_"))
    return drafts.types.get(name, "type") not in ("type", "domain") or name in drafts.tables
