"""Where filtersql's own Spark keeps tables of Delta: a folder of this machine, or what a URL names.

Example
    kept_in("s3a://lake/warehouse", spark) / "shop.db" / "t1"    the folder of shop.t1

Spark
    InMemoryCatalog.dropDatabase() removes the schema's folder, also of tables that have a LOCATION
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from filtersql.names import is_url
from filtersql.targets.delta_folder import LocalFolder
from filtersql.targets.table_statements import describe_tables, drop_table, move_schema, table_name
from filtersql.targets.url_folder import UrlFolder

__all__ = ["Folder", "forget_others", "is_users", "kept_in"]

Folder = LocalFolder | UrlFolder
_MANAGED = "\nType: MANAGED\n"


def kept_in(place: str, spark: SparkSession) -> Folder:
    """The folder of a warehouse: `place` is a whole path, or a URL."""
    return UrlFolder(spark, place) if is_url(place) else LocalFolder(Path(place))


def is_users(spark: SparkSession, parts: Sequence[str]) -> bool:
    """Whether a table is the user's, who works in the same Spark: dropped, its rows were lost."""
    schema, name = parts
    schema_sql = table_name(None, (schema,))
    if not spark.catalog.databaseExists(schema_sql):
        return False
    return any(_MANAGED in said for said in _tables(spark, schema_sql, name).values())


def forget_others(spark: SparkSession, warehouse: Folder) -> None:
    """Another project of this process may have used the same names for tables elsewhere.

    A table that filtersql made has a LOCATION, so that dropping it forgets a name only. Where one
    has none, its schema is the user's, who works in the same Spark. A schema is never dropped: that
    would remove its folder, and the other project's rows.
    """
    for schema in spark.catalog.listDatabases():
        if schema.name == "default" or warehouse.contains(schema.locationUri or ""):
            continue
        schema_sql = table_name(None, (schema.name,))
        tables = _tables(spark, schema_sql)
        if any(_MANAGED in said for said in tables.values()):
            continue
        for name in tables:
            spark.sql(drop_table(table_name(None, (schema.name, name)), "spark"))
        here = warehouse / f"{schema.name}.db"
        spark.sql(move_schema(schema_sql, here.location))


def _tables(spark: SparkSession, schema_sql: str, named: str = "*") -> dict[str, str]:
    """What Spark tells of the tables of a schema, by name."""
    shown = spark.sql(describe_tables(schema_sql, named)).collect()
    return {name: said for _, name, is_temporary, said in shown if not is_temporary}
