"""A resolved filter as an expression of an engine, with the same three values.

Example
    `i / 2 = 3 AND c = 'NSW'` for Spark: `CAST(i DIV 2 AS INT) = 3 AND c = 'NSW'`.

    What has no exact form raises NotTranslated, which names the function, the engine and why.
    AND and OR become CASE where the right side can raise: PostgreSQL never looks at it when the
    left side decides, the engines may.
"""

from __future__ import annotations

from functools import cache
from itertools import islice

from sqlglot import exp

from filtersql.filters.facts import facts
from filtersql.filters.model import CLOCK, ColumnWriter, Filter
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import (
    Bool,
    BooleanTest,
    Case,
    Coalesce,
    Collate,
    Cut,
    Distinct,
    Func,
    Lookup,
    MinMax,
    Node,
    NullIf,
    NullTest,
    Op,
    Relabel,
    RowCompare,
    ScalarArrayOp,
    Var,
)
from filtersql.filters.tree.walking import walk
from filtersql.filters.write import (
    binary_coercible,
    boolean_logic,
    calls,
    conditionals,
    evaluation_order,
    lookup_queries,
    null_tests,
    row_comparisons,
    simplify,
    stored_types,
    type_modifiers,
)
from filtersql.filters.write.decoded_once import decoded_once
from filtersql.filters.write.let_binding import Held
from filtersql.filters.write.registry import rows_of
from filtersql.filters.write.rules import documents, json_paths, numerics, ranges
from filtersql.filters.write.writer import Forms, Put, Writer
from filtersql.source import Passage
from filtersql.storage import Engine

__all__ = ["expression", "write", "writer_of"]

#: nodes of a text that an engine still reads in seconds
_MOST_PARTS = 40_000
_TOO_LONG = "The statement would be too long for an engine's parser."


def write(filter: Filter, engine: Engine, column: ColumnWriter) -> exp.Expr:
    """The filter's expression; raises NotTranslated when it has no exact form."""
    writer = writer_of(engine, column, filter.text, filter.postgres_version)
    nodes = walk(filter.tree)
    type_modifiers.check(writer, nodes)
    written = expression(writer, filter.tree)
    if any(map(_grows, nodes)) and any(islice(written.walk(), _MOST_PARTS, None)):
        raise writer.refused(filter.tree, _TOO_LONG)
    return written


def expression(writer: Writer, tree: Node) -> exp.Expr:
    """A value of any type as it stands in a statement; raises NotTranslated."""
    whole = evaluation_order.constants_first(writer, tree, writer.put(tree))
    return decoded_once(simplify.simplified(whole, writer.engine), writer.engine)


def writer_of(
    engine: Engine, column: ColumnWriter, passage: Passage, postgres_version: int = 18
) -> Writer:
    """What writes the nodes of a filter."""
    return Writer(engine, column, passage, _forms(engine), postgres_version)


def _grows(node: Node) -> bool:
    """Whether some text for the node has thousands of parts."""
    return node.type == "interval"


def _put(writer: Writer, node: Node) -> exp.Expr:
    """The expression of a node."""
    if writer.kept and (kept := writer.kept.get(id(node))):
        return kept[1].copy()
    if node.type == "numeric":
        return numerics.put(writer, node)
    if facts().type(node.type).subtype:
        return ranges.text_of(writer, node)
    constant = fold(node)
    if constant is not None:
        return writer.constant(constant)
    match node:
        case Var():
            return stored_types.stored(writer, node)
        case Held():
            return exp.column(node.name)
        case Cut():
            return _cut(node)
        case Bool():
            return boolean_logic.logic(writer, node)
        case ScalarArrayOp():
            return calls.scalar_array(writer, node)
        case Distinct():
            return calls.distinct(writer, node)
        case Op() | Func() if not isinstance(node, NullIf):
            return calls.call(writer, node)
        case Relabel() if not binary_coercible.is_held_alike(node.arg.type, node.type):
            raise writer.refused(node, binary_coercible.NOT_HELD)
        case Relabel() | Collate():
            return writer.put(node.arg)
        case NullTest():
            return null_tests.null_test(writer, node)
        case BooleanTest():
            return null_tests.boolean_test(writer, node)
        case RowCompare():
            return row_comparisons.row_compare(writer, node)
        case Lookup():
            return lookup_queries.put(writer, node)
        case Case() | Coalesce() | MinMax() | NullIf():
            return writer.construct(node, writer.put)
    raise writer.refused(node, calls.unknown(node))


def _cut(node: Cut) -> exp.Expr:
    """A column of the run's clock."""
    return exp.select(exp.column(node.column.name)).from_(exp.to_table(CLOCK)).subquery()


def _construct(writer: Writer, node: Node, put: Put) -> exp.Expr:
    """CASE, COALESCE, NULLIF, GREATEST and LEAST, whose branches `put` writes."""
    match node:
        case Case():
            return conditionals.conditional(writer, node, put)
        case Coalesce():
            return conditionals.first_value(writer, node.args, put)
        case MinMax():
            return calls.min_max(writer, node, put)
        case NullIf():
            return writer.case([(calls.call(writer, node), None)], put(node.args[0]))
    raise AssertionError(type(node).__name__)


def _held_text(writer: Writer, node: Node) -> exp.Expr | None:
    """PostgreSQL's text of a number that is a column, a bound of a range or part of a document."""
    if isinstance(node, Var) and not node.decimal:
        return writer.column(node)
    if isinstance(node, Func) and str(node.function) in ("lower(anyrange)", "upper(anyrange)"):
        whole = ranges.text_of(writer, node.args[0])
        return writer.piece(f".range_{node.function.name}", whole)
    if documents.of_json(node):
        assert isinstance(node, (Func, Op))
        return documents.number(writer, node)
    return None


@cache
def _forms(engine: Engine) -> Forms:
    return Forms(
        rows=rows_of(engine),
        put=_put,
        comparison=calls.comparison,
        null_of=null_tests.null_of,
        raw=null_tests.raw,
        absent=null_tests.absent,
        held_text=_held_text,
        made_document=json_paths.found,
        construct=_construct,
    )
