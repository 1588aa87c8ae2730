"""Mistakes of changes that stop a run where they stand: a filter raises, a value was not sent."""

from __future__ import annotations

from collections.abc import Mapping

from filtersql.errors import Mistake

__all__ = ["FilterRaises", "UnchangedNotSent", "stands"]


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


class UnchangedNotSent(Mistake):
    """A change lacks a value that did not change, and `toast_unchanged` says error."""

    def __init__(self, name: str, seq: int, key: Mapping[str, object], upto: int | None) -> None:
        super().__init__(
            f'change {seq} of "{name}" lacks an unchanged out-of-line value',
            detail=stands(key, upto),
            hint="Set REPLICA IDENTITY FULL on the source; with toast_unchanged: keep the target's "
            "row keeps its value.",
        )


def stands(key: Mapping[str, object], upto: int | None) -> str:
    """Which row it is, and up to where the target stands."""
    columns, values = ", ".join(key), ", ".join(str(value) for value in key.values())
    applied = "Nothing" if upto is None else f"Everything up to seq {upto}"
    return f"Key ({columns})=({values}). {applied} is applied."
