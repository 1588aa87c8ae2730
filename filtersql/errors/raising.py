"""Mistakes of row filters that raise an error on a row."""

from __future__ import annotations

from collections.abc import Mapping

from filtersql.errors import Mistake

__all__ = ["FilterRaises"]


class FilterRaises(Mistake):
    """A row filter raises an error on a change, and `on_filter_error` says stop."""

    def __init__(
        self, name: str, seq: int, key: Mapping[str, object], reason: str, upto: int | None
    ) -> None:
        columns, values = ", ".join(key), ", ".join(str(value) for value in key.values())
        applied = "Nothing" if upto is None else f"Everything up to seq {upto}"
        super().__init__(
            f'row filter of "{name}" raises an error on change {seq}: {reason}',
            detail=f"Key ({columns})=({values}). {applied} is applied.",
            hint="Mend the row filter or the row; with on_filter_error: quarantine such changes "
            "are put aside and the run goes on.",
        )
