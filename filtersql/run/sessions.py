"""Several sessions of one engine work at the targets of a subscription at once (`--threads`).

Example
    four threads, six targets: lane 0 has targets 0 and 4, lane 1 has 1 and 5, lane 2 has 2, …

    A target stays in its lane: what was staged in a session can be merged only there. Each step of
    a run is done for all targets before the next one begins, so that all of them are judged before
    the first is written, however many lanes there are. DuckDB, whose one transaction holds all
    targets, has one lane. A session is opened when a target first needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event, Lock
from typing import TypeVar

from msgspec import Struct, field

from filtersql.targets.depth import configure
from filtersql.targets.model import Engine
from filtersql.targets.splitting import Split

__all__ = ["Lanes", "lanes"]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Lanes(Struct):
    """The sessions; the first one is the run's own, the others are opened when they are needed."""

    first: Engine
    count: int
    lock: Lock = field(default_factory=Lock)
    beside: dict[int, Engine] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    #: how work is split, once that is known
    split: Split | None = None

    @property
    def engines(self) -> list[Engine]:
        """The sessions that are open."""
        return [self.first, *self.beside.values()]

    def configure(self, settings: Mapping[str, str]) -> None:
        """Set what statements need in every session. Raises Mistakes where it cannot be set."""
        self.settings |= settings
        for engine in self.engines:
            configure(engine, dict(settings))

    def size(self, split: Split) -> None:
        """Set how every session splits its work, until it is closed."""
        if split != self.split:
            self.split = split
            for engine in self.engines:
                engine.size(split)

    def each(
        self, items: Sequence[tuple[int, _Item]], do: Callable[[Engine, _Item], _Result]
    ) -> list[_Result]:
        """One result for each (lane, item), in their order.

        What is raised first is raised when all lanes have come to a halt: none begins another item.
        """
        numbers = {number % self.count for number, _ in items}
        if numbers <= {0}:
            return [do(self.first, item) for _, item in items]
        found: dict[int, _Result] = {}
        stop = Event()

        def work(lane: int) -> None:
            for index, (number, item) in enumerate(items):
                if number % self.count == lane and not stop.is_set():
                    try:
                        found[index] = do(self._engine(lane), item)
                    except BaseException:
                        stop.set()
                        raise

        with ThreadPoolExecutor(len(numbers), thread_name_prefix="filtersql") as pool:
            running = [pool.submit(work, lane) for lane in sorted(numbers)]
            try:
                wait(running)
            except BaseException:
                stop.set()
                for engine in self.engines:
                    engine.interrupt()
                raise
        for one in running:
            one.result()
        return [found[index] for index in range(len(items))]

    def _engine(self, lane: int) -> Engine:
        """The session of a lane, which alone asks for it."""
        if lane == 0:
            return self.first
        if lane not in self.beside:
            opened = self.first.beside()
            self.beside[lane] = opened
            configure(opened, dict(self.settings))
            if self.split is not None:
                opened.size(self.split)
        return self.beside[lane]


@contextmanager
def lanes(engine: Engine, threads: int | None, targets: int) -> Iterator[Lanes]:
    """The run's own session, and others beside it where there is work for them."""
    wanted = 1 if engine.atomic else threads or engine.targets_at_once
    several = Lanes(engine, max(1, min(wanted, targets)))
    try:
        yield several
    finally:
        for other in several.beside.values():
            other.close()
