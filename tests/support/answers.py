"""What each kind of fence asks of the program; tests/cases/README.md says the same in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cases import Fence
from executing import compiled, deparsed, execute_on_nothing, table_text
from transcripts import Ended, Shell, transcript

from filtersql.names import RelationName, path_name

__all__ = ["DEFAULT_FILES", "Project", "answer"]

DEFAULT_FILES = {
    "filtersql_project.yml": "name: cases\nversion: 1\nprofile: cases\nsemantics: postgres\n",
    "profiles.yml": (
        "cases:\n"
        "  target: dev\n"
        "  outputs:\n"
        "    dev: {type: duckdb, path: cases.duckdb}\n"
        "    spark: {type: spark, method: session, format: delta, warehouse: warehouse}\n"
    ),
}
_SUFFIXES = (".yml", ".yaml", ".sql", ".jsonl", ".json", ".md", ".csv", ".txt")


class Project:
    """A project in a folder of its own, on which fences are carried out from top to bottom."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shell = Shell(folder)
        for name, text in DEFAULT_FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        """Put a text into a file of the project."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def succeed(self, *arguments: str) -> Ended:
        """Run a command that has to end with 0."""
        return self.shell.succeed(*arguments)

    def carry_out(self, fence: Fence) -> str | None:
        """Write an input fence's file, or give the answer that the program gives now."""
        path = _path_of(fence)
        if path is None:
            return answer(self, fence)
        if fence.language == "gone":
            (self.folder / path).unlink()
        else:
            self.write(path, fence.text + "\n" if fence.text else "")
        return None


def answer(project: Project, fence: Fence) -> str | None:
    """The text that stands in an answer fence; None for an illustration."""
    if not fence.words and fence.language != "console":
        return None
    part = fence.words[0] if fence.words else "console"
    assert part in _ANSWERS, f'no fence is called "{fence.language} {part}" (tests/cases/README.md)'
    return _ANSWERS[part](project, fence)


def _path_of(fence: Fence) -> str | None:
    if len(fence.words) != 1:
        return None
    word = fence.words[0]
    if fence.language == "jsonl" and word == "changes":
        return "changes/changes.jsonl"
    return word if "/" in word or word.endswith(_SUFFIXES) else None


def _compiled(project: Project, fence: Fence) -> str:
    """A compiled file for Spark; a merge is also executed on DuckDB, on an empty target."""
    part, subscription, relation, *flags = fence.words
    if part == "merge":
        execute_on_nothing(compiled(project.folder, subscription, relation, _anywhere(flags)))
    target = () if "--target" in flags else ("--target", "spark")
    project.succeed("compile", *target, *flags)
    return _text_of(project, subscription, relation, part)


def _anywhere(flags: list[str]) -> list[str]:
    """The flags without the target."""
    at = flags.index("--target") if "--target" in flags else len(flags)
    return flags[:at] + flags[at + 2 :]


def _text_of(project: Project, subscription: str, relation: str, part: str) -> str:
    schema, _, name = relation.partition(".")
    folder = f"{path_name(subscription)}/{RelationName(schema, name).path}"
    path = project.folder / "target" / "compiled" / folder / f"{part}.sql"
    return path.read_text(encoding="utf-8").rstrip("\n")


def _rows(project: Project, fence: Fence) -> str:
    """The target's rows after `run`."""
    _, subscription, relation, *flags = fence.words
    project.succeed("run", *flags)
    table = compiled(project.folder, subscription, relation, flags)
    (database,) = project.folder.glob("*.duckdb")
    return table_text(database, table.target_sql)


def _error(project: Project, fence: Fence) -> str:
    commands = [fence.words[1:]] if fence.words[1:] else [("compile",), ("run",)]
    for command in commands:
        ended = project.shell.filtersql(*command)
        if ended.exit_code:
            assert ended.exit_code in (1, 2), f"it ended with {ended.exit_code}:\n{ended.both}"
            assert "Traceback" not in ended.both, ended.both
            return ended.stderr.strip("\n")
    raise AssertionError(f"nothing is wrong, but an error was expected:\n{fence.text}")


def _warning(project: Project, fence: Fence) -> str:
    return project.succeed(*(fence.words[1:] or ("compile",))).stderr.strip("\n")


def _show(project: Project, fence: Fence) -> str:
    form = ("--format", "json") if fence.language == "json" else ()
    return project.succeed("show", *fence.words[1:], *form).stdout.strip("\n")


def _filter(project: Project, fence: Fence) -> str:
    _, publication, relation = fence.words
    return deparsed(project.folder, publication, relation)


def _console(project: Project, fence: Fence) -> str:
    return transcript(project.shell, fence.text)


_ANSWERS: dict[str, Callable[[Project, Fence], str]] = {
    "merge": _compiled,
    "initial_copy": _compiled,
    "audit": _compiled,
    "rows": _rows,
    "error": _error,
    "warning": _warning,
    "show": _show,
    "filter": _filter,
    "console": _console,
}
