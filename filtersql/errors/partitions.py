"""What PostgreSQL refuses of parents and children: partitions, their bounds, and INHERITS.

PostgreSQL
    tablecmds.c: MergeAttributes(), MergeAttributesIntoExisting(), ATExecAddInherit(),
    ATExecAttachPartition(); parse_utilcmd.c, partbounds.c; the words are PostgreSQL's
"""

from __future__ import annotations

from filtersql.errors.wording import Wording

# PARTITION BY
KEY_COLUMN_UNKNOWN = Wording('column "{column}" named in partition key does not exist')
KEY_COLUMN_GENERATED = Wording(
    "cannot use generated column in partition key",
    detail='Column "{column}" is a generated column.',
)
KEY_COLUMN_SYSTEM = Wording('cannot use system column "{column}" in partition key')
LIST_OF_SEVERAL = Wording('cannot use "list" partition strategy with more than one column')
# Since PostgreSQL 18.
ROOT_UNLOGGED = Wording("partitioned tables cannot be unlogged")
UNIQUE_LACKS_KEY = Wording(
    "unique constraint on partitioned table must include all partitioning columns",
    detail='{kind} constraint on table "{table}" lacks column "{column}" which is part of the '
    "partition key.",
)

# FOR VALUES
BOUND_COUNT = Wording("{side} must specify exactly one value per partitioning column")
BOUND_NULL = Wording("cannot specify NULL in range bound")
HASH_DEFAULT = Wording("a hash-partitioned table may not have a default partition")
SECOND_DEFAULT = Wording('partition "{name}" conflicts with existing default partition "{other}"')
OTHER_STRATEGY = Wording("invalid bound specification for a {strategy} partition")
OVERLAP = Wording('partition "{name}" would overlap partition "{other}"')
EMPTY_RANGE = Wording(
    'empty range bound specified for partition "{name}"',
    detail="Specified lower bound {lower} is greater than or equal to upper bound {upper}.",
)
# Not "divisible by" the next smaller modulus, or not "a factor of" the next larger.
MODULUS_UNFIT = Wording(
    "every hash partition modulus must be a factor of the next larger modulus",
    detail="The new modulus {modulus} is not {lacks} {known}, "
    'the modulus of existing partition "{other}".',
)

# PARTITION OF, ATTACH and DETACH PARTITION
TABLE_NOT_PARTITIONED = Wording('table "{parent}" is not partitioned')
PARENT_NOT_PARTITIONED = Wording('"{name}" is not partitioned')
ALREADY_PARTITION = Wording('"{table}" is already a partition')
ATTACH_INHERITANCE = Wording("cannot attach inheritance {what} as partition")
ATTACH_EXTRA_COLUMN = Wording(
    'table "{table}" contains column "{column}" not found in parent "{parent}"',
    detail="The new partition may contain only the columns present in parent.",
)
ATTACH_IDENTITY = Wording(
    'table "{table}" being attached contains an identity column "{column}"',
    detail="The new partition may not contain an identity column.",
)
NOT_ITS_PARTITION = Wording('relation "{table}" is not a partition of relation "{parent}"')

# INHERITS
CIRCULAR = Wording(
    "circular inheritance not allowed", detail='"{child}" is already a child of "{parent}".'
)
PARENT_NO_TABLE = Wording('inherited relation "{name}" is not a table or foreign table')

# A child's columns are not those of its parent-to-be.
CHILD_LACKS = Wording('child table is missing column "{column}"')
CHILD_DIFFERS = Wording('child table "{table}" has different {what} for column "{column}"')
CHILD_NULLABLE = Wording('column "{column}" in {child} must be marked NOT NULL')
