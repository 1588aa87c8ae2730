"""What a piece of work says while it goes on: logged, and told to who prints or listens.

Example
    reporter = Reporter(Options(project_dir=Path("demo")))
    check(reporter)                       said in demo/logs/filtersql.log alone

`Console` of the command line prints it, `Listener` of `Project` makes events of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from filtersql.api.logs import Log
from filtersql.api.options import Options
from filtersql.errors import Mistake, Mistakes

if TYPE_CHECKING:
    from filtersql.api.notices import RememberedNotice

__all__ = ["Reporter"]


class Reporter:
    """Says what one call does, whose flags are `options`."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.log = Log(options.log_path)
        #: whether the project's files were read: its secrets are known then
        self.loaded = False
        #: of targets; the others go on
        self.mistakes: list[Mistake] = []

    def result(self, text: str = "", *, color: str | None = None) -> None:
        """A line of the answer, for people; programs have the record."""

    def statement(self, sql: str) -> None:
        """A statement that was asked for, for people."""

    def finding(self, message: str, place: str, text: str) -> None:
        """What is wrong with a file at `file:line:column`, in one line and in many."""
        self.result(text)

    def going_on(self, text: str, done: int, total: int) -> None:
        """What is being done now, when so many of all targets are done; nothing: it has ended."""

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
        """A line of talk. `shown` is the text for people, where it differs from what is logged."""
        self.log.event(name, text, level, data)

    def warn(self, notices: Iterable[RememberedNotice]) -> None:
        """All warnings of a project."""
        for each in notices:
            self.warning(each)

    def warning(self, notice: RememberedNotice) -> None:
        """One warning."""
        self.message(notice.message, name="Warning", level="warn", data=notice.facts)

    def report(self, error: Mistake | Mistakes) -> None:
        """Mistakes that do not end the call: who called has them when all has ended."""
        mistakes = error.mistakes if isinstance(error, Mistakes) else (error,)
        self.mistakes += mistakes
        for each in mistakes:
            self.log.mistake(each)
