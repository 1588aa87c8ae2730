"""A resolved filter as an expression of an engine, with the same three values.

Example
    `i / 2 = 3 AND c = 'NSW'` for Spark: `CAST(i DIV 2 AS INT) = 3 AND c = 'NSW'`.

    What has no exact form raises NotTranslated, which names the function, the engine and why.
    AND and OR become CASE where the right side can raise: PostgreSQL never looks at it when the
    left side decides, the engines may.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import islice

from sqlglot import exp

from filtersql.errors.filters import NotTranslated, OrderNotKnown
from filtersql.filters import (
    arrays,
    choices,
    comparing,
    connecting,
    documents,
    evaluation,
    intervals,
    lookup_queries,
    modifiers,
    numeric_order,
    numerics,
    relabelled,
    retyped,
    row_comparing,
)
from filtersql.filters.array_elements import ELEMENT
from filtersql.filters.descriptions import described
from filtersql.filters.engines import values
from filtersql.filters.engines.templates import fill, of_a_table, operand
from filtersql.filters.facts import facts
from filtersql.filters.folding import fold
from filtersql.filters.model import ColumnWriter, Filter
from filtersql.filters.nodes import (
    Bool,
    BooleanTest,
    Case,
    Coalesce,
    Collate,
    Const,
    Distinct,
    Func,
    Lookup,
    MinMax,
    Node,
    NullIf,
    NullTest,
    Op,
    Relabel,
    Row,
    RowCompare,
    ScalarArrayOp,
    Var,
    leftmost,
    walk,
)
from filtersql.filters.raising import may_raise
from filtersql.filters.sharing import Held
from filtersql.source import Passage, Span
from filtersql.storage import Engine

__all__ = ["Writer", "write"]

#: types held as PostgreSQL's text, of which another form is computed with
_HELD = {"timetz", "inet", "cidr", "money"}
#: nodes that choose one of their arguments
_CHOSEN = (Case, Coalesce, MinMax, NullIf)
#: nodes of a text that an engine still reads in seconds
_MOST_PARTS = 40_000
_TOO_LONG = "The statement would be too long for an engine's parser."
_NAMES = {"spark": "Spark", "duckdb": "DuckDB"}


def write(filter: Filter, engine: Engine, column: ColumnWriter) -> exp.Expr:
    """The filter's expression; raises NotTranslated when it has no exact form."""
    writer = Writer(engine, column, filter.text, filter.postgres_version)
    nodes = walk(filter.tree)
    modifiers.check(writer, nodes)
    written = evaluation.constants_first(writer, filter.tree, writer.put(filter.tree))
    if any(map(_grows, nodes)) and any(islice(written.walk(), _MOST_PARTS, None)):
        raise writer.refused(filter.tree, _TOO_LONG)
    return written


def _grows(node: Node) -> bool:
    """Whether some text for the node has thousands of parts."""
    return node.type == "interval"


@cache
def _rows(engine: Engine) -> dict[str, str]:
    if engine == "spark":
        from filtersql.filters.engines.spark import TABLE
    else:
        from filtersql.filters.engines.duckdb import TABLE
    return TABLE


class Writer:
    """Writes one filter: what every rule asks for to build its tree."""

    __slots__ = ("_column", "engine", "kept", "passage", "postgres_version", "rows", "text_type")

    def __init__(
        self,
        engine: Engine,
        column: ColumnWriter,
        passage: Passage,
        postgres_version: int = 18,
    ) -> None:
        self.postgres_version = postgres_version
        self.engine = engine
        self.passage = passage
        self.rows = _rows(engine)
        self.text_type = "STRING" if engine == "spark" else "TEXT"
        self._column = column
        #: what was written for a node, by the node's id
        self.kept: dict[int, tuple[Node, exp.Expr]] = {}

    # -- building blocks ---------------------------------------------------------------------

    def column(self, node: Var) -> exp.Expr:
        """The engine's expression of a column."""
        found = self._column(node.name)
        return found if node.name.startswith(ELEMENT) else of_a_table(found)

    def for_element(self, item: exp.Expr, known_as: str = ELEMENT) -> Writer:
        """A writer for which the column ELEMENT, or one whose name begins so, is a list's."""
        outer = self._column

        def column(name: str) -> exp.Expr:
            return item.copy() if name == known_as else outer(name)

        return Writer(self.engine, column, self.passage, self.postgres_version)

    def piece(self, name: str, *args: exp.Expr) -> exp.Expr:
        """A row of the engine's table whose name begins with a dot."""
        return fill(self.engine, self.rows[name], args)

    def filled(self, text: str, *args: exp.Expr) -> exp.Expr:
        """A text that both engines write alike."""
        return fill(self.engine, text, args)

    def cast(self, expression: exp.Expr, sql_type: str) -> exp.Expr:
        """CAST."""
        return values.cast(expression, sql_type, self.engine)

    def text(self, value: str) -> exp.Expr:
        """A string literal."""
        return values.text(value)

    def integer(self, value: int) -> exp.Expr:
        """A whole number."""
        return values.integer(value)

    def null(self) -> exp.Expr:
        """NULL without a type."""
        return exp.Null()

    def is_null(self, expression: exp.Expr) -> exp.Expr:
        """IS NULL."""
        return exp.Is(this=operand(expression), expression=exp.Null())

    def absent(self, expression: exp.Expr, node: Node, kind: str = "") -> exp.Expr:
        """IS NULL of a node's expression, which is computed for it where it may raise."""
        if fold(node) is not None or not may_raise(node):
            return self.is_null(expression)
        return self.piece(f".absent{kind}", expression)

    def never(self, expression: exp.Expr) -> exp.Expr:
        """FALSE, which is not known before the expression was computed."""
        return self.filled("LENGTH(_1) < 0", self.piece(".text", expression))

    def case(
        self, whens: Sequence[tuple[exp.Expr, exp.Expr]], default: exp.Expr | None
    ) -> exp.Expr:
        """CASE WHEN … END."""
        return exp.Case(
            ifs=[exp.If(this=condition, true=result) for condition, result in whens],
            default=default,
        )

    def refused(self, node: Node, reason: str) -> NotTranslated:
        """The mistake that names what cannot be written, where, and why."""
        return NotTranslated(described(node), _NAMES[self.engine], reason, self._place(node))

    def order_not_known(self, node: Node) -> OrderNotKnown:
        """The mistake that says how the order of text can be made known."""
        return OrderNotKnown(described(node), _NAMES[self.engine], self._place(node))

    def _place(self, node: Node) -> Span:
        place = max(leftmost(node), 0)
        return self.passage.span(place, min(place + 1, len(self.passage.text)))

    # -- nodes -------------------------------------------------------------------------------

    def put(self, node: Node) -> exp.Expr:
        """The expression of a node."""
        if self.kept and (kept := self.kept.get(id(node))):
            return kept[1].copy()
        if node.type == "numeric":
            return numerics.put(self, node)
        if facts().type(node.type).subtype:
            from filtersql.filters.ranges import text_of

            return text_of(self, node)
        constant = fold(node)
        if constant is not None:
            return self.constant(constant)
        match node:
            case Var():
                return self.stored(node)
            case Held():
                return exp.column(node.name)
            case Bool():
                return self.logic(node)
            case ScalarArrayOp():
                return comparing.scalar_array(self, node)
            case Distinct():
                return comparing.distinct(self, node)
            case Op() | Func() if not isinstance(node, NullIf):
                return comparing.call(self, node)
            case Relabel() if not relabelled.is_held_alike(node.arg.type, node.type):
                raise self.refused(node, relabelled.NOT_HELD)
            case Relabel() | Collate():
                return self.put(node.arg)
            case NullTest():
                return self.null_test(node)
            case BooleanTest():
                return self.boolean_test(node)
            case RowCompare():
                return row_comparing.row_compare(self, node)
            case Lookup():
                return lookup_queries.put(self, node)
            case Case() | Coalesce() | MinMax() | NullIf():
                return self.construct(node, self.put)
        raise self.refused(node, comparing.unknown(node))

    def stored(self, node: Var) -> exp.Expr:
        """A column as it is stored."""
        if node.special:
            raise self.refused(node, "The target does not hold it.")
        if node.target_type is not None:
            return retyped.stored(self, node)
        column = self.column(node)
        return self.piece(f".{node.type}", column) if node.type in _HELD else column

    def constant(self, node: Const) -> exp.Expr:
        """A constant of any type but numeric."""
        try:
            return values.literal(node.type, node.value, self.engine)
        except values.Unwritable as problem:
            raise self.refused(node, f"The engine cannot hold the constant {problem}.") from None

    def logic(self, node: Bool) -> exp.Expr:
        """AND, OR, NOT."""
        return connecting.logic(self, node)

    def null_test(self, node: NullTest) -> exp.Expr:
        """IS [NOT] NULL; of a row, of each of its values, of which a row is no NULL."""
        if isinstance(node.arg, Row):
            if not node.by_value:
                return evaluation.after(self, node.arg, not node.is_null)
            test = NullTest("bool", is_null=node.is_null, by_value=False)
            tests = tuple(replace(test, arg=arg) for arg in node.arg.args)
            return self.logic(Bool("bool", kind="and", args=tests)) if tests else exp.true()
        null = self.null_of(node.arg)
        return null if node.is_null else exp.Not(this=null)

    def null_of(self, node: Node) -> exp.Expr:
        """IS NULL of a value of any type."""
        known = fold(node)
        if known and isinstance(known.value, Decimal) and not known.value.is_finite():
            return exp.false()  # no DECIMAL holds it
        null = documents.is_null(self, node) or arrays.is_null(self, node)
        found = null or self.absent(self.raw(node), node)
        return evaluation.computed_first(self, (node,), found)

    def raw(self, node: Node) -> exp.Expr:
        """A value of which only its being NULL matters: a column as it is stored."""
        while isinstance(node, (Relabel, Collate)):
            node = node.arg
        if isinstance(node, Var):
            return self.column(node)
        if node.type == "numeric" and not numerics.digits(node) and isinstance(node, _CHOSEN):
            return numeric_order.sort_text(self, node)
        if retyped.is_beyond(self, node):
            return retyped.key(self, node)
        return intervals.length(self, node) if node.type == "interval" else self.put(node)

    def boolean_test(self, node: BooleanTest) -> exp.Expr:
        """IS [NOT] TRUE, FALSE, UNKNOWN."""
        if node.test == "UNKNOWN":
            test = self.null_of(node.arg)
        else:
            truth = exp.Boolean(this=node.test == "TRUE")
            test = exp.Is(this=operand(self.put(node.arg)), expression=truth)
        return exp.Not(this=test) if node.negated else test

    def construct(self, node: Node, put: Callable[[Node], exp.Expr]) -> exp.Expr:
        """CASE, COALESCE, NULLIF, GREATEST and LEAST, whose branches `put` writes."""
        match node:
            case Case():
                return choices.conditional(self, node, put)
            case Coalesce():
                return choices.first_value(self, node.args, put)
            case MinMax():
                return comparing.min_max(self, node, put)
            case NullIf():
                return self.case([(comparing.call(self, node), exp.Null())], put(node.args[0]))
        raise AssertionError(type(node).__name__)
