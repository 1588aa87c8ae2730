"""How deep filters may nest in Spark."""

from __future__ import annotations

import pytest

from filtersql.errors import Mistakes
from filtersql.errors.targets import EngineRefused, SettingRefused
from filtersql.targets.depth import DEPTH, LOOKS, configure
from filtersql.targets.remote import Remote

ZONE = "spark.sql.session.timeZone"


class Server:
    """A line to a server that lets some settings be set."""

    method, lost, trips = "Thrift", False, 0

    def __init__(self, *allowed: str) -> None:
        self.allowed = allowed
        self.held: list[tuple[object, ...]] = []

    def ask(self, statement: str) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """What is set, or a setting that is."""
        if statement != "SET":
            names = [name for name in self.allowed if f"SET `{name}`" in statement]
            if not names:
                raise Mistakes([EngineRefused("Spark", "[CANNOT_MODIFY_CONFIG]")])
            self.held += [(name, LOOKS if name == DEPTH else "UTC") for name in names]
        return ("key", "value"), self.held


def test_a_server_gets_room_for_long_filters() -> None:
    """Whatever its own number is."""
    server = Server(ZONE, DEPTH)
    configure(Remote(server, "4.1.4", "delta"), {ZONE: "UTC"})  # type: ignore[arg-type]
    assert server.held == [(ZONE, "UTC"), (DEPTH, LOOKS)]


def test_a_server_that_gives_no_room_is_taken_as_it_is() -> None:
    """Not so one that does not let be set what statements mean."""
    server = Server(ZONE)
    configure(Remote(server, "4.1.4", "delta"), {ZONE: "UTC"})  # type: ignore[arg-type]
    assert {*server.held} == {(ZONE, "UTC")}
    with pytest.raises(Mistakes) as refused:
        configure(Remote(Server(), "4.1.4", "delta"), {ZONE: "UTC"})  # type: ignore[arg-type]
    assert not isinstance(refused.value.mistakes[0], SettingRefused)
