"""Mistakes of changes that meet something else in the target than they should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from filtersql.errors import Mistake

__all__ = ["ConflictStops", "KeyWrittenOtherwise", "PrimaryKeyTaken"]


class ConflictStops(Mistake):
    """A change finds a row under the key that it brings, and that is to stop the run."""

    def __init__(
        self,
        name: str,
        relation: str,
        kind: str,
        seq: int,
        key: Mapping[str, object],
        upto: int | None,
    ) -> None:
        columns, values = ", ".join(key), ", ".join(str(value) for value in key.values())
        applied = "Nothing" if upto is None else f"Everything up to seq {upto}"
        super().__init__(
            f'conflict detected on relation "{relation}": conflict={kind}',
            detail=f'Key ({columns})=({values}) already exists in the target of "{name}"; the '
            f"change is seq {seq}. {applied} is applied.",
            hint="Remove the row from the target, or set on_conflict to skip or apply.",
        )


class PrimaryKeyTaken(Mistake):
    """Rows are found by another key, and a change brings a row under another row's primary key."""

    def __init__(self, name: str, seq: int, key: Mapping[str, object]) -> None:
        columns, values = ", ".join(key), ", ".join(str(value) for value in key.values())
        super().__init__(
            f'change {seq} of "{name}" brings a row under the primary key of another row',
            detail=f"Key ({columns})=({values}) already exists. Rows are found by the replica "
            "identity, so neither row can be told to be the right one. Nothing was written.",
            hint="Remove the other row from the target, or set on_conflict to error.",
        )


class KeyWrittenOtherwise(Mistake):
    """A change calls a row by a text that is equal to the row's key, and another one."""

    def __init__(
        self, name: str, seq: int, key: Sequence[str], text: Sequence[str], instead: Sequence[str]
    ) -> None:
        columns = ", ".join(key)
        super().__init__(
            f'change {seq} of "{name}" writes the key of a row in another way',
            detail=f"Key ({columns})=({', '.join(text)}) is equal to ({', '.join(instead)}), by "
            "which the row is found. Nothing was written.",
            hint="Let the feed write equal keys alike, or declare numeric with a scale.",
        )
