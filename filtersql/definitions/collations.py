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

from collections.abc import Mapping
from dataclasses import replace

from filtersql.catalog import Column, OwnCollation, PgType
from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.sql_names import Script, created_in_schema, place_of
from filtersql.errors.making import BadCollation
from filtersql.grammar import Node, Statement
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "compared",
    "create_collation",
    "drop_collation",
    "keep_collation",
    "own_collations",
    "rename_collation",
]

_YES = ("true", "on", "yes", "1")
_NO = ("false", "off", "no", "0")
#: what is said of a collation, and who compares by it, since which version
_OPTIONS = dict.fromkeys(
    ("from", "locale", "lc_collate", "lc_ctype", "provider", "deterministic", "version"), 0
) | {"rules": 16}
_PROVIDERS = {"libc": 0, "icu": 0, "builtin": 17}
_REDUNDANT = "conflicting or redundant options"
_ALONE = "cannot be specified together with"


def create_collation(script: Script, statement: Statement) -> None:
    """A collation of somebody's own, or a copy of one under another name."""
    node, drafts = statement.node, script.drafts
    name, span = created_in_schema(script, statement)
    said = _options(script, node, span)
    encoded = said.get("provider", "libc") == "libc" and "from" not in said
    if name in drafts.encoded_collations:
        if node.if_not_exists:
            return
        shown = _shown(name, encoded=encoded and drafts.encoded_collations[name])
        raise BadCollation(f"{shown} already exists", span)
    exact = said.get("deterministic") not in _NO
    _keep(drafts, name, exact=exact and drafts.collations.get(said.get("from", ""), True))
    drafts.encoded_collations[name] = encoded


def _keep(drafts: Drafts, name: RelationName, *, exact: bool) -> None:
    """Of several of one name, in schemas of their own, columns do not say which: none is exact."""
    others = any(one.name == name.name for one in drafts.encoded_collations)
    drafts.collations[name.name] = exact and (not others or drafts.collations[name.name])


def _shown(name: RelationName, *, encoded: bool) -> str:
    """Collations of an encoding share their names with those of other encodings."""
    return f'collation "{name.name}"' + (' for encoding "UTF8"' if encoded else "")


def _options(script: Script, node: Node, span: Span) -> dict[str, str]:
    """What is said of it, which must be enough, and nothing beside."""
    version, said = script.drafts.postgres_version, dict[str, str]()
    for wrapped in node.definition:
        option = wrapped.def_elem
        at = script.span(option.location, len(option.defname))
        if option.defname not in _OPTIONS or version < _OPTIONS[option.defname]:
            raise BadCollation(f'collation attribute "{option.defname}" not recognized', at)
        if option.defname in said:
            raise BadCollation(_REDUNDANT, at)
        said[option.defname] = _word(option.arg)
    if "locale" in said and ("lc_collate" in said or "lc_ctype" in said):
        raise BadCollation(_REDUNDANT, span, f"LOCALE {_ALONE} LC_COLLATE or LC_CTYPE.")
    if "from" in said and len(said) > 1:
        raise BadCollation(_REDUNDANT, span, f"FROM {_ALONE} any other options.")
    if said.get("from") == "default":
        raise BadCollation('collation "default" cannot be copied', span)
    if said.get("deterministic", "true") not in (*_YES, *_NO):
        raise BadCollation("deterministic requires a Boolean value", span)
    if "from" not in said:
        _check_provided(said, version, span)
    return said


def _check_provided(said: Mapping[str, str], version: int, span: Span) -> None:
    """What the provider needs to know, and what it has not."""
    provider = said.get("provider", "libc")
    if provider not in _PROVIDERS or version < _PROVIDERS[provider]:
        raise BadCollation(f"unrecognized collation provider: {provider}", span)
    for needed in ("lc_collate", "lc_ctype") if provider == "libc" else ("locale",):
        if needed not in said and "locale" not in said:
            raise BadCollation(f'parameter "{needed}" must be specified', span)
    if said.get("deterministic") in _NO and provider != "icu":
        raise BadCollation("nondeterministic collations not supported with this provider", span)
    if "rules" in said and provider != "icu":
        raise BadCollation("ICU rules cannot be specified unless locale provider is ICU", span)


def _word(argument: Node) -> str:
    """An option's value, which may be a word, a text, a number or nothing: that is true."""
    for kind in ("string", "integer", "type_name", "boolean", "list"):
        if argument.HasField(kind):
            value = getattr(argument, kind)
            match kind:
                case "string":
                    return str(value.sval).lower()
                case "integer":
                    return str(value.ival)
                case "boolean":
                    return str(value.boolval).lower()
                case "list":
                    return str(value.items[-1].string.sval)
                case _:
                    return str(value.names[-1].string.sval)
    return "true"


def rename_collation(script: Script, statement: Statement) -> None:
    """Columns keep the name that they were defined with: both mean the same."""
    node, known = statement.node, script.drafts.encoded_collations
    old = _found(script, node.object)
    if old is None:
        return
    new = RelationName(old.schema, node.newname)
    if new in known:
        shown = _shown(new, encoded=known[new])
        span = place_of(script, statement, new.name)
        raise BadCollation(f'{shown} already exists in schema "{new.schema}"', span)
    _keep(script.drafts, new, exact=script.drafts.collations[old.name])
    known[new] = known.pop(old)


def drop_collation(script: Script, statement: Statement, item: Node) -> None:
    """DROP COLLATION: its name is free again."""
    found = _found(script, item)
    if found is not None:
        del script.drafts.encoded_collations[found]


def _found(script: Script, item: Node) -> RelationName | None:
    """A collation that the files make."""
    parts = [one.string.sval for one in item.list.items]
    schemas = parts[-2:-1] or script.path
    names = (RelationName(schema, parts[-1]) for schema in schemas)
    return next((one for one in names if one in script.drafts.encoded_collations), None)


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
