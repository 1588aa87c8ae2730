"""Rare families of functions: each is one module, and can be deleted with its line here.

A family gives the rules of its functions (`registry`), its rows of the engines' tables (in a file
of its name), or both.
Nothing else imports one.
"""

from __future__ import annotations

from filtersql.filters.extended import (
    address_and_bit_texts,
    buckets,
    checksums,
    hash_functions,
    long_digests,
    quoted_identifiers,
    unicode_functions,
    uuid_timestamps,
)

__all__ = ["FAMILIES"]

FAMILIES = (
    address_and_bit_texts.FAMILY,
    buckets.FAMILY,
    checksums.FAMILY,
    hash_functions.FAMILY,
    long_digests.FAMILY,
    quoted_identifiers.FAMILY,
    unicode_functions.FAMILY,
    uuid_timestamps.FAMILY,
)
