"""The elements of an array as values that the engine compares as PostgreSQL compares them.

Example
    ============ ========================== ==========================================
    elements     text in the array          compared as
    ============ ========================== ==========================================
    integer      `7`                        an INT
    numeric      `1.50`                     the text that sorts as the number
    float8       `-0`                       a DOUBLE without negative zero
    date         `infinity`                 DuckDB's DATE; on Spark the days since 1970
    char(5)      `"a    "`                  the text without trailing blanks
    ============ ========================== ==========================================

PostgreSQL
    arrayfuncs.c: array_eq(), array_cmp() use the element type's own comparison.
"""

from __future__ import annotations

import re

from sqlglot import exp

from filtersql.filters.engines import constants
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Const, Node, Var
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.values import show
from filtersql.filters.write.rules import intervals, numeric_sort_texts
from filtersql.filters.write.writer import Writer
from filtersql.storage import is_text

__all__ = ["COLLATED", "ONE_TEXT", "family", "key", "key_type", "of_node", "stored"]

#: types whose values are compared alike, and are when they stand on both sides
_FAMILIES = {
    "int2": "int", "int4": "int", "int8": "int", "float4": "float", "float8": "float",
    "numeric": "numeric", "text": "text", "varchar": "text", "bpchar": "bpchar", "date": "date",
    "timestamp": "timestamp", "timestamptz": "timestamptz", "time": "time", "timetz": "timetz",
    "interval": "interval", "uuid": "uuid", "bool": "bool", "bytea": "bytea", "inet": "inet",
    "cidr": "inet", "macaddr": "macaddr", "money": "money", "bit": "bit", "varbit": "bit",
}  # fmt: skip
#: the engine's type of a family's values where it is not a text; (Spark, DuckDB)
_SQL = {
    "float": ("DOUBLE", "DOUBLE"), "date": ("INT", "DATE"), "timestamp": ("BIGINT", "TIMESTAMP"),
    "timestamptz": ("BIGINT", "TIMESTAMPTZ"), "timetz": ("BIGINT", "BIGINT"),
    "money": ("BIGINT", "BIGINT"), "interval": ("DECIMAL(38, 0)", "DECIMAL(38, 0)"),
}  # fmt: skip
#: families of which one value has one text, so that equal arrays have equal texts
ONE_TEXT = {"int", "text", "uuid", "bool", "macaddr", "bit", "bytea", "time"}
#: families whose order is that of a collation
COLLATED = {"text", "bpchar"}
_MOMENTS = {"date", "timestamp", "timestamptz"}
#: families whose values an engine holds by its own types
_NATIVE = {"int", "float", "bool", *_MOMENTS}
#: the moments that Spark has literals for
_OF_SPARK = re.compile(r"\d{4}-[^B]*")
_FAREST = {"date": 2**31 - 1, "timestamp": 2**63 - 1, "timestamptz": 2**63 - 1}


def family(type_name: str) -> str:
    """The family of a type; empty where filtersql has no form for its elements."""
    return _FAMILIES.get(type_name, "")


def key_type(writer: Writer, type_name: str) -> str:
    """The engine's type of the values of `key`."""
    if family(type_name) == "int":
        return constants.sql_type(type_name, writer.engine)
    found = _SQL.get(family(type_name), (writer.text_type, writer.text_type))
    return found[writer.engine == "duckdb"]


def key(writer: Writer, type_name: str, text: exp.Expr) -> exp.Expr:
    """An element's text as a value that can be compared; NULL where it is NULL."""
    kind = family(type_name)
    match kind:
        case "int":
            return writer.typed(text, type_name)
        case "float":
            read = writer.cast(writer.typed(text, type_name), "DOUBLE")
            return _without_negative_zero(writer, read)
        case "numeric":
            return numeric_sort_texts.sort_text_of_shown(writer, text)
        case "bpchar":
            return writer.piece(".rtrim", text)
        case "interval":
            return writer.piece(".interval_length", text)
        case "timetz" | "inet" | "money":
            return writer.piece(f".{type_name}", text)
        case "date" | "timestamp" | "timestamptz":
            return _moment(writer, kind, text)
    return text


def _without_negative_zero(writer: Writer, number: exp.Expr) -> exp.Expr:
    zero = writer.cast("0", "DOUBLE")
    return writer.case([(writer.filled("_1 = 0", number), zero)], number)


def _moment(writer: Writer, kind: str, text: exp.Expr) -> exp.Expr:
    shown = writer.piece(".moment_text", text)
    if writer.engine == "duckdb":
        return writer.cast(shown, _SQL[kind][1])
    infinite = [
        (
            writer.filled("_1 = _2", text, word),
            writer.cast(str(sign * _FAREST[kind]), _SQL[kind][0]),
        )
        for word, sign in (("infinity", 1), ("-infinity", -1))
    ]
    read = writer.cast(shown, "DATE" if kind == "date" else "TIMESTAMP")
    return writer.case(infinite, writer.filled(_since_1970(kind), read))


def _since_1970(kind: str) -> str:
    return "UNIX_DATE(_1)" if kind == "date" else "UNIX_MICROS(CAST(_1 AS TIMESTAMP))"


def stored(writer: Writer, type_name: str, text: exp.Expr) -> exp.Expr:
    """An element's text as a column of its type is stored."""
    if type_name == "bytea":
        return writer.piece(".unhex", writer.filled("SUBSTRING(_1, 3)", text))
    if type_name in _MOMENTS:
        text = writer.piece(".moment_text", text)
    return writer.typed(text, type_name) if family(type_name) in _NATIVE else text


def of_node(writer: Writer, node: Node) -> exp.Expr:
    """A value beside an array, as `key` gives the array's."""
    node = bare(node)
    if isinstance(node, Var) and node.target_type is not None and is_text(node.target_type):
        return key(writer, node.type, writer.column(node))
    kind = family(node.type)
    known = fold(node)
    if known is not None:
        return _of_constant(writer, known)
    match kind:
        case "numeric":
            return numeric_sort_texts.sort_text(writer, node)
        case "interval":
            return intervals.length(writer, node)
    written = writer.put(node)
    match kind:
        case "float":
            return _without_negative_zero(writer, writer.cast(written, "DOUBLE"))
        case "bool":
            return writer.filled("CASE WHEN _1 THEN 't' WHEN NOT _1 THEN 'f' END", written)
        case "bpchar":
            return writer.piece(".rtrim", written)
        case "bytea":
            return writer.filled("_1 || LOWER(_2)", "\\x", writer.piece(".hex", written))
        case "date" | "timestamp" | "timestamptz" if writer.engine == "spark":
            return writer.filled(_since_1970(kind), written)
    return written


def _of_constant(writer: Writer, constant: Const) -> exp.Expr:
    kind = family(constant.type)
    sql_type = key_type(writer, constant.type)
    if constant.value is None:
        return writer.cast(None, sql_type)
    if kind == "numeric":
        return numeric_sort_texts.sort_text(writer, constant)
    if kind == "interval":
        return intervals.length(writer, constant)
    if kind in ("timetz", "inet", "money"):
        return writer.constant(constant)
    text = show(constant.type, constant.value)
    if kind in _MOMENTS and _OF_SPARK.fullmatch(text):
        known = writer.constant(constant)
        return writer.filled(_since_1970(kind), known) if writer.engine == "spark" else known
    return key(writer, constant.type, writer.text(text))
