"""A name in a filter: a column, a system column, the whole row, or a mistake.

Example
    `a`, `t.a` and `public.t.a` are the same column; `ctid` and `t` are refused later, by the rules
    of what a filter may hold; `regoin` has the hint of the nearest column.

PostgreSQL
    parse_expr.c, transformColumnRef(); parse_relation.c, scanNSItemForColumn() and
    errorMissingColumn().
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from filtersql.catalog import Column
from filtersql.errors import Mistake
from filtersql.errors.filters import MISSING_TABLE, UnknownColumn, Wrong
from filtersql.filters.facts import facts
from filtersql.filters.resolve.scope import Scope, type_of
from filtersql.filters.tree.nodes import Node, Relabel, Strength, Var
from filtersql.grammar import Node as Parsed
from filtersql.names import quote_identifier
from filtersql.pgtypes import format_type
from filtersql.storage import column_type, is_text, stored_as

__all__ = ["nearest", "reference"]

_SYSTEM = {
    "cmax": "cid",
    "cmin": "cid",
    "ctid": "tid",
    "tableoid": "oid",
    "xmax": "xid",
    "xmin": "xid",
}
_DECIMAL = re.compile(
    r"\s*(?:decimal|numeric)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)\s*\Z", re.IGNORECASE
)
_LONGEST_COMPARED = 255
_FARTHEST = 3


def reference(scope: Scope, parsed: Parsed) -> Node:
    """The node of a (qualified) name."""
    place = parsed.location
    fields = parsed.fields
    names = [item.string.sval for item in fields]
    name = names[-1]
    if len(names) > 4:
        wrong = "improper qualified name (too many dotted names)"
        raise Wrong(f"{wrong}: {'.'.join(names)}", scope.span(place))
    # Of four, the first is the database: of the filter's own table it can be no other.
    if len(names) == 4 and not _is_table(scope, names[:-1]):
        wrong = "cross-database references are not implemented"
        raise Wrong(f"{wrong}: {'.'.join(names)}", scope.span(place))
    if len(names) > 1 and not _is_table(scope, names[:-1]):
        raise _missing(scope, names, place)
    if fields[-1].WhichOneof("node") == "a_star":
        return Var(str(scope.table.name), -1, place, name=scope.table.name.name, special="row")
    node = column(scope, name, place)
    if node is not None:
        return node
    if len(names) == 1 and name == scope.table.name.name:
        return Var(str(scope.table.name), -1, place, name=name, special="row")
    shown = ".".join(names[-2:]) if len(names) > 1 else f'"{name}"'
    raise UnknownColumn(
        shown,
        scope.span(place),
        nearest=nearest(name, list(scope.columns)),
        table=quote_identifier(scope.table.name.name),
    )


def column(scope: Scope, name: str, place: int) -> Var | Relabel | None:
    """The column of that plain name; of a domain it is taken for what that is made of."""
    found = scope.columns.get(name)
    if found is not None and found.type.base is not None:
        base = _column(replace(found, type=found.type.base), name, place)
        # A publication's filter holds no user's type: it is refused there, where it stands.
        own = type_of(found.type)
        var = base if scope.checked else replace(base, type=own, typmod=-1)
        shown = format_type(found.type)
        state = base.collation, base.strength
        return Relabel(base.type, base.typmod, place, *state, var, domain=shown)
    if found is not None:
        return _column(found, name, place)
    if name in _SYSTEM:
        return Var(_SYSTEM[name], -1, place, name=name, special="system")
    return None


def _column(found: Column, name: str, place: int) -> Var:
    type_name = type_of(found.type)
    said = found.collation or found.domain_collation
    collation = said or facts().type(type_name).collation or None
    strength = Strength.IMPLICIT if collation else Strength.NONE
    decimal, target = stored_digits(found)
    return Var(type_name, found.type.typmod, place, collation, strength, name, "", decimal, target)


def stored_digits(column: Column) -> tuple[tuple[int, int] | None, str | None]:
    """How many digits the target's DECIMAL holds, and a target type that is none.

    Both engines store a numeric alike.
    """
    stored = column_type(column, "spark")
    decimal = _DECIMAL.match(stored.sql) if column.type.name == "numeric" else None
    if decimal:
        precision, scale = int(decimal[1]), int(decimal[2] or 0)
        return (precision - scale, scale), None
    if column.target_type is None or _is_its_own(column):
        return None, None
    return None, column.target_type


def _is_its_own(column: Column) -> bool:
    """Whether what the project asks for is how the type is stored anyway, or a numeric's text."""
    own = stored_as(column.type, "spark")
    is_number = column.type.name == "numeric"
    return is_text(column.target_type or "") and (is_number or is_text(own.sql))


#: since when what is there but out of reach is told in the detail, not in the hint
_TOLD_IN_DETAIL = 16


def _missing(scope: Scope, names: list[str], place: int) -> Mistake:
    span = scope.span(place)
    if names[-2] != scope.table.name.name:
        return MISSING_TABLE(span, table=names[-2])
    message = f'invalid reference to FROM-clause entry for table "{names[-2]}"'
    there = f'There is an entry for table "{names[-2]}", '
    there += "but it cannot be referenced from this part of the query."
    if scope.clock.postgres_version < _TOLD_IN_DETAIL:
        return Wrong(message, span, hint=there)
    return Wrong(message, span, detail=there)


def _is_table(scope: Scope, names: list[str]) -> bool:
    table = scope.table.name
    return names[-1] == table.name and (len(names) == 1 or names[-2] == table.schema)


def nearest(name: str, known: list[str]) -> list[str]:
    """The columns whose names are nearest, at most two, as PostgreSQL's hint picks them."""
    limit = min(_FARTHEST, len(name) // 2)
    distances = {item: _distance(name[:_LONGEST_COMPARED], item) for item in known}
    near = [item for item, distance in distances.items() if distance <= limit]
    if not near:
        return []
    least = min(distances[item] for item in near)
    closest = [item for item in near if distances[item] == least]
    return closest if len(closest) <= 2 else []


def _distance(first: str, second: str) -> int:
    """Levenshtein's, every edit costs one."""
    row = list(range(len(second) + 1))
    for place, letter in enumerate(first, 1):
        previous, row[0] = row[0], place
        for other, against in enumerate(second, 1):
            cost = min(row[other] + 1, row[other - 1] + 1, previous + (letter != against))
            previous, row[other] = row[other], cost
    return row[-1]
