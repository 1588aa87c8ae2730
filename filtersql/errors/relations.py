"""What PostgreSQL says of relations, types and schemas: taken, missing, needed or of another kind.

PostgreSQL
    tablecmds.c: DropErrorMsgWrongType(), ATSimplePermissions(); dropcmds.c, schemacmds.c,
    typecmds.c, dependency.c; the words are PostgreSQL's
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording
from filtersql.source import Span

_NOT_FOR = "This operation is not supported for {many}."

# Another kind than the statement is for
NOT_ONE = Wording('"{name}" is not {one}')
# A statement opens as a table what is none: an index, a composite type; before PostgreSQL 16.
IS_ONE = Wording('"{name}" is {one}')
CANNOT_OPEN = Wording('cannot open relation "{name}"', detail=_NOT_FOR)

# Names that are taken
TYPE_EXISTS = Wording('type "{name}" already exists')
# CREATE TABLE under the name of an enum or domain.
RELATION_OF_TYPE = Wording(
    'type "{name}" already exists',
    hint="A relation has an associated type of the same name, so you must use a name that "
    "doesn't conflict with any existing type.",
)

# Schemas
UNKNOWN_SCHEMA = Wording('schema "{schema}" does not exist')
NO_CURRENT_SCHEMA = Wording("no schema has been selected for CURRENT_SCHEMA")
# A dump empties search_path and then writes every schema.
NO_SCHEMA = Wording("no schema has been selected to create in")
SCHEMA_EXISTS = Wording('schema "{name}" already exists')
SCHEMA_RESERVED = Wording(
    'unacceptable schema name "{name}"', detail='The prefix "pg_" is reserved for system schemas.'
)
SCHEMA_REQUIRED = Wording("cannot drop schema {name} because it is required by the database system")

# What others need
OWNED = Wording(
    "cannot drop {what} because {owner} requires it", hint="You can drop {owner} instead."
)


class DependedOn(Mistake):
    """DROP without CASCADE of what others need: each of `dependents` is a line of the detail."""

    def __init__(self, what: str | None, dependents: Sequence[str], span: Span) -> None:
        super().__init__(
            f"cannot drop {what} because other objects depend on it"
            if what
            else "cannot drop desired object(s) because other objects depend on them",
            span=span,
            detail="\n".join(dependents),
            hint="Use DROP ... CASCADE to drop the dependent objects too.",
        )
