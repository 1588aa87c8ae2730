"""PARTITION BY and FOR VALUES of SQL: keys and bounds as the parse tree holds them.

Example
    `FOR VALUES FROM (0) TO (MAXVALUE)` are the bounds of a range; the key `(lower(c))` is kept as
    it is written.

PostgreSQL
    gram.y: PartitionSpec, PartitionBoundSpec; parse_utilcmd.c: transformPartitionBound()
"""

from __future__ import annotations

from filtersql.definitions.bounds import DEFAULT, Bounds
from filtersql.definitions.sql_text import lexemes
from filtersql.grammar import Node
from filtersql.source import Passage

__all__ = ["partition_key", "read_bounds"]


def read_bounds(node: Node, text: Passage) -> Bounds:
    """FOR VALUES … or DEFAULT."""
    if node.is_default:
        return DEFAULT
    if node.strategy == "h":
        return Bounds("hash", (str(node.modulus),), (str(node.remainder),))
    if node.strategy == "l":
        return Bounds("list", tuple(_value(value, text) for value in node.listdatums))
    sides = (node.lowerdatums, node.upperdatums)
    lower, upper = (tuple(_value(value, text) for value in side) for side in sides)
    return Bounds("range", lower, upper)


def partition_key(node: Node, text: Passage) -> tuple[str, ...]:
    """Column names, and expressions as they are written."""
    keys = []
    for wrapped in node.part_params:
        element = wrapped.partition_elem
        if element.name:
            keys.append(element.name)
        else:
            keys.append(_expression(text, element.location))
    return tuple(keys)


def _expression(text: Passage, start: int) -> str:
    """The text up to the comma or parenthesis that ends a list item."""
    depth = 0
    for lexeme in lexemes(text.text, start):
        character = text.text[lexeme.start] if lexeme.kind == "mark" else ""
        if not depth and character in (",", ")"):
            return text.text[start : lexeme.start].strip()
        depth += {"(": 1, ")": -1}.get(character, 0)
    return text.text[start:].strip()


def _value(node: Node, text: Passage) -> str:
    kind = node.WhichOneof("node")
    if kind == "column_ref":  # MINVALUE, MAXVALUE
        return str(node.column_ref.fields[0].string.sval).upper()
    if kind == "type_cast":
        return _value(node.type_cast.arg, text)
    if kind == "a_const":
        constant = node.a_const
        if constant.isnull:
            return "NULL"
        value = constant.WhichOneof("val")
        if value == "ival":
            return str(constant.ival.ival)
        if value == "fval":
            return str(constant.fval.fval)
        if value == "boolval":
            return str(bool(constant.boolval.boolval)).lower()
        return str(constant.sval.sval)
    if kind == "a_expr" and not node.a_expr.HasField("lexpr"):  # -1
        return f"{node.a_expr.name[0].string.sval}{_value(node.a_expr.rexpr, text)}"
    location = getattr(getattr(node, kind), "location", 0)
    return _expression(text, max(location, 0))
