"""PostgreSQL's hash functions, by which people sample rows: `hashtext(c) % 100 = 0`.

Example
    `hashint4(1)` is -1905060026 on every machine and in every version since 8.4.

Source: PostgreSQL, src/common/hashfn.c (hash_bytes, hash_bytes_uint32 and their extended forms)
and src/backend/access/hash/hashfunc.c.
"""

from __future__ import annotations

from filtersql.filters.engines.rows import of_family
from filtersql.filters.write.writer import Family

__all__ = ["FAMILY"]

FAMILY = Family(rows=of_family(__file__))
