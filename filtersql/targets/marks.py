"""What is committed with rows: a target's mark, the ledger's slot; and what a statement changed.

Example
    >>> mark = Mark("s1", RelationName("public", "t1"), 1, 140)
    >>> print(mark.text)
    {"filtersql":
     {"subscription": "s1", "relation": ["public", "t1"], "generation": 1, "position": 140}}
    >>> read_mark(mark.text) == mark
    True
"""

from __future__ import annotations

import json

from msgspec import Struct

from filtersql.names import RelationName

__all__ = ["Mark", "Slot", "Written", "read_mark"]


class Mark(Struct, frozen=True):
    """What is committed together with a target's data: whose changes it holds, up to where.

    `generation` counts how often the target was filled from the beginning; position None is the
    initial copy of a source that does not say which changes it holds. `clock` is that of a target
    with a window of time, from which rows leave without a change.
    """

    subscription: str
    relation: RelationName
    generation: int
    position: int | None
    clock: str | None = None
    #: of a change of definition, which leaves the position: the ledger's number of its intention
    change: int | None = None

    @property
    def text(self) -> str:
        """The mark as it is stored with a commit."""
        said: dict[str, object] = {
            "subscription": self.subscription,
            "relation": list(self.relation),
            "generation": self.generation,
            "position": self.position,
        }
        if self.clock is not None:
            said["clock"] = self.clock
        if self.change is not None:
            said["change"] = self.change
        return json.dumps({"filtersql": said}, ensure_ascii=False)


class Slot(Struct, frozen=True):
    """The place of a subscription's next rows in the ledger: only one process can fill it."""

    subscription: str
    ordinal: int


class Written(Struct, frozen=True):
    """How many rows a statement changed."""

    inserted: int = 0
    updated: int = 0
    deleted: int = 0

    def __add__(self, other: Written) -> Written:
        return Written(
            self.inserted + other.inserted,
            self.updated + other.updated,
            self.deleted + other.deleted,
        )


def read_mark(text: object) -> Mark | None:
    """The mark in a commit's text; None for a commit that is not filtersql's."""
    try:
        fields = json.loads(str(text))["filtersql"]
        return Mark(
            fields["subscription"],
            RelationName(*fields["relation"]),
            fields["generation"],
            fields["position"],
            fields.get("clock"),
            fields.get("change"),
        )
    except (ValueError, KeyError, TypeError):
        return None
