"""What replication sets and named rules refuse: pglogical, BDR and xDB."""

from __future__ import annotations

from filtersql.errors.wording import Wording

# A subscription to replication sets where the source has publications, or the reverse.
SETS_NEED_PROFILE = Wording(
    'subscription "{subscription}" subscribes to {kind}s, which semantics: {semantics} '
    "does not have",
    hint="Publications belong to semantics: postgres, replication sets to pglogical and bdr.",
)
# Named rules, or a subscription that enables some, where the source has none.
NAMED_FILTERS_NEED_PROFILE = Wording(
    "named filter rules exist under semantics: xdb only",
    hint="Write the filter as `where` of the published table.",
)
# A subscription enables a rule that the publication does not define on the table.
FILTER_RULE_DOES_NOT_EXIST = Wording('filter rule "{rule}" of table "{name:shown}" does not exist')
# Two filters on one table where a subscription enables at most one.
SEVERAL_FILTERS = Wording(
    'more than one row filter is enabled on table "{name:shown}"',
    detail="They come from {publications:both}; a subscription enables at most one for each table.",
)
# A subscription enables a rule on a table that its publications do not hold.
TABLE_NOT_PUBLISHED = Wording(
    'table "{table}" is in no publication of subscription "{subscription}"'
)
# bdr: replication_set_add_table() has a parameter `columns` that nobody may use.
COLUMNS_RESERVED = Wording(
    'column list of table "{name:shown}" is not possible: columns must be NULL',
    detail="The parameter is reserved for future use.",
)
# pglogical: `columns` names what the table does not have, system columns too.
COLUMN_NOT_IN_TABLE = Wording("table {name} does not have column {column}")
# xdb: a filter reads a column of a binary type.
BINARY_FILTER = Wording(
    'row filter for table "{name:shown}" reads binary column "{column}"',
    detail="Filters are not supported on binary columns.",
)
# xdb: a modulus in a filter of several conditions.
MODULUS_BESIDE = Wording(
    'row filter for table "{name:shown}" has other conditions beside its modulus',
    detail="A condition with % stands alone: no AND, OR, NOT or second % beside it.",
)
# xdb: a filtered table whose changes are published, without replica identity FULL.
NEEDS_FULL_IDENTITY = Wording(
    'filtered table "{name:shown}" does not have replica identity full',
    detail="The old row of an update or delete must be complete.",
    hint="ALTER TABLE {name} REPLICA IDENTITY FULL, or publish no update and no delete.",
)
# xdb: two named rules of one table have the same clause.
SAME_RULE_TWICE = Wording(
    'filter rules "{first}" and "{second}" of table "{name:shown}" are the same'
)
# pglogical: a column list without a column of the replica identity.
LIST_MISSES_KEY = Wording(
    "REPLICA IDENTITY columns must be replicated",
    hint="The replica identity is ({identity:columns}).",
)
SET_EXISTS = Wording("replication set {name} already exists", detail="It is defined at {first}.")
SET_NOT_FOUND = Wording("replication set {name} not found")
# pglogical: added twice; the numbers of its detail nobody knows.
TABLE_IN_SET = Wording(
    'duplicate key value violates unique constraint "replication_set_table_pkey"',
    detail='Table "{table}" is in replication set "{replication_set}" already.',
)

# pglogical: a table whose rows are not logged.
UNLOGGED_IN_SET = Wording("UNLOGGED and TEMP tables cannot be replicated")
# pglogical makes a trigger for TRUNCATE on what it replicates; `one` of the `many` is called so.
NO_TRUNCATE_TRIGGERS = Wording(
    '"{name}" is {one}', detail="{many:capital} cannot have TRUNCATE triggers."
)
NO_TRIGGERS = Wording(
    'relation "{name}" cannot have triggers', detail="This operation is not supported for {many}."
)
SYSTEM_CATALOG = Wording('permission denied: "{name}" is a system catalog')

# pglogical: alter_replication_set() to updates or deletes, with tables without key in it.
SET_HOLDS_KEYLESS = Wording(
    "replication set {name} cannot be altered to replicate UPDATEs or DELETEs because it "
    "contains tables without PRIMARY KEY"
)
EMPTY_SET_NAME = Wording("replication set name cannot be empty")

# pglogical: a table without a key in a set that replicates updates or deletes.
SET_NEEDS_PRIMARY_KEY = Wording(
    "table {name.name} cannot be added to replication set {replication_set}",
    detail="table does not have PRIMARY KEY and given replication set is configured to replicate "
    "UPDATEs and/or DELETEs",
    hint="Add a PRIMARY KEY to the table",
)
# pglogical: what became of a member, in a set that is subscribed.
_AGAIN = "Take it out of the set, or add it again when it is mended."
UNLOGGED_MEMBER = Wording(
    'table "{name:shown}" in replication set "{replication_set}" is unlogged',
    detail="It was changed after it was added. pglogical copies it and sends none of its changes.",
    hint=_AGAIN,
)
KEYLESS_MEMBER = Wording(
    'table "{name:shown}" in replication set "{replication_set}" has no key any more',
    detail="It was changed after it was added. Without a key in the old row pglogical sends "
    "updates, and loses deletes.",
    hint=_AGAIN,
)
# xdb: a view in a publication that publishes changes.
VIEW_IS_COPIED_ONLY = Wording(
    'view "{name.name}" can be in snapshot-only publications alone',
    detail='Publication "{publication}" publishes changes, and a view has none.',
    hint="Publish it in a publication of its own, with publish: [].",
)
# xdb: a view of which only the query is known.
VIEW_WITHOUT_COLUMNS = Wording(
    'the types of the columns of view "{name.name}" are not known',
    detail="They are where its query gives columns of tables, or casts.",
    hint="Write it in YAML in place of CREATE VIEW: view: true, with its columns.",
)
# bdr: a table is added to the group's default set, whose name only the group knows.
GROUP_DEFAULT_SET = Wording(
    "replication set is not named",
    detail="Without set_name it is the default set of the BDR group.",
    hint="Name the set, or make its group: SELECT bdr.create_node_group('mygroup').",
)
