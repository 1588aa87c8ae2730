"""Imports point backwards, in the order that filtersql/ARCHITECTURE.md states, in no circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import filtersql

PACKAGE = Path(filtersql.__file__).parent
ENGINES = {"duckdb", "pyspark", "pyarrow"}
ENGINE_ROOMS = {"feeds", "targets", "run"}
#: where arguments of a command line are read; all else is called from Python, too
ARGUMENT_ROOMS = {"commands", "cli", "integrations"}
#: `filtersql` itself and `python -m filtersql` stand above all rooms
ABOVE = {"__init__", "__main__"}
#: import statements inside of functions, of the whole package
IN_FUNCTIONS = 20


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


@cache
def imports(text: str) -> tuple[tuple[ast.Import | ast.ImportFrom, bool], ...]:
    """A module's import statements, each with whether it stands inside of a function."""

    def within(node: ast.AST, inside: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield child, inside
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from within(child, True)
            elif not isinstance(child, ast.expr):  # an expression holds no statement
                yield from within(child, inside)

    return tuple(within(ast.parse(text), False))


def imported(text: str, module: str) -> Iterator[str]:
    """The dotted names that a module imports anywhere; relative ones made absolute."""
    package = ["filtersql", *module.split(".")[:-1]]
    for node, _ in imports(text):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            base = package[: len(package) - node.level + 1] if node.level else []
            prefix = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{prefix}.{alias.name}" for alias in node.names)


def imports_in_functions(text: str) -> int:
    """How many import statements stand inside of functions."""
    return sum(inside for _, inside in imports(text))


def graph(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """The modules that each module imports, for type checkers only or in functions too."""
    by_name = {name.removesuffix(".__init__"): name for name in texts}
    edges: dict[str, set[str]] = {}
    for module, text in texts.items():
        names = {
            name.removeprefix("filtersql.")
            for name in imported(text, module)
            if name.startswith("filtersql.")
        }
        # `from filtersql.room import module` means the module, else the name stands in the room.
        meant = (by_name.get(name) or by_name.get(name.rpartition(".")[0]) for name in names)
        edges[module] = {each for each in meant if each is not None and each != module}
    return edges


def circles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """The modules that import each other, as Tarjan finds them."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for other in sorted(edges[module]):
            if other not in number:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            place = stack.index(module)
            if len(stack) > place + 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for module in sorted(edges):
        if module not in number:
            visit(module)
    return found


def violations(module: str, text: str) -> list[str]:
    """What a module imports though it may not, as sentences."""
    rooms = order()
    room = module.split(".")[0]
    if room in ABOVE:
        return []
    if room not in rooms:
        return [f"ARCHITECTURE.md does not say where `{room}` stands"]
    wrong = []
    for name in sorted(set(imported(text, module))):
        first, *rest = name.split(".")
        if first == "filtersql" and rest:
            other = rest[0]
            if other in rooms and rooms.index(other) > rooms.index(room):
                wrong.append(f"{module} imports {name}, which comes later")
        elif first in ENGINES and room not in ENGINE_ROOMS:
            wrong.append(f"{module} imports {name}, but {room} is no room of engines")
        elif first == "click" and room not in ARGUMENT_ROOMS:
            wrong.append(f"{module} imports click, but {room} reads no arguments")
    return wrong


def test_imports_point_backwards() -> None:
    """No module imports a later room, or an engine where it may not."""
    wrong = [
        each for name, path in modules().items() for each in violations(name, path.read_text())
    ]

    assert not wrong, "\n".join(wrong)


#: the rooms of filters/; what is rare is written like the rest
FILTER_ROOMS = (
    "facts", "types", "values", "tree", "model", "resolve", "check", "engines", "write",
    "resolving",
)  # fmt: skip


def room_of_filters(module: str) -> int:
    """Where a module of filters/ stands; -1: no such module."""
    parts = module.removeprefix("filtersql.").split(".")
    if parts[0] != "filters" or len(parts) < 2:
        return -1
    room = "write" if parts[1] == "extended" else parts[1]
    return FILTER_ROOMS.index(room) if room in FILTER_ROOMS else -1


def test_rooms_of_filters_point_backwards() -> None:
    """From what PostgreSQL says of types to what an engine is told."""
    wrong = [
        f"{module} imports {name}"
        for module, path in modules().items()
        for name in imported(path.read_text(), module)
        if room_of_filters(module) < room_of_filters(name) and room_of_filters(module) >= 0
    ]

    assert wrong == []


def test_no_modules_import_each_other() -> None:
    """Not within a room either, nor for type checkers only, nor in functions."""
    assert circles(graph({name: path.read_text() for name, path in modules().items()})) == []


def test_few_imports_stand_in_functions() -> None:
    """Only doors to what is heavy: elsewhere a module imports at its top."""
    counts = {name: imports_in_functions(path.read_text()) for name, path in modules().items()}

    assert sum(counts.values()) <= IN_FUNCTIONS, {name: n for name, n in counts.items() if n}


def test_circles_are_found() -> None:
    """The test above sees circles through types, functions and the room's own module."""
    texts = {
        "a.__init__": "from filtersql.a.one import One",
        "a.one": "def f() -> None:\n    from filtersql.a.two import Two",
        "a.two": "if TYPE_CHECKING:\n    from . import One",
        "b": "from filtersql.a import two",
    }

    assert circles(graph(texts)) == [["a.__init__", "a.one", "a.two"]]


def test_planted_violations_are_found() -> None:
    """The test above sees what it is there for."""
    planted = {
        "catalog": "from filtersql.rendering import render",
        "names": "def late() -> None:\n    from filtersql.catalog import Table",
        "errors.feeds": "from ..filters import model",
        "compile": "import duckdb",
        "filters.types": "def f() -> None:\n    import pyspark.sql",
        "review.page": "if TYPE_CHECKING:\n    import duckdb",
        "api.run": "import click",
        "api.project": "from filtersql.commands import run",
        "somewhere": "",
    }

    assert [name for name, text in planted.items() if not violations(name, text)] == []


def test_allowed_imports_are_no_violations() -> None:
    """Earlier rooms, the own room, and an engine within a function are fine."""
    allowed = {
        "rendering.plan": "from filtersql.catalog import Table\nfrom . import words",
        "targets.duckdb": "import duckdb",
        "feeds.readers": "if TYPE_CHECKING:\n    import pyarrow as pa",
        "cli": "from filtersql.errors import Mistakes",
    }

    assert [each for name, text in allowed.items() for each in violations(name, text)] == []
