"""Whether a table that a filter looks up stands whole in the same subscription.

Example
    dept: deptno IN (SELECT id FROM lookup); the subscription publishes dept alone   refused
    … and lookup, with a key, without a filter, every action                        allowed

A run brings both to one boundary, so it knows what the table held there. Of a table that it has
not, or in part, it could only guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from filtersql.changes import Form, Judgements
from filtersql.definitions.model import Action
from filtersql.errors import Mistakes
from filtersql.errors.compiling import LOOKUP_NOT_WHOLE
from filtersql.filters.model import Filter
from filtersql.filters.resolve.lookups import looked_up
from filtersql.names import RelationName, view_name
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.rendering.compiled import CompiledTable, LookedUp

__all__ = ["check_lookups", "looked_up_by"]

_ACTIONS = (Action.INSERT, Action.UPDATE, Action.DELETE)
_KEYED = (Form.KEYED, Form.KEYED_UNCHANGED, Form.KEYED_KEEPING)

Target = tuple[ResolvedTable, Mapping[Contribution, Filter], CompiledTable]


def check_lookups(targets: Mapping[RelationName, Target]) -> None:
    """Raises Mistakes where a filter of a subscription's targets asks what it cannot know."""
    mistakes = []
    for name, (resolved, filters, _) in targets.items():
        may_look = filters.values() if resolved.semantics.lookups else ()
        for row_filter in {id(one): one for one in may_look}.values():
            for lookup in looked_up(row_filter.tree):
                reason = next(_lacking(targets.get(lookup.relation), lookup.looked.name), None)
                if reason:
                    span = row_filter.text.span()
                    mistakes.append(
                        LOOKUP_NOT_WHOLE(
                            span, relation=name, looked_up=lookup.relation, reason=reason
                        )
                    )
    if mistakes:
        raise Mistakes(mistakes)


def looked_up_by(judged: Judgements) -> tuple[LookedUp, ...]:
    """What the filters in force look up: the views of the tables, and the columns that are read."""
    arms = [criterion for arm in (*judged.old, *judged.new) for criterion in arm.criteria]
    # Most arms have the same filter: it is walked through once.
    trees = {
        id(criterion.filter): criterion.filter.tree
        for criterion in (*arms, *judged.copy)
        if criterion.filter
    }
    read: dict[RelationName, dict[str, None]] = {}
    for tree in trees.values():
        for lookup in looked_up(tree):
            read.setdefault(lookup.relation, {})[lookup.looked.name] = None
    return tuple(
        LookedUp(relation, view_name("lookup", relation), tuple(names))
        for relation, names in read.items()
    )


def _lacking(target: Target | None, column: str) -> Iterator[str]:
    """What is missing of a table that is looked up."""
    if target is None:
        yield "It is not published to it."
        return
    resolved, _, compiled = target
    if not resolved.streamed or not resolved.subscription.copy_data:
        yield "Its rows are copied or its changes applied, not both."
    for action in _ACTIONS:
        if action not in resolved.filters or resolved.only_from.get(action):
            yield f"Its {action}s are not published."
        elif resolved.filters[action]:
            yield "It has a row filter itself."
    if not resolved.truncates:
        yield "Its truncates are not published."
    if resolved.copy_filters:
        yield "It has a row filter itself."
    if Form(compiled.form) not in _KEYED:
        yield "No key finds its rows."
    if column not in {each.name for each in compiled.columns}:
        yield f'Its column "{column}" is not published.'
