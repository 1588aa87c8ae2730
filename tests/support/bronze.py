"""A table of messages, a row each with topic, partition and offset, as Kafka's are often kept."""

from __future__ import annotations

from collections.abc import Sequence

from running import SPAN
from sqlglot import exp

from filtersql.definitions.model import Feed
from filtersql.targets.model import Engine

__all__ = ["CREATE", "Message", "bronze_feed", "kept"]

CREATE = "CREATE TABLE {name} (topic {text}, part INT, place BIGINT, value {kind})"
#: topic, partition, offset, message
Message = tuple[str | None, int, int | None, str | None]


def bronze_feed(table: str, form: str = "debezium") -> Feed:
    """The feed that such a table is."""
    order = ("topic", "part", "place") if form == "debezium" else ("place",)
    return Feed(SPAN, form, table=table, column="value", order=order)


def kept(engine: Engine, name: str, kind: str, messages: Sequence[Message]) -> None:
    """Add messages to a table whose values have a type."""
    rows = exp.values(messages, alias="m", columns=("a", "b", "c", "d")).sql(engine.dialect)
    value = f"CAST(d AS {kind})" if kind != "BLOB" else "ENCODE(d)"
    engine.execute(f"INSERT INTO {name} SELECT a, b, c, {value} FROM {rows}")
