"""Back references that mean the same everywhere: to a group that took part in the match for sure.

Example
    ================ =======================================================
    pattern          what is said of it
    ================ =======================================================
    `(a|b)\\1`        the group has matched before it is referred to
    `(a)?\\1`         refused: Java and PostgreSQL have another text of a group without a match
    `(a|ab){2}\\1`    refused: PostgreSQL does not try every text of its last round
    `(a|$)\\1`        refused: it does not find a group again that asks for a place
    `(a)(?=\\1)`      refused: PostgreSQL raises on every row
    ================ =======================================================

    What is refused is what random patterns showed to differ from PostgreSQL 18 (`test_regexes`).

PostgreSQL
    regcomp.c: a lookaround holds no back reference (REG_ESUBREG); regexec.c: cbrdissect().
"""

from __future__ import annotations

from filtersql.filters.write.rules.regex_trees import (
    Anchor,
    Choice,
    Group,
    Join,
    Look,
    Node,
    Repeat,
    Same,
    Untranslatable,
    has,
)

__all__ = ["check"]

_IN_LOOK = "PostgreSQL refuses a back reference in a lookaround, on every row."
_NOT_SURE = "Which text the group that it refers to has is not known."


def check(tree: Node) -> None:
    """Raises Untranslatable for a back reference that may mean something else on an engine."""
    _matched(tree, frozenset(), within=False)


def _matched(node: Node, known: frozenset[int], *, within: bool) -> frozenset[int]:
    """The groups that have matched once the node has; `within`: it stands in a lookaround."""
    match node:
        case Same():
            if within:
                raise Untranslatable(_IN_LOOK)
            if node.number not in known:
                raise Untranslatable(_NOT_SURE)
        case Join():
            for item in node.items:
                known = _matched(item, known, within=within)
        case Choice():
            branches = [_matched(item, known, within=within) for item in node.items]
            return frozenset.intersection(*branches)
        case Group():
            inner = _matched(node.item, known, within=within)
            return inner if has(node.item, Anchor, Look) else inner | {node.number}
        case Repeat():
            _matched(node.item, known, within=within)
        case Look():
            _matched(node.item, known, within=True)
    return known
