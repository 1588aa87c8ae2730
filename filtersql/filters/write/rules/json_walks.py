"""The steps and the conditions of a jsonpath over one document.

Example
    ====================== =====================================================
    path                   written as
    ====================== =====================================================
    `$.a[*]`               the list of documents at a, each array as its elements
    `$.a ? (@ > 1)`        the list of documents at a, filtered
    `strict $.a`           the same list, NULL where one of the documents is no object
    ====================== =====================================================

    A path is a list of documents, from step to step; a predicate has three values, as in SQL.

PostgreSQL
    jsonpath_exec.c: executeItemOptUnwrapTarget(), executePredicate(), executeBoolItem().
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from filtersql.filters.tree.nodes import Node
from filtersql.filters.values.jsonpath_trees import (
    TURNED,
    Compare,
    Exists,
    Junction,
    Not,
    Path,
    Predicate,
    Scalar,
    Starts,
    Step,
    Unknown,
)
from filtersql.filters.write.rules import json_items
from filtersql.filters.write.rules.document_values import key_path, raw
from filtersql.filters.write.writer import Writer

__all__ = ["Walker"]

#: levels of a document that `.**` goes down
_DEEPEST = 60


class Walker:
    """Writes paths and predicates over one document."""

    __slots__ = ("node", "root", "strict", "writer")

    def __init__(self, writer: Writer, node: Node, root: exp.Expr, strict: bool = False) -> None:
        self.writer, self.node, self.root, self.strict = writer, node, root, strict

    def path(self, path: Path, current: exp.Expr | None, depth: int) -> exp.Expr:
        """The list of documents that a path leads to."""
        piece = self.writer.piece
        if path.base == "=":
            raise self.refused()
        start = self.root if path.base == "$" or current is None else current
        found = piece(".path_start", start)
        for step in path.steps:
            before, found = found, self.step(found, step, depth)
            if self.strict:
                found = self.sure(step, before, found)
        return found

    def step(self, found: exp.Expr, step: Step, depth: int) -> exp.Expr:
        """What a step leads to, from the documents of a list."""
        piece = self.writer.piece
        match step.kind:
            case "key":
                spark = self.writer.engine == "spark"
                return piece(".path_key", found, f"s{step.key}" if spark else key_path(step.key))
            case "values":
                return piece(".path_values", found)
            case "items":
                return piece(".path_items", found)
            case "range":
                return self.places(found, step)
            case "levels":
                return self.levels(found, step)
            case "filter":
                return self.kept(found, step, depth)
        return piece(f".path_{step.kind}", found)

    def sure(self, step: Step, before: exp.Expr, found: exp.Expr) -> exp.Expr:
        """What a step gives, NULL where it fails for one of the documents before it."""
        piece, writer = self.writer.piece, self.writer
        if step.kind in ("filter", "type"):
            return found
        sign = "{" if step.kind in ("key", "values") else "["
        tests = [piece(".list_begins", before, sign)]
        if step.kind in ("key", "range"):
            count = 1 if step.kind == "key" else step.last - step.first + 1
            if count < 1:
                raise self.refused()
            sizes = [piece(".list_size", one) for one in (found, before)]
            tests.append(writer.filled("_1 = _2 * _3", *sizes, count))
        return writer.case([(exp.and_(*tests, copy=False), found)], None)

    def refused(self) -> Exception:
        """What no rule covers."""
        return self.writer.refused(self.node, "This path has no form yet.")

    def places(self, found: exp.Expr, step: Step) -> exp.Expr:
        """`[0]`, `[last]`, `[1 to 3]`: elements of an array, of any other value itself."""
        if step.first < 0 <= step.last:
            raise self.refused()
        integer = self.writer.integer
        if step.first == step.last:
            place = step.first + 1 if step.first >= 0 else step.first
            return self.writer.piece(".path_item", found, integer(place))
        if step.last >= 0:
            count = max(step.last - step.first + 1, 0)
            return self.writer.piece(
                ".path_slice", found, integer(step.first + 1), integer(step.first + count)
            )
        raise self.refused()

    def levels(self, found: exp.Expr, step: Step) -> exp.Expr:
        """`.**`: documents, what is inside of them, and so on; too deep ones raise."""
        if self.strict or step.first < 0 or -1 < step.last < step.first or step.last > _DEEPEST:
            raise self.refused()
        integer = self.writer.integer
        first, last = integer(step.first + 1), integer(step.last + 1)
        if step.last >= 0:
            return self.writer.piece(".path_levels", found, integer(step.last), first, last)
        return self.writer.piece(".path_all_levels", found, integer(_DEEPEST), first)

    def kept(self, found: exp.Expr, step: Step, depth: int) -> exp.Expr:
        """`? (…)`: elements of arrays, each on its own."""
        assert step.condition is not None
        name = f"e{depth}"
        test = self.condition(step.condition, exp.column(name), depth + 1)
        items = self.unwrapped(found)
        if self.writer.engine == "spark":
            return self.writer.filled(f"FILTER(_1, {name} -> _2)", items, test)
        return self.writer.filled(f"[{name} FOR {name} IN _1 IF _2]", items, test)

    def unwrapped(self, found: exp.Expr) -> exp.Expr:
        """Documents, elements of arrays each on its own but in the strict mode."""
        return found if self.strict else self.writer.piece(".path_items", found)

    def condition(self, tree: Predicate, current: exp.Expr | None, depth: int) -> exp.Expr:
        """True, false or NULL, for unknown."""
        match tree:
            case Junction():
                sides = [self.condition(side, current, depth) for side in (tree.left, tree.right)]
                join = exp.and_ if tree.symbol == "&&" else exp.or_
                return join(*sides, copy=False)
            case Not():
                inner = self.condition(tree.arg, current, depth)
                return exp.Not(this=exp.Paren(this=inner))
            case Unknown():
                inner = self.condition(tree.arg, current, depth)
                return self.writer.is_null(exp.Paren(this=inner))
            case Exists():
                return self.writer.piece(".list_filled", self.path(tree.path, current, depth))
            case Starts():
                return self.some(
                    tree.path,
                    current,
                    depth,
                    lambda one: json_items.starts(self.writer, one, tree.text),
                )
            case Compare():
                return self.compare(tree, current, depth)

    def some(
        self, path: Path, current: exp.Expr | None, depth: int, test: Callable[..., exp.Expr]
    ) -> exp.Expr:
        """True for one item; else unknown if it is for one; else false."""
        name = f"e{depth}"
        items = self.unwrapped(self.path(path, current, depth))
        one = test(raw(self.writer, exp.column(name)))
        if self.writer.engine == "spark" and not self.strict:
            return self.writer.filled(f"EXISTS(_1, {name} -> _2)", items, one)
        each = "TRANSFORM(_1, {0} -> _2)" if self.writer.engine == "spark" else "[_2 FOR {0} IN _1]"
        truths = self.writer.filled(each.format(name), items, one)
        return self.writer.piece(".list_all_known" if self.strict else ".list_any", truths)

    def compare(self, tree: Compare, current: exp.Expr | None, depth: int) -> exp.Expr:
        """`path op scalar`, either way round, or `path op path`."""
        left, right, symbol = tree.left, tree.right, tree.symbol
        if left.base == "=":
            left, right, symbol = right, left, TURNED[symbol]
        if left.base == "=" or (right.base == "=" and right.steps):
            raise self.refused()
        if right.base != "=":
            return self.some(
                left, current, depth, lambda one: self.pairs(one, symbol, right, current, depth + 1)
            )
        return self.some(left, current, depth, lambda one: self.beside(one, symbol, right.value))

    def pairs(
        self, one: exp.Expr, symbol: str, right: Path, current: exp.Expr | None, depth: int
    ) -> exp.Expr:
        """One item beside each item of a path."""
        return self.some(
            right,
            current,
            depth,
            lambda other: json_items.compared(self.writer, one, symbol, other),
        )

    def beside(self, one: exp.Expr, symbol: str, value: Scalar) -> exp.Expr:
        """One item beside a scalar."""
        if isinstance(value, bool) and symbol not in ("==", "!="):
            raise self.refused()
        return json_items.beside_scalar(self.writer, one, symbol, value)
