r"""Code that a file runs and nobody reads: DO, functions that are called, event triggers, \gexec.

Example
    `DO $$ BEGIN ALTER PUBLICATION p ADD TABLE t; END $$` is refused: what it says would be missing.
    So is an event trigger that adds tables to a set, where a later statement makes a table.
    A block that changes no definition, and a function that is only defined, are skipped.

PostgreSQL
    functioncmds.c: ExecuteDoStmt(), ExecuteCallStmt(); event_trigger.c: EventTriggerDDLCommandEnd()
"""

from __future__ import annotations

import re

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.session_code import setting_changed
from filtersql.definitions.sql_names import Script, place_of
from filtersql.definitions.sql_text import psql_commands
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Statement, below, enum_name
from filtersql.source import Passage

__all__ = [
    "check_block",
    "check_calls",
    "check_events",
    "check_psql",
    "create_event_trigger",
]

#: what changes a definition that filtersql reads; a temporary table of the block is none
_CHANGES = re.compile(
    r"\b(?:create|alter|drop)\s+(?:or\s+replace\s+|if\s+(?:not\s+)?exists\s+|unlogged\s+|foreign\s+"
    r"|materialized\s+|recursive\s+|unique\s+)*"
    r"(?:table|view|publication|subscription|schema|type|domain|index|sequence)s?\b"
    r"|\b(?:pglogical|bdr)\s*\.\s*\w+",
    re.IGNORECASE,
)
_PSQL = re.compile(r"\\(gexec|i|ir|include|include_relative|if|elif)(?![a-z_])")
_HINT = "Write the statements that it carries out into the file."
_FILES_HINT = "All files of the folders are read, in the order of their names."
_EVENTS_HINT = (
    "A set takes later tables with autoadd_tables, a publication with FOR TABLES IN SCHEMA; or"
    " write the statements that it carries out into the file."
)
#: statements that fire no event trigger
_SILENT = (
    *("select_stmt", "variable_set_stmt", "transaction_stmt", "do_stmt", "call_stmt"),
    "create_event_trig_stmt",
)


def check_psql(text: Passage, drafts: Drafts) -> None:
    r"""Notes psql's commands that bring statements of their own: \gexec, \i, \if."""
    for command in psql_commands(text) if _PSQL.search(text.text) else ():
        match = _PSQL.match(command.text)
        if match is None:
            continue
        hint = _HINT if match[1] in ("gexec", "if", "elif") else _FILES_HINT
        drafts.mistakes.append(
            UnsupportedStatement(f"psql's \\{match[1]}", command.span(0, match.end()), hint)
        )


def check_block(script: Script, statement: Statement) -> None:
    """DO: raises where the block changes a definition, itself or by a function."""
    for wrapped in statement.node.args:
        if wrapped.def_elem.defname == "as":
            change = _change(script, wrapped.def_elem.arg.string.sval, set())
            if change:
                place = place_of(script, statement, "")
                raise UnsupportedStatement(f"DO with {change}", place, _HINT)


def check_calls(script: Script, statement: Statement) -> None:
    """SELECT and CALL: raises where a function of the files is called that changes a definition."""
    if not script.drafts.bodies:
        return
    for node in below(statement.node, "FuncCall"):
        parts = [part.string.sval for part in node.funcname]
        change = _change_of(script, parts, set())
        if change:
            construct = f"a call of {'.'.join(parts)}(), which does {change},"
            raise UnsupportedStatement(construct, place_of(script, statement, parts[-1]), _HINT)


def create_event_trigger(script: Script, statement: Statement) -> None:
    """CREATE EVENT TRIGGER: what it does is asked when a statement may fire it."""
    node = statement.node
    function = node.funcname[-1].string.sval
    span = place_of(script, statement, node.trigname)
    script.drafts.event_triggers[node.trigname] = function, span


def check_events(script: Script, statement: Statement) -> None:
    """Notes event triggers that change a definition where a statement follows; each once."""
    triggers = script.drafts.event_triggers
    if not triggers or _is_silent(statement):
        return
    for name, (function, span) in [*triggers.items()]:
        change = _change_of(script, (function,), set())
        if change:
            del triggers[name]
            construct = f'event trigger "{name}", which does {change},'
            script.drafts.mistakes.append(UnsupportedStatement(construct, span, _EVENTS_HINT))


def _is_silent(statement: Statement) -> bool:
    dropped = enum_name(statement.node, "remove_type") if statement.kind == "drop_stmt" else ""
    return statement.kind in _SILENT or dropped == "OBJECT_EVENT_TRIGGER"


def _change_of(script: Script, parts: tuple[str, ...] | list[str], seen: set[str]) -> str | None:
    """What a function of the files changes, in its own words."""
    for (schema, name, _), body in script.drafts.bodies.items():
        if name == parts[-1] and (len(parts) == 1 or parts[-2] == schema):
            change = _change(script, body, seen | {name})
            if change:
                return change
    return None


def _change(script: Script, text: str, seen: set[str]) -> str | None:
    """What a text changes, itself or by a function of the files."""
    match = _CHANGES.search(text)
    if match:
        return " ".join(match[0].split())
    if changed := setting_changed(text):
        return changed
    for name in {name for _, name, _ in script.drafts.bodies} - seen:
        if re.search(rf"\b{re.escape(name)}\"?\s*\(", text, re.IGNORECASE):
            inner = _change_of(script, (name,), seen)
            if inner:
                return inner
    return None
