"""Mistakes of changes that stop a run where they stand: a filter raises, a value was not sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from filtersql.errors import Mistake
from filtersql.errors.targets import EngineRefused

__all__ = [
    "UNKNOWN_VALUE",
    "CopyRefused",
    "FilterRaises",
    "UnchangedNotSent",
    "UnknownUnchangedValue",
    "stands",
]

#: what a statement says that is stopped by such a value
UNKNOWN_VALUE = "an unchanged out-of-line value is not known"


class FilterRaises(Mistake):
    """A row filter raises an error on a change, and `on_filter_error` says stop."""

    def __init__(
        self, name: str, seq: int, key: Mapping[str, object], reason: str, upto: int | None
    ) -> None:
        super().__init__(
            f'row filter of "{name}" raises an error on change {seq}: {reason}',
            detail=stands(key, upto),
            hint="Mend the row filter or the row; with on_filter_error: quarantine such changes "
            "are put aside and the run goes on.",
        )


class CopyRefused(EngineRefused):
    """The engine does not fill a target: a row filter raises on a row of the source."""

    def __init__(self, name: str, refused: EngineRefused) -> None:
        super().__init__(refused.engine, refused.reason, f'the initial copy of "{name}"')
        self.detail = refused.detail
        self.hint = "Where it is the row filter that raises, mend it or the row of the source."


class UnchangedNotSent(Mistake):
    """A change lacks a value that did not change, and `toast_unchanged` says error."""

    def __init__(self, name: str, seq: int, key: Mapping[str, object], upto: int | None) -> None:
        super().__init__(
            f'change {seq} of "{name}" lacks an unchanged out-of-line value',
            detail=stands(key, upto),
            hint="Set REPLICA IDENTITY FULL on the source; with toast_unchanged: keep the target's "
            "row keeps its value.",
        )


class UnknownUnchangedValue(Mistake):
    """A row enters the target while the value of one of its columns was not sent."""

    def __init__(
        self, name: str, columns: Sequence[str], seq: int, key: Mapping[str, object]
    ) -> None:
        super().__init__(
            f'the value of {", ".join(columns)} in "{name}" is not known',
            detail=f"{_key(key)} enters the target by change {seq}, with which the source did not "
            "send the value, because it did not change. Nothing was written.",
            hint="Set REPLICA IDENTITY FULL on the source, or fill the table with --full-refresh.",
        )


def stands(key: Mapping[str, object], upto: int | None) -> str:
    """Which row it is, and up to where the target stands."""
    applied = "Nothing" if upto is None else f"Everything up to seq {upto}"
    return f"{_key(key)}. {applied} is applied."


def _key(key: Mapping[str, object]) -> str:
    values = ("null" if value is None else str(value) for value in key.values())
    return f"Key ({', '.join(key)})=({', '.join(values)})"
