"""What a server's session has set: by filtersql, and before it.

Example
    settings = ServerSettings()
    settings.missing({"spark.sql.ansi.enabled": "true"})     # what is to be set
    settings.take(wanted, rows_of_set)                       # what `SET` says then
    settings.lowering({"spark.sql.shuffle.partitions": 4})   # the statements that lower it
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from filtersql.errors import Mistakes
from filtersql.errors.targets import SettingRefused
from filtersql.targets.scripts import immediately, setting
from filtersql.targets.splitting import MOST, SHUFFLE, SNAPSHOT, lowered

__all__ = ["ServerSettings"]


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

    def lowering(self, settings: Mapping[str, int]) -> list[str]:
        """The statements that set them, never above what the server has set.

        What was lowered and is not among them is set as the server has it.
        """
        before = dict.fromkeys({SHUFFLE, SNAPSHOT} & self.in_force.keys(), MOST)
        wanted = {**before, **settings}
        values = {name: lowered(self.told.get(name), name, n) for name, n in wanted.items()}
        changed = self.missing(values)
        self.in_force |= changed
        return [immediately(setting(*pair)) for pair in changed.items()]
