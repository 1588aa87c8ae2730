"""The definitions of all targets, as text, in a table beside the ledger, which names their hashes.

Example
    =========== ==================================================
    hash        text
    =========== ==================================================
    9f86d08…    {"actions": […], "filters": {"copy": ["(a > 5)"]}, …}
    =========== ==================================================

A text is written before the first row of the ledger that names it, and never changed: a process
that dies between the two leaves a text that nobody names. Two processes may write the same one.
"""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.rendering.definition import Definition, read_definition
from filtersql.rendering.sql_fragments import text_type
from filtersql.rendering.target_uniqueness import DEFINITIONS
from filtersql.run.ledger import Ledger
from filtersql.run.state_tables import begin_table
from filtersql.targets.model import Engine
from filtersql.targets.statements import insert_values

__all__ = ["in_force", "named_by", "store"]

_COLUMNS = ("hash", "text")


def named_by(known: Ledger) -> frozenset[str]:
    """The hashes that the ledger names: their texts are there."""
    entries = (*known.newest.values(), *known.changing.values())
    return frozenset(entry.definition for entry in entries if entry.definition)


def store(engine: Engine, schema: str, definitions: Iterable[Definition]) -> None:
    """Write texts that are not there yet; the table is made where it is missing."""
    parts = (schema, DEFINITIONS)
    rows = list({each.hash: each.text for each in definitions}.items())
    if not rows:
        return
    columns = [(name, text_type(engine.dialect)) for name in _COLUMNS]
    if engine.exists(parts) or not begin_table(engine, parts, columns, rows):
        engine.execute(insert_values(engine.table_sql(parts), _COLUMNS, rows, engine.dialect))


def in_force(engine: Engine, schema: str, hashes: Iterable[str]) -> dict[str, Definition]:
    """The definitions of some hashes; those that this version cannot read are left out."""
    wanted = {*hashes} - {""}
    rows = engine.rows_of((schema, DEFINITIONS), _COLUMNS) if wanted else None
    found = {
        str(hashed): read_definition(str(text)) for hashed, text in rows or () if hashed in wanted
    }
    return {hashed: each for hashed, each in found.items() if each is not None}
