"""Mistakes that only the whole pipeline sees: targets, keys, names that an engine cannot hold."""

from __future__ import annotations

from filtersql.errors.wording import Wording

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
_PLACEHOLDERS = "The placeholders are {{subscription}}, {{schema}} and {{table}}."
BAD_TARGET_PATTERN = Wording(
    'invalid target pattern "{pattern}"',
    detail="A target pattern names a table, or a schema and a table.",
    hint=_PLACEHOLDERS,
)
UNKNOWN_PLACEHOLDER = Wording(
    'invalid target pattern "{pattern}"',
    detail='There is no placeholder "{{{unknown}}}".',
    hint=_PLACEHOLDERS,
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
# Updates or deletes are published, but no key finds the target's row.
NO_ROW_KEY = Wording(
    'no key finds the rows of table "{relation}" in its target',
    detail="It publishes {actions:listed}; it has no key, and no FULL identity.",
    hint="Add a primary key, a replica identity index, or replica identity FULL.",
)
NO_ROW_KEY_BUT_FULL = Wording(
    'no key finds the rows of table "{relation}" in its target',
    detail="It publishes {actions:listed}; it has no key.",
    hint="Add a primary key or a replica identity index.",
)
# Rows would be found by a text, of which equal values have several.
KEY_OF_SEVERAL_TEXTS = Wording(
    'key column "{column}" of table "{relation}" is of type {pg_type}, whose equal values '
    "are written in several ways",
    detail="A target finds its rows by the text of the key.",
    hint="Choose another key, with REPLICA IDENTITY USING INDEX.",
)
MACRO_FAILED = Wording(
    "macro failed: {place}: {reason}",
    hint="A macro prints the values of plan; compare it with the package's own.",
)
MACRO_MOVED = Wording(
    "no macro has the name macros/{name}.sql any more",
    detail="What it printed is printed by macros/{macro}.sql, which branches on flags of plan.",
    hint="Replace that one, or give a file that replaces nothing another name.",
)
MACRO_REPLACED = Wording(
    "macros/{name}.sql takes the place of filtersql's own macro of that name, and prints nothing",
    hint="Give a file with macros for filters another name.",
)
