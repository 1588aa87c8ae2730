"""What a command says, also as JSON lines: on the terminal (--log-format json) and in a file.

Example
    {"info": {"name": "TargetResult", "code": "Q012", "level": "info", "msg": "1 of 1 OK …",
     "ts": "2026-11-20T10:00:00.000000Z", "invocation_id": "…"}, "data": {"unique_id": "s1/…"}}

The file is logs/filtersql.log of the project, or of --log-path; every line of every command is
appended to it, and one of 10 MB is kept as filtersql.log.1. A file that cannot be written does not
stop a command, unless --log-path asked for it. No secret of a profile is in a line.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from filtersql.api.options import WrongUsage
from filtersql.errors import Mistake
from filtersql.errors.concealing import concealed

__all__ = ["Log", "facts_of"]

_LARGEST = 10 * 1024 * 1024
_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
#: name of an event -> its code
_CODES = {
    "Invocation": "A001",
    "Message": "A002",
    "Result": "A003",
    "Found": "B001",
    "Connected": "B002",
    "Warning": "D001",
    "Mistake": "E001",
    "TargetStart": "Q011",
    "TargetResult": "Q012",
    "Sent": "Q013",
    "TestResult": "Q021",
    "RunDone": "Q030",
    "Spent": "Q031",
    "Conflicts": "Q032",
    "Captured": "Q041",
    "CommandDone": "Z001",
}


class Log:
    """The events of one call. Until the project is known they are kept."""

    def __init__(self, folder: Path | None) -> None:
        self.invocation_id = str(uuid.uuid4())
        self._asked = folder
        self._waiting: list[bytes] = []
        self._file: Path | None = None
        self._secrets: tuple[str, ...] = ()

    def open(self, root: Path, secrets: Iterable[str] = ()) -> None:
        """Names the project whose log it is, and what must not be in it."""
        self._secrets = tuple(sorted(secrets, key=len, reverse=True))
        if self._file is None:
            self._file = root / (self._asked or "logs") / "filtersql.log"
        waiting, self._waiting = self._waiting, []
        self._write([self._without_secrets(line) for line in waiting])

    @property
    def is_open(self) -> bool:
        """Whether lines are written to a project's log."""
        return self._file is not None

    def event(
        self, name: str, message: str, level: str = "info", data: Mapping[str, object] | None = None
    ) -> bytes:
        """Writes an event, and gives its line."""
        now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        info = {
            "name": name,
            "code": _CODES[name],
            "level": level,
            "msg": _ESCAPE.sub("", message),
            "ts": now,
            "invocation_id": self.invocation_id,
            "pid": os.getpid(),
        }
        content = {"info": info, "data": data or {}}
        line = self._without_secrets(msgspec.json.encode(content, enc_hook=str))
        if self._file is None:
            self._waiting.append(line)
        else:
            self._write([line])
        return line

    def mistake(self, mistake: Mistake) -> bytes:
        """Writes a mistake, and gives its line."""
        return self.event("Mistake", mistake.message, "error", facts_of(mistake))

    def close(self) -> None:
        """A call that knew no project leaves its lines only where --log-path said so."""
        if self._file is None and self._asked is not None:
            self.open(Path.cwd())

    def _without_secrets(self, line: bytes) -> bytes:
        line = concealed(line.decode()).encode()
        for secret in self._secrets:
            for text in (secret, msgspec.json.encode(secret).decode()[1:-1]):
                line = line.replace(text.encode(), b"*****")
        return line

    def _write(self, lines: list[bytes]) -> None:
        if self._file is None or not lines:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            if self._file.exists() and self._file.stat().st_size > _LARGEST:
                self._file.replace(self._file.with_name("filtersql.log.1"))
            with self._file.open("ab") as file:
                file.write(b"".join(line + b"\n" for line in lines))
        except OSError as error:
            place, self._file = self._file, None
            self._waiting.clear()
            if self._asked is not None:
                raise WrongUsage(f"--log-path: {place}: {error.strerror}") from None


def facts_of(mistake: Mistake) -> dict[str, object]:
    """A mistake for programs."""
    span = mistake.span
    return {
        "message": mistake.message,
        "detail": mistake.detail,
        "hint": mistake.hint,
        "file": span.source.path if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
    }
