"""What is wrong with a window of time, and what no run can make exact of one."""

from __future__ import annotations

from filtersql.errors.wording import Wording

WRONG_COLUMN = Wording(
    'window of table "{name:shown}" is by column "{column}", which is of type {pg_type}',
    hint="A window is by a column of type date, timestamp or timestamptz.",
)
# YAML asks for another type in the target than the engine's own for a date or a timestamp.
STORED_OTHERWISE = Wording(
    'window of table "{name:shown}" is by column "{column}", which has a target_type',
    hint="Leave target_type out: a window compares the column as it is stored.",
)
MUST_BE_POSITIVE = Wording(
    'keep of a window must be longer than nothing: "{interval}"',
    detail="Every part of it must be positive: months, days and time.",
)
DELAY_NEGATIVE = Wording(
    'delay of a window must not be negative: "{interval}"',
    hint="Leave delay out to publish rows of the future, too.",
)
DELAY_TOO_LONG = Wording(
    'delay of a window must be shorter than keep: "{delay}" is not shorter than "{keep}"',
    detail="At some clock no row would be published.",
)
TOO_LONG = Wording('keep of a window is too long: "{interval}"', hint="It is at most 1000 years.")
NO_GRAIN = Wording(
    'a clock cannot be cut off to "{interval}"',
    hint="grain is 1 second, 1 minute, 1 hour, 1 day, 1 week, 1 month, 3 months or 1 year.",
)
# bdr: NULL is sent, and a key alone judges a delete.
NULL_IS_SENT = Wording(
    'window of table "{name:shown}" is by column "{column}", which may be NULL',
    detail="semantics: {semantics} sends rows for which a filter is NULL; a window holds none.",
    hint="Declare the column NOT NULL.",
)
# A row that enters is found by the key that the target lacks.
DELAY_WITHOUT_KEY = Wording(
    'table "{name:shown}" has a window with a delay, and no key',
    detail="A row that enters from the source is one whose key the target lacks.",
    hint="Declare a primary key, or leave delay out.",
)
DELAY_BY_NEW_ROW = Wording(
    'table "{name:shown}" has a window with a delay, and an UPDATE is judged by its new row alone',
    detail="One that makes a row younger is not sent: the target would keep a row of an earlier "
    "time.",
    hint="Leave delay out, or judge updates by both rows.",
)
# A row of the target has to tell whether its time is over.
DIFFERENT_ACTIONS = Wording(
    'table "{name:shown}" has a window, and not all of its actions have the same row filters',
    detail="A row of the target would not tell whether its time is over.",
    hint="Publish insert, update and delete, and the initial copy, with the same filters.",
)
FILTER_NOT_PUBLISHED = Wording(
    'table "{name:shown}" has a window, and its row filter reads column "{column}", '
    "which is not published",
    detail="A row of the target would not tell whether its time is over.",
    hint="Publish the column.",
)
WINDOW_AND_LOOKUP = Wording(
    'table "{name:shown}" has a window, and a row filter that looks into another table',
    detail="What is looked up stands at a change's position, the time of a row ends between two.",
)
CLOCK_BACK = Wording(
    'the clock of subscription "{subscription}" cannot go back to {asked}',
    detail="It stands at {kept}: rows have left whose time was over then.",
    hint="Name that time or a later one, or leave --as-of out.",
)
