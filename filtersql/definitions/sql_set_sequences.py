"""Calls of pglogical's functions for sequences: they are judged, and change nothing of a target.

Example
    `SELECT pglogical.replication_set_add_sequence('default', 't')` of a table is refused; of a
    sequence it is noted, so that a second call of it is refused, and so is DROP SEQUENCE.

pglogical
    pglogical_functions.c: pglogical_replication_set_add_sequence(); pglogical_repset.c:
    replication_set_add_seq(), replication_set_remove_seq(); all of these are STRICT
"""

from __future__ import annotations

from filtersql.definitions.kinds import kind_of
from filtersql.definitions.predefined_sets import find_set
from filtersql.definitions.sql_arguments import Arguments
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_set_arguments import listed, named, relation_named, set_place
from filtersql.errors import Notice
from filtersql.errors.altering import UnknownSchema
from filtersql.errors.definitions import NotMember, Unknown
from filtersql.errors.replication_sets import NO_SEQUENCE, SEQUENCE_IN_NO_SET, SEQUENCE_IN_SET
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["SEQUENCES", "change_sequences", "tell_ignored"]

#: function -> its parameters in order, those that must be said before `|`
SEQUENCES = {
    "pglogical.replication_set_add_sequence": "set_name relation | synchronize_data",
    "pglogical.replication_set_remove_sequence": "set_name relation",
    "pglogical.replication_set_add_all_sequences": "set_name schema_names | synchronize_data",
    "pglogical.synchronize_sequence": "relation",
}


def change_sequences(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """replication_set_add_sequence() and its like; that they change nothing is told."""
    members, what = script.drafts.sequence_members, function.partition(".")[2]
    if what == "replication_set_add_all_sequences":
        _add_all(script, function, arguments, span)
    else:
        sequence = _sequence(script, function, arguments, span)
        if sequence is None:
            tell_ignored(script, function, span)
            return
        held, place = members.setdefault(sequence, set()), arguments["relation"].span
        if what == "synchronize_sequence":
            if not held:
                raise SEQUENCE_IN_NO_SET(place, name=sequence.name)
        else:
            name = named(script, function, "set_name", arguments, span)
            find_set(script, name, set_place(arguments, span))
            if what == "replication_set_add_sequence":
                if name in held:
                    raise SEQUENCE_IN_SET(place, sequence=sequence.name, replication_set=name)
                held.add(name)
            elif name not in held:
                raise NotMember(sequence.name, "replication set", place)
            else:
                held.remove(name)
    tell_ignored(script, function, span)


def tell_ignored(script: Script, function: str, span: Span) -> None:
    """A call that is right, and of no concern."""
    message = f"{function}() is ignored: sequences are not replicated"
    script.drafts.notices.append(Notice("sequences", message, span))


def _sequence(
    script: Script, function: str, arguments: Arguments, span: Span
) -> RelationName | None:
    """The sequence; one that nothing makes is taken beside tables of YAML, which makes none."""
    try:
        found = relation_named(script, function, arguments, span)
    except (Unknown, UnknownSchema):
        if all(table.all_named for table in script.drafts.tables.values()):
            raise
        return None
    kind = kind_of(script.drafts, found)
    if kind not in ("sequences", "temporary sequences"):
        raise NO_SEQUENCE(arguments["relation"].span, name=found.name)
    return found


def _add_all(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    drafts, name = script.drafts, named(script, function, "set_name", arguments, span)
    find_set(script, name, set_place(arguments, span))
    schemas = listed(arguments, "schema_names") or []
    for schema in schemas:
        if not drafts.has_schema(schema) and not drafts.incomplete:
            raise UnknownSchema(schema, arguments["schema_names"].span)
    for sequence, kind in drafts.others.items():
        if kind == "sequences" and sequence.schema in schemas:
            drafts.sequence_members.setdefault(sequence, set()).add(name)
