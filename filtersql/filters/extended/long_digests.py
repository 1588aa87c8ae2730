"""sha224, sha384 and sha512 for DuckDB, which has sha256 alone.

Example
    `sha512('')` begins with cf83e1357eefb8bd.

Source: FIPS 180-4, sections 4.1, 5.1 and 6.
"""

from __future__ import annotations

from filtersql.filters.engines.rows import of_family
from filtersql.filters.write.writer import Family

__all__ = ["FAMILY"]

FAMILY = Family(rows=of_family(__file__))
