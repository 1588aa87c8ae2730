"""The multirange type that CREATE TYPE … AS RANGE makes beside the range type.

Example
    `CREATE TYPE floatrange AS RANGE (subtype = float8)` makes floatmultirange, too; that of `span`
    is span_multirange, and `multirange_type_name` gives it another name. It goes with its range.

PostgreSQL
    typecmds.c: DefineRange(), makeMultirangeTypeName()
"""

from __future__ import annotations

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.kinds import has_row_type
from filtersql.definitions.sql_names import Script, created_name
from filtersql.errors.relations import MULTIRANGE_EXISTS, TYPE_EXISTS
from filtersql.grammar import Node
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["create_multirange", "drop_multirange", "move_multiranges", "range_of"]

_LONGEST = 63
_ADDED = "_multirange"


def create_multirange(script: Script, node: Node, name: RelationName, span: Span) -> None:
    """The second type of CREATE TYPE … AS RANGE."""
    drafts = script.drafts
    said = [one.def_elem for one in node.params if one.def_elem.defname == "multirange_type_name"]
    made = RelationName(name.schema, _named_after(name.name))
    if said:
        made = created_name(script, said[-1].arg.type_name.names)
    if made == name or made in drafts.types or has_row_type(drafts, made):
        if said:
            raise TYPE_EXISTS(span, name=made.name)
        raise MULTIRANGE_EXISTS(span, name=made.name, of=name.name)
    drafts.types[made] = "multirange type"
    drafts.places[made] = span
    drafts.multiranges[name] = made


def range_of(drafts: Drafts, name: RelationName) -> RelationName | None:
    """The range type that a multirange type goes with."""
    return next((one for one, made in drafts.multiranges.items() if made == name), None)


def drop_multirange(drafts: Drafts, name: RelationName) -> None:
    """What goes with a range type."""
    drafts.types.pop(drafts.multiranges.pop(name, name), None)


def move_multiranges(drafts: Drafts, names: dict[RelationName, RelationName]) -> None:
    """Types under other names: each of the two has its own."""
    drafts.multiranges = {
        names.get(one, one): names.get(made, made) for one, made in drafts.multiranges.items()
    }


def _named_after(name: str) -> str:
    if "range" in name:
        return _clipped(name.replace("range", "multirange", 1), _LONGEST)
    return _clipped(name, _LONGEST - len(_ADDED)) + _ADDED


def _clipped(name: str, size: int) -> str:
    """As many whole characters as fit."""
    return name.encode()[:size].decode(errors="ignore")
