"""The constant arguments of a function call in a DDL file.

Example
    `pglogical.replication_set_add_table('emea', 't1', row_filter := $FILTER$ id > 0 $FILTER$)`
    gives set_name, relation and row_filter, each with its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_text import literal
from filtersql.errors.altering import NOT_CONSTANT
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.filters import UNKNOWN_FUNCTION
from filtersql.errors.replication_sets import (
    INVALID_ARGUMENT,
    NO_ARRAY,
    POSITIONAL_BEHIND_NAMED,
)
from filtersql.grammar import Node
from filtersql.source import Passage, Span

__all__ = ["Argument", "Arguments", "arguments_of", "constant", "said_null"]


_ONE = r'(?:"([^"\\]+)"|([^{},"\\\s]+))'
_ELEMENT = re.compile(_ONE, re.ASCII)
_ARRAY = re.compile(rf"\s*\{{\s*(?:{_ONE}\s*(?:,\s*{_ONE}\s*)*)?\}}\s*", re.ASCII)
_NULL_ELEMENT = "null array element not allowed in this context"
#: parameters that are no text: what is said for one is read as its type reads it
_FLAGS = frozenset(
    "synchronize_data synchronize_structure force_text_transfer ifexists join_node_group"
    " replicate_insert replicate_update replicate_delete replicate_truncate"
    " autoadd_tables autoadd_sequences autoadd_existing".split()
)
_LISTS = frozenset({"columns", "schema_names", "replication_sets", "forward_origins", "set_names"})
#: boolin() takes what begins one of these words, and no other begins like it
_WORDS = {"true": True, "yes": True, "on": True, "1": True} | {
    "false": False, "no": False, "off": False, "0": False
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Argument:
    """A constant argument: its value, and its text with places when it is a literal."""

    value: object
    span: Span
    text: Passage | None = None


Arguments = Mapping[str, Argument]


def arguments_of(script: Script, function: str, parameters: str, node: Node) -> Arguments:
    """The arguments by name; NULL counts as not given. `parameters`: `needed | optional`."""
    needed, _, optional = parameters.partition("|")
    names = [*needed.split(), *optional.split()]
    found: dict[str, Argument] = {}
    given: set[str] = set()
    for name, value, location in _given(script, function, names, node):
        if name not in names or name in given or not _fits(name, value):
            raise UNKNOWN_FUNCTION(location, signature=_signature(function, node))
        given.add(name)
        argument = constant(script, value, location)
        if argument is None:
            raise NOT_CONSTANT(location, function=function, name=name)
        if argument.value is not None:
            found[name] = _read(name, argument)
    if not given.issuperset(needed.split()):
        place = script.span(node.location, len(function))
        raise UNKNOWN_FUNCTION(place, signature=_signature(function, node))
    return found


def said_null(parameters: str, node: Node) -> list[str]:
    """The arguments that are NULL, which is not the same as not given to every function."""
    names = parameters.replace("|", "").split()
    found = set()
    for position, wrapped in enumerate(node.args):
        name, value = names[position], wrapped
        if wrapped.WhichOneof("node") == "named_arg_expr":
            name, value = wrapped.named_arg_expr.name, wrapped.named_arg_expr.arg
        while value.WhichOneof("node") == "type_cast":
            value = value.type_cast.arg
        if value.WhichOneof("node") == "a_const" and value.a_const.isnull:
            found.add(name)
    return [name for name in names if name in found]


def _given(
    script: Script, function: str, names: list[str], node: Node
) -> Iterator[tuple[str, Node, Span]]:
    """The name, value and place of each argument."""
    by_name = False
    for position, wrapped in enumerate(node.args):
        if wrapped.WhichOneof("node") == "named_arg_expr":
            by_name, one = True, wrapped.named_arg_expr
            yield one.name, one.arg, script.span(one.location, len(one.name))
            continue
        span = script.span(node.location, len(function))
        if by_name:
            raise POSITIONAL_BEHIND_NAMED(span)
        yield (names[position] if position < len(names) else ""), wrapped, span


def _fits(name: str, node: Node) -> bool:
    """Whether PostgreSQL finds a function for it: a literal and NULL go with every type."""
    kind = node.WhichOneof("node")
    if kind == "a_array_expr":
        return name in _LISTS
    if kind != "a_const" or node.a_const.isnull:
        return True
    match node.a_const.WhichOneof("val"):
        case "boolval":
            return name in _FLAGS
        case "ival":
            return name == "relation"  # the number of a table, which nobody knows here
        case other:
            return bool(other == "sval")


def _read(name: str, argument: Argument) -> Argument:
    """A literal as the parameter's type reads it."""
    if name in _FLAGS and not isinstance(argument.value, bool):
        word = str(argument.value).strip(" \t\n\r\v\f").lower()
        meant = {_WORDS[one] for one in _WORDS if word and one.startswith(word)}
        if len(meant) != 1:
            raise INVALID_ARGUMENT(argument.span, type_name="boolean", text=str(argument.value))
        return replace(argument, value=meant.pop())
    if name in _LISTS and not isinstance(argument.value, list):
        return replace(argument, value=_names(str(argument.value), argument.span))
    return argument


def _names(text: str, span: Span) -> list[str]:
    """The names of an array like `{a,"b c"}`; array_in() reads others, too."""
    if not _ARRAY.fullmatch(text):
        hint = "Names are read from arrays like {a,b}."
        raise UnsupportedStatement(f'array "{text}"', span, hint)
    found = _ELEMENT.findall(text.strip()[1:-1])
    if any(bare.upper() == "NULL" for _, bare in found):
        raise NO_ARRAY(span, message=_NULL_ELEMENT)
    return [quoted or bare for quoted, bare in found]


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
        if any(item is None or (item.value is not None and not item.text) for item in items):
            return None
        if any(item and item.value is None for item in items):
            raise NO_ARRAY(span, message=_NULL_ELEMENT)
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
