"""Mistakes in feeds that are tables: of messages, or of a lakehouse."""

from __future__ import annotations

from filtersql.errors.wording import Wording

# A feed of which the messages stand in a column of a table.
MESSAGE_COLUMN = Wording(
    'table "{table}" has no column "{column}" of a type that can be read so',
    hint="It is one of {known:listed}.",
)
UNPLACED_MESSAGE = Wording(
    'column "{order}" of table "{table}" holds NULL or a negative number',
    detail="It tells the order of messages.",
)
PARTED_MESSAGE = Wording(
    'the message at "{order}" {place} of table "{table}" has several lines',
    hint="Store messages as they came: JSON on one line.",
)
TWO_MESSAGES = Wording(
    'table "{table}" has two messages that differ at "{order}" {place}',
    hint="Name all columns that tell messages apart: order: [topic, partition, offset].",
)
PARTED_TABLE = Wording(
    'changes of "{relation}" stand in several partitions of table "{table}"',
    detail="What lands behind a later change of its table cannot be seen.",
    hint="Give its topic one partition.",
)
UNREADABLE_COMMIT = Wording("{shown} cannot be read as changes", detail="{reason:sentence}")
# Iceberg's changelog has no words for it but its own.
MERGE_ON_READ = Wording(
    "{shown} cannot be read as changes",
    detail="A commit took rows away by delete files (merge-on-read); Iceberg's changelog tells "
    "copy-on-write alone.",
)
FEED_OF_ONE_TABLE = Wording(
    'a {form} feed serves one table; subscription "{subscription}" has {count}',
    detail="Its seq counts the commits of one table and says nothing of another's.",
    hint="Make one subscription of each table.",
)
