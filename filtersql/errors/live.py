"""Mistakes about live databases: named, reached, read."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.wording import Wording, meant
from filtersql.source import Span

#: what is wrong outside of the project ends with exit code 2
_outside = partial(Wording, exit_code=2)

# `postgres: NAME` of a subscription, or the argument of `import` and `capture`.
UNKNOWN_SOURCE = Wording(
    'the profile has no source "{name}"', detail="Its sources are {sources:listed}."
)
# `import` would write over files.
DIFFERENT_FILES = Wording(
    "{count:file says|files say} otherwise",
    detail="{files:listed}.",
    hint="--force overwrites; nothing was written.",
)
# A run, before anything was captured, or before a table's rows were.
NOTHING_CAPTURED = Wording(
    'no {what} have been captured from source "{source}"',
    hint='"filtersql capture {source}" records them; with --create it makes publication and slot.',
)
# The same, where rows of other tables are there.
ROWS_NOT_CAPTURED = Wording(
    'no rows of {table} have been captured from source "{source}"',
    hint='"filtersql capture {source} --until-current --rows {table}" copies them.',
)
DRIVER_MISSING = _outside(
    "a live PostgreSQL needs psycopg, which is not installed",
    hint='Install it: pip install "filtersql[postgres]".',
)
# A target ends before the slot that was made anew, and what was changed between is in no file.
SLOT_ANEW = Wording(
    'changes of source "{source}" are missing before seq {seq}',
    detail="Its slot was made anew there; the last change known is {last}. Nothing was written.",
    hint='"filtersql run --full-refresh" fills the targets from the rows that were copied then.',
)
# The text of the dsn is not shown, nor what libpq says of it: both may hold a password.
NOT_A_DSN = Wording(
    'the dsn of source "{source}" is no connection string of libpq',
    detail="What is written is not shown, because it may hold a password.",
    hint="In host=… user=… password='…' a value with spaces stands in single quotes; in a URL "
    "any of @ : / ? # % in a password is percent-encoded.",
)
UNREACHABLE_SOURCE = _outside(
    'could not connect to source "{source}"', detail="{reason:sentence}", hint="{remedy}"
)
CONNECTION_LOST = _outside(
    'lost the connection to source "{source}"',
    detail="{reason:sentence}",
    hint="Once the server is there again, the same command goes on.",
)
QUERY_REFUSED = _outside('source "{source}" refused a query', detail="{reason:sentence}")
NOT_POSTGRESQL = _outside(
    'source "{source}" is no PostgreSQL', detail="It says that it is {version:stop}"
)
SERVER_TOO_OLD = _outside(
    'source "{source}" is PostgreSQL {version}',
    detail="Row filters exist since PostgreSQL 15; supported are 15 to 18.",
)


class Unavailable(Mistakes):
    """A server is not there at this moment, and may be there again soon."""


def unknown_source(name: str, known: Iterable[str], span: Span | None = None) -> Mistake:
    """The mistake of a name that is none of the known sources."""
    names = sorted(known)
    return UNKNOWN_SOURCE(span, name=name, sources=names or None, hint=meant(name, names))
