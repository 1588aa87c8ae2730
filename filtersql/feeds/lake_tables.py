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
    named = [exp.Literal.string(f"write.{each}.mode") for each in _WRITES]
    mode = exp.Literal.string("copy-on-write")
    modes = [exp.Property(this=name, value=mode.copy()) for name in named]
    settings = exp.AlterSet(expressions=[exp.Properties(expressions=modes)])
    alter = exp.Alter(this=lake_table(parts), kind="TABLE", actions=[settings])
    inside = exp.Literal.string(".".join(parts[1:])).sql("spark")
    options = "map('rewrite-all','true','remove-dangling-deletes','true')"
    rewriting = f"{parts[0]}.system.rewrite_data_files(table => {inside}, options => {options})"
    call = exp.Command(this="CALL", expression=rewriting)
    statements = [one.sql("spark") for one in (alter, call)]
    return (
        f"Alter it, and rewrite what has delete files: {'; '.join(statements)}. "
        "The next run says how to take its rows."
    )
