"""Which tables of the target's catalog the rows land in: each has one writer (decision 12).

Example
    one_writer([(compiled, subscription), …], "filtersql")

    Two tables of subscriptions in one target, a target in the place of another one's quarantine or
    of filtersql's own ledger, and a target without columns are mistakes. Catalogs fold case, so
    names are compared folded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.compiling import NO_COLUMNS, TARGET_TAKEN
from filtersql.rendering.compiled import CompiledTable

__all__ = ["LEDGER", "QUARANTINE", "one_writer"]

#: the table of the state schema that remembers every run
LEDGER = "ledger"
#: behind a target's name, the table of the changes that were put aside
QUARANTINE = "__quarantine"


def one_writer(tables: Iterable[tuple[CompiledTable, Subscription]], state_schema: str) -> None:
    """Raises every target that has another owner already, or can hold nothing."""
    pairs = list(tables)
    taken = {_folded((state_schema, LEDGER)): "filtersql itself"}
    for compiled, subscription in pairs:
        if subscription.on_filter_error == "quarantine":
            *schema, name = compiled.target
            taken[_folded((*schema, name + QUARANTINE))] = f"the quarantine of {_label(compiled)}"
    mistakes: list[Mistake] = []
    for compiled, subscription in pairs:
        label, shown = _label(compiled), ".".join(compiled.target)
        owner = taken.setdefault(_folded(compiled.target), label)
        if owner != label:
            mistakes.append(TARGET_TAKEN(subscription.span, target=shown, owner=owner, other=label))
        if not compiled.columns:
            mistakes.append(NO_COLUMNS(subscription.span, label=label))
    if mistakes:
        raise Mistakes(mistakes)


def _folded(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.casefold() for part in parts)


def _label(compiled: CompiledTable) -> str:
    return f'subscription "{compiled.subscription}", table "{compiled.relation}"'
