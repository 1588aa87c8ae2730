"""DEFERRABLE, INITIALLY and ENFORCED behind a column's constraint: which have them, and how often.

Example
    `CREATE TABLE t (a int NOT NULL DEFERRABLE)` is refused. The words belong to the constraint
    before them, and only keys, exclusions and foreign keys wait.

PostgreSQL
    parse_utilcmd.c: transformConstraintAttrs()
"""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, enum_name
from filtersql.source import Passage

__all__ = ["ATTRIBUTES", "check_attributes"]

_WAITING = frozenset({"CONSTR_PRIMARY", "CONSTR_UNIQUE", "CONSTR_EXCLUSION", "CONSTR_FOREIGN"})
_ENFORCED = frozenset({"CONSTR_CHECK", "CONSTR_FOREIGN"})
_HINT = "It stands once, behind a constraint that it is of, and DEFERRED is DEFERRABLE."
#: the field of a constraint that an attribute sets, and its value
ATTRIBUTES = {
    "CONSTR_ATTR_DEFERRABLE": ("deferrable", True),
    "CONSTR_ATTR_NOT_DEFERRABLE": ("deferrable", False),
    "CONSTR_ATTR_DEFERRED": ("initdeferred", True),
    "CONSTR_ATTR_IMMEDIATE": ("initdeferred", False),
    "CONSTR_ATTR_ENFORCED": ("is_enforced", True),
    "CONSTR_ATTR_NOT_ENFORCED": ("is_enforced", False),
}


def check_attributes(constraints: Iterable[Node], text: Passage) -> None:
    """Raises where an attribute stands behind what has none, or beside another one like it."""
    owner, fields = "", dict[str, bool]()
    for wrapped in constraints:
        node = wrapped.constraint
        kind = enum_name(node, "contype")
        if kind not in ATTRIBUTES:
            owner, fields = kind, {}
            continue
        field, value = ATTRIBUTES[kind]
        unfit = owner not in (_ENFORCED if field == "is_enforced" else _WAITING)
        waits = {**fields, field: value}
        never = waits.get("initdeferred") and waits.get("deferrable") is False
        if unfit or field in fields or never:
            words = kind.removeprefix("CONSTR_ATTR_").replace("_", " ")
            span = text.span(node.location, node.location + 1)
            raise UnsupportedStatement(f"{words} behind this", span, _HINT)
        fields = waits
