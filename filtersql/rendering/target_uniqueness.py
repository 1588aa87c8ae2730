"""Which tables of the target's catalog the rows land in: each has one writer (decision 12).

Example
    one_writer([(compiled, subscription), …], "filtersql")

    Two tables of subscriptions in one target, a target in the place of another one's quarantine or
    of filtersql's own ledger, and a target without columns are mistakes. Catalogs fold case, so
    names are compared folded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.compiling import NO_COLUMNS, TARGET_TAKEN
from filtersql.rendering.compiled import CompiledTable

__all__ = ["DEFINITIONS", "LEDGER", "QUARANTINE", "Writer", "are_apart", "one_writer"]

#: the table of the state schema that remembers every run
LEDGER = "ledger"
#: beside it, the definitions that its rows name
DEFINITIONS = "definitions"
#: behind a target's name, the table of the changes that were put aside
QUARANTINE = "__quarantine"


def one_writer(tables: Iterable[tuple[CompiledTable, Subscription]], state_schema: str) -> None:
    """Raises every target that has another owner already, or can hold nothing."""
    pairs = list(tables)
    writers = [Writer.of(*pair) for pair in pairs]
    taken = _taken(writers, state_schema)
    mistakes: list[Mistake] = []
    for (compiled, subscription), writer in zip(pairs, writers, strict=True):
        label, shown = writer.label, ".".join(compiled.target)
        owner = taken.setdefault(_folded(compiled.target), label)
        if owner != label:
            mistakes.append(TARGET_TAKEN(subscription.span, target=shown, owner=owner, other=label))
        if not compiled.columns:
            mistakes.append(NO_COLUMNS(subscription.span, label=label))
    if mistakes:
        raise Mistakes(mistakes)


class Writer(Struct, frozen=True):
    """Who writes a target, and whether into a quarantine beside it."""

    target: tuple[str, ...]
    label: str
    quarantines: bool

    @classmethod
    def of(cls, compiled: CompiledTable, subscription: Subscription) -> Writer:
        """That of a compiled table."""
        label = f'subscription "{compiled.subscription}", table "{compiled.relation}"'
        return cls(compiled.target, label, subscription.on_filter_error == "quarantine")


def are_apart(writers: Sequence[Writer], state_schema: str) -> bool:
    """Whether `one_writer` raises none of their targets as another owner's."""
    taken = _taken(writers, state_schema)
    owners = (taken.setdefault(_folded(writer.target), writer.label) for writer in writers)
    return all(owner == writer.label for owner, writer in zip(owners, writers, strict=True))


def _taken(writers: Iterable[Writer], state_schema: str) -> dict[tuple[str, ...], str]:
    """What has an owner before any target has."""
    own = (LEDGER, DEFINITIONS)
    taken = {_folded((state_schema, name)): "filtersql itself" for name in own}
    for writer in writers:
        if writer.quarantines:
            *schema, name = writer.target
            taken[_folded((*schema, name + QUARANTINE))] = f"the quarantine of {writer.label}"
    return taken


def _folded(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.casefold() for part in parts)
