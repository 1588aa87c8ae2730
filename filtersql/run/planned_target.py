"""What becomes of one target by a plan, and of those that no definition names any more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from msgspec import Struct

from filtersql.errors import Mistake
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.definition import Definition
from filtersql.rendering.definition_changes import FilterVerdict, Kind
from filtersql.run.counts import count_table
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import Entry, Key
from filtersql.run.moved_rows import Moved
from filtersql.run.proofs import parts_of
from filtersql.run.removed_targets import abandoned
from filtersql.targets.model import Engine

__all__ = ["STAYS", "Judge", "PlannedTarget", "removed_targets"]

#: what is said of a target that is no longer defined
STAYS = "no definition names it any more; its target stays as it is"

#: what two definitions' filters say by themselves of the rows of a table
Judge = Callable[[CompiledTable, Definition], FilterVerdict]


class PlannedTarget(Struct, frozen=True):
    """What becomes of one target. Counts are None where nobody counted."""

    subscription: str
    relation: RelationName
    target: str
    change: Kind
    position: int | None = None
    delete: int | None = None
    insert: int | None = None
    update: int | None = None
    unchanged: int | None = None
    leaves: Mapping[str, object] | None = None
    enters: Mapping[str, object] | None = None
    #: whether such a row was made up: the one of which the data has none
    constructed: bool = False
    statement: str | None = None
    reads_source: bool = False
    says: tuple[str, ...] = ()
    #: hashes of the definitions; empty: there is none, or an earlier version kept no text
    before: str = ""
    now: str = ""
    mistakes: tuple[Mistake, ...] = ()
    #: whether the definition does not explain all rows of before, unless they are compared
    stale: bool = False
    #: the definition in force, where its text is known
    earlier: Definition | None = None
    #: for `apply`
    compiled: CompiledTable | None = None
    entry: Entry | None = None
    moved: Moved | None = None
    #: at which the windows of time of the new definition are judged
    clock: str | None = None

    @property
    def unique_id(self) -> str:
        """The name of the node."""
        return f"{self.subscription}/{self.relation}"


def removed_targets(
    engine: Engine,
    known: Ledger,
    defined: frozenset[Key] | None,
    mine: Collection[str],
    *,
    drop_removed: bool,
) -> Iterator[PlannedTarget]:
    """Targets that no definition names; `mine` are subscriptions of the project, others' are not.

    Several projects may share a state schema, and the ledger does not name them.
    """
    subscriptions = {entry.subscription for entry in known.newest.values()}
    for entry, others in abandoned(known, subscriptions, defined):
        is_mine = entry.subscription in mine
        other = next((one for one in others if is_mine and one.subscription not in mine), None)
        dropped = drop_removed and is_mine and other is None
        if not dropped and not engine.exists(parts_of(entry)):
            continue  # it was dropped by hand
        says = STAYS
        if dropped:
            says = "no definition names it any more; its table is dropped"
        elif other is not None:
            says = (
                f"{other.subscription}/{other.relation} has its table, too: another project's, or "
                "an earlier name, and then a table to drop by hand"
            )
        elif not is_mine:
            says = "no subscription has that name: another project's, or a table to drop by hand"
        yield PlannedTarget(
            entry.subscription,
            entry.relation,
            entry.target,
            "removed",
            entry.position,
            delete=_held(engine, entry) if dropped else None,
            says=(says,),
            before=entry.definition,
            entry=entry,
        )


def _held(engine: Engine, entry: Entry) -> int:
    """How many rows a target has that is dropped."""
    if not engine.exists(parts_of(entry)):
        return 0
    return count_table(engine, entry.target)
