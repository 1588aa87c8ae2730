"""What PostgreSQL says when an UPDATE or DELETE comes whose old rows carry too little.

PostgreSQL
    execReplication.c, CheckCmdReplicaIdentity(): filters first, then column lists, generated
    columns, and the replica identity itself
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = ["CannotJudge", "OldRowsMistake", "refusals", "verb_of"]

_FILTER = "Column used in the publication WHERE expression is not part of the replica identity."
_LIST = "Column list used by the publication does not cover the replica identity."
_GENERATED = "Replica identity must not contain unpublished generated columns."
_DETAILS = {"filter": _FILTER, "list": _LIST, "generated": _GENERATED}


class OldRowsMistake(Mistake):
    """A mistake that PostgreSQL tells at the first UPDATE or DELETE of `table`.

    `actions` are those that it refuses, `kind` a key of the details above, or `identity`.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        table: str,
        actions: Iterable[str],
        span: Span,
        detail: str | None,
        hint: str,
    ) -> None:
        super().__init__(message, span=span, detail=detail, hint=hint)
        self.kind, self.table, self.actions = kind, table, frozenset(map(str, actions))

    def refusal(self, action: str) -> str | None:
        """What the server says of the action, on one line; None where it lets it pass."""
        if action not in self.actions:
            return None
        named = f'cannot {verb_of(action)} table "{self.table}"'
        if self.kind in _DETAILS:
            return f"{named}: {_DETAILS[self.kind]}"
        return f"{named} because it does not have a replica identity and publishes {action}s"

    @classmethod
    def words(cls, kind: str) -> str:
        """PostgreSQL's detail."""
        return _DETAILS[kind]


class CannotJudge(Mistake):
    """A run stands before a change that the source's server would have refused."""

    def __init__(self, refusal: str, stands: str) -> None:
        message, _, detail = refusal.rpartition(": ")
        if detail not in _DETAILS.values():
            message, detail = refusal, ""
        hint = None
        if not detail:
            doing = "updating" if refusal.endswith("updates") else "deleting from"
            hint = f"To enable {doing} the table, set REPLICA IDENTITY using ALTER TABLE."
        super().__init__(message, detail=f"{detail}\n{stands}".strip(), hint=hint)

    @classmethod
    def is_told(cls, reason: str) -> bool:
        """Whether a statement stopped for this, and not for a filter's error."""
        told = any(reason.endswith(f": {detail}") for detail in _DETAILS.values())
        lacks = " because it does not have a replica identity and publishes "
        return reason.startswith(("cannot update ", "cannot delete from ")) and (
            told or lacks in reason
        )


def verb_of(action: str) -> str:
    """In `cannot update table` and `cannot delete from table`."""
    return "update" if action == "update" else "delete from"


def refusals(mistakes: Iterable[Mistake], actions: Iterable[str]) -> Mapping[str, str]:
    """What each action is refused with, by the first mistake that stops it."""
    refusals_by_action: dict[str, str] = {}
    for mistake in mistakes:
        for action in actions:
            refusal = (
                mistake.refusal(action) if isinstance(mistake, OldRowsMistake) else mistake.message
            )
            if refusal is not None:
                refusals_by_action.setdefault(str(action), refusal)
    return refusals_by_action
