"""What a run writes to targets goes with a question who has them: no writer can forget it."""

from __future__ import annotations

import ast
from pathlib import Path

import filtersql

RUN = Path(filtersql.__file__).parent / "run"
_WRITES = ("write", "create", "drop", "execute")
#: what is written there may be written at any time: a session's own copies, a trial that is
#: undone, and texts that may stand there twice
_FREE = ("source_at_position", "failing_changes", "definitions_in_force")


def unguarded(text: str) -> list[int]:
    """The lines where an engine is told to write, and not as `guarded` gives it."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _WRITES
        and ast.unparse(node.func.value).rpartition(".")[2] in ("engine", "first")
    ]


def test_targets_are_written_by_who_has_them() -> None:
    """A server goes on with a statement when its client is gone, and another run came since."""
    found = [
        f"{path.name}:{line}"
        for path in sorted(RUN.glob("*.py"))
        if path.stem not in _FREE
        for line in unguarded(path.read_text())
    ]

    assert found == []


def test_an_unguarded_write_is_found() -> None:
    """The test above sees what it is there for, and nothing else."""
    text = "guarded(c, c.engine).drop(a)\nself.engine.execute(b)\nengine.rows(c)\nfile.write(d)\n"
    assert unguarded(text) == [2]
    assert all(unguarded((RUN / f"{name}.py").read_text()) for name in _FREE)
