"""The part of an engine's error that a person needs.

Example
    >>> reason_of("[USER_RAISED_EXCEPTION] filtersql: public.t: x SQLSTATE: P0001\\n== SQL ==\\n…")
    'public.t: x'
    >>> reason_of("org.apache.hive.service.cli.HiveSQLException: Error running query: [CAST] "
    ...           "org.apache.spark.SparkException: [CAST] no number\\n\\tat org.apache.X(X.java)")
    '[CAST] no number'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.targets import (
    CatalogFailed,
    CatalogMissing,
    EngineRefused,
    FormatMissing,
    NameRefused,
    TableChanged,
)

__all__ = [
    "is_conflict",
    "reason_of",
    "spark_refusal",
    "unless_missing",
]

_T = TypeVar("_T")

_OURS = re.compile(r"filtersql: (.+?)(?: SQLSTATE: \w{5})?(?:[;\n]|\Z)")
#: what Delta and Iceberg say of a commit that came too late: nothing of it is in the table
_CONFLICT = re.compile(
    r"DELTA_CONCURRENT_(?:APPEND|DELETE_READ|DELETE_DELETE|TRANSACTION|WRITE)\b"
    r"|\bConcurrent(?:Append|DeleteRead|DeleteDelete|Transaction|Write)Exception\b"
    r"|org\.apache\.iceberg\.exceptions\.CommitFailedException"
    r"|Found conflicting (?:files|deletes|position deletes)|Found new conflicting delete files"
)
_NOISE = re.compile(
    r"\n*(?:JVM stacktrace:|\s+at [\w.$]+\(|== SQL|Caused by:|LINE \d+:).*", re.DOTALL
)

_MISSING = re.compile(r"\[(?:TABLE_OR_VIEW|SCHEMA|DELTA_TABLE)_NOT_FOUND\]")
#: a server that was started without the format's jar, or without its catalog or extension
_LACKING = re.compile(
    r"\[DATA_SOURCE_NOT_FOUND\]|\[DELTA_CONFIGURE_SPARK_SESSION|\[CATALOG_NOT_FOUND\]|"
    r"[Cc]annot find catalog plugin|Plugin class for catalog|"
    r"\[UNSUPPORTED_FEATURE\.TABLE_OPERATION\]"
)
#: a name's first part that Spark took for a schema, or said to be no catalog
_NO_CATALOG = re.compile(
    r"\[REQUIRES_SINGLE_PART_NAMESPACE\].* but got `((?:[^`]|``)+)`\."
    r"|\[CATALOG_NOT_FOUND\] The catalog `((?:[^`]|``)+)`"
)
_NO_NAME = re.compile(r"\[INVALID_SCHEMA_OR_RELATION_NAME\]")
#: Spark's own errors have a class; without one they are of a catalog, a disk or Java
_CLASS = re.compile(r"\[[A-Z_][A-Z0-9_.]+\]")
_NO_JAVA_CLASS = re.compile(
    r"java\.lang\.(?:NoClassDefFoundError|ClassNotFoundException): "
    r"(?:Could not initialize class )?([\w./$]+)"
)
_CALLED = re.compile(r"\AAn error occurred while calling [\w.$:]+\n: ")
_WRAPPED = re.compile(
    r"\A(?:[\w.$]+(?:Exception|Error): )?(?:Error running query: )?(?:\[[\w.]+\] )?"
    r"(?:[\w.$]+(?:Exception|Error): )(?=\S)"
)


def reason_of(text: str) -> str:
    """The engine's words without stack traces and statement texts; filtersql's own guard alone."""
    if ours := _OURS.search(text):
        return ours[1]
    text = _CALLED.sub("", text)
    return _NOISE.sub("", _WRAPPED.sub("", text)).strip() or text.strip()


def unless_missing(question: Callable[[], _T], otherwise: _T) -> _T:
    """The answer of a question about a table; else where Spark says that there is none."""
    try:
        return question()
    except Mistakes as refused:
        if _MISSING.search(refused.mistakes[0].message):
            return otherwise
        raise


def is_conflict(refused: Mistakes) -> bool:
    """Whether all that went wrong is that another commit came first."""
    return all(_CONFLICT.search(f"{one.message}\n{one.detail}") for one in refused.mistakes)


def spark_refusal(text: str) -> Mistake:
    """Spark's words as a mistake."""
    reason = reason_of(text)
    if _OURS.search(text):
        return EngineRefused("Spark", reason)
    if found := _NO_CATALOG.search(reason):
        return CatalogMissing((found[1] or found[2]).replace("``", "`"), reason.splitlines()[0])
    if _LACKING.search(reason):
        return FormatMissing(reason.splitlines()[0])
    if _CONFLICT.search(reason):
        return TableChanged(reason.splitlines()[0])
    if _NO_NAME.search(reason):
        return NameRefused(reason.splitlines()[0])
    if _CLASS.search(text):
        return EngineRefused("Spark", reason)
    if found := _NO_JAVA_CLASS.search(text):
        return CatalogFailed(f"the Java class {found[1].replace('/', '.')} is missing")
    return CatalogFailed(reason)
