"""jsonpath: `@?`, `@@`, and the functions jsonb_path_….

Example
    ================================= ====================================================
    filter                            written as
    ================================= ====================================================
    `j @? '$.a'`                      the list of documents at a is not empty
    `j @? '$.tags[*] ? (@ == "x")'`   the list of tags, filtered, is not empty
    `j @@ '$.a > 1'`                  one document at a is a number above 1; else unknown if
                                      one cannot be compared
    ================================= ====================================================

    A path is a list of documents, from step to step; a predicate has three values, as in SQL. In
    the strict mode the list is NULL where a step fails.

PostgreSQL
    jsonpath_exec.c: executeItemOptUnwrapTarget(), executePredicate(), compareItems().
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters import json_arithmetic, json_items, json_texts
from filtersql.filters.document_values import document, loaded, raw
from filtersql.filters.engines import values
from filtersql.filters.folding import fold
from filtersql.filters.literals import jsonpaths
from filtersql.filters.literals.jsonpath_trees import (
    Compare,
    Exists,
    Junction,
    Like,
    Not,
    Path,
    Predicate,
    Scalar,
    Starts,
    Step,
    Sum,
    Unknown,
    Whole,
    with_values,
)
from filtersql.filters.nodes import Func, Node, Op

if TYPE_CHECKING:
    from filtersql.filters.writing import Writer

__all__ = ["FUNCTIONS", "call", "found"]

FUNCTIONS = {"jsonb_path_exists_opr", "jsonb_path_match_opr", "jsonb_path_exists",
             "jsonb_path_match"}  # fmt: skip
#: levels of a document that `.**` goes down
_DEEPEST = 60
_TURNED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def call(writer: Writer, node: Node, name: str, args: Sequence[Node]) -> exp.Expr:
    """One of FUNCTIONS."""
    whole = _tree(writer, node, args)
    if whole is None:
        return values.null("bool", writer.engine)
    tree = whole.tree
    if isinstance(tree, Sum):
        raise writer.refused(node, "Arithmetic has a form beside a comparison only.")
    source = document(writer, args[0], plain=True)
    walker = _Walker(writer, node, source, whole.strict)
    if name in ("jsonb_path_match", "jsonb_path_match_opr"):
        if isinstance(tree, Path):
            if name == "jsonb_path_match":
                raise writer.refused(node, "Only a condition has a form here.")
            return writer.piece(".path_truth", walker.path(tree, None, 1))
        test = walker.condition(tree, None, 1)
    elif isinstance(tree, Path):
        items = walker.path(tree, None, 1)
        test = writer.piece(".list_filled", items)
        if whole.strict and name == "jsonb_path_exists" and not _silent(args):
            message = writer.text("the strict path does not lead through this document")
            broken = writer.cast(writer.piece(".raise", message), "BOOLEAN")
            test = writer.case([(writer.is_null(items.copy()), broken)], test)
    else:
        # a condition is one item, whatever its value
        test = values.boolean(True)
    return writer.case([(exp.Not(this=writer.is_null(source.copy())), test)], None)


def found(writer: Writer, node: Op | Func, *, plain: bool) -> exp.Expr:
    """jsonb_path_query_first() and jsonb_path_query_array(): a document."""
    whole = _tree(writer, node, node.args)
    if whole is None:
        return writer.piece(".no_document")
    tree = whole.tree
    if whole.strict:
        raise writer.refused(node, "A strict path has no form here.")
    if not isinstance(tree, Path) or tree.base == "=":
        raise writer.refused(node, "Only a path to a value has a form here.")
    if not plain and _filtered(tree):
        raise writer.refused(node, "Only a path without conditions has a form here.")
    if any(step.kind == "levels" for step in tree.steps):
        raise writer.refused(node, "The items of all levels have no order here.")
    walker = _Walker(writer, node, document(writer, node.args[0], plain=plain))
    items = walker.path(tree, None, 1)
    if node.function.name == "jsonb_path_query_array":
        source = document(writer, node.args[0], plain=plain)
        known = exp.Not(this=writer.is_null(source))
        return writer.case([(known, writer.piece(".list_document", items))], None)
    return writer.piece(".list_item", items, writer.integer(1))


def _filtered(path: Path) -> bool:
    return any(step.kind == "filter" for step in path.steps)


def _silent(args: Sequence[Node]) -> bool:
    known = fold(args[3]) if len(args) > 3 else None
    return known is not None and known.value is True


def _tree(writer: Writer, node: Node, args: Sequence[Node]) -> Whole | None:
    known = [fold(arg) for arg in args[1:]]
    if None in known:
        raise writer.refused(node, "The path must be a constant.")
    constants = [item.value for item in known if item is not None]
    if None in constants:
        return None
    given = loaded(str(constants[1])) if len(constants) > 1 else {}
    whole = jsonpaths.parsed(str(constants[0]))
    if not isinstance(given, dict):
        raise writer.refused(node, "The variables are no object.")
    scalars = {name: value for name, value in given.items() if not isinstance(value, (dict, list))}
    try:
        return replace(whole, tree=with_values(whole.tree, scalars))
    except KeyError as missing:
        reason = f"The path's variable {missing} has no value, or one that is no scalar."
        raise writer.refused(node, reason) from None


class _Walker:
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
        found = piece(".path_start", start.copy())
        for step in path.steps:
            before = found.copy() if self.strict else found
            match step.kind:
                case "key":
                    found = piece(".path_key", found, *self.key(step.key))
                case "values":
                    found = piece(".path_values", found)
                case "items":
                    found = piece(".path_items", found)
                case "range":
                    found = self.places(found, step)
                case "levels":
                    found = self.levels(found, step)
                case "filter":
                    found = self.kept(found, step, depth)
                case _:
                    found = piece(f".path_{step.kind}", found)
            if self.strict:
                found = self.sure(step, before, found)
        return found

    def sure(self, step: Step, before: exp.Expr, found: exp.Expr) -> exp.Expr:
        """What a step gives, NULL where it fails for one of the documents before it."""
        piece, writer = self.writer.piece, self.writer
        if step.kind in ("filter", "type"):
            return found
        sign = "{" if step.kind in ("key", "values") else "["
        tests = [piece(".list_begins", before, writer.text(sign))]
        if step.kind in ("key", "range"):
            count = 1 if step.kind == "key" else step.last - step.first + 1
            if count < 1:
                raise self.refused()
            sizes = [piece(".list_size", one.copy()) for one in (found, before)]
            tests.append(writer.filled("_1 = _2 * _3", *sizes, writer.integer(count)))
        return writer.case([(exp.and_(*tests, copy=False), found)], None)

    def refused(self) -> Exception:
        """What no rule covers."""
        return self.writer.refused(self.node, "This path has no form yet.")

    def key(self, key: str) -> list[exp.Expr]:
        """A key as the engine looks it up."""
        if self.writer.engine == "spark":
            return [self.writer.text(f"s{key}")]
        quoted = key.replace("\\", "\\\\").replace('"', '\\"')
        return [self.writer.text(f'$."s{quoted}"')]

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
                    lambda one: json_texts.starts(self.writer, one, tree.text),
                )
            case Like():
                test = json_texts.like(self.writer, self.node, tree)
                return self.some(tree.path, current, depth, test)
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
        if isinstance(left, Sum) or isinstance(right, Sum):
            return self.computed(tree, current, depth)
        if left.base == "=":
            left, right, symbol = right, left, _TURNED[symbol]
        if left.base == "=" or (right.base == "=" and right.steps):
            raise self.refused()
        if right.base != "=":
            return self.some(
                left, current, depth, lambda one: self.pairs(one, symbol, right, current, depth + 1)
            )
        return self.some(left, current, depth, lambda one: self.beside(one, symbol, right.value))

    def computed(self, tree: Compare, current: exp.Expr | None, depth: int) -> exp.Expr:
        """A comparison with arithmetic: of numbers, else unknown."""
        try:
            found = json_arithmetic.solved(tree.left, tree.symbol, tree.right)
        except json_arithmetic.NotLinear:
            raise self.refused() from None
        writer, path = self.writer, found.path
        compared, is_number = json_arithmetic.compared, json_arithmetic.is_number
        test = self.some(path, current, depth, lambda one: compared(writer, one, found))
        if found.one_item:
            size = writer.piece(".list_size", self.unwrapped(self.path(path, current, depth)))
            return writer.case([(writer.filled("_1 = 1", size), test)], None)
        other = self.some(path, current, depth, lambda one: exp.Not(this=is_number(writer, one)))
        return writer.case([(other, exp.Null())], test)

    def pairs(
        self, one: exp.Expr, symbol: str, right: Path, current: exp.Expr | None, depth: int
    ) -> exp.Expr:
        """One item beside each item of a path."""
        return self.some(
            right,
            current,
            depth,
            lambda other: json_items.compared(self.writer, one.copy(), symbol, other),
        )

    def beside(self, one: exp.Expr, symbol: str, value: Scalar) -> exp.Expr:
        """One item beside a scalar."""
        if isinstance(value, bool) and symbol not in ("==", "!="):
            raise self.refused()
        return json_items.beside_scalar(self.writer, one, symbol, value)
