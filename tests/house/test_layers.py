"""Imports point backwards, in the order that filtersql/ARCHITECTURE.md states."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import filtersql

PACKAGE = Path(filtersql.__file__).parent
ENGINES = {"duckdb", "pyspark", "pyarrow"}
ENGINE_ROOMS = {"feeds", "targets", "applying"}
#: `filtersql` itself and `python -m filtersql` stand above all rooms
ABOVE = {"__init__", "__main__"}


def order() -> list[str]:
    """The rooms from the first to the last."""
    text = (PACKAGE / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"`(source\s*<[^`]*)`", text)
    return [room.strip() for room in sentence.split("<")]


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name without `filtersql.`."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] not in ("_macros", "_project_template"):
            found[".".join(parts)] = path
    return found


def imported(tree: ast.AST, module: str) -> Iterator[str]:
    """The dotted names that a module imports anywhere; relative ones made absolute."""
    package = ["filtersql", *module.split(".")[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            prefix = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{prefix}.{alias.name}" for alias in node.names)


def at_the_top(tree: ast.Module, module: str) -> Iterator[str]:
    """What is imported when the module is: not in a function, not for type checkers only."""
    for node in tree.body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from imported(node, module)


def violations(module: str, text: str) -> list[str]:
    """What a module imports though it may not, as sentences."""
    rooms, tree = order(), ast.parse(text)
    room = module.split(".")[0]
    if room in ABOVE:
        return []
    if room not in rooms:
        return [f"ARCHITECTURE.md does not say where `{room}` stands"]
    wrong = []
    for name in sorted(set(imported(tree, module))):
        first, *rest = name.split(".")
        if first == "filtersql" and rest:
            other = rest[0]
            if other in rooms and rooms.index(other) > rooms.index(room):
                wrong.append(f"{module} imports {name}, which comes later")
        elif first in ENGINES and room not in ENGINE_ROOMS:
            wrong.append(f"{module} imports {name}, but {room} is no room of engines")
    engines = {name for name in at_the_top(tree, module) if name.split(".")[0] in ENGINES}
    outside = [f"{module} imports {name} outside of a function" for name in sorted(engines)]
    return wrong + (outside if room in ENGINE_ROOMS else [])


def test_imports_point_backwards() -> None:
    """No module imports a later room, or an engine where it may not."""
    wrong = [
        each for name, path in modules().items() for each in violations(name, path.read_text())
    ]

    assert not wrong, "\n".join(wrong)


def test_planted_violations_are_found() -> None:
    """The test above sees what it is there for."""
    planted = {
        "catalog": "from filtersql.rendering import render",
        "names": "def late() -> None:\n    from filtersql.catalog import Table",
        "errors.feeds": "from ..filters import model",
        "compile": "import duckdb",
        "filters.types": "def f() -> None:\n    import pyspark.sql",
        "targets.duckdb": "import duckdb",
        "somewhere": "",
    }

    assert [name for name, text in planted.items() if not violations(name, text)] == []


def test_allowed_imports_are_no_violations() -> None:
    """Earlier rooms, the own room, and an engine within a function are fine."""
    allowed = {
        "rendering.plan": "from filtersql.catalog import Table\nfrom . import words",
        "targets.duckdb": "def connect() -> None:\n    import duckdb",
        "feeds.readers": "if TYPE_CHECKING:\n    import pyarrow as pa",
        "cli": "from filtersql.errors import Mistakes",
    }

    assert [each for name, text in allowed.items() for each in violations(name, text)] == []
