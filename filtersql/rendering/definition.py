"""The definition of a target as the state keeps it: what decides which rows it holds, as text.

Example
    {
      "actions": ["insert", "update", "delete"],
      "columns": [["a", "integer", "INTEGER", true]],
      "filters": {"copy": ["(a > 5)"], "delete": ["(a > 5)"], …},
      "key": ["a"],
      …
    }

    A filter is PostgreSQL's print of it. `["true"]` takes every row, `["false"]` none: the action
    is not published. The hash of the text names the definition in the ledger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256

import msgspec
from msgspec import Struct

from filtersql.changes import Arm, Criterion, Judgements
from filtersql.pgtypes import format_type
from filtersql.publications.model import ResolvedTable
from filtersql.rendering.filter_hash import deciding

__all__ = [
    "COPY",
    "EVERY_ROW",
    "NO_ROW",
    "DefinedColumn",
    "Definition",
    "defined",
    "read_definition",
]

#: beside the actions: the rows of the initial copy
COPY = "copy"
EVERY_ROW, NO_ROW = ("true",), ("false",)


class DefinedColumn(Struct, frozen=True, array_like=True):
    """A column of the target: PostgreSQL's type, and the engine's."""

    name: str
    type: str
    stored: str
    not_null: bool


class Definition(Struct, frozen=True, dict=True, omit_defaults=True):
    """Everything that decides the rows of a target. Equal texts are the same definition."""

    target: tuple[str, ...]
    actions: tuple[str, ...]
    #: the filters of an action (and of the copy), as PostgreSQL prints them
    filters: Mapping[str, tuple[str, ...]]
    columns: tuple[DefinedColumn, ...]
    key: tuple[str, ...]
    via_partition_root: bool
    sources: tuple[str, ...]
    #: actions that only some sources publish
    only_from: Mapping[str, tuple[str, ...]]
    #: whether all filters have to match, not any; whether NULL is a match
    every: bool
    unknown_matches: bool
    #: what a run compares, see filter_hash.py
    filter_hash: str
    #: the types of columns that filters read and the target has not
    read: Mapping[str, str]
    #: whether rows that left the filters do not stay as `every` and `unknown_matches` tell
    stay_otherwise: bool = False

    @cached_property
    def text(self) -> str:
        """The canonical JSON text: equal definitions have the same."""
        return msgspec.json.encode(self, order="sorted").decode()

    @cached_property
    def hash(self) -> str:
        """The text's SHA-256."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def condition(self) -> str | None:
        """What a row meets that the initial copy takes, as PostgreSQL prints it; None: nothing."""
        filters = self.filters[COPY]
        return None if filters == EVERY_ROW else (" AND " if self.every else " OR ").join(filters)

    @property
    def partly_sent(self) -> frozenset[str]:
        """The actions of which changes of rows that a copy takes may not be published."""
        copied = self.filters[COPY]
        every = {name for name, where in self.filters.items() if where == copied}
        kept = {"truncate"} & {*self.actions}
        return frozenset({"insert", "update", "delete", "truncate"} - every - kept)

    @property
    def rows_stay(self) -> bool:
        """Whether a row may stay that left the filters: pglogical and BDR send no DELETE of it."""
        unjudged = (EVERY_ROW, NO_ROW)
        judges = any(self.filters[each] not in unjudged for each in ("update", "delete"))
        return judges and self.stay_otherwise != (self.every or self.unknown_matches)

    @property
    def by_row(self) -> bool:
        """Whether a row alone tells that it is held: no action is filtered otherwise."""
        judged = [self.filters[each] for each in ("insert", "update") if each in self.actions]
        return all(each == self.filters[COPY] for each in judged) and not self.only_from

    @property
    def comparable(self) -> bool:
        """Whether the rows of the source tell those of the target: by_row, and deletes are sent."""
        copied, deleted = {*self.filters[COPY]}, {*self.filters["delete"]}
        wider = deleted <= copied if self.every else copied <= deleted
        judged = "delete" in self.actions and deleted != {*EVERY_ROW}
        return self.by_row and (wider or not judged)


def defined(
    resolved: ResolvedTable,
    judged: Judgements,
    target: tuple[str, ...],
    key: tuple[str, ...],
    columns: tuple[DefinedColumn, ...],
    filter_hash: str,
) -> Definition:
    """The definition of what is compiled."""
    actions = [action.value for action in resolved.filters]
    return Definition(
        target=target,
        actions=(*sorted(actions), *(["truncate"] if resolved.truncates else [])),
        filters={
            "insert": _texts(judged.new, "insert"),
            "update": _texts(judged.new, "update"),
            "delete": _texts(judged.old, "delete"),
            COPY: _printed(judged.copy),
        },
        columns=columns,
        key=key,
        via_partition_root=resolved.table.partition_by is not None,
        sources=tuple(sorted(map(str, deciding(resolved)))),
        only_from={
            str(action): tuple(sorted(map(str, sources)))
            for action, sources in resolved.only_from.items()
        },
        every=judged.every,
        unknown_matches=judged.unknown_matches,
        filter_hash=filter_hash,
        read=_read(resolved, judged),
        stay_otherwise=judged.stay_otherwise,
    )


def read_definition(text: str) -> Definition | None:
    """What the state holds; None where another version of filtersql wrote more or less."""
    try:
        return msgspec.json.decode(text, type=Definition)
    except msgspec.MsgspecError:
        return None


def _read(resolved: ResolvedTable, judged: Judgements) -> dict[str, str]:
    names = judged.filter_columns - {column.name for column in resolved.columns}
    return {
        column.name: format_type(column.type)
        for column in resolved.table.columns
        if column.name in names
    }


def _texts(arms: Sequence[Arm], action: str) -> tuple[str, ...]:
    return next((_printed(arm.criteria) for arm in arms if action in arm.ops), NO_ROW)


def _printed(criteria: Sequence[Criterion]) -> tuple[str, ...]:
    return tuple(sorted({_text(criterion) for criterion in criteria}))


def _text(criterion: Criterion) -> str:
    if criterion.filter is not None:
        return criterion.filter.deparsed
    (text,) = EVERY_ROW if criterion.matches else NO_ROW
    return text
