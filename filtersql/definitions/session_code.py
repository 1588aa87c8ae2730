"""What changes a session or a system table where no statement of its own says so.

Example
    `DO $$ BEGIN SET datestyle = 'ISO, DMY'; END $$`, a function that is called and does
    set_config(), `INSERT … SELECT set_config(…)` and `UPDATE pg_settings …` are refused: what they
    say would be missing. So is `DELETE FROM pg_publication_rel`.

PostgreSQL
    guc_funcs.c: set_config_by_name(); system_views.sql: the rule pg_settings_u
"""

from __future__ import annotations

import re

from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_settings import FOLLOWED
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, below

__all__ = ["check_writes", "sets", "setting_changed", "writes_of_concern"]

_NAMES = "|".join([*sorted(FOLLOWED), r"time\s+zone", r"session\s+authorization"])
_SET = re.compile(
    r"(?:^|;|'|\bbegin|\bthen|\belse|\bloop)\s*"
    rf"(set\s+(?:session\s+|local\s+)?\"?(?:{_NAMES}))\b",
    re.IGNORECASE,
)
_CONFIG = re.compile(r"\bset_config\s*\((?:\s*''?(?P<name>[\w.]+)''?\s*,)?", re.IGNORECASE)
_UPDATED = re.compile(r"\bupdate\s+(?:pg_catalog\s*\.\s*)?pg_settings\b", re.IGNORECASE)
#: system tables that say what is published, and of what columns, types and names
_TABLES = re.compile(
    r"pg_(settings|publication(_rel|_namespace)?|subscription(_rel)?|class|attribute|attrdef|type"
    r"|enum|range|proc|operator|cast|collation|namespace|index|constraint|inherits"
    r"|partitioned_table|db_role_setting|event_trigger)"
)
_MENTIONED = re.compile(
    rf"\b(?:{_TABLES.pattern}|set_config)\b|\b(?:pglogical|bdr)\"?\s*\.", re.IGNORECASE
)
_WRITES = {
    "InsertStmt": "INSERT",
    "UpdateStmt": "UPDATE",
    "DeleteStmt": "DELETE",
    "MergeStmt": "MERGE",
}
_HINT = "Write the statements of PostgreSQL that say it."


def setting_changed(text: str) -> str | None:
    """What a text sets of what statements are read by."""
    if found := _SET.search(text):
        return " ".join(found[1].split())
    if any(sets(found["name"]) for found in _CONFIG.finditer(text)):
        return "set_config()"
    updated = _UPDATED.search(text)
    return " ".join(updated[0].split()) if updated else None


def sets(name: str | None) -> bool:
    """Whether that parameter says what a text means; one that is not known may."""
    return name is None or name.lower() in FOLLOWED


def writes_of_concern(text: str) -> bool:
    """Whether a statement must be looked at for such writes, or calls of set_config()."""
    return _MENTIONED.search(text) is not None


def check_writes(script: Script, statement: Node) -> None:
    """Raises where rows of a system table, or of pglogical's or bdr's, are written."""
    for node in below(statement, *_WRITES):
        table = node.relation
        own = table.schemaname in ("pglogical", "bdr")
        of_concern = table.schemaname in ("", "pg_catalog") and _TABLES.fullmatch(table.relname)
        if own or of_concern:
            span = script.span(table.location, len(table.relname))
            construct = f"{_WRITES[node.DESCRIPTOR.name]} of {table.relname}"
            raise UnsupportedStatement(construct, span, _HINT)
