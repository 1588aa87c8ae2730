"""DEFERRABLE, INITIALLY and ENFORCED behind a column's constraint: which have them, and how often.

Example
    `CREATE TABLE t (a int NOT NULL DEFERRABLE)` is refused: misplaced DEFERRABLE clause. The words
    belong to the constraint before them, and only keys, exclusions and foreign keys wait.

PostgreSQL
    parse_utilcmd.c: transformConstraintAttrs()
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from filtersql.errors.keys import DEFERRED_ALONE, MISPLACED_CLAUSE, SEVERAL_CLAUSES
from filtersql.grammar import Node, enum_name
from filtersql.source import Passage

__all__ = ["attribute_of", "check_attributes"]

_WAITING = frozenset({"CONSTR_PRIMARY", "CONSTR_UNIQUE", "CONSTR_EXCLUSION", "CONSTR_FOREIGN"})
_ENFORCED = frozenset({"CONSTR_CHECK", "CONSTR_FOREIGN"})


class _Attribute(NamedTuple):
    """What is said, of which two one may be said, and what it makes of the constraint."""

    words: str
    either: str
    field: str
    value: bool
    kinds: frozenset[str]


_DEFERRABLE = "DEFERRABLE/NOT DEFERRABLE"
_INITIALLY = "INITIALLY IMMEDIATE/DEFERRED"
_ENFORCING = "ENFORCED/NOT ENFORCED"
_ATTRIBUTES = {
    "CONSTR_ATTR_DEFERRABLE": ("DEFERRABLE", _DEFERRABLE, "deferrable", True, _WAITING),
    "CONSTR_ATTR_NOT_DEFERRABLE": ("NOT DEFERRABLE", _DEFERRABLE, "deferrable", False, _WAITING),
    "CONSTR_ATTR_DEFERRED": ("INITIALLY DEFERRED", _INITIALLY, "initdeferred", True, _WAITING),
    "CONSTR_ATTR_IMMEDIATE": ("INITIALLY IMMEDIATE", _INITIALLY, "initdeferred", False, _WAITING),
    "CONSTR_ATTR_ENFORCED": ("ENFORCED", _ENFORCING, "is_enforced", True, _ENFORCED),
    "CONSTR_ATTR_NOT_ENFORCED": ("NOT ENFORCED", _ENFORCING, "is_enforced", False, _ENFORCED),
}


def attribute_of(kind: str) -> tuple[str, bool] | None:
    """The field of a constraint that such an attribute sets, and its value."""
    found = _ATTRIBUTES.get(kind)
    return None if found is None else (found[2], found[3])


def check_attributes(constraints: Iterable[Node], text: Passage) -> None:
    """Raises where an attribute stands behind what has none, or beside another one like it."""
    owner, said = "", dict[str, bool]()
    for wrapped in constraints:
        node = wrapped.constraint
        kind, span = enum_name(node, "contype"), text.span(node.location, node.location + 1)
        if kind not in _ATTRIBUTES:
            owner, said = kind, {}
            continue
        one = _Attribute(*_ATTRIBUTES[kind])
        if owner not in one.kinds:
            raise MISPLACED_CLAUSE(span, words=one.words)
        if one.either in said:
            raise SEVERAL_CLAUSES(span, either=one.either)
        said[one.either] = one.value
        if said.get(_INITIALLY) and said.get(_DEFERRABLE) is False:
            raise DEFERRED_ALONE(span)
