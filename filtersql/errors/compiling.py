"""Mistakes that only the whole pipeline sees: targets, keys, names that an engine cannot hold."""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import Mistake
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "BadTargetPattern",
    "ColumnsDifferByCase",
    "KeyOfSeveralTexts",
    "LookupNotWhole",
    "MacroFailed",
    "NoColumns",
    "NoRowKey",
    "TargetNameNotPossible",
    "TargetTaken",
]


class TargetTaken(Mistake):
    """Two tables of one or two subscriptions would land in the same target table."""

    def __init__(self, target: str, owner: str, other: str, span: Span) -> None:
        super().__init__(
            f'target table "{target}" of {other} is already the target of {owner}',
            span=span,
            detail="A target table has one writer.",
            hint="Put {schema} or {subscription} into the target pattern, or give one an alias.",
        )


class NoColumns(Mistake):
    """A table of which no column is published."""

    def __init__(self, label: str, span: Span) -> None:
        super().__init__(
            f"{label} publishes no column",
            span=span,
            detail="No target format can hold a table without columns.",
            hint="Leave the table out of the subscription's publications.",
        )


class LookupNotWhole(Mistake):
    """A filter looks up a table whose rows the subscription does not hold, or not all of them."""

    def __init__(
        self, relation: RelationName, looked_up: RelationName, reason: str, span: Span
    ) -> None:
        super().__init__(
            f'row filter for table "{relation}" looks up table "{looked_up}", '
            "whose rows the subscription does not hold",
            span=span,
            detail=reason,
            hint="Publish it to the same subscription, with a key, every action and no filter.",
        )


class BadTargetPattern(Mistake):
    """A `target:` or `alias:` that does not name a schema and a table."""

    def __init__(self, pattern: str, span: Span, *, unknown: str | None = None) -> None:
        super().__init__(
            f'invalid target pattern "{pattern}"',
            span=span,
            detail=(
                f'There is no placeholder "{{{unknown}}}".'
                if unknown
                else "A target pattern names a table, or a schema and a table."
            ),
            hint="The placeholders are {subscription}, {schema} and {table}.",
        )


class TargetNameNotPossible(Mistake):
    """Spark's session catalog takes letters, digits and underscores only."""

    def __init__(self, name: str, relation: RelationName, span: Span) -> None:
        super().__init__(
            f'Spark\'s session catalog cannot hold the target name "{name}" of table "{relation}"',
            span=span,
            detail="It takes only letters, digits and underscores as schema and table names.",
            hint='Give the published table an "alias", or change the "target" pattern.',
        )


class ColumnsDifferByCase(Mistake):
    """Two columns that Delta, Iceberg and DuckDB cannot tell apart."""

    def __init__(self, relation: RelationName, first: str, second: str, span: Span) -> None:
        super().__init__(
            f'columns "{first}" and "{second}" of table "{relation}" differ only by case',
            span=span,
            detail="No target format can hold both of them.",
            hint="Publish one of them, with a column list.",
        )


class NoRowKey(Mistake):
    """Updates or deletes are published, but no key finds the target's row."""

    def __init__(
        self, relation: RelationName, actions: Sequence[str], span: Span, *, full: bool
    ) -> None:
        lacks = "no key" if full else "no key, and no FULL identity"
        identity = "" if full else ", or replica identity FULL"
        key = "a primary key or a replica identity index"
        super().__init__(
            f'no key finds the rows of table "{relation}" in its target',
            span=span,
            detail=f"It publishes {', '.join(actions)}; it has {lacks}.",
            hint=f"Add {key if full else key.replace(' or', ',')}{identity}.",
        )


class KeyOfSeveralTexts(Mistake):
    """Rows would be found by a text, of which equal values have several."""

    def __init__(self, relation: RelationName, column: str, pg_type: str, span: Span) -> None:
        super().__init__(
            f'key column "{column}" of table "{relation}" is of type {pg_type}, '
            "whose equal values are written in several ways",
            span=span,
            detail="A target finds its rows by the text of the key.",
            hint="Choose another key, with REPLICA IDENTITY USING INDEX.",
        )


class MacroFailed(Mistake):
    """A macro of the project does not render."""

    def __init__(self, macro: str, line: int | None, reason: str) -> None:
        place = f"macros/{macro}.sql" + (f":{line}" if line else "")
        super().__init__(
            f"macro failed: {place}: {reason}",
            hint="A macro prints the values of plan; compare it with the package's own.",
        )
