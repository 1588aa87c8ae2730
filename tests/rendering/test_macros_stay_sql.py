"""Macros print values, loop over them and branch on the plan's flags; what decides is Python.

See filtersql/ARCHITECTURE.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, nodes
from msgspec.structs import fields
from places import HOME

from filtersql.rendering.macros import amiss
from filtersql.rendering.plan_records import MergePlan

MACROS = HOME / "macros"
#: on what a macro may branch
FLAGS = {field.name for field in fields(MergePlan) if field.type is bool}
#: what decides, assigns, or glues
FORBIDDEN = (
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
    separators = {*_separators(tree), *_branches(tree)}
    wrong = []
    for node in tree.find_all(nodes.Node):
        if id(node) in separators:
            continue
        if isinstance(node, (*FORBIDDEN, nodes.If)) and not _is_macro_call(node, tree):
            wrong.append(f"line {node.lineno}: {type(node).__name__}")
        elif isinstance(node, nodes.Filter) and node.name not in PRINTING:
            wrong.append(f"line {node.lineno}: the filter {node.name}")
        elif isinstance(node, nodes.CondExpr | nodes.Not):
            wrong.append(f"line {node.lineno}: {type(node).__name__}")
    return wrong


def _branches(tree: nodes.Template) -> Iterator[int]:
    """Each block `if` on flags of the plan, and what joins these."""
    for block in tree.find_all(nodes.If):
        joining = list(_joining(block.test))
        if joining:
            yield from (id(block), *joining)


def _joining(test: nodes.Node) -> Iterator[int]:
    """A condition of flags, with AND, OR and NOT; nothing where it asks anything else."""
    match test:
        case nodes.Getattr(node=nodes.Name(name="plan"), attr=flag) if flag in FLAGS:
            yield id(test)
        case nodes.Not(node=inner):
            asked = [list(_joining(inner))]
            yield from _all_of(test, asked)
        case nodes.And() | nodes.Or():
            yield from _all_of(test, [list(_joining(test.left)), list(_joining(test.right))])


def _all_of(test: nodes.Node, asked: list[list[int]]) -> Iterator[int]:
    if all(asked):
        yield id(test)
        yield from (one for each in asked for one in each)


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
    """The merge, the copy and the audit are macros; one file for one thing that a user replaces."""
    names = {path.stem for path in MACROS.glob("*.sql")}
    assert names >= {"merge", "initial_copy", "audit"}
    assert len(names) <= 24


@pytest.mark.parametrize("path", sorted(MACROS.glob("*.sql")), ids=lambda path: path.name)
def test_macro_says_what_it_is(path: Path) -> None:
    """A macro begins with a comment: what it prints, the flags, and what an override must keep.

    It names all flags on which the file branches, and no other.
    """
    text = path.read_text(encoding="utf-8")
    said, _, rest = text.partition("-#}")
    assert said.startswith("{#- ")
    assert "Override: keep" in said
    branches = Environment().parse(rest).find_all(nodes.If)
    used = {one.attr for each in branches for one in _flags_of(each.test)}
    assert {flag for flag in FLAGS if re.search(rf"\b{flag}\b", said)} == used


def _flags_of(test: nodes.Node) -> Iterator[nodes.Getattr]:
    if isinstance(test, nodes.Getattr):
        yield test
    yield from test.find_all(nodes.Getattr)


def test_no_macro_has_a_name_that_moved() -> None:
    """A project's file of such a name is refused, so none of the package's may have one."""
    assert list(amiss(MACROS, MACROS)) == []


@pytest.mark.parametrize("path", sorted(MACROS.glob("*.sql")), ids=lambda path: path.name)
def test_macro_decides_nothing(path: Path) -> None:
    """A macro branches on flags alone; no assignment, test, comparison, gluing or other call."""
    assert decisions(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "{% if plan.key %}x{% endif %}",
        "{% if plan.columns %}x{% endif %}",
        "{% if plan.keyed and plan.header %}x{% endif %}",
        "{% if plan.keyed == plan.counts %}x{% endif %}",
        "{% if not plan.columns[0].name %}x{% endif %}",
        "{% if other.keyed %}x{% endif %}",
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
        "{% if plan.keyed and not plan.counts %}x{% elif plan.completes %}y{% endif %}",
        "{% macro key(plan) %}{{ plan.key }}{% endmacro %}{{ key(plan) }}",
    ],
)
def test_printing_templates_are_fine(text: str) -> None:
    """Printing, looping and separators are what macros are for."""
    assert decisions(text) == []
