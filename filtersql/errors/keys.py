"""What PostgreSQL refuses of keys, indexes, constraints and the replica identity.

PostgreSQL
    parse_utilcmd.c: transformIndexConstraint(), transformConstraintAttrs(); indexcmds.c;
    tablecmds.c: ATAddForeignKeyConstraint(), ATExecReplicaIdentity(); the words are PostgreSQL's
"""

from __future__ import annotations

from filtersql.errors.wording import Wording

COLUMN_TWICE = Wording('column "{column}" appears twice in {what}')
COLUMN_UNKNOWN = Wording('column "{column}" named in key does not exist')
SEVERAL_PRIMARY_KEYS = Wording('multiple primary keys for table "{table}" are not allowed')
# ADD PRIMARY KEY (ctid), which PostgreSQL 18 gives a NOT NULL constraint first.
SYSTEM_NOT_NULL = Wording('cannot add not-null constraint on system column "{column}"')
# A column whose NOT NULL is NOT VALID, which PostgreSQL 18 has.
_VALIDATE = "You might need to validate it using ALTER TABLE ... VALIDATE CONSTRAINT."
NOT_VALID_IN_KEY = Wording(
    'cannot create primary key on column "{column}"',
    detail='The constraint "{name}" on column "{column}" of table "{table}", marked NOT VALID, '
    "is incompatible with a primary key.",
    hint=_VALIDATE,
)
NOT_VALID = Wording(
    'incompatible NOT VALID constraint "{name}" on relation "{table}"', hint=_VALIDATE
)
SECOND_NOT_NULL = Wording(
    'cannot create not-null constraint "{name}" on column "{column}" of table "{table}"',
    detail='A not-null constraint named "{first}" already exists for this column.',
)
SYSTEM_INDEXED = Wording("index creation on system columns is not supported")
VIRTUAL_INDEXED = Wording("{many} on virtual generated columns are not supported")
# json, point
NO_ORDER = Wording(
    'data type {type_name} has no default operator class for access method "btree"',
    hint="You must specify an operator class for the index or define a default operator "
    "class for the data type.",
)
NOT_INDEXABLE = Wording(
    'cannot create index on relation "{name}"', detail="This operation is not supported for {many}."
)

INHERITED_CONSTRAINT = Wording('cannot drop inherited constraint "{name}" of relation "{table}"')

# Foreign keys
REFERENCED_UNKNOWN = Wording(
    'column "{column}" referenced in foreign key constraint does not exist'
)
REFERENCED_UNLOGGED = Wording("constraints on permanent tables may reference only permanent tables")

# REPLICA IDENTITY USING INDEX
IDENTITY_INDEX = Wording('cannot use {kind} index "{index}" as replica identity')
IDENTITY_NULLABLE = Wording(
    'index "{index}" cannot be used as replica identity because column "{column}" is nullable'
)
# The same in YAML, where the index has no name.
IDENTITY_NULLABLE_COLUMN = Wording(
    'replica identity of table "{table}" cannot hold column "{column}", which is nullable'
)
UNKNOWN_INDEX = Wording('index "{index}" for table "{table}" does not exist')
