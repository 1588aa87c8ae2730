"""A lakehouse table of somebody else: its name in a statement, and how its rows are taken anew.

Example
    lake_table(["lake", "db", "t", "refs"])      `lake`.`db`.`t`.`refs`
    rows_anew(["lake", "db", "t"], 3)            … source: {table: lake.db.t, seq: 6442450944} …
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

__all__ = ["NUMBER_BITS", "Query", "copy_on_write", "lake_table", "rows_anew"]

Query = Callable[[str], Sequence[Sequence[object]]]

#: changes of one commit; tables are numbered by their commits
NUMBER_BITS = 31

_WRITES = ("delete", "update", "merge")


def lake_table(parts: Sequence[str]) -> exp.Table:
    """A table, or a metadata table of one."""
    names = zip(("this", "db", "catalog"), reversed(parts[-3:]), strict=False)
    table = exp.Table(**{key: exp.to_identifier(part, quoted=True) for key, part in names})
    if len(parts) > 3:  # catalog.db.table.metadata_table
        last = [exp.to_identifier(part, quoted=True) for part in parts]
        return exp.Table(this=exp.Dot.build(last))
    return table


def rows_anew(parts: Sequence[str], newest: int | None) -> str:
    """The hint that takes the table itself as the source, as it is at its newest commit."""
    if newest is None:
        return "Run with --full-refresh."
    source = f"source: {{table: {'.'.join(parts)}, seq: {newest << NUMBER_BITS}}}"
    return f"Copy the table as it is now: {source}, and run with --full-refresh."


def copy_on_write(parts: Sequence[str]) -> str:
    """The hint that makes an Iceberg table one of which the changelog tells."""
    modes = ", ".join(f"'write.{each}.mode'='copy-on-write'" for each in _WRITES)
    inside = ".".join(parts[1:])
    return (
        f"Alter it, and rewrite what has delete files: ALTER TABLE {'.'.join(parts)} SET "
        f"TBLPROPERTIES ({modes}); CALL {parts[0]}.system.rewrite_data_files(table => '{inside}', "
        "options => map('rewrite-all','true','remove-dangling-deletes','true')). "
        "The next run says how to take its rows."
    )
