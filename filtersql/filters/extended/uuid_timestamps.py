"""uuid_extract_timestamp(): when a uuid of version 1 or 7 was made.

Example
    Version 7 begins with the milliseconds since 1970, version 1 holds tenths of microseconds since
    the first day of the Gregorian calendar, the lowest digits first.

PostgreSQL
    uuid.c: uuid_extract_timestamp(), which gives NULL for all other versions and variants, before
    PostgreSQL 18 also for version 7.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.engines.rows import of_family
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.write.writer import Family, Writer

__all__ = ["FAMILY"]


def _moment_of_uuid(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """uuid_extract_timestamp(): before PostgreSQL 18 only version 1 has one."""
    subject = writer.put(args[0])
    moment = writer.piece(".moment_in_uuid", subject)
    if writer.postgres_version < 18:
        return moment
    return writer.coalesce(moment, writer.piece(".moment_in_uuid_7", subject))


FAMILY = Family(
    rules={"uuid_extract_timestamp(uuid)": _moment_of_uuid},
    rows=of_family(__file__),
)
