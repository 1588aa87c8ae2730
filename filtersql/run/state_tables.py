"""A table of the state is made with its first rows, by whoever comes first: `begin_table`.

Example
    begin_table(engine, ("filtersql", "definitions"), [("hash", "STRING"), …], rows)

    ============================= =========================================================
    the table                     then
    ============================= =========================================================
    is not there                  True: it is, with the rows, in one commit
    was made in the meantime      False: the caller knows whether its rows have to be added
    cannot be made                Mistakes
    ============================= =========================================================
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import Mistakes
from filtersql.targets.marks import Slot
from filtersql.targets.model import Engine
from filtersql.targets.statements import typed_rows

__all__ = ["begin_table"]


def begin_table(
    engine: Engine,
    parts: Sequence[str],
    columns: Sequence[tuple[str, str]],
    rows: Sequence[Sequence[object]],
    slot: Slot | None = None,
) -> bool:
    """Make a table of columns (name, type) with rows that fill a slot; False: it exists."""
    try:
        engine.begin(parts, typed_rows(columns, rows, engine.dialect), slot)
    except Mistakes:
        if engine.atomic or not engine.exists(parts):
            raise
        return False
    return True
