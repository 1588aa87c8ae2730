"""Delta: how a table is made, and how a position is committed with its data.

Example
    spark.databricks.delta.write.txnAppId / txnVersion     a MERGE that was committed is skipped
    spark.databricks.delta.commitInfo.userMetadata         the mark, read by DESCRIBE HISTORY

Delta
    MergeIntoCommand asks hasBeenExecuted() first: with the same application and an equal or higher
    version the statement is skipped and its result is empty. The settings would silence any later
    statement of the session too, so they never outlive their statement.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from sqlglot import exp

from filtersql.rendering.sql_fragments import quoted
from filtersql.targets.marks import Mark, Slot, Written, read_mark
from filtersql.targets.table_statements import describe_table, replace_table, stored, table_name

__all__ = [
    "ALL_SETTINGS",
    "MAINTENANCE",
    "MARK_SETTINGS",
    "SIZE",
    "create_statement",
    "detail",
    "filler",
    "filling",
    "history",
    "joining",
    "mark_of",
    "marking",
    "written",
    "written_by",
]

_APPLICATION = "spark.databricks.delta.write.txnAppId"
_VERSION = "spark.databricks.delta.write.txnVersion"
_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
_SKIPPING = "spark.databricks.delta.skipRecordingEmptyCommits"
MARK_SETTINGS = (_APPLICATION, _VERSION, _METADATA)
#: what a session of filtersql's own has to forget behind a statement
ALL_SETTINGS = (*MARK_SETTINGS, _SKIPPING)
#: characters that Parquet's column names take only with Delta's column mapping
_NEEDS_MAPPING = re.compile(r"[ ,;{}()\n\t=]")
_NAME = r"`((?:[^`]|``)+)`"
_COMMITS_READ = 50
#: commits that leave the rows as they are
MAINTENANCE = frozenset({"OPTIMIZE", "VACUUM START", "VACUUM END", "SET TBLPROPERTIES"})
#: of what `detail` gives: the bytes of a table
SIZE = "sizeInBytes"


def marking(mark: Mark, *, initial: bool, commit: str | None = None) -> dict[str, str]:
    """The settings around the statement that commits a mark; `commit` is a name of this commit."""
    text = mark.text if commit is None else json.dumps({**json.loads(mark.text), "commit": commit})
    # A copy of no rows has its mark too: without one it would look interrupted.
    settings = {_METADATA: text, _SKIPPING: "false"} if initial else {_METADATA: text}
    application = f"filtersql/{mark.subscription}/{mark.relation}/{mark.generation}"
    if mark.change is not None:
        # Its position is that of the commit before it, which Delta would take for this one.
        application = f"filtersql/{mark.subscription}/{mark.relation}/change"
        settings |= {_APPLICATION: application, _VERSION: str(mark.change)}
    elif not initial and mark.clock is not None:
        # Time may pass where no change comes: at each clock positions count anew.
        version = 0 if mark.position is None else mark.position + 1
        settings |= {_APPLICATION: f"{application}@{mark.clock}", _VERSION: str(version)}
    elif not initial and mark.position is not None:
        settings |= {_APPLICATION: application, _VERSION: str(mark.position)}
    return settings


def filling(slot: Slot, commit: str | None = None) -> dict[str, str]:
    """The settings around rows of the ledger: a slot that is filled takes no more.

    Rows are numbered behind all that were read, so a run that read too little comes with the
    number of rows that are there, or a lower one. `commit` is a name of this commit.
    """
    settings = {_APPLICATION: filler(slot), _VERSION: str(slot.ordinal)}
    return settings if commit is None else settings | {_METADATA: commit}


def filler(slot: Slot) -> str:
    """The application of a subscription's rows in the ledger, whose versions are their numbers."""
    return f"filtersql/ledger/{slot.subscription}"


def written(rows: Sequence[Mapping[str, object]]) -> Written | None:
    """What the statement's result says; no row at all: it was committed before."""
    if not rows:
        return None
    row = rows[0]

    def count(kind: str) -> int:
        return int(str(row.get(f"num_{kind}_rows") or 0))

    return Written(count("inserted"), count("updated"), count("deleted"))


def written_by(commit: str, rows: Sequence[Mapping[str, object]]) -> Written | None:
    """What the history says of a named commit; None: it was not made, for it had been before."""
    name = f'"commit": "{commit}"'
    row = next((row for row in rows if name in str(row.get("userMetadata"))), None)
    if row is None:
        return None
    metrics = row.get("operationMetrics")
    counts = json.loads(metrics) if isinstance(metrics, str) else metrics
    assert isinstance(counts, Mapping)

    def count(kind: str) -> int:
        return int(str(counts.get(f"numTargetRows{kind}") or 0))

    if row.get("operation") != "MERGE":
        return Written(inserted=int(str(counts.get("numOutputRows") or 0)))
    return Written(count("Inserted"), count("Updated"), count("Deleted"))


def history(table_sql: str) -> str:
    """The statement that reads the newest commits."""
    return describe_table(table_sql, "HISTORY") + f" LIMIT {_COMMITS_READ}"


def detail(table_sql: str) -> str:
    """The statement that tells a table's size."""
    return describe_table(table_sql, "DETAIL")


def joining(catalog: str | None, parts: Sequence[str]) -> str:
    """The statement that writes a table's small files as few. It is a commit that has no mark."""
    return f"OPTIMIZE {table_name(catalog, parts)}"


def mark_of(rows: Sequence[Mapping[str, object]]) -> Mark | None:
    """The newest mark among commits, which come newest first."""
    marks = (read_mark(row.get("userMetadata")) for row in rows)
    return next((mark for mark in marks if mark is not None), None)


def named_folder(table_sql: str, location: str) -> str:
    """A folder that holds a table of Delta's becomes known by a name."""
    return exp.Create(
        this=exp.to_table(table_sql, dialect="spark"),
        kind="TABLE",
        exists=True,
        properties=stored("delta", location),
    ).sql("spark")


def create_statement(
    table_sql: str,
    definitions: str,
    config: Mapping[str, object],
    location: str | None,
    *,
    query: str | None = None,
) -> str:
    """CREATE OR REPLACE TABLE; `query`: with its rows and columns."""
    properties = {str(k): str(v) for k, v in _mapping(config.get("table_properties")).items()}
    if _NEEDS_MAPPING.search("".join(re.findall(_NAME, definitions))):
        properties.setdefault("delta.columnMapping.mode", "name")
    if "TIMESTAMP_NTZ" in re.sub(_NAME, "", definitions):
        # Of a table that is replaced, and had none, Delta asks for it.
        properties.setdefault("delta.feature.timestampNtz", "supported")
    parts = [replace_table(table_sql, None if query else definitions, "spark"), "USING delta"]
    if clustered := _names(config.get("cluster_by")):
        parts.append(f"CLUSTER BY ({', '.join(quoted(name, 'spark') for name in clustered)})")
    if location is not None:
        parts.append(f"LOCATION {_text(location)}")
    if properties:
        pairs = (f"{_text(name)} = {_text(value)}" for name, value in properties.items())
        parts.append(f"TBLPROPERTIES ({', '.join(pairs)})")
    if query is not None:
        parts.append(f"AS\n{query}")
    return "\n".join(parts)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _names(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _text(value: str) -> str:
    return exp.Literal.string(value).sql("spark")
