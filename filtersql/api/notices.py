"""Warnings as they were printed, to be printed again."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from filtersql.errors import Notice

__all__ = ["RememberedNotice", "notices_of"]


class RememberedNotice(Struct, frozen=True):
    """A warning as it was printed."""

    name: str
    message: str
    place: str | None
    hint: str | None
    report: str

    @property
    def facts(self) -> dict[str, object]:
        """What the log has beside the message."""
        return {"name": self.name, "place": self.place, "hint": self.hint}


def notices_of(notices: Iterable[Notice]) -> tuple[RememberedNotice, ...]:
    """Warnings, to be printed again."""
    return tuple(
        RememberedNotice(
            each.name,
            each.message,
            None if each.span is None else str(each.span),
            each.hint,
            str(each),
        )
        for each in notices
    )
