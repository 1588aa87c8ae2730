"""Calls of pglogical's functions for sequences: they change nothing of a target, and are skipped.

pglogical
    pglogical_functions.c: pglogical_replication_set_add_sequence()
"""

from __future__ import annotations

from filtersql.definitions.sql_arguments import Arguments
from filtersql.definitions.sql_names import Script
from filtersql.errors import Notice
from filtersql.source import Span

__all__ = ["SEQUENCES", "skip_sequences"]

#: function -> its parameters in order, those that must be said before `|`
SEQUENCES = {
    "pglogical.replication_set_add_sequence": "set_name relation | synchronize_data",
    "pglogical.replication_set_remove_sequence": "set_name relation",
    "pglogical.replication_set_add_all_sequences": "set_name schema_names | synchronize_data",
    "pglogical.synchronize_sequence": "relation",
}


def skip_sequences(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """A call that is of no concern; that it changes nothing is told."""
    script.drafts.sequences_in_sets = True
    message = f"{function}() is ignored: sequences are not replicated"
    script.drafts.notices.append(Notice("sequences", message, span))
