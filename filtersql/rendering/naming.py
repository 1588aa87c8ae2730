"""The names that a target gets: from the subscription's pattern, or the table's alias.

Example
    ========================== ============ ============== ================
    pattern                    subscription table          target
    ========================== ============ ============== ================
    {subscription}.{table}     s1           public.t1      s1.t1
    lake.{schema}_{table}      s1           public.t1      lake.public_t1
    {table}                    s1           public.t1      <profile>.t1
    ========================== ============ ============== ================
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from filtersql.errors import Mistake
from filtersql.errors.compiling import (
    BAD_TARGET_PATTERN,
    TARGET_NAME_NOT_POSSIBLE,
    UNKNOWN_PLACEHOLDER,
)
from filtersql.publications.model import ResolvedTable
from filtersql.rendering.sql_fragments import named
from filtersql.storage import Engine

__all__ = ["not_in_session_catalog", "target_name", "target_sql"]

_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_WORD = re.compile(r"\w+\Z", re.ASCII)


def target_name(resolved: ResolvedTable, default_schema: str | None) -> tuple[str, str]:
    """The target's schema and table.

    Raises where it names no table. A dot inside a placeholder's value does not split the name.
    """
    subscription = resolved.subscription
    pattern = resolved.alias or subscription.target
    parts = pattern.split(".")
    if resolved.alias and len(parts) == 1:
        parts = [*subscription.target.split(".")[:-1], *parts]
    values = {
        "subscription": subscription.name,
        "schema": resolved.table.name.schema,
        "table": resolved.table.name.name,
    }
    for unknown in _PLACEHOLDER.findall(pattern):
        if unknown not in values:
            raise UNKNOWN_PLACEHOLDER(subscription.span, pattern=pattern, unknown=unknown)
    names = [_PLACEHOLDER.sub(lambda match: values[match[1]], part) for part in parts]
    if len(names) == 1:
        names.insert(0, default_schema or "default")
    if len(names) != 2 or not all(names):
        raise BAD_TARGET_PATTERN(subscription.span, pattern=pattern)
    return names[0], names[1]


def target_sql(catalog: str | None, target: Sequence[str], engine: Engine) -> str:
    """The target's name, quoted where it has to be, with the profile's catalog where it has one."""
    parts = [catalog, *target] if catalog and engine == "spark" else list(target)
    return ".".join(named(part, engine) for part in parts)


def not_in_session_catalog(resolved: ResolvedTable, target: Sequence[str]) -> Iterator[Mistake]:
    """The parts of a name that Spark's session catalog cannot hold."""
    for part in target:
        if not _WORD.match(part):
            yield TARGET_NAME_NOT_POSSIBLE(
                resolved.subscription.span, name=part, relation=resolved.table.name
            )
