"""Formatting, lint and types: the three tools of pyproject.toml have nothing to say."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from places import HOME

TOOLS = {
    "ruff format": ["ruff", "format", "--check", "--diff", "."],
    "ruff check": ["ruff", "check", "--output-format", "concise", "."],
    "mypy": ["mypy"],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_tool_is_content(tool: str) -> None:
    """The tool ends with 0 on the whole repository."""
    ended = subprocess.run(
        [sys.executable, "-m", *TOOLS[tool]], cwd=HOME, capture_output=True, text=True
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr


def code_lines(tree: ast.Module) -> int:
    """The lines of a module that hold code: no docstring, comment, blank line or table of facts."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not _is_text_or_table(node, tree):
            last = (
                node.body[0].lineno - 1 if hasattr(node, "body") and node.body else node.end_lineno
            )
            lines |= set(range(node.lineno, (last or node.lineno) + 1))
    return len(lines)


def _is_text_or_table(node: ast.stmt, tree: ast.Module) -> bool:
    value = getattr(node, "value", None)
    table = isinstance(value, ast.Dict | ast.Tuple | ast.List | ast.Set | ast.Constant)
    return (isinstance(value, ast.Constant) and isinstance(node, ast.Expr)) or (
        table and node in tree.body
    )


def test_modules_and_functions_are_short() -> None:
    """A module holds at most 250 lines of code, a function at most 60 with its docstring."""
    long = []
    for path in [*HOME.glob("filtersql/**/*.py"), *HOME.glob("tests/**/*.py")]:
        tree, name = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(HOME)
        if code_lines(tree) > 250:
            long.append(f"{name}: {code_lines(tree)} lines of code")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > 60:
                    long.append(f"{name}:{node.lineno}: {node.name} has {length} lines")

    assert not long, "\n".join(long)


def test_files_of_the_package_are_short() -> None:
    """A file of the package has at most 250 lines, docstrings and tables counted."""
    paths = [*HOME.glob("filtersql/**/*.py")]
    counts = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}

    assert [str(path) for path, lines in counts.items() if lines > 250] == []
    assert len(paths) > 700
