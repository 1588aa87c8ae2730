"""Macros print values and loop over them; what decides is Python (filtersql/ARCHITECTURE.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, nodes
from places import HOME

MACROS = HOME / "macros"
#: what decides, assigns, or glues
FORBIDDEN = (
    nodes.If,
    nodes.Assign,
    nodes.AssignBlock,
    nodes.Test,
    nodes.Compare,
    nodes.Concat,
    nodes.And,
    nodes.Or,
    nodes.Call,
    nodes.CallBlock,
    nodes.FilterBlock,
    nodes.With,
    nodes.BinExpr,
    nodes.ExprStmt,
)
#: filters that only join or indent finished texts
PRINTING = {"join", "indent"}


def decisions(text: str) -> list[str]:
    """The nodes of a template that decide something, each with its line."""
    tree = Environment(extensions=["jinja2.ext.do"]).parse(text)
    separators = set(_separators(tree))
    wrong = []
    for node in tree.find_all(nodes.Node):
        if isinstance(node, FORBIDDEN) and not _is_macro_call(node, tree):
            wrong.append(f"line {node.lineno}: {type(node).__name__}")
        elif isinstance(node, nodes.Filter) and node.name not in PRINTING:
            wrong.append(f"line {node.lineno}: the filter {node.name}")
        elif isinstance(node, nodes.CondExpr | nodes.Not) and id(node) not in separators:
            wrong.append(f"line {node.lineno}: {type(node).__name__}")
    return wrong


def _separators(tree: nodes.Template) -> Iterator[int]:
    """The inline `"," if not loop.last` (or first): a condition, and the `not` in it."""
    for condition in tree.find_all(nodes.CondExpr):
        test = condition.test
        printed = isinstance(condition.expr1, nodes.Const) and condition.expr2 is None
        if printed and isinstance(test, nodes.Not) and _is_end_of_loop(test.node):
            yield from (id(condition), id(test))


def _is_end_of_loop(node: nodes.Node) -> bool:
    return (
        isinstance(node, nodes.Getattr)
        and node.attr in ("first", "last")
        and isinstance(node.node, nodes.Name)
        and node.node.name == "loop"
    )


def _is_macro_call(node: nodes.Node, tree: nodes.Template) -> bool:
    """Whether it calls a macro that this file defines or imports: that prints, too."""
    known = {macro.name for macro in tree.find_all(nodes.Macro)}
    for imported in tree.find_all(nodes.FromImport):
        known |= {name if isinstance(name, str) else name[1] for name in imported.names}
    return (
        isinstance(node, nodes.Call)
        and isinstance(node.node, nodes.Name)
        and node.node.name in known
    )


def test_there_are_macros() -> None:
    """The merge, the copy and the audit are macros."""
    assert {path.stem for path in MACROS.glob("*.sql")} >= {"merge", "initial_copy"}


@pytest.mark.parametrize("path", sorted(MACROS.glob("*.sql")), ids=lambda path: path.name)
def test_macro_decides_nothing(path: Path) -> None:
    """A macro holds no block `if`, no assignment, test, comparison, gluing or call."""
    assert decisions(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "{% if plan.key %}x{% endif %}",
        "{% set a = 1 %}",
        "{{ 'a' if plan.key else 'b' }}",
        "{{ 'a' if plan.key is defined }}",
        "{{ a ~ b }}",
        "{{ a + b }}",
        "{{ a == b }}",
        "{{ plan.columns.index(1) }}",
        "{{ plan.name | upper }}",
        "{% do plan.append(1) %}",
        "{{ not a }}",
    ],
)
def test_deciding_templates_are_found(text: str) -> None:
    """The test above sees what it is there for."""
    assert decisions(text) != []


@pytest.mark.parametrize(
    "text",
    [
        "{% for c in plan.columns %}{{ c }}{{ ', ' if not loop.last }}{% endfor %}",
        "{{ plan.columns | join(', ') }}",
        "{% macro key(plan) %}{{ plan.key }}{% endmacro %}{{ key(plan) }}",
    ],
)
def test_printing_templates_are_fine(text: str) -> None:
    """Printing, looping and separators are what macros are for."""
    assert decisions(text) == []
