"""Rows of words in `errors/`: every call brings the names that its row has places for."""

from __future__ import annotations

import ast
import importlib
from collections import Counter
from collections.abc import Iterator
from string import Formatter

from test_public_names import trees

from filtersql.errors.wording import Wording, is_spelling

_SAID = {"detail", "hint"}


def rows() -> dict[tuple[str, str], Wording]:
    """Every row by its module and name."""
    return {
        (module, target.id): row
        for module, tree in trees().items()
        if module.startswith("filtersql.errors.")
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
        if isinstance(row := getattr(importlib.import_module(module), target.id), Wording)
    }


ROWS = rows()


def places(row: Wording) -> Iterator[tuple[str, str]]:
    """The name and spelling of each place in a row's sentences."""
    for sentence in (row.message, row.detail, row.hint):
        for _, name, spelling, _ in Formatter().parse(sentence or ""):
            if name is not None:
                yield name.partition(".")[0], spelling or ""


def uses(module: str, tree: ast.Module) -> Iterator[tuple[tuple[str, str], ast.Call | None, int]]:
    """Each row that a module names, with its call; None where it is not called at once."""
    names = {name: key for key in ROWS if key[0] == module for name in key[1:]}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                said = alias.asname or alias.name
                if (node.module or "", alias.name) in ROWS:
                    names[said] = node.module or "", alias.name
                names |= {
                    f"{said}.{one}": (room, one)
                    for room, one in ROWS
                    if room == f"{node.module}.{alias.name}"
                }
    called: dict[ast.AST, ast.Call] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            chosen = node.func
            either = (chosen.body, chosen.orelse) if isinstance(chosen, ast.IfExp) else (chosen,)
            called |= dict.fromkeys(either, node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            key = names.get(ast.unparse(node))
            if key is not None:
                yield key, called.get(node), node.lineno


def wrong(row: Wording, call: ast.Call | None) -> str | None:
    """What a call of a row lacks, or brings in vain."""
    if call is None:
        return "is not called at once"
    given = {keyword.arg for keyword in call.keywords}
    if len(call.args) > 1 or None in given:
        return "takes its names by keyword, and one place"
    needed = {name for name, _ in places(row)}
    if given - _SAID == needed - _SAID:
        return None
    return f"takes {sorted(needed)}, and is given {sorted(map(str, given - _SAID))}"


def test_calls_bring_what_rows_need() -> None:
    """A place without a name, or a name without a place, is found here and not by a user."""
    found = [
        f"{module}:{line}: {key[1]} {problem}"
        for module, tree in trees().items()
        for key, call, line in uses(module, tree)
        if (problem := wrong(ROWS[key], call))
    ]
    assert not found, "\n".join(found)


def test_every_row_is_used() -> None:
    """A mistake that nobody makes any more has no row."""
    used = Counter(key for module, tree in trees().items() for key, *_ in uses(module, tree))
    assert [key for key in ROWS if key not in used] == []


def test_spellings_exist() -> None:
    """What stands behind the colon of a place is known."""
    unknown = [
        f"{name}: {place}:{spelling}"
        for (_, name), row in ROWS.items()
        for place, spelling in places(row)
        if not is_spelling(spelling)
    ]
    assert ROWS
    assert not unknown, "\n".join(unknown)
