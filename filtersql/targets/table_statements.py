"""Statements about tables and schemas, as syntax trees: made, removed and described.

Example
    >>> drop_table('`s`.`t`', 'spark')
    'DROP TABLE IF EXISTS `s`.`t`'
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.targets import NameRefused
from filtersql.rendering.sql_fragments import as_written, quoted
from filtersql.storage import Engine
from filtersql.targets.statements import drop, insert_rows, select_all, table, temporary

__all__ = [
    "create_of",
    "create_schema",
    "describe_table",
    "describe_tables",
    "described",
    "drop_table",
    "is_merge",
    "move_schema",
    "refill",
    "replace_table",
    "show_tables",
    "stored",
    "table_name",
]


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


def create_schema(schema_sql: str, engine: Engine, location: str | None = None) -> str:
    """CREATE SCHEMA IF NOT EXISTS of a schema whose name is quoted."""
    schema, place = table(schema_sql, engine), stored(None, location)
    return exp.Create(this=schema, kind="SCHEMA", exists=True, properties=place).sql(engine)


def move_schema(schema_sql: str, location: str) -> str:
    """ALTER SCHEMA … SET LOCATION of a schema whose name is quoted; its tables stay."""
    moved = exp.AlterSet(location=exp.convert(location))
    schema = table(schema_sql, "spark")
    return exp.Alter(this=schema, kind="SCHEMA", actions=[moved]).sql("spark")


def replace_table(table_sql: str, definitions: str | None, engine: Engine) -> str:
    """CREATE OR REPLACE TABLE, of columns whose definitions were printed before."""
    made: exp.Expr = table(table_sql, engine)
    if definitions is not None:
        made = exp.Schema(this=made, expressions=[as_written(f"\n  {definitions}")])
    return exp.Create(this=made, kind="TABLE", replace=True).sql(engine)


def refill(
    table_sql: str, definitions: str, query: str, stage: str, engine: Engine
) -> tuple[str, str]:
    """Statements that put a table of a query's rows, which may be its own, in its place.

    They keep the rows in the stage first: a table that is replaced has none to read. The second
    text is theirs over a stage that holds them.
    """
    kept = temporary("TABLE", stage, query, engine)
    filled = insert_rows(table_sql, select_all(stage, engine), engine)
    written = (replace_table(table_sql, definitions, engine), filled)
    every = (kept, *written, drop("TABLE", stage, engine))
    return "".join(f"{each.rstrip()};\n" for each in every), ";\n".join(written)


def create_of(
    table_sql: str,
    query: str,
    engine: Engine,
    table_format: str | None = None,
    location: str | None = None,
) -> str:
    """CREATE TABLE of a query that was printed before."""
    return exp.Create(
        this=table(table_sql, engine),
        kind="TABLE",
        properties=stored(table_format, location),
        expression=as_written(f"\n{query}"),
    ).sql(engine)


def stored(table_format: str | None, location: str | None) -> exp.Properties | None:
    """In which format, and in which folder, what is made is kept."""
    said: list[exp.Expr] = []
    if table_format is not None:
        said.append(exp.FileFormatProperty(this=exp.Var(this=table_format)))
    if location is not None:
        said.append(exp.LocationProperty(this=exp.convert(location)))
    return exp.Properties(expressions=said) if said else None


def drop_table(table_sql: str, engine: Engine) -> str:
    """DROP TABLE IF EXISTS of a table whose name is quoted."""
    return exp.Drop(tables=[table(table_sql, engine)], kind="TABLE", exists=True).sql(engine)


def describe_table(table_sql: str, style: str = "TABLE") -> str:
    """What Spark tells of a table whose name is quoted: TABLE, DETAIL or HISTORY."""
    return exp.Describe(this=table(table_sql, "spark"), style=style).sql("spark")


def show_tables(schema_sql: str) -> str:
    """The tables of a schema, on Spark: the second column is the name."""
    return exp.Command(this="SHOW TABLES IN", expression=schema_sql).sql("spark")


def describe_tables(schema_sql: str, named: str = "*") -> str:
    """The same with a text about each table: schema, name, whether it is temporary, the text."""
    like = exp.Literal.string(named).sql("spark")
    return exp.Command(this="SHOW TABLE EXTENDED IN", expression=f"{schema_sql} LIKE {like}").sql(
        "spark"
    )


def is_merge(statement: str) -> bool:
    """Whether a statement, behind its comments, is a MERGE."""
    code = [line for line in statement.splitlines() if not line.lstrip().startswith("--")]
    return "\n".join(code).lstrip()[:5].upper() == "MERGE"
