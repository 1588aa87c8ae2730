"""The few statements that the runner itself writes, as syntax trees.

A query that was printed before, by a macro, is one node of them.

Example
    >>> print(insert_values("filtersql.ledger", ("a", "b"), [(1, "it's")], "duckdb"))
    INSERT INTO filtersql.ledger ("a", "b") VALUES (1, 'it''s')
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp

from filtersql.feeds.staged_files import StagedColumn
from filtersql.rendering.sql_fragments import as_written, quoted
from filtersql.storage import Engine

__all__ = [
    "cache_table",
    "count_rows",
    "drop",
    "in_parentheses",
    "insert_rows",
    "insert_unless",
    "insert_values",
    "named_column",
    "named_rows",
    "positional_view",
    "positioned",
    "quoted",
    "rows_of",
    "same_values",
    "select_all",
    "select_columns",
    "set_to",
    "table",
    "temporary",
    "temporary_view",
    "typed_rows",
]


def table(sql: str, engine: Engine) -> exp.Table:
    """A table from its quoted name."""
    return exp.to_table(sql, dialect=engine)


def insert_values(
    table_sql: str, columns: Sequence[str], rows: Sequence[Sequence[object]], engine: Engine
) -> str:
    """INSERT INTO … VALUES."""
    into = exp.Schema(
        this=table(table_sql, engine),
        expressions=[exp.to_identifier(column, quoted=True) for column in columns],
    )
    return exp.Insert(this=into, expression=_values(rows)).sql(engine)


def typed_rows(
    columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]], engine: Engine
) -> str:
    """A query of rows, whose columns have a name and a type each, and may be NULL.

    A table that is made of it may take that from the query, whatever its first rows hold.
    """
    names = [exp.to_identifier(name, quoted=True) for name, _ in columns]
    kinds = {kind for _, kind in columns}
    types = {kind: exp.DataType.build(kind, dialect=engine) for kind in kinds}
    typed = [
        exp.Alias(
            this=exp.Nullif(
                this=exp.Cast(this=exp.Column(this=name.copy()), to=types[kind].copy()),
                expression=exp.null(),
            ),
            alias=name.copy(),
        )
        for name, (_, kind) in zip(names, columns, strict=True)
    ]
    query = exp.Select(expressions=typed).from_(_values(rows, names), copy=False)
    return query.sql(engine, copy=False)


def _values(rows: Sequence[Sequence[object]], names: Sequence[exp.Expr] = ()) -> exp.Values:
    alias = exp.TableAlias(this=exp.to_identifier("v"), columns=list(names)) if names else None
    listed = [exp.Tuple(expressions=[*map(exp.convert, row)]) for row in rows]
    return exp.Values(expressions=listed, alias=alias)


def named_rows(name: str) -> exp.Table:
    """Something temporary, from its name."""
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def named_column(name: str, table: str | None = None) -> exp.Column:
    """A column, from its name and that of its table."""
    return exp.column(name, table=table, quoted=True)


def same_values(names: Sequence[str], one: str, other: str, *, nulls: bool = False) -> exp.Expr:
    """Whether rows of two tables have the same values in some columns; `nulls`: NULL is NULL."""
    same = exp.NullSafeEQ if nulls else exp.EQ
    return exp.and_(
        *(same(this=named_column(n, one), expression=named_column(n, other)) for n in names)
    )


def in_parentheses(query: str, alias: str | None = None) -> exp.Subquery:
    """A query that was printed before, in parentheses."""
    name = exp.TableAlias(this=exp.to_identifier(alias)) if alias else None
    return exp.Subquery(this=as_written(query), alias=name)


def set_to(name: str, value: exp.Expr, engine: Engine) -> str:
    """SET of a setting."""
    set_here = exp.EQ(this=exp.to_identifier(name, quoted=True), expression=value)
    return exp.Set(expressions=[exp.SetItem(this=set_here)]).sql(engine)


def temporary(kind: str, name: str, query: str, engine: Engine) -> str:
    """CREATE OR REPLACE TEMPORARY of a VIEW or TABLE of a query that was printed before."""
    return exp.Create(
        this=named_rows(name),
        kind=kind,
        replace=True,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        expression=as_written(f"\n{query}"),
    ).sql(engine)


def insert_rows(table_sql: str, query: str, engine: Engine = "spark") -> str:
    """INSERT INTO a table of a query that was printed before."""
    rows = as_written(f"\n{query}")
    return exp.Insert(this=table(table_sql, engine), expression=rows).sql(engine)


def drop(kind: str, name: str, engine: Engine = "spark") -> str:
    """DROP … IF EXISTS of something temporary."""
    return exp.Drop(tables=[named_rows(name)], kind=kind, exists=True).sql(engine)


def count_rows(table_sql: str, engine: Engine) -> str:
    """How many rows a table has whose name is quoted."""
    return exp.select(exp.Count(this=exp.Star())).from_(table(table_sql, engine)).sql(engine)


def rows_of(table_sql: str) -> str:
    """Everything in a table whose name is quoted, on Spark."""
    return exp.select("*").from_(table(table_sql, "spark")).sql("spark")


def select_columns(table_sql: str, columns: Sequence[str], engine: Engine) -> str:
    """Some columns of a table whose name is quoted."""
    listed = (exp.column(name, quoted=True) for name in columns)
    return exp.select(*listed).from_(table(table_sql, engine)).sql(engine)


def cache_table(name: str, query: str, own: str) -> str:
    """CACHE TABLE of a query on the disks of Spark's executors.

    Spark would take an equal query's cached rows, which may be older than the target is now: the
    query has a condition that is `own` to the session.
    """
    mine = exp.convert(own)
    kept = exp.select("*").from_(in_parentheses(query)).where(mine.eq(mine.copy()))
    options = "OPTIONS ('storageLevel' 'DISK_ONLY') AS"
    cached = f"{quoted(name, 'spark')} {options}\n{kept.sql('spark')}"
    return exp.Command(this="CACHE TABLE", expression=cached).sql("spark")


def select_all(name: str, engine: Engine = "spark") -> str:
    """Everything in something temporary."""
    return exp.select("*").from_(named_rows(name)).sql(engine)


def temporary_view(
    name: str,
    query: str,
    columns: Sequence[str] | None = None,
    above: int | None = None,
    upto: int | None = None,
) -> str:
    """A temporary view of a query on Spark, whose columns c0, c1, … get names.

    Only rows whose c0 is above and up to a position are in it.
    """
    if columns is not None:
        rows = positioned(in_parentheses(query, "q"), columns, above, upto)
        query = rows.sql("spark")
    return temporary("VIEW", name, query, "spark")


def positioned(
    rows: exp.Expr, columns: Sequence[str], above: int | None, upto: int | None
) -> exp.Select:
    """Staged rows, whose columns c0, c1, … get names: those above and up to a position."""
    named = (
        exp.alias_(exp.column(f"c{index}"), column, quoted=True)
        for index, column in enumerate(columns)
    )
    query = exp.select(*named).from_(rows)
    if above is not None:
        query = query.where(exp.column("c0") > above, copy=False)
    if upto is not None:
        query = query.where(exp.column("c0") <= upto, copy=False)
    return query


def positional_view(name: str, path: Path, columns: Sequence[StagedColumn]) -> str:
    """A temporary view over a Parquet file of columns c0, c1, …, on Spark."""
    fields = ", ".join(f"c{index} {column.sql_type}" for index, column in enumerate(columns))
    options = {"path": str(path), "datetimeRebaseMode": "CORRECTED"}
    pairs = ", ".join(
        f"{exp.convert(key).sql('spark')} {exp.convert(value).sql('spark')}"
        for key, value in options.items()
    )
    view = f"{quoted(name, 'spark')} ({fields})\nUSING parquet OPTIONS ({pairs})"
    return exp.Command(this="CREATE TEMPORARY VIEW", expression=view).sql("spark")


def insert_unless(
    table_sql: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    there: exp.Expr,
    engine: Engine,
) -> str:
    """A MERGE that adds rows unless the table has one for which a condition holds.

    It reads what it depends on, so a commit that comes between makes Iceberg refuse it; an INSERT
    would be added behind the other.
    """
    names = [exp.to_identifier(column, quoted=True) for column in columns]
    never = exp.When(
        matched=True,
        condition=exp.column(names[0].copy(), "t").is_(exp.null()),
        then=exp.Delete(),
    )
    insert = exp.Insert(this=exp.Tuple(expressions=[exp.column(name.copy()) for name in names]))
    insert.set("expression", exp.Tuple(expressions=[exp.column(n.copy(), "s") for n in names]))
    merge = exp.Merge(
        this=exp.to_table(table_sql, dialect=engine, alias="t"),
        using=exp.select("*").from_(_values(rows, names)).subquery("s"),
        on=there,
        whens=exp.Whens(expressions=[never, exp.When(matched=False, then=insert)]),
    )
    return merge.sql(engine)
