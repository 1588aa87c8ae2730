"""The suite runs on Linux; what can be told of Windows from the code is told.

Paths are judged as Windows judges them, by PureWindowsPath; calls that it lacks, or takes
otherwise, are looked for in the package.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath

import pytest

import filtersql
from filtersql.commands.annotations import placed
from filtersql.names import RelationName, is_url, path_name

PACKAGE = Path(filtersql.__file__).parent
LACKED = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
LACKED_NAMES = {
    "O_DIRECTORY", "SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "alarm", "chown", "fork",
    "geteuid", "getpgid", "getuid", "killpg", "mkfifo", "pthread_sigmask", "setitimer", "uname",
}  # fmt: skip
#: asked only where `sys.platform` is not win32
GUARDED = {
    "exclusive.py": {"fcntl", "os.open"},
    "run/lease.py": {"os.kill"},
    "postgres/feed_files.py": {"os.open"},
}
#: what is renamed is a new folder, whose place was looked at or may stay taken
RENAMED = {"artifacts/files.py", "postgres/initial_rows.py", "targets/delta_folder.py"}
CALLED = {"os.kill", "os.open"}


def odd(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """What Windows lacks or takes otherwise, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((each.name, node.lineno) for each in node.names if each.name in LACKED)
        elif isinstance(node, ast.ImportFrom):
            names = {str(node.module), *(each.name for each in node.names)}
            yield from ((name, node.lineno) for name in names & (LACKED | LACKED_NAMES))
        elif isinstance(node, ast.Attribute) and node.attr in LACKED_NAMES:
            yield node.attr, node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            yield from _odd_call(node, node.func)


def _odd_call(node: ast.Call, called: ast.Name | ast.Attribute) -> Iterator[tuple[str, int]]:
    name = called.id if isinstance(called, ast.Name) else called.attr
    given = {keyword.arg for keyword in node.keywords}
    modes = [each.value for each in node.args if isinstance(each, ast.Constant)]
    texts = [mode for mode in modes if isinstance(mode, str) and {*mode} <= {*"rwax+t"}]
    writes = name == "write_text" or (name == "open" and bool(texts) and "r" not in texts[0])
    if writes and not {"encoding", "newline"} <= given:
        yield f"{name} without encoding or newline", node.lineno
    elif name == "read_text" and isinstance(called, ast.Attribute) and "encoding" not in given:
        yield "read_text without encoding", node.lineno
    elif name == "rename" or ast.unparse(called) in CALLED:
        yield ast.unparse(called) if name != "rename" else name, node.lineno


def test_nothing_is_called_that_windows_lacks() -> None:
    """What is, stands behind a question for the platform."""
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(PACKAGE).as_posix()
        allowed = GUARDED.get(name, set()) | ({"rename"} if name in RENAMED else set())
        assert name not in GUARDED or 'sys.platform == "win32"' in text
        wrong += [
            f"{name}:{line}: {what}" for what, line in odd(ast.parse(text)) if what not in allowed
        ]
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "import fcntl", "from os import fork", "os.kill(1, 0)", "signal.SIGKILL",
        "path.rename(other)", "path.write_text('x', encoding='utf-8')", "path.open('w')",
        "open(place, 'a', encoding='utf-8')", "path.read_text()", "os.open(folder, os.O_RDONLY)",
    ],
)  # fmt: skip
def test_planted_calls_are_found(text: str) -> None:
    """The test above sees what it is there for."""
    assert list(odd(ast.parse(text)))


NAMES = ["con", "NUL", "com1", "a.", "a ", "a:b", "x?*<>|", 'q"', "..", "a/b", "a\\b", "é", "\x07"]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_name_is_written_to_is_one_of_windows(name: str) -> None:
    """No device, no drive, no stream, no folder above, and nothing that it would leave out."""
    for written in (path_name(name), RelationName(name, "t").path, RelationName("s", name).path):
        path = PureWindowsPath(f"{written}.sql")
        assert not path.is_reserved()
        assert (path.drive, path.name) == ("", f"{written}.sql")
        assert not {*written} & {*'<>:"/\\|?*'}
        assert written.isprintable()
        assert written[-1] not in ". "


def test_a_drive_is_no_scheme() -> None:
    """Of a place, and of the file that a mistake names."""
    for drive in ("C:\\lake", "C:/lake", "c://lake"):
        assert not is_url(drive)
        assert PureWindowsPath(drive).is_absolute()
    assert is_url("s3a://lake/shop")
    assert placed("C:/shop/p.yml:3:31", "")[1:] == (3, 31)
