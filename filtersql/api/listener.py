"""A console that prints nothing: what a command says becomes events, its document and mistakes.

Example
    listener = Listener(options, on_event=print)
    run(listener, …)
    Event(name='TargetResult', level='info', message='1 of 2 OK s1/public.t1 …', data={…})
    listener.answer, listener.mistakes
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from filtersql.commands.console import Console
from filtersql.commands.notices import RememberedNotice
from filtersql.commands.options import Options
from filtersql.errors import Mistake
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


class Listener(Console):
    """Listens to one call of a command, whose options are `--format json --quiet`."""

    def __init__(self, options: Options, on_event: Callable[[Event], object] | None) -> None:
        super().__init__(options)
        self._on_event = on_event
        #: the document of `--format json`
        self.answer = b""
        self.mistakes: list[Mistake] = []

    def document(self, content: object) -> None:
        """What is given back, without secrets."""
        encoded = msgspec.json.encode(content, enc_hook=str)
        self.answer = concealed(encoded.decode()).encode()

    def heard(self, name: str, text: str, level: str, data: Mapping[str, object]) -> None:
        """An event; with --quiet it is not printed."""
        if self._on_event is not None:
            self._on_event(Event(name, level, concealed(text), data))

    def warn(self, notices: Iterable[RememberedNotice]) -> None:
        """All warnings are events."""
        for each in notices:
            self.warning(each.name, each.message, each.place, each.hint, each.report)

    def warning(
        self, name: str, message: str, place: str | None, hint: str | None, report: str
    ) -> None:
        """A warning is an event of that name."""
        facts = {"name": name, "place": place, "hint": hint}
        self.message(message, name="Warning", level="warn", data=facts)

    def tell(self, mistakes: Sequence[Mistake], lines: Sequence[bytes]) -> None:
        """Mistakes of targets are raised when all of them have ended."""
        self.mistakes += mistakes
