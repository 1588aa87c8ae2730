"""How a command speaks: results on stdout, messages on stderr, colours only where they help."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click
import msgspec

from filtersql.api.logs import facts_of
from filtersql.api.options import Options
from filtersql.api.reporter import Reporter
from filtersql.commands.annotations import Annotation, Level, placed, sarif, workflow_command
from filtersql.errors import Mistake, Mistakes, report_of
from filtersql.errors.concealing import concealed

if TYPE_CHECKING:
    from filtersql.api.documents import Record
    from filtersql.api.notices import RememberedNotice

__all__ = ["Console", "echo", "fail", "wants_color"]

#: a disk that is full, or cannot be written
_OF_THE_MACHINE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES})
#: so many warnings of one kind are read; more of them hide those of other kinds
_OF_ONE_KIND = 20
_BAR = 24


def wants_color(options: Options, stream: TextIO) -> bool:
    """Whether to colour: the flag, else NO_COLOR, else whether it is a terminal."""
    if options.color is not None:
        return options.color
    return not os.environ.get("NO_COLOR") and stream.isatty()


class Console(Reporter):
    """Prints for one call of a command."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        #: what `--format sarif` prints at the end
        self._annotations: list[Annotation] = []
        self._out = wants_color(options, sys.stdout)
        self._err = wants_color(options, sys.stderr)
        talks = not options.quiet and options.log_format == "text"
        self._live = sys.stderr.isatty() and talks
        self._below = ""

    def result(self, text: str = "", *, color: str | None = None) -> None:
        """On stdout. With --format json only `document` prints there."""
        if not self.options.one_document:
            echo(click.style(text, fg=color) if color else text, color=self._out)

    def statement(self, sql: str) -> None:
        """On stdout, in colours on a terminal."""
        if self._out and not self.options.json:
            from filtersql.commands.highlighting import highlighted

            sql = highlighted(sql)
        self.result(sql)

    def document(self, content: object) -> None:
        """The one JSON document of --format json."""
        encoded = msgspec.json.encode(content, enc_hook=str)
        echo(msgspec.json.format(encoded, indent=2).decode())

    def answered(self, record: Record) -> int:
        """Prints a record with --format json, and gives the exit code."""
        if self.options.json:
            self.document(record.document)
        return self.exit_code(right=record.right)

    def exit_code(self, *, right: bool) -> int:
        """The worst of the mistakes that were reported, else whether all is right."""
        return max((each.exit_code for each in self.mistakes), default=int(not right))

    def message(
        self,
        text: str = "",
        *,
        color: str | None = None,
        name: str = "Message",
        level: str = "info",
        data: Mapping[str, object] | None = None,
        shown: str | None = None,
    ) -> None:
        """On stdout as text, on stderr beside a JSON document; not with --quiet."""
        line = self.log.event(name, text, level, data)
        self.going_on("", 0, 1)
        if not self.options.quiet:
            err = self.options.one_document
            if self.options.log_format == "json":
                echo(line.decode(), err=err)
            else:
                text = concealed(text if shown is None else shown)
                click.secho(text, err=err, color=self._err if err else self._out, fg=color)

    def going_on(self, text: str, done: int, total: int) -> None:
        """A bar below the lines of a terminal."""
        bar = "█" * (_BAR * done // total)
        below = f"{bar:░<{_BAR}} {done} of {total}  {text}" if text else ""
        if self._live and below != self._below:
            click.echo(f"\r\x1b[K{below}", nl=False, err=True)
            self._below = below

    def warn(self, notices: Iterable[RememberedNotice]) -> None:
        """On stderr: the first of a kind with its name, and not hundreds of one kind."""
        counts: Counter[str] = Counter()
        for each in notices:
            counts[each.name] += 1
            report = each.report + f"\nname: {each.name}" * (counts[each.name] == 1)
            self._warn(each, "" if counts[each.name] > _OF_ONE_KIND else report)
        for name, count in counts.items():
            if count > _OF_ONE_KIND and self.options.log_format != "json":
                more = f"warning: {count - _OF_ONE_KIND} more of {name}; `filtersql review` has all"
                click.echo(_painted(f"{more}\n", "warning:", "yellow"), err=True, color=self._err)

    def warning(self, notice: RememberedNotice) -> None:
        """On stderr."""
        self._warn(notice, notice.report)

    def _warn(self, notice: RememberedNotice, report: str) -> None:
        line = self.log.event("Warning", notice.message, "warn", notice.facts)
        if self.options.log_format == "json":
            echo(line.decode(), err=True)
        elif self.options.annotated:
            more = f"hint: {notice.hint}" if notice.hint else ""
            self._annotate("warning", notice.message, notice.place, more, notice.name)
        elif report:
            click.echo(_painted(f"{report}\n", "warning:", "yellow"), err=True, color=self._err)

    def fail(self, error: Mistake | Mistakes) -> int:
        """Reports what ended the command and gives its exit code."""
        if self.options.json:
            _print_document(error)
        self.report(error)
        return error.exit_code

    def report(self, error: Mistake | Mistakes) -> None:
        """On stderr."""
        mistakes = error.mistakes if isinstance(error, Mistakes) else (error,)
        self.mistakes += mistakes
        lines = [self.log.mistake(each) for each in mistakes]
        if self.options.log_format == "json":
            for line in lines:
                echo(line.decode(), err=True)
        elif self.options.annotated:
            for one in mistakes:
                told = (("detail", one.detail), ("hint", one.hint))
                more = "\n".join(f"{word}: {text}" for word, text in told if text)
                self._annotate(
                    "error", one.message, None if one.span is None else str(one.span), more
                )
        else:
            report = report_of(mistakes)
            click.echo(_painted(report, "", "red"), err=True, color=self._err)

    def finding(self, message: str, place: str, text: str) -> None:
        """Beside its line, or on stdout."""
        if self.options.annotated:
            self._annotate("error", message, place, text, "wrong")
        else:
            self.result(f"{text}\n")

    def _annotate(
        self, level: Level, message: str, place: str | None, more: str, name: str = "mistake"
    ) -> None:
        """What stands beside a line, for --format github and sarif."""
        found = Annotation(level, name, message, more, *placed(place, self._folder()))
        if self.options.format == "github":
            echo(workflow_command(found))
        elif self.options.format == "sarif":
            self._annotations.append(found)

    def _folder(self) -> str:
        """The project's folder as GitHub names files, from the checkout on; else from here."""
        folder = self.options.project_dir or Path()
        checkout, project = os.environ.get("GITHUB_WORKSPACE"), folder.resolve()
        if checkout and project.is_relative_to(Path(checkout).resolve()):
            folder = project.relative_to(Path(checkout).resolve())
        return folder.as_posix()

    def end(self) -> None:
        """The command has ended: the document of --format sarif is printed."""
        if self.options.format == "sarif":
            self.document(sarif(self._annotations))


def echo(text: str, *, err: bool = False, nl: bool = True, color: bool | None = None) -> None:
    """Print a text, without secrets."""
    click.echo(concealed(text), err=err, nl=nl, color=color)


def fail(error: BaseException, arguments: Sequence[str]) -> int:
    """Reports what ended a command and gives its exit code. Never a traceback without --debug."""
    color = bool(sys.stderr.isatty()) and not os.environ.get("NO_COLOR")
    color = color and "--no-color" not in arguments
    if isinstance(error, (Mistake, Mistakes)):
        if _wants_json(arguments):
            _print_document(error)
        click.echo(_painted(str(error), "", "red"), err=True, color=color)
        return error.exit_code
    if "--debug" in arguments:
        traceback.print_exception(error)
    if isinstance(error, OSError) and error.errno in _OF_THE_MACHINE:
        place = f"{error.filename}: " if error.filename else ""
        echo(f"{place}{(error.strerror or '').lower()}", err=True)
        return 1
    echo(
        f"internal error: {type(error).__name__}: {_first_line(error)}\n"
        "hint: This is a fault of filtersql. --debug shows where it happened.",
        err=True,
    )
    return 2


def _wants_json(arguments: Sequence[str]) -> bool:
    following = zip(arguments, [*arguments[1:], ""], strict=True)
    return "--format=json" in arguments or ("--format", "json") in following


def _print_document(error: Mistake | Mistakes) -> None:
    mistakes = error.mistakes if isinstance(error, Mistakes) else (error,)
    content = {"errors": [facts_of(mistake) for mistake in mistakes]}
    echo(msgspec.json.format(msgspec.json.encode(content), indent=2).decode())


def _painted(report: str, word: str, color: str) -> str:
    """The report with its carets and the given word in colour, and without secrets."""
    lines = []
    for line in concealed(report).split("\n"):
        if line.strip() and not line.strip("^ \t"):
            lines.append(click.style(line, fg=color, bold=True))
        elif word:
            lines.append(line.replace(word, click.style(word, fg=color, bold=True), 1))
        else:
            lines.append(line)
    return "\n".join(lines)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]
