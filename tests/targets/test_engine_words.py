"""What an engine says becomes one message with a hint; each text here was heard from a server."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JError

from filtersql.errors import Mistakes
from filtersql.targets.raised import spark_refusals
from filtersql.targets.refusals import spark_refusal
from filtersql.targets.table_statements import table_name

_HIVE = "org.apache.hive.service.cli.HiveSQLException: Error running query: "
_STACK = "\n\tat org.apache.spark.sql.hive.thriftserver.X$.runningQueryError(X.scala:46)"
_ANALYSIS = "org.apache.spark.sql.AnalysisException: "
#: the words, the exit code, what is said, what the hint names
_HEARD = [
    (
        "[DATA_SOURCE_NOT_FOUND] Failed to find the data source: delta. SQLSTATE: 42K02",
        2, "Failed to find the data source: delta", "jars of Delta or Iceberg",
    ),
    (
        f"{_HIVE}[_LEGACY_ERROR_TEMP_2215] org.apache.spark.SparkException: Cannot find catalog "
        f"plugin class for catalog 'lake': org.apache.iceberg.spark.SparkCatalog.{_STACK}",
        2, "Cannot find catalog plugin class for catalog 'lake'", "jars of Delta or Iceberg",
    ),
    (
        f"{_HIVE}[REQUIRES_SINGLE_PART_NAMESPACE] {_ANALYSIS}[REQUIRES_SINGLE_PART_NAMESPACE] "
        f"spark_catalog requires a single-part namespace, but got `no``where`.`s`.{_STACK}",
        2, 'Spark has no catalog "no`where"', "catalog_config",
    ),
    (
        f"{_HIVE}java.lang.NoClassDefFoundError: com/jolbox/bonecp/BoneCPConfig{_STACK}",
        2, "the Java class com.jolbox.bonecp.BoneCPConfig is missing", "without a `type`",
    ),
    (
        "An error occurred while calling o57.sql.\n: java.lang.NoClassDefFoundError: a/b/C",
        2, "the Java class a.b.C is missing", "without a `type`",
    ),
    (
        f"{_HIVE}org.apache.iceberg.exceptions.RESTException: Error occurred while processing "
        f"GET request{_STACK}",
        2, "Error occurred while processing GET request", "can be reached",
    ),
    (
        f"{_HIVE}java.lang.UnsupportedOperationException: Unknown catalog type: nonsense{_STACK}",
        2, "Unknown catalog type: nonsense", "catalog_config",
    ),
    (
        f"{_HIVE}org.apache.iceberg.exceptions.RuntimeIOException: Failed to create file: "
        f"/x{_STACK}",
        2, "Failed to create file: /x", "written to",
    ),
    (
        f"{_HIVE}[INVALID_SCHEMA_OR_RELATION_NAME] {_ANALYSIS}[INVALID_SCHEMA_OR_RELATION_NAME] "
        f"`a/b` is not a valid name for tables/schemas. SQLSTATE: 42602{_STACK}",
        1, "Spark refused a name: [INVALID_SCHEMA_OR_RELATION_NAME] `a/b`", "letters, digits",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("words", "code", "said", "hint"), _HEARD, ids=lambda v: str(v)[:12])
def test_a_servers_words_are_one_message_with_a_hint(words, code, said, hint) -> None:
    """Without a stack trace; the exit code says whether the engine is to be mended."""
    mistake = spark_refusal(words)
    assert said in mistake.message
    assert "\n" not in mistake.message
    assert hint in str(mistake.hint)
    assert mistake.exit_code == code
    assert "\tat " not in str(mistake)


def test_what_is_wrong_in_the_data_stays_the_projects() -> None:
    """An error class of Spark's, or a guard of filtersql's, whatever text the row holds."""
    for words in (
        f"{_HIVE}[CAST_INVALID_INPUT] org.apache.spark.SparkNumberFormatException: "
        f"[CAST_INVALID_INPUT] The value 'x' cannot be cast{_STACK}",
        "[USER_RAISED_EXCEPTION] filtersql: public.t: [CATALOG_NOT_FOUND] The catalog `x`",
    ):
        assert spark_refusal(words).exit_code == 1


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../t"])
def test_a_name_that_is_a_path_is_no_table(name) -> None:
    """A Hadoop catalog would find another table's folder there."""
    for parts in ((name, "t"), ("s", name)):
        with pytest.raises(Mistakes) as found:
            table_name("lake", parts)
        assert "is a path" in found.value.mistakes[0].message


def test_pyspark_may_fail_to_word_what_spark_raised() -> None:
    """What Spark raised is told, and not what went wrong when PySpark asked for its class."""

    def collect() -> None:
        try:
            raise Py4JError("[REMAINDER_BY_ZERO] Remainder by zero. SQLSTATE: 22012\n== SQL ==\n")
        except Py4JError:
            raise TypeError("'JavaPackage' object is not callable")  # noqa: B904

    with pytest.raises(Mistakes, match="Remainder by zero"), spark_refusals():
        collect()
    with pytest.raises(TypeError), spark_refusals():
        raise TypeError("of ours")
