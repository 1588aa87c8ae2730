"""The few statements that the runner itself writes, as syntax trees.

Example
    >>> print(insert_values("filtersql.ledger", ("a", "b"), [(1, "it's")], "duckdb"))
    INSERT INTO filtersql.ledger ("a", "b") VALUES (1, 'it''s')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.targets import NameRefused
from filtersql.feeds.staging import StagedColumn
from filtersql.rendering.sql_fragments import quoted
from filtersql.storage import Engine

__all__ = [
    "describe_table",
    "described",
    "drop",
    "drop_table",
    "insert_unless",
    "insert_values",
    "literal",
    "make_table",
    "positional_view",
    "quoted",
    "select_all",
    "show_tables",
    "table",
    "table_name",
    "temporary_view",
]


def table(sql: str, engine: Engine) -> exp.Table:
    """A table from its quoted name."""
    return exp.to_table(sql, dialect=engine)


def described(rows: Sequence[Sequence[object]]) -> tuple[tuple[str, str], ...]:
    """The columns and types in Spark's answer to DESCRIBE TABLE."""
    found: list[tuple[str, str]] = []
    for name, kind, *_ in rows:
        if not name or str(name).startswith("# "):
            break  # partitions and such stand behind the columns
        found.append((str(name), str(kind)))
    return tuple(found)


def table_name(catalog: str | None, parts: Sequence[str]) -> str:
    """A table's name, quoted, on Spark, in the catalog of the targets.

    Raises Mistakes for a name that is a way to another table's folder: catalogs make paths of them.
    """
    wrong = [part for part in parts if part in ("", ".", "..") or "/" in part]
    if wrong:
        raise Mistakes([NameRefused(f"{quoted(wrong[0], 'spark')} is a path")])
    return ".".join(quoted(part, "spark") for part in ([catalog] if catalog else []) + [*parts])


def make_table(
    statements: Iterable[str], execute: Callable[[str], object], is_kept: Callable[[], bool]
) -> None:
    """Carries out what makes a table.

    A statement may be refused where the table `is_kept`: another process made it in the meantime.
    """
    for statement in statements:
        try:
            execute(statement)
        except Mistakes:
            if not is_kept():
                raise


def literal(value: object) -> exp.Expr:
    """A literal of a Python value."""
    return exp.convert(value)


def insert_values(
    table_sql: str, columns: Sequence[str], rows: Sequence[Sequence[object]], engine: Engine
) -> str:
    """INSERT INTO … VALUES."""
    values = exp.Values(
        expressions=[exp.Tuple(expressions=[literal(value) for value in row]) for row in rows]
    )
    into = exp.Schema(
        this=table(table_sql, engine),
        expressions=[exp.to_identifier(column, quoted=True) for column in columns],
    )
    return exp.Insert(this=into, expression=values).sql(engine)


def drop(kind: str, name: str) -> str:
    """DROP … IF EXISTS of something temporary, on Spark."""
    return f"DROP {kind} IF EXISTS {quoted(name, 'spark')}"


def drop_table(table_sql: str, engine: Engine) -> str:
    """DROP TABLE IF EXISTS of a table whose name is quoted."""
    return exp.Drop(tables=[table(table_sql, engine)], kind="TABLE", exists=True).sql(engine)


def describe_table(table_sql: str, style: str = "TABLE") -> str:
    """What Spark tells of a table whose name is quoted: TABLE, DETAIL or HISTORY."""
    return exp.Describe(this=table(table_sql, "spark"), style=style).sql("spark")


def show_tables(schema_sql: str) -> str:
    """The tables of a schema, on Spark: the second column is the name."""
    return f"SHOW TABLES IN {schema_sql}"


def select_all(name: str) -> str:
    """Everything in something temporary."""
    return exp.select("*").from_(exp.Table(this=exp.to_identifier(name, quoted=True))).sql("spark")


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
    create = f"CREATE OR REPLACE TEMPORARY VIEW {quoted(name, 'spark')} AS\n"
    if columns is None:
        return create + query
    named = [
        exp.alias_(exp.column(f"c{index}"), column, quoted=True).sql("spark")
        for index, column in enumerate(columns)
    ]
    c0 = exp.column("c0")
    bounds: list[exp.Expr] = [] if above is None else [c0 > above]
    bounds += [] if upto is None else [c0 <= upto]
    where = f"\nWHERE {exp.and_(*bounds).sql('spark')}" if bounds else ""
    return f"{create}SELECT {', '.join(named)} FROM (\n{query}\n) AS q{where}"


def positional_view(name: str, path: Path, columns: Sequence[StagedColumn]) -> str:
    """A temporary view over a Parquet file of columns c0, c1, …, on Spark."""
    fields = ", ".join(f"c{index} {column.sql_type}" for index, column in enumerate(columns))
    options = {"path": str(path), "datetimeRebaseMode": "CORRECTED"}
    pairs = ", ".join(
        f"{literal(key).sql('spark')} {literal(value).sql('spark')}"
        for key, value in options.items()
    )
    return (
        f"CREATE TEMPORARY VIEW {quoted(name, 'spark')} ({fields})\nUSING parquet OPTIONS ({pairs})"
    )


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
    values = exp.Values(
        expressions=[exp.Tuple(expressions=[literal(value) for value in row]) for row in rows],
        alias=exp.TableAlias(this=exp.to_identifier("v"), columns=names),
    )
    never = exp.When(
        matched=True,
        condition=exp.column(names[0].copy(), "t").is_(exp.null()),
        then=exp.Delete(),
    )
    insert = exp.Insert(this=exp.Tuple(expressions=[exp.column(name.copy()) for name in names]))
    insert.set("expression", exp.Tuple(expressions=[exp.column(n.copy(), "s") for n in names]))
    merge = exp.Merge(
        this=exp.to_table(table_sql, dialect=engine, alias="t"),
        using=exp.select("*").from_(values).subquery("s"),
        on=there,
        whens=exp.Whens(expressions=[never, exp.When(matched=False, then=insert)]),
    )
    return merge.sql(engine)
