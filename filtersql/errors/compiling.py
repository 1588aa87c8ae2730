"""Mistakes that only the whole pipeline sees: targets, keys, names that an engine cannot hold."""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording
from filtersql.names import RelationName
from filtersql.source import Span

TARGET_TAKEN = Wording(
    'target table "{target}" of {other} is already the target of {owner}',
    detail="A target table has one writer.",
    hint="Put {{schema}} or {{subscription}} into the target pattern, or give one an alias.",
)
# A table of which no column is published.
NO_COLUMNS = Wording(
    "{label} publishes no column",
    detail="No target format can hold a table without columns.",
    hint="Leave the table out of the subscription's publications.",
)
# A filter looks up a table whose rows the subscription does not hold, or not all of them.
LOOKUP_NOT_WHOLE = Wording(
    'row filter for table "{relation}" looks up table "{looked_up}", whose rows the '
    "subscription does not hold",
    detail="{reason}",
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


TARGET_NAME_NOT_POSSIBLE = Wording(
    'Spark\'s session catalog cannot hold the target name "{name}" of table "{relation}"',
    detail="It takes only letters, digits and underscores as schema and table names.",
    hint='Give the published table an "alias", or change the "target" pattern.',
)
COLUMNS_DIFFER_BY_CASE = Wording(
    'columns "{first}" and "{second}" of table "{relation}" differ only by case',
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


# Rows would be found by a text, of which equal values have several.
KEY_OF_SEVERAL_TEXTS = Wording(
    'key column "{column}" of table "{relation}" is of type {pg_type}, whose equal values '
    "are written in several ways",
    detail="A target finds its rows by the text of the key.",
    hint="Choose another key, with REPLICA IDENTITY USING INDEX.",
)


MACRO_MOVED = Wording(
    "no macro has the name macros/{name}.sql any more",
    detail="What it printed is printed by macros/{macro}.sql, which branches on flags of plan.",
    hint="Replace that one, or give a file that replaces nothing another name.",
)


class MacroFailed(Mistake):
    """A macro of the project does not render."""

    def __init__(self, macro: str, line: int | None, reason: str) -> None:
        place = f"macros/{macro}.sql" + (f":{line}" if line else "")
        super().__init__(
            f"macro failed: {place}: {reason}",
            hint="A macro prints the values of plan; compare it with the package's own.",
        )
