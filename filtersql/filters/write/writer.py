"""What a rule is given to build its tree: the engine's words, its columns, and other nodes' forms.

A rule never imports what chooses rules: `put`, `comparison`, `null_of` and their like look the
rule of a node up (`Forms`, filled by `dispatch`), so any rule may ask for the form of any node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace
from sqlglot import exp

from filtersql.errors.filters import NotTranslated, OrderNotKnown
from filtersql.filters.engines import constants
from filtersql.filters.engines.templates import fill, of_a_table, operand
from filtersql.filters.model import ELEMENT, ColumnWriter
from filtersql.filters.tree import locales
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.descriptions import described
from filtersql.filters.tree.nodes import Const, Func, Node, Op, Var
from filtersql.filters.tree.walking import leftmost
from filtersql.source import Passage, Span
from filtersql.storage import Engine

__all__ = ["Family", "Forms", "Part", "Put", "Rule", "Writer"]

_NAMES = {"spark": "Spark", "duckdb": "DuckDB"}
Put = Callable[[Node], exp.Expr]
#: of what an expression is made: others, and constants as Python writes them
Part = exp.Expr | str | int | None
#: writes `function(args)` of a node, of which the arguments may be others than its own
Rule = Callable[["Writer", Func | Op, Sequence[Node]], exp.Expr]


def own(part: Part) -> exp.Expr:
    """The part as a tree of its own: what stands in another one already is copied."""
    if isinstance(part, exp.Expr):
        return part if part.parent is None else part.copy()
    if part is None:
        return exp.Null()
    if isinstance(part, bool):
        return constants.boolean(part)
    return constants.text(part) if isinstance(part, str) else constants.integer(part)


class Family(Struct, frozen=True):
    """How a rare family of functions is written: rules, and rows of the engines' tables."""

    rules: Mapping[str, Rule] = field(default_factory=dict)
    rows: Callable[[Engine], Mapping[str, str]] = lambda _: {}


class Forms(Struct, frozen=True):
    """The forms in which a node can be written; each function looks up the node's rule."""

    #: the engine's table: name or signature of a function -> text
    rows: Mapping[str, str]
    #: its value, in the type by which the engine compares it
    put: Callable[[Writer, Node], exp.Expr]
    #: `function(args)` of a node
    comparison: Rule
    #: whether it is NULL
    null_of: Callable[[Writer, Node], exp.Expr]
    #: a value of which only its being NULL matters
    raw: Callable[[Writer, Node], exp.Expr]
    #: IS NULL of an expression that was written for a node
    absent: Callable[[Writer, exp.Expr, Node, str], exp.Expr]
    #: PostgreSQL's text of a numeric that is a column, a bound of a range or part of a document
    held_text: Callable[[Writer, Node], exp.Expr | None]
    #: the document that a function makes, and whether its numbers lose their trailing zeros
    made_document: Callable[[Writer, Func | Op, bool], exp.Expr]
    #: CASE, COALESCE, NULLIF, GREATEST and LEAST, whose branches a function writes
    construct: Callable[[Writer, Node, Put], exp.Expr]


class Writer(Struct, frozen=True):
    """Writes one filter for one engine."""

    engine: Engine
    _column: ColumnWriter
    passage: Passage
    forms: Forms
    postgres_version: int = 18
    #: what was written for a node, by the node's id
    kept: dict[int, tuple[Node, exp.Expr]] = field(default_factory=dict)

    @property
    def rows(self) -> Mapping[str, str]:
        """The engine's table."""
        return self.forms.rows

    @property
    def text_type(self) -> str:
        """The engine's type of texts."""
        return constants.sql_type("text", self.engine)

    # -- forms of nodes ----------------------------------------------------------------------

    def put(self, node: Node) -> exp.Expr:
        """The expression of a node; raises NotTranslated where it has no exact form."""
        return self.forms.put(self, node)

    def comparison(self, node: Func | Op, *args: Node) -> exp.Expr:
        """The function of `node`, called with these arguments."""
        return self.forms.comparison(self, node, args)

    def null_of(self, node: Node) -> exp.Expr:
        """IS NULL of a value of any type."""
        return self.forms.null_of(self, node)

    def raw(self, node: Node) -> exp.Expr:
        """A value of which only its being NULL matters: a column as it is stored."""
        return self.forms.raw(self, node)

    def absent(self, expression: exp.Expr, node: Node, kind: str = "") -> exp.Expr:
        """IS NULL of a node's expression, which is computed for it where it may raise."""
        return self.forms.absent(self, expression, node, kind)

    def held_text(self, node: Node) -> exp.Expr | None:
        """PostgreSQL's text of a numeric, where the target holds it; else None."""
        return self.forms.held_text(self, node)

    def made_document(self, node: Func | Op, plain: bool) -> exp.Expr:
        """The document that a function makes; a `plain` one has no trailing zeros."""
        return self.forms.made_document(self, node, plain)

    def construct(self, node: Node, put: Put) -> exp.Expr:
        """CASE, COALESCE, NULLIF, GREATEST and LEAST, whose branches `put` writes."""
        return self.forms.construct(self, node, put)

    # -- building blocks ---------------------------------------------------------------------

    def column(self, node: Var) -> exp.Expr:
        """The engine's expression of a column."""
        found = self._column(node.name)
        return found if node.name.startswith(ELEMENT) else of_a_table(found)

    def for_element(self, item: exp.Expr) -> Writer:
        """A writer for which the column ELEMENT is a list's."""
        outer = self._column

        def column(name: str) -> exp.Expr:
            return item.copy() if name == ELEMENT else outer(name)

        return replace(self, _column=column, kept={})

    def piece(self, name: str, *args: Part) -> exp.Expr:
        """A row of the engine's table whose name begins with a dot."""
        return self.filled(self.rows[name], *args)

    def filled(self, text: str, *args: Part) -> exp.Expr:
        """A text that both engines write alike."""
        parts = list(map(own, args))
        for place, part in enumerate(parts):
            if any(part is other for other in parts[:place]):
                parts[place] = part.copy()
        return fill(self.engine, text, parts)

    def cast(self, expression: Part, sql_type: str) -> exp.Expr:
        """CAST."""
        return constants.cast(own(expression), sql_type, self.engine)

    def typed(self, expression: Part, type_name: str) -> exp.Expr:
        """CAST to how the engine holds one of PostgreSQL's types."""
        return self.cast(expression, constants.sql_type(type_name, self.engine))

    def text(self, value: str) -> exp.Expr:
        """A string literal."""
        return constants.text(value)

    def integer(self, value: int) -> exp.Expr:
        """A whole number."""
        return constants.integer(value)

    def raised(self, message: str, sql_type: str) -> exp.Expr:
        """An error in the place of a value of that type."""
        return self.cast(self.piece(".raise", message), sql_type)

    def constant(self, node: Const) -> exp.Expr:
        """A constant of any type but numeric."""
        try:
            return constants.literal(node.type, node.value, self.engine)
        except constants.Unwritable as problem:
            raise self.refused(node, f"The engine cannot hold the constant {problem}.") from None

    def coalesce(self, first: Part, second: Part) -> exp.Expr:
        """The first, the second where that is NULL."""
        return exp.Coalesce(this=own(first), expressions=[own(second)])

    def is_null(self, expression: exp.Expr) -> exp.Expr:
        """IS NULL."""
        return exp.Is(this=operand(own(expression)), expression=exp.Null())

    def is_not_null(self, expression: exp.Expr) -> exp.Expr:
        """IS NOT NULL."""
        return exp.Not(this=self.is_null(expression))

    def never(self, expression: exp.Expr) -> exp.Expr:
        """FALSE, which is not known before the expression was computed."""
        return self.filled("LENGTH(_1) < 0", self.piece(".text", expression))

    def case(self, whens: Sequence[tuple[Part, Part]], default: Part) -> exp.Expr:
        """CASE WHEN … END; without ELSE where the default is None."""
        ifs = [exp.If(this=own(condition), true=own(result)) for condition, result in whens]
        return exp.Case(ifs=ifs, default=None if default is None else own(default))

    def known(self, node: Node, arg: Node, reason: str) -> object:
        """The value of an argument that must be a constant; refuses another one."""
        constant = fold(arg)
        if constant is None:
            raise self.refused(node, reason)
        return constant.value

    def refused(self, node: Node, reason: str) -> NotTranslated:
        """The mistake that names what cannot be written, where, and why."""
        return NotTranslated(described(node), _NAMES[self.engine], reason, self._place(node))

    def order_not_known(self, node: Node) -> OrderNotKnown:
        """The mistake that says how the order of text can be made known."""
        return OrderNotKnown(described(node), _NAMES[self.engine], self._place(node))

    def check_order(self, node: Node) -> None:
        """Refuses the order of texts, unless it is that of the bytes."""
        if not locales.by_bytes(getattr(node, "input_collation", None)):
            raise self.order_not_known(node)

    def _place(self, node: Node) -> Span:
        place = max(leftmost(node), 0)
        return self.passage.span(place, min(place + 1, len(self.passage.text)))
