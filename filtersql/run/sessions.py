"""`--threads`: several sessions of one engine work at the targets of a subscription at once.

Example
    four threads, six targets: lane 0 has targets 0 and 4, lane 1 has 1 and 5, lane 2 has 2, …

    A target stays in its lane: what was staged in a session can be merged only there. Each step of
    a run is done for all targets before the next one begins, so that all of them are judged before
    the first is written, however many lanes there are. DuckDB, whose one transaction holds all
    targets, has one lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TypeVar

from filtersql.targets.model import Engine

__all__ = ["Lanes", "lanes"]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Lanes:
    """The sessions; the first one is the run's own."""

    engines: tuple[Engine, ...]
    lock: Lock = field(default_factory=Lock)

    def each(
        self, items: Sequence[tuple[int, _Item]], do: Callable[[Engine, _Item], _Result]
    ) -> list[_Result]:
        """One result for each (lane, item), in their order.

        What is raised first is raised when all lanes have come to a halt: none begins another item.
        """
        count = len(self.engines)
        if count == 1:
            return [do(self.engines[0], item) for _, item in items]
        found: dict[int, _Result] = {}
        stop = Event()

        def work(lane: int) -> None:
            for index, (number, item) in enumerate(items):
                if number % count == lane and not stop.is_set():
                    try:
                        found[index] = do(self.engines[lane], item)
                    except BaseException:
                        stop.set()
                        raise

        with ThreadPoolExecutor(count, thread_name_prefix="filtersql") as pool:
            running = [pool.submit(work, lane) for lane in range(count)]
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


@contextmanager
def lanes(engine: Engine, threads: int, targets: int) -> Iterator[Lanes]:
    """The run's own session, and others beside it where there is work for them."""
    count = 1 if engine.atomic else max(1, min(threads, targets))
    opened: list[Engine] = []
    try:
        opened.extend(engine.beside() for _ in range(count - 1))
        yield Lanes((engine, *opened))
    finally:
        for other in opened:
            other.close()
