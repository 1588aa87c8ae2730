"""What PostgreSQL refuses of ALTER PUBLICATION, and of what publications are given WITH.

PostgreSQL
    publicationcmds.c, subscriptioncmds.c, define.c; the words are PostgreSQL's
"""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording
from filtersql.source import Span

# ALTER PUBLICATION
ALL_TABLES = Wording(
    'publication "{publication}" is defined as FOR ALL TABLES',
    detail="{what} cannot be added to or dropped from FOR ALL TABLES publications.",
)
ALREADY_MEMBER = Wording('{kind} "{name}" is already member of {owner}')
NOT_MEMBER = Wording('relation "{table}" is not part of the {owner}')
SCHEMA_NOT_MEMBER = Wording('tables from schema "{schema}" are not part of the publication')
DROPPED_WITH_FILTER = Wording("cannot use a WHERE clause when removing a table from a publication")
DROPPED_WITH_LIST = Wording("column list must not be specified in ALTER PUBLICATION ... DROP")
ROOT_NEEDED = Wording(
    'cannot set parameter "publish_via_partition_root" to false for publication "{publication}"',
    detail='The publication contains a {what} for partitioned table "{table}", which is not '
    'allowed when "publish_via_partition_root" is false.',
)


class SchemaBesideList(Mistake):
    """ADD TABLES IN SCHEMA where a table has a column list: what it is told after depends on it."""

    def __init__(self, publication: str, span: Span) -> None:
        super().__init__(
            f'cannot add schema to publication "{publication}"',
            span=span,
            detail="Schemas cannot be added if any tables that specify a column list are already "
            "part of the publication.",
        )


# WITH (…)
UNRECOGNIZED_PARAMETER = Wording('unrecognized {kind} parameter: "{name}"')
LATER_PARAMETER = Wording(
    'unrecognized {kind} parameter: "{name}"', hint="PostgreSQL knows it since version {version}."
)
PARAMETER_TWICE = Wording("conflicting or redundant options")
NEEDS_VALUE = Wording("{name} requires a parameter")
NEEDS_BOOLEAN = Wording("{name} requires a Boolean value")
LIST_SYNTAX = Wording('invalid list syntax in parameter "{name}"')
UNRECOGNIZED_ACTION = Wording('unrecognized value for publication option "publish": "{value}"')
UNRECOGNIZED_ORIGIN = Wording('unrecognized origin value: "{value}"')
INVALID_GENERATED = Wording(
    'invalid value for publication parameter "publish_generated_columns": "{value}"',
    detail='Valid values are "none" and "stored".',
)
# What needs a connection or a slot, without one.
EXCLUSIVE = Wording("{first} and {name} = true are mutually exclusive options")
MUST_ALSO = Wording("subscription with slot_name = NONE must also set {name} = false")
# An argument of a function that makes replication sets.
NOT_CONSTANT = Wording('argument "{name}" of function {function} must be a constant')
