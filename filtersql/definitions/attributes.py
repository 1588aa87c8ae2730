"""DEFERRABLE, INITIALLY and ENFORCED behind a column's constraint: which have them, and how often.

Example
    `CREATE TABLE t (a int NOT NULL DEFERRABLE)` is refused, as PostgreSQL does. The words
    belong to the constraint before them, and only keys, exclusions and foreign keys wait.

PostgreSQL
    parse_utilcmd.c: transformConstraintAttrs()
"""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, enum_name
from filtersql.source import Passage

__all__ = ["attribute_of", "check_attributes"]

_WAITING = frozenset({"CONSTR_PRIMARY", "CONSTR_UNIQUE", "CONSTR_EXCLUSION", "CONSTR_FOREIGN"})
_ENFORCED = frozenset({"CONSTR_CHECK", "CONSTR_FOREIGN"})


#: by what is said, the field that it sets, its value, and which constraints have it
_ATTRIBUTES = {
    "CONSTR_ATTR_DEFERRABLE": ("deferrable", True, _WAITING),
    "CONSTR_ATTR_NOT_DEFERRABLE": ("deferrable", False, _WAITING),
    "CONSTR_ATTR_DEFERRED": ("initdeferred", True, _WAITING),
    "CONSTR_ATTR_IMMEDIATE": ("initdeferred", False, _WAITING),
    "CONSTR_ATTR_ENFORCED": ("is_enforced", True, _ENFORCED),
    "CONSTR_ATTR_NOT_ENFORCED": ("is_enforced", False, _ENFORCED),
}


def attribute_of(kind: str) -> tuple[str, bool] | None:
    """The field of a constraint that such an attribute sets, and its value."""
    found = _ATTRIBUTES.get(kind)
    return None if found is None else found[:2]


def check_attributes(constraints: Iterable[Node], text: Passage) -> None:
    """Raises where an attribute stands behind what has none, or beside one that it contradicts."""
    owner, said = "", dict[str, bool]()
    for wrapped in constraints:
        node = wrapped.constraint
        kind = enum_name(node, "contype")
        if kind not in _ATTRIBUTES:
            owner, said = kind, {}
            continue
        field, value, kinds = _ATTRIBUTES[kind]
        again = field in said
        said[field] = value
        unlike = said.get("initdeferred") is True and said.get("deferrable") is False
        if owner not in kinds or again or unlike:
            span = text.span(node.location, node.location + 1)
            words = kind.removeprefix("CONSTR_ATTR_").replace("_", " ")
            words = f"INITIALLY {words}" if field == "initdeferred" else words
            raise UnsupportedStatement.dumped(f"{words} at this place", span)
