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

from msgspec.structs import replace

from filtersql.catalog import Column, OwnCollation, PgType
from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.sql_names import Script, created_in_schema
from filtersql.errors.definitions import ALREADY_EXISTS, UnsupportedStatement
from filtersql.grammar import Node, Statement
from filtersql.names import RelationName

__all__ = ["OF_ITS_OWN", "compared", "create_collation", "own_collations"]

#: languages with letters of ASCII, or accents, whose other case is their own
OF_ITS_OWN = {"tr", "az", "lt", "el", "hy"}
_YES = ("true", "on", "yes", "1")
_OPTIONS = {"from", "locale", "lc_collate", "lc_ctype", "provider"}
_OPTIONS |= {"deterministic", "version", "rules"}


def create_collation(script: Script, statement: Statement) -> None:
    """A collation of somebody's own, or a copy of one; DROP COLLATION leaves it known."""
    known, options = script.drafts.collations, statement.node.definition
    name, span = created_in_schema(script, statement)
    if name in known:
        if statement.node.if_not_exists:
            return
        raise ALREADY_EXISTS(span, kind="collation", name=name.name, first=None)
    values = {option.def_elem.defname: _word(option.def_elem.arg) for option in options}
    for one in sorted(values.keys() - _OPTIONS):
        raise UnsupportedStatement(f"{one} of a collation", span)
    exact = values.get("deterministic", "true") in _YES
    known[name] = exact and own_collations(script.drafts).get(values.get("from", "")) is not (
        OwnCollation.LOOSE
    )


def _word(argument: Node) -> str:
    """An option's value, which may be a word, a text, a number or nothing: that is true."""
    match argument.WhichOneof("node"):
        case "string":
            return str(argument.string.sval).lower()
        case "list":
            return str(argument.list.items[-1].string.sval)
        case "type_name":
            return str(argument.type_name.names[-1].string.sval)
        case None:
            return "true"
        case kind:
            return str(argument.integer.ival if kind == "integer" else argument.boolean.boolval)


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
    """By name, whether only the same texts are equal by all that are called so."""
    loose = {name.name for name, exact in drafts.collations.items() if not exact}
    return {
        name.name: OwnCollation.LOOSE if name.name in loose else OwnCollation.EXACT
        for name in drafts.collations
    }


def _is_composed(drafts: Drafts, pg_type: PgType) -> bool:
    """Whether its values are made of others, or compared by somebody's own function."""
    made_of = pg_type.base or pg_type
    name = RelationName(made_of.schema, made_of.name.removeprefix("_"))
    return drafts.types.get(name, "type") not in ("type", "domain") or name in drafts.tables
