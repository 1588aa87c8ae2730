"""What the arguments of replication sets' functions mean: names, flags, lists, tables.

Example
    `relation := 'public.t1'` is a table that must exist; `columns := '{id,b}'` a list of two names.

pglogical, bdr
    boolin(), array_in() and regclassin() read these texts
"""

from __future__ import annotations

from filtersql.definitions.identifiers import relation_name
from filtersql.definitions.kinds import kind_of, system_kind
from filtersql.definitions.sql_arguments import Arguments
from filtersql.definitions.sql_names import AlreadyTold, Script, unknown_table
from filtersql.errors.altering import NOT_CONSTANT
from filtersql.errors.replication_sets import GROUP_DEFAULT_SET
from filtersql.names import RelationName
from filtersql.source import Passage, Span

__all__ = ["flag", "listed", "named", "relation_named", "set_place", "trimmed"]


def named(script: Script, function: str, parameter: str, arguments: Arguments, span: Span) -> str:
    """A text that is said; bdr's group stands for a set that is not named."""
    if parameter not in arguments:
        if script.drafts.group is None:
            raise GROUP_DEFAULT_SET(span)
        return script.drafts.group
    return str(arguments[parameter].value)


def set_place(arguments: Arguments, span: Span) -> Span:
    """Where the set is named; the call itself where it is not."""
    return arguments["set_name"].span if "set_name" in arguments else span


def flag(arguments: Arguments, name: str) -> bool | None:
    """true, false, or None where nothing is said."""
    return bool(arguments[name].value) if name in arguments else None


def listed(arguments: Arguments, name: str) -> list[str] | None:
    """The names of a text[], or None where nothing is said."""
    if name not in arguments:
        return None
    names = arguments[name].value
    assert isinstance(names, list)
    return names


def relation_named(script: Script, function: str, arguments: Arguments, span: Span) -> RelationName:
    """The relation that an argument names: a regclass, looked up in search_path."""
    name = named(script, function, "relation", arguments, span)
    text = arguments["relation"].text
    if text is None:
        raise NOT_CONSTANT(arguments["relation"].span, function=function, name="relation")
    for schema in script.path or ["public"]:
        relation = relation_name(text, schema)
        if kind_of(script.drafts, relation) is not None:
            return relation
    relation = relation_name(text, next(iter(script.path), "public"))
    if relation in script.drafts.broken:
        raise AlreadyTold
    if system_kind(relation) is not None:
        return relation
    qualified = relation.schema if "." in name else ""
    raise unknown_table(script.drafts, relation, qualified, text.span())


def trimmed(text: Passage) -> Passage:
    """A literal without the blanks around it."""
    if not text.text.strip():
        return text
    start = len(text.text) - len(text.text.lstrip())
    return text.part(start, max(start, len(text.text.rstrip())))
