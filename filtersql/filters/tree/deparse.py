"""A filter as PostgreSQL stores and shows it: pg_get_expr(), text for text.

Example
    ===================================== ==================================================
    written                               shown
    ===================================== ==================================================
    `a > 5 AND c = 'NSW'`                 `((a > 5) AND (c = 'NSW'::text))`
    `v IN ('x')`                          `((v)::text = 'x'::text)`
    `f8 = 1.5`                            `(f8 = (1.5)::double precision)`
    ===================================== ==================================================

PostgreSQL
    ruleutils.c: get_rule_expr(), get_const_expr(), get_coercion_expr().
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import partial

from filtersql.filters.tree.function_syntax import joined, sql_syntax
from filtersql.filters.tree.nodes import (
    ArrayExpr,
    Bool,
    BooleanTest,
    Case,
    CaseTest,
    Coalesce,
    Collate,
    Const,
    Cut,
    Distinct,
    Func,
    Lookup,
    MinMax,
    Node,
    NullIf,
    NullTest,
    Op,
    Other,
    Relabel,
    Row,
    RowCompare,
    ScalarArrayOp,
    Var,
)
from filtersql.filters.types import display
from filtersql.filters.values import show
from filtersql.names import quote_identifier

__all__ = ["deparse"]

_INDENT = 4


def deparse(node: Node) -> str:
    """The stored form."""
    return _Text().of(node, implicit=False)


class _Text:
    """PostgreSQL's deparse context: how deep the lines of a CASE are indented."""

    __slots__ = ("depth",)

    def __init__(self) -> None:
        self.depth = 0

    def of(self, node: Node, *, implicit: bool) -> str:
        """get_rule_expr(); `implicit`: implicit casts are shown."""
        match node:
            case Var():
                shown = quote_identifier(node.name)
                return f"{shown}.*" if node.special == "row" else shown
            case Const():
                return constant(node)
            case Cut():
                interval = show("interval", node.column.interval)
                return f"cut('{interval}', '{node.column.grain}')"
            case ScalarArrayOp():
                left, right = (self.of(arg, implicit=True) for arg in node.args)
                word = "ANY" if node.any else "ALL"
                return joined("(", left, f" {node.operator.name} {word} (", right, "))")
            case Distinct():
                left, right = (self.of(arg, implicit=True) for arg in node.args)
                return joined("(", left, " IS DISTINCT FROM ", right, ")")
            case NullIf():
                return f"NULLIF({self.listed(node.args)})"
            case Op():
                return self.operator(node)
            case Func():
                return self.call(node, implicit=implicit)
            case Bool():
                return self.logic(node)
            case Relabel():
                if node.display == "implicit" and not implicit:
                    return self.of(node.arg, implicit=implicit)
                return self.cast(node.arg, node.type, node.typmod)
            case Collate():
                arg = self.of(node.arg, implicit=implicit)
                return f"({arg} COLLATE {quote_identifier(node.collation or '')})"
            case Other() if not node.args:
                word = node.what.removesuffix("_N")
                return word if node.typmod < 0 else f"{word}({node.typmod})"
            case Other():
                return self.cast(node.args[0], node.type, node.typmod)
            case _:
                return self.construct(node)

    def construct(self, node: Node) -> str:
        """What has a syntax of its own."""
        match node:
            case Case():
                return self.case(node)
            case Coalesce():
                return f"COALESCE({self.listed(node.args)})"
            case MinMax():
                return f"{'GREATEST' if node.greatest else 'LEAST'}({self.listed(node.args)})"
            case NullTest():
                arg = self.of(node.arg, implicit=True)
                if node.arg.type == "record" and not node.by_value:
                    return f"({arg} IS {'NOT ' if node.is_null else ''}DISTINCT FROM NULL)"
                return f"({arg} IS {'' if node.is_null else 'NOT '}NULL)"
            case BooleanTest():
                negated = "NOT " if node.negated else ""
                return f"({self.of(node.arg, implicit=False)} IS {negated}{node.test})"
            case Lookup():
                word = "NOT IN" if node.negated else "IN"
                looked = f"SELECT {quote_identifier(node.looked.name)} FROM {node.relation}"
                return f"({quote_identifier(node.arg.name)} {word} ({looked}))"
            case ArrayExpr():
                empty = "" if node.elements else f"::{display(node.type, -1)}"
                return f"ARRAY[{self.listed(node.elements)}]{empty}"
            case Row():
                return f"ROW({self.listed(node.args)})"
            case RowCompare():
                left, right = self.listed(node.left), self.listed(node.right)
                return f"(ROW({left}) {node.kind} ROW({right}))"
        raise AssertionError(f"{type(node).__name__} is refused before it is shown")

    def listed(self, nodes: Sequence[Node]) -> str:
        """Arguments, separated by commas."""
        text = ""
        for node in nodes:
            text = joined(text, ", " if text else "", self.of(node, implicit=True))
        return text

    def operator(self, node: Op) -> str:
        """get_oper_expr()."""
        parts = [self.of(arg, implicit=True) for arg in node.args]
        if len(parts) == 1:
            return joined(f"({node.operator.name} ", parts[0], ")")
        return joined("(", parts[0], f" {node.operator.name} ", parts[1], ")")

    def logic(self, node: Bool) -> str:
        """AND, OR, NOT."""
        parts = [self.of(arg, implicit=False) for arg in node.args]
        if node.kind == "not":
            return joined("(NOT ", parts[0], ")")
        text = parts[0]
        for part in parts[1:]:
            text = joined(text, f" {node.kind.upper()} ", part)
        return f"({text})"

    def call(self, node: Func, *, implicit: bool) -> str:
        """get_func_expr()."""
        if node.display == "implicit" and not implicit:
            return self.of(node.args[0], implicit=False)
        if node.display in ("implicit", "explicit"):
            return self.cast(node.args[0], node.type, node.typmod)
        if node.display == "sql":
            syntax = sql_syntax(node, partial(self.of, implicit=False))
            if syntax:
                return syntax
        # Those that the grammar knows as something else are quoted.
        name = quote_identifier(node.function.name)
        if node.variadic:
            head = self.listed(node.args[:-1])
            last = self.of(node.args[-1], implicit=True)
            return joined(f"{name}({head}{', ' if head else ''}VARIADIC ", last, ")")
        return f"{name}({self.listed(node.args)})"

    def cast(self, arg: Node, target: str, modifier: int) -> str:
        """get_coercion_expr()."""
        if isinstance(arg, Const) and arg.type == target and arg.typmod == -1:
            inner = constant(arg, label=False)
        else:
            inner = f"({self.of(arg, implicit=False)})"
        return f"{inner}::{display(target, modifier)}"

    def line(self, text: str) -> str:
        """A line of its own, at the present depth."""
        depth = self.depth
        if depth >= 40:
            depth = (40 + (depth - 40) // 4) % 40
        return f"\n{' ' * depth}{text}"

    def case(self, node: Case) -> str:
        """CASE over several lines."""
        text = self.line("CASE")
        self.depth += _INDENT
        if node.arg is not None:
            text = joined(text, " ", self.of(node.arg, implicit=True))
        for condition, result in node.whens:
            if node.arg is not None and isinstance(condition, Op) and _tests(condition):
                condition = condition.args[1]
            shown = self.of(condition, implicit=False)
            text = joined(text, self.line("WHEN "), shown, " THEN ")
            text = joined(text, self.of(result, implicit=True))
        text = joined(text, self.line("ELSE "), self.of(node.default, implicit=True))
        self.depth -= _INDENT
        return text + self.line("END")


def _tests(condition: Op) -> bool:
    """Whether the left side is the tested value of a simple CASE."""
    left = condition.args[0]
    while isinstance(left, (Relabel, Func)) and left.display == "implicit":
        left = left.arg if isinstance(left, Relabel) else left.args[0]
    return isinstance(left, CaseTest)


def constant(node: Const, *, label: bool = True) -> str:
    """get_const_expr()."""
    if node.value is None:
        return f"NULL::{display(node.type, node.typmod)}" if label else "NULL"
    value = node.value
    if node.type == "bool":
        return "true" if value else "false"
    if node.type == "bit":
        return f"'{value}'::\"bit\"" if label else f"'{value}'"
    text = show(node.type, value)
    if node.type == "int4" and isinstance(value, int) and value >= 0:
        return text
    if node.type == "numeric" and isinstance(value, Decimal) and _is_plain(text):
        return (
            text if node.typmod < 0 or not label else f"{text}::{display('numeric', node.typmod)}"
        )
    escaped = text.replace("'", "''")
    # standard_conforming_strings: backslashes stand for themselves
    quoted = f"'{escaped}'"
    if not label or node.type == "unknown":
        return quoted
    return f"{quoted}::{display(node.type, node.typmod)}"


def _is_plain(text: str) -> bool:
    """A numeric with a point is shown as it is; a whole or negative one needs its type."""
    return text[0].isdigit() and "." in text
