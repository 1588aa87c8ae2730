"""Whether a publication publishes by the partition root: flag, then definition, then default.

Example
    ============================ ========== ============== ===========================
    definition                   flag       in force       WHERE on the root
    ============================ ========== ============== ===========================
    YAML, or SQL: true           (none)     true           used
    YAML, or SQL: true           --no-…     false          ignored, with a warning
    YAML: not said               (none)     default        used, or PostgreSQL's error
    YAML: not said               --no-…     false          ignored, with a warning
    SQL: not said, or false      (none)     false          PostgreSQL's error
    SQL: not said, or false      --no-…     false          PostgreSQL's error
    any                          --publish… true           used
    ============================ ========== ============== ===========================

PostgreSQL
    CREATE PUBLICATION … WITH (publish_via_partition_root = …); the flag is filtersql's own.
"""

from __future__ import annotations

from filtersql.definitions.model import Publication
from filtersql.publications.model import Settings

__all__ = ["only_flag_turns_off", "via_partition_root"]


def via_partition_root(publication: Publication, settings: Settings) -> bool:
    """The value in force."""
    if settings.via_partition_root_flag is not None:
        return settings.via_partition_root_flag
    written = _written(publication)
    return settings.default_via_partition_root if written is None else written


def only_flag_turns_off(publication: Publication, settings: Settings) -> bool:
    """Whether the definition allows a filter on a root, and the compile flag alone does not."""
    return settings.via_partition_root_flag is False and _written(publication) is not False


def _written(publication: Publication) -> bool | None:
    """What the definition says; PostgreSQL's own DDL never leaves it open."""
    if publication.via_partition_root is None and publication.written_in == "sql":
        return False
    return publication.via_partition_root
