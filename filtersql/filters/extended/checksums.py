"""crc32() and crc32c(): a fold over the halves of the bytes.

Example
    `crc32c('\\x313233343536373839')` is 3808858755: the lower half of a byte is taken first, and a
    table of sixteen words says what four bits do to the rest.

PostgreSQL
    src/common/pg_crc.c, the tables pg_crc32_table; varlena.c: crc32_bytea(), crc32c_bytea().
"""

from __future__ import annotations

from filtersql.filters.engines.rows import of_family
from filtersql.filters.write.writer import Family

__all__ = ["FAMILY"]

FAMILY = Family(rows=of_family(__file__))
