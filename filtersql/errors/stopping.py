"""Mistakes of changes that stop a run: a filter raises, a value or a row is in the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from filtersql.errors import Mistake
from filtersql.errors.targets import EngineRefused
from filtersql.errors.wording import Wording, shown_key

#: what a statement says that is stopped by a value that was not sent
UNKNOWN_VALUE = "an unchanged out-of-line value is not known"

_NOT_SENT = (
    "Set REPLICA IDENTITY FULL on the source, or fill the table with --full-refresh. The rows that "
    "are copied have to be newer than the change: filtersql capture SOURCE --rows TABLE takes them."
)

# `standing` is what `stands` says: the row, and up to where the target stands.
FILTER_RAISES = Wording(
    'row filter of "{name}" raises an error on change {seq}: {reason}',
    detail="{standing}",
    hint="Mend the row filter or, in a feed of your own, the change; of a row that was mended at "
    "the source take the table again (filtersql capture SOURCE --rows TABLE, or a later source), "
    "and copy it: run --resync TABLE. With on_filter_error: quarantine such changes are put aside "
    "and the run goes on.",
)
# `toast_unchanged` says error.
UNCHANGED_NOT_SENT = Wording(
    'change {seq} of "{name}" lacks an unchanged out-of-line value',
    detail="{standing}",
    hint="Set REPLICA IDENTITY FULL on the source; with toast_unchanged: keep the target's "
    "row keeps its value.",
)
# A row enters the target while the value of one of its columns was not sent.
UNKNOWN_UNCHANGED_VALUE = Wording(
    'the value of {columns:listed} in "{name}" is not known',
    detail="{key:key} enters the target by change {seq}, with which the source did not "
    "send the value, because it did not change. Nothing was written.",
    hint=_NOT_SENT,
)
# The same, where the target was to be made and the change cannot be told.
UNKNOWN_SOMEWHERE = Wording(
    "a value that was not sent is not known, in {names:listed}",
    detail="A row enters its target by an update that left the value out, because it did not "
    "change. Nothing was written.",
    hint=_NOT_SENT,
)
# A change finds a row under the key that it brings, and that is to stop the run.
CONFLICT_STOPS = Wording(
    'conflict detected on relation "{relation}": conflict={kind}',
    detail='{key:key} already exists in the target of "{name}"; the change is seq {seq}. '
    "{applied} is applied.",
    hint="Remove the row from the target, or set on_conflict to skip or apply.",
)
# Rows are found by another key, and a change brings a row under another row's primary key.
PRIMARY_KEY_TAKEN = Wording(
    'change {seq} of "{name}" brings a row under the primary key of another row',
    detail="{key:key} already exists. Rows are found by the replica identity, so neither row "
    "can be told to be the right one. Nothing was written.",
    hint="Remove the other row from the target, or set on_conflict to error.",
)
# A change calls a row by a text that is equal to the row's key, and another one.
KEY_WRITTEN_OTHERWISE = Wording(
    'change {seq} of "{name}" writes the key of a row in another way',
    detail="Key ({key:listed})=({text:listed}) is equal to ({instead:listed}), by "
    "which the row is found. Nothing was written.",
    hint="Let the feed write equal keys alike, or declare numeric with a scale.",
)


class RowsRefused(EngineRefused):
    """The engine does not judge the rows of a source: a row filter raises on one."""

    def __init__(self, refused: EngineRefused, doing: str) -> None:
        super().__init__(refused.engine, refused.reason, doing)
        self.detail = refused.detail
        self.hint = "Where it is the row filter that raises, mend it or the row of the source."


def refused_rows(refused: Sequence[Mistake], doing: str) -> tuple[Mistake, ...]:
    """What an engine refused while it judged rows; what says more of itself stays as it is."""
    return tuple(RowsRefused(one, doing) if type(one) is EngineRefused else one for one in refused)


def reached(upto: int | None) -> str:
    """What the target holds."""
    return "Nothing" if upto is None else f"Everything up to seq {upto}"


def stands(key: Mapping[str, object], upto: int | None) -> str:
    """Which row it is, and up to where the target stands."""
    return f"{shown_key(key)}. {reached(upto)} is applied."
