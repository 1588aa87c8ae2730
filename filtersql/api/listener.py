"""A reporter that prints nothing: what is said becomes events.

Example
    listener = Listener(options, on_event=print)
    run(listener, …)
    Event(name='TargetResult', level='info', message='1 of 2 OK s1/public.t1 …', data={…})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from filtersql.api.options import Options
from filtersql.api.reporter import Reporter
from filtersql.errors.concealing import concealed

__all__ = ["Event", "Listener"]


class Event(msgspec.Struct, frozen=True):
    """Something that happened: what `--log-format json` prints, without its time.

    `name` is that of the log, such as TargetStart or Warning; `data` are its facts.
    """

    name: str
    level: str
    message: str
    data: Mapping[str, object]


class Listener(Reporter):
    """Listens to one call."""

    def __init__(self, options: Options, on_event: Callable[[Event], object] | None) -> None:
        super().__init__(options)
        self._on_event = on_event

    def message(
        self,
        text: str,
        *,
        color: str | None = None,
        name: str = "Message",
        level: str = "info",
        data: Mapping[str, object] | None = None,
        shown: str | None = None,
    ) -> None:
        """An event."""
        super().message(text, name=name, level=level, data=data)
        if self._on_event is not None:
            self._on_event(Event(name, level, concealed(text), data or {}))
