"""A call of pglogical's or bdr's functions, and what its constant arguments mean.

Example
    `pglogical.replication_set_add_table('emea', 't1', row_filter := $FILTER$ id > 0 $FILTER$)`
    gives set_name, relation and row_filter, each with its place.

pglogical, bdr
    boolin() and array_in() read these texts
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_text import literal
from filtersql.errors.altering import NOT_CONSTANT
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.replication_sets import GROUP_DEFAULT_SET
from filtersql.grammar import Node
from filtersql.source import Passage, Span

__all__ = ["Call", "call_of", "constant"]


_NAME = r'(?:"([^"\\]+)"|([^{},"\\\s]+))'
_ELEMENT = re.compile(_NAME, re.ASCII)
_ARRAY = re.compile(rf"\s*\{{\s*(?:{_NAME}\s*(?:,\s*{_NAME}\s*)*)?\}}\s*", re.ASCII)
#: parameters that are no text: what is said for one is read as its type reads it
_FLAGS = frozenset(
    "synchronize_data synchronize_structure force_text_transfer ifexists join_node_group"
    " replicate_insert replicate_update replicate_delete replicate_truncate"
    " autoadd_tables autoadd_sequences autoadd_existing".split()
)
_LISTS = frozenset({"columns", "schema_names", "replication_sets", "forward_origins", "set_names"})
_BOOLEANS = dict.fromkeys(("t", "true", "yes", "on", "1"), True)
_BOOLEANS |= dict.fromkeys(("f", "false", "no", "off", "0"), False)
#: of pglogical's functions those that are not STRICT
_CALLED_ON_NULL = ("pglogical.alter_replication_set", "pglogical.replication_set_add_table")
_NEVER_NULL = "synchronize_data"


class Argument(Struct, frozen=True):
    """A constant argument: its value, and its text with places when it is a literal."""

    value: object
    span: Span
    text: Passage | None = None


class Call(Struct, frozen=True):
    """A function with its arguments by name; NULL counts as not given."""

    script: Script
    function: str
    span: Span
    arguments: Mapping[str, Argument]

    @property
    def takes_keyless(self) -> bool:
        """Whether a set takes tables without a key: BDR blocks their updates and deletes."""
        return self.function.startswith("bdr.")

    def place(self, name: str) -> Span:
        """Where an argument is said; the call itself where it is not."""
        return self.arguments[name].span if name in self.arguments else self.span

    def text(self, name: str) -> str:
        """A text that is said; bdr's group stands for a set that is not named."""
        if name in self.arguments:
            return str(self.arguments[name].value)
        if self.script.drafts.group is None:
            raise GROUP_DEFAULT_SET(self.span)
        return self.script.drafts.group

    def passage(self, name: str) -> Passage:
        """A text that is said, with its places."""
        text = self.arguments[name].text
        if text is None:
            raise NOT_CONSTANT(self.place(name), function=self.function, name=name)
        return text

    def flag(self, name: str) -> bool | None:
        """true, false, or None where nothing is said."""
        return bool(self.arguments[name].value) if name in self.arguments else None

    def listed(self, name: str) -> list[str] | None:
        """The names of a text[], or None where nothing is said."""
        names = self.arguments[name].value if name in self.arguments else None
        assert names is None or isinstance(names, list)
        return names


def call_of(script: Script, function: str, parameters: str, node: Node) -> Call:
    """A call of a function whose `parameters` are `needed | optional`.

    Raises for an argument that no such function takes, for one that is no constant, and for NULL
    where the function is STRICT or asks for a value.
    """
    needed, optional = (part.split() for part in f"{parameters}|".split("|")[:2])
    names, arguments = [*needed, *optional], dict[str, Argument]()
    nullable = {*optional} - {_NEVER_NULL}
    if function.startswith("pglogical.") and function not in _CALLED_ON_NULL:
        nullable = set()
    whole = script.span(node.location, len(function))
    for name, value, span in _given(script, function, names, node):
        if name not in names or name in arguments:
            raise _unfit(function, names, span)
        argument = constant(script, value, span)
        if argument is None:
            raise NOT_CONSTANT(span, function=function, name=name)
        if argument.value is None and name not in nullable:
            raise UnsupportedStatement(f"NULL as {name} of {function}()", span)
        arguments[name] = argument if argument.value is None else _read(function, name, argument)
    if any(name not in arguments for name in needed):
        raise _unfit(function, names, whole)
    said = {name: argument for name, argument in arguments.items() if argument.value is not None}
    return Call(script, function, whole, said)


def _unfit(function: str, names: list[str], span: Span) -> UnsupportedStatement:
    hint = f"Its parameters are {', '.join(names)}."
    return UnsupportedStatement(f"a call of {function}() with such arguments", span, hint)


def _given(
    script: Script, function: str, names: list[str], node: Node
) -> Iterator[tuple[str, Node, Span]]:
    """The name, value and place of each argument."""
    span, by_name = script.span(node.location, len(function)), False
    for position, wrapped in enumerate(node.args):
        if wrapped.WhichOneof("node") == "named_arg_expr":
            by_name, named = True, wrapped.named_arg_expr
            yield named.name, named.arg, script.span(named.location, len(named.name))
        elif by_name or position >= len(names):
            raise _unfit(function, names, span)
        else:
            yield names[position], wrapped, span


def _read(function: str, name: str, argument: Argument) -> Argument:
    """A literal as the parameter's type reads it; other constants are of that type."""
    flag, listed = isinstance(argument.value, bool), isinstance(argument.value, list)
    if (flag and name in _FLAGS) or (listed and name in _LISTS):
        return argument
    if argument.text is None:
        raise UnsupportedStatement(f"such a constant as {name} of {function}()", argument.span)
    text = argument.text.text
    if name in _FLAGS:
        if text.strip().lower() not in _BOOLEANS:
            raise UnsupportedStatement(f'boolean "{text}"', argument.span)
        return replace(argument, value=_BOOLEANS[text.strip().lower()])
    return replace(argument, value=_names(text, argument.span)) if name in _LISTS else argument


def _names(text: str, span: Span) -> list[str]:
    """The names of an array like `{a,"b c"}`; array_in() reads others, too."""
    elements = _ELEMENT.findall(text.strip()[1:-1]) if _ARRAY.fullmatch(text) else None
    if elements is None or any(bare.upper() == "NULL" for _, bare in elements):
        hint = "Names are read from arrays like {a,b}."
        raise UnsupportedStatement(f'array "{text}"', span, hint)
    return [quoted or bare for quoted, bare in elements]


def constant(script: Script, node: Node, span: Span) -> Argument | None:
    """A constant, also behind a cast such as 'public.t1'::regclass, or an array of them."""
    kind = node.WhichOneof("node")
    if kind == "type_cast":
        return constant(script, node.type_cast.arg, span)
    if kind == "a_array_expr":
        items = [constant(script, item, span) for item in node.a_array_expr.elements]
        if any(item is not None and item.value is None for item in items):
            raise UnsupportedStatement("NULL in an array", span)
        if any(item is None or not item.text for item in items):
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
