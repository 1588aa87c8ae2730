"""What PostgreSQL refuses of a column: its name, type, default, identity and generation.

PostgreSQL
    parse_utilcmd.c: transformColumnDefinition(); tablecmds.c: MergeAttributes(), ATExec…();
    parse_type.c; the words are PostgreSQL's
"""

from __future__ import annotations

from filtersql.errors.wording import Wording

# Names
SPECIFIED_TWICE = Wording(
    'column "{column}" specified more than once', detail="It is defined at {first}."
)
COLUMN_EXISTS = Wording(
    'column "{column}" of relation "{table}" already exists', detail="It is defined at {first}."
)
SYSTEM_NAME = Wording('column name "{column}" conflicts with a system column name')
SYSTEM_COLUMN = Wording('cannot {verb} system column "{column}"')
UNKNOWN_IN_TABLE = Wording('column "{column}" of relation "{table}" does not exist')
UNKNOWN_COLUMN = Wording('column "{column}" does not exist')

# Types
PSEUDO_TYPE = Wording('column "{column}" has pseudo-type {name}')
MODIFIER_NOT_ALLOWED = Wording('type modifier is not allowed for type "{name}"')
MODIFIER_INVALID = Wording("invalid {name} type modifier")
MODIFIER_UNREAD = Wording("invalid type modifier")
NEGATIVE_PRECISION = Wording("{written} precision must not be negative")
LENGTH_ZERO = Wording("length for type {name} must be at least 1")
LENGTH_TOO_GREAT = Wording("length for type {name} cannot exceed {most}")
NUMERIC_PRECISION = Wording("NUMERIC precision {value} must be between 1 and 1000")
NUMERIC_SCALE = Wording("NUMERIC scale {value} must be between -1000 and 1000")
NO_COLLATION = Wording("collations are not supported by type {pg_type}")
IDENTITY_TYPE = Wording("identity column type must be smallint, integer, or bigint")
NO_AUTOMATIC_CAST = Wording(
    'column "{column}" cannot be cast automatically to type {type_name}',
    hint='You might need to specify "USING {using}".',
)
TYPE_USED_BY_PUBLICATION = Wording(
    "cannot alter type of a column used by a publication WHERE clause",
    detail='{thing} depends on column "{column}"',
)
TYPE_USED_BY_GENERATED = Wording(
    "cannot alter type of a column used by a generated column",
    detail='Column "{column}" is used by generated column "{generated}".',
)

# Values
#: the kind of a second clause, and what it says together with the first
CLAUSES = {
    "default": "both default and generation expression specified",
    "default and identity": "both default and identity specified",
    "CONSTR_DEFAULT": "multiple default values specified",
    "CONSTR_IDENTITY": "multiple identity specifications",
    "CONSTR_GENERATED": "multiple generation clauses specified",
    "identity": "both identity and generation expression specified",
    "null": "conflicting NULL/NOT NULL declarations",
}
CONFLICTING_CLAUSES = Wording('{clauses} for column "{column}" of table "{table}"')
IS_IDENTITY = Wording('column "{column}" of relation "{table}" is an identity column')
# ADD GENERATED AS IDENTITY
NO_IDENTITY = Wording('column "{column}" of relation "{table}" {why}')
GENERATED_SUBQUERY = Wording("cannot use subquery in column generation expression")
GENERATED_NESTED = Wording(
    'cannot use generated column "{column}" in column generation expression',
    detail="A generated column cannot reference another generated column.",
)

# NOT NULL, and what else needs the column
IN_PRIMARY_KEY = Wording('column "{column}" is in a primary key')
IN_IDENTITY = Wording('column "{column}" is in index used as replica identity')
IN_PARTITION_KEY = Wording(
    'cannot {verb} column "{column}" because it is part of the partition key of relation "{table}"'
)
