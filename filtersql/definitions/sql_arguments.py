"""The constant arguments of a function call in a DDL file.

Example
    `pglogical.replication_set_add_table('emea', 't1', row_filter := $FILTER$ id > 0 $FILTER$)`
    gives set_name, relation and row_filter, each with its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_text import literal
from filtersql.errors.definitions import UnknownParameter
from filtersql.errors.replication_sets import WrongCall
from filtersql.grammar import Node
from filtersql.source import Passage, Span

__all__ = ["Argument", "Arguments", "arguments_of", "constant", "said_null"]


@dataclass(frozen=True, slots=True)
class Argument:
    """A constant argument: its value, and its text with places when it is a literal."""

    value: object
    span: Span
    text: Passage | None = None


Arguments = Mapping[str, Argument]


def arguments_of(script: Script, function: str, names: list[str], node: Node) -> Arguments:
    """The arguments by name; NULL counts as not given. Raises UnknownParameter."""
    found: dict[str, Argument] = {}
    for position, wrapped in enumerate(node.args):
        name, value = (names[position] if position < len(names) else ""), wrapped
        location = script.span(node.location, len(function))
        if wrapped.WhichOneof("node") == "named_arg_expr":
            name, value = wrapped.named_arg_expr.name, wrapped.named_arg_expr.arg
            location = script.span(wrapped.named_arg_expr.location, len(name))
        if name not in names:
            raise WrongCall(_signature(function, node), location)
        argument = constant(script, value, location)
        if argument is None:
            raise UnknownParameter.not_constant(function, name, location)
        if argument.value is not None:
            found[name] = argument
    return found


def said_null(names: list[str], node: Node) -> set[str]:
    """The arguments that are NULL by name, which is not the same as not given to every function."""
    found = set()
    for position, wrapped in enumerate(node.args):
        name, value = (names[position] if position < len(names) else ""), wrapped
        if wrapped.WhichOneof("node") == "named_arg_expr":
            name, value = wrapped.named_arg_expr.name, wrapped.named_arg_expr.arg
        while value.WhichOneof("node") == "type_cast":
            value = value.type_cast.arg
        if value.WhichOneof("node") == "a_const" and value.a_const.isnull:
            found.add(name)
    return found


def _signature(function: str, node: Node) -> str:
    """The call as PostgreSQL prints one that it finds no function for."""
    types = []
    for wrapped in node.args:
        named = wrapped.WhichOneof("node") == "named_arg_expr"
        value = wrapped.named_arg_expr.arg if named else wrapped
        prefix = f"{wrapped.named_arg_expr.name} => " if named else ""
        types.append(prefix + _type_of(value))
    return f"{function}({', '.join(types)})"


def _type_of(node: Node) -> str:
    kind = node.WhichOneof("node")
    if kind == "type_cast":
        return ".".join(
            name.string.sval
            for name in node.type_cast.type_name.names
            if name.string.sval != "pg_catalog"
        )
    if kind == "a_array_expr":
        return "text[]"
    if kind != "a_const" or node.a_const.isnull:
        return "unknown"
    types = {"ival": "integer", "fval": "numeric", "boolval": "boolean"}
    return types.get(node.a_const.WhichOneof("val"), "unknown")


def constant(script: Script, node: Node, span: Span) -> Argument | None:
    """A constant, also behind a cast such as 'public.t1'::regclass, or an array of them."""
    kind = node.WhichOneof("node")
    if kind == "type_cast":
        return constant(script, node.type_cast.arg, span)
    if kind == "a_array_expr":
        items = [constant(script, item, span) for item in node.a_array_expr.elements]
        if any(item is None for item in items):
            return None
        return Argument([str(item.value) for item in items if item], span)
    if kind != "a_const":
        return None
    written = node.a_const
    if written.isnull:
        return Argument(None, span)
    value = written.WhichOneof("val")
    if value == "sval":
        text = literal(script.text, written)
        return Argument(text.text, text.span(), text)
    if value == "boolval":
        return Argument(bool(written.boolval.boolval), span)
    return Argument(str(written.ival.ival if value == "ival" else written.fval.fval), span)
