"""A `.sql` file: PostgreSQL's DDL, statement by statement, as a server would carry it out.

Example
    A `pg_dump --schema-only` file goes in unchanged: tables, keys added later, partitions
    attached, publications. Statements that say nothing about replication are skipped.

PostgreSQL
    tcop/utility.c: ProcessUtilitySlow()
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.databases import connections, create_database
from filtersql.definitions.error_recovery import doubt_of
from filtersql.definitions.newer_syntax import check_syntax
from filtersql.definitions.owned import alter_sequence, create_sequence
from filtersql.definitions.owners import change_owner, refuse_owned
from filtersql.definitions.session_code import writes_of_concern
from filtersql.definitions.set_calls import may_call
from filtersql.definitions.sql_alter import alter_table
from filtersql.definitions.sql_code import (
    check_block,
    check_calls,
    check_events,
    check_psql,
    create_event_trigger,
)
from filtersql.definitions.sql_names import AlreadyTold, Refused, Script
from filtersql.definitions.sql_objects import create_index, drop
from filtersql.definitions.sql_publications import alter_publication, create_publication
from filtersql.definitions.sql_rename import alter_schema, rename
from filtersql.definitions.sql_schemas import create_schema
from filtersql.definitions.sql_sets import call, check_skipped, commands
from filtersql.definitions.sql_settings import LATER, discard, set_for_later, set_variable
from filtersql.definitions.sql_subscriptions import (
    alter_subscription,
    create_subscription,
    drop_subscription,
)
from filtersql.definitions.sql_tables import create_table
from filtersql.definitions.sql_text import without_psql
from filtersql.definitions.sql_transactions import check_ended, transaction
from filtersql.definitions.sql_types import create_type
from filtersql.definitions.sql_views import PARTS, create_part, create_table_as, create_view
from filtersql.definitions.stored_code import check_code, create_function, keep_names
from filtersql.definitions.user_defined_overrides import create_cast, create_extension, rivals
from filtersql.errors import Mistake
from filtersql.errors.definitions import SyntaxMistake
from filtersql.grammar import Statement, parse_statements, parse_statements_apart
from filtersql.source import DEFAULTS, Passage

__all__ = ["read_sql"]

#: a statement knows what is made before it
_SESSION = replace(DEFAULTS, rivals=())


def read_sql(text: Passage, drafts: Drafts) -> None:
    """Carries out the statements of a file; each mistake is noted, and the next one goes on."""
    readable = replace(without_psql(text), session=_SESSION)
    script = Script(readable, drafts)
    drafts.files.append(text.source.path)
    check_psql(text, drafts)
    try:
        statements = [(readable, statement) for statement in parse_statements(readable)]
    except SyntaxMistake:
        statements, mistakes = parse_statements_apart(readable)
        drafts.mistakes += (mistake for _, mistake in mistakes)
        drafts.doubts += (doubt_of(part.text) for part, _ in mistakes)
        drafts.incomplete = True
    databases = connections(text, drafts)
    for part, statement in statements:
        databases.reach(script, part.span(statement.start, statement.end).start)
        script.text = part
        if statement.kind in _STATEMENTS and not databases.is_ours(script, statement):
            continue
        _carry_out(script, statement)
    check_ended(script)
    drafts.path = None


def _carry_out(script: Script, statement: Statement) -> None:
    carry_out = _STATEMENTS.get(statement.kind)
    if carry_out is None:
        text = script.text.text[statement.start : statement.end]
        if not may_call(text) and not writes_of_concern(text):
            return
        carry_out = check_skipped
    script.at, script.drafts.path = statement.start, tuple(script.path)
    mistakes, done = script.drafts.mistakes, False
    known = len(mistakes)
    if statement.kind in _READING and (overrides := rivals(script.drafts, script.path)):
        session = replace(script.text.session, rivals=overrides)
        script.text = replace(script.text, session=session)
    try:
        check_syntax(script, statement)
        check_events(script, statement)
        check_code(script, statement)
        carry_out(script, statement)
        if statement.kind in _CALLING:
            keep_names(script, statement)
        done = True
    except Mistake as mistake:
        mistakes.append(mistake)
    except Refused:
        return
    except AlreadyTold:
        pass
    if not done or len(mistakes) > known:
        text = script.text.text[statement.start : statement.end]
        script.drafts.doubts.append(doubt_of(text))


def _select(script: Script, statement: Statement) -> None:
    """SELECT: calls; commands that one of them carries out are statements, without a path."""
    check_calls(script, statement)
    call(script, statement)
    for text in commands(script, statement):
        inner = Script(text, script.drafts, replace(script.settings, path=()))
        for inner_statement in parse_statements(text):
            _carry_out(inner, inner_statement)


#: the statements that hold expressions with calls
_CALLING = (
    *("create_stmt", "alter_table_stmt", "index_stmt", "create_domain_stmt", "alter_domain_stmt"),
)
#: the statements that hold filters
_READING = ("create_publication_stmt", "alter_publication_stmt", "select_stmt")
_STATEMENTS: dict[str, Callable[[Script, Statement], None]] = {
    "create_stmt": create_table,
    "create_foreign_table_stmt": lambda script, statement: create_table(
        script, statement._replace(node=statement.node.base_stmt), foreign=True
    ),
    "create_table_as_stmt": create_table_as,
    "view_stmt": create_view,
    "alter_table_stmt": alter_table,
    "alter_object_schema_stmt": alter_schema,
    "rename_stmt": rename,
    "drop_stmt": drop,
    "index_stmt": create_index,
    "create_seq_stmt": create_sequence,
    "alter_seq_stmt": alter_sequence,
    "create_schema_stmt": create_schema,
    "create_domain_stmt": create_type,
    "alter_domain_stmt": lambda script, statement: None,
    "create_enum_stmt": create_type,
    "create_range_stmt": create_type,
    "composite_type_stmt": create_type,
    "define_stmt": create_type,
    "create_function_stmt": create_function,
    "create_cast_stmt": create_cast,
    "create_extension_stmt": create_extension,
    "createdb_stmt": create_database,
    "variable_set_stmt": set_variable,
    "discard_stmt": discard,
    **dict.fromkeys(LATER, set_for_later),
    "create_publication_stmt": create_publication,
    "alter_publication_stmt": alter_publication,
    "alter_owner_stmt": change_owner,
    "reassign_owned_stmt": refuse_owned,
    "drop_owned_stmt": refuse_owned,
    "create_subscription_stmt": create_subscription,
    "alter_subscription_stmt": alter_subscription,
    "drop_subscription_stmt": drop_subscription,
    "select_stmt": _select,
    "do_stmt": check_block,
    "call_stmt": check_calls,
    "create_event_trig_stmt": create_event_trigger,
    "transaction_stmt": transaction,
    **dict.fromkeys(PARTS, create_part),
}
