"""What happens while a method works, one event after the other.

Example
    for event in watched(project.run):
        print(event.message)
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator
from queue import SimpleQueue
from typing import TypeVar

from filtersql.api.listener import Event

__all__ = ["watched"]

_Answer = TypeVar("_Answer")


def watched(
    work: Callable[..., _Answer],
) -> Generator[Event, None, _Answer]:
    """The events of `work(on_event=…)`, which has a thread of its own; its answer is returned.

    What it raises is raised behind the last event. Who stops looking waits until it has ended.
    """
    events = SimpleQueue[Event | None]()
    answers: list[_Answer] = []
    raised: list[BaseException] = []
    adopt = _active_session()

    def call() -> None:
        try:
            adopt()
            answers.append(work(on_event=events.put))
        except BaseException as error:
            raised.append(error)
        finally:
            events.put(None)

    thread = threading.Thread(target=call, name="filtersql-watched")
    thread.start()
    try:
        while (event := events.get()) is not None:
            yield event
    finally:
        thread.join()
    if raised:
        raise raised[0]
    return answers[0]


def _active_session() -> Callable[[], object]:
    """Makes the caller's active SparkSession that of another thread, where there is one."""
    if "pyspark.sql" not in sys.modules:
        return lambda: None
    from filtersql.targets.embedded import adopting

    return adopting()
