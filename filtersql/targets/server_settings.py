"""What a server's session has set: by filtersql, and before it.

Example
    settings = ServerSettings()
    settings.missing({"spark.sql.ansi.enabled": "true"})     # what is to be set
    settings.take(wanted, rows_of_set)                       # what `SET` says then
    settings.sizing(split_for(3, 2**20))     # the statements that split little work into few parts
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import starmap

from msgspec import Struct, field

from filtersql.errors import Mistakes
from filtersql.errors.targets import SettingRefused
from filtersql.targets.scripts import immediately, resetting, setting
from filtersql.targets.splitting import MOST, PARTS, SPARED, Split, lowered

__all__ = ["ServerSettings"]

#: whether all sessions of a Thrift server are one
_SHARED = "spark.sql.hive.thriftServer.singleSession"


class ServerSettings(Struct):
    """`in_force` is what filtersql has set, `told` what the server has set itself."""

    in_force: dict[str, str] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)

    def missing(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Those that are not in force."""
        return {k: v for k, v in settings.items() if self.in_force.get(k) != v}

    def take(self, wanted: Mapping[str, str], rows: Iterable[Sequence[object]]) -> None:
        """Check by the rows of `SET` that they are in force. Raises Mistakes."""
        found = {str(row[0]): row[1] for row in rows}
        self.told = {k: str(v) for k, v in found.items() if k not in self.in_force} | self.told
        for name, value in wanted.items():
            if str(found.get(name)).lower() != value.lower():
                raise Mistakes([SettingRefused(name, value, str(found.get(name)))])
        self.in_force |= wanted

    def sizing(self, split: Split) -> list[str]:
        """The statements that split work so, never into more parts than the server has set.

        What was lowered and is not among them is set as the server has it.
        """
        before = dict.fromkeys(PARTS & self.in_force.keys(), MOST)
        wanted = {**before, **split.parts}
        values = {name: lowered(self.told.get(name), name, n) for name, n in wanted.items()}
        spared = {} if self.told.get(_SHARED) == "true" else split.spared
        # What the server or the profile says stays.
        values |= {name: value for name, value in spared.items() if name not in self.told}
        gone = [name for name in SPARED if name in self.in_force and name not in split.spared]
        changed = self.missing(values)
        self.in_force |= changed
        for name in gone:
            del self.in_force[name]
        statements = [*starmap(setting, changed.items()), *map(resetting, gone)]
        return [immediately(statement) for statement in statements]
