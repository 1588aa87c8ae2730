"""The names of all warnings, by which a project silences them: docs/warnings.md explains each.

Example
    `silence: [may-rise]` in the project's file is a mistake: "may-raise" was meant.
"""

from __future__ import annotations

__all__ = ["WARNINGS"]

WARNINGS = (
    "copied-besides-root",
    "copy-wider-than-inserts",
    "ddl-filter-negated",
    "default-set-changed",
    "delete-never-sent",
    "empty-schema",
    "filter-always-true",
    "filter-combination-unstated",
    "filter-in-default-set",
    "filter-never-true",
    "filters-differ-per-action",
    "foreign-key-outside",
    "identity-wider-than-needed",
    "leaked-action",
    "local-changes-only",
    "may-raise",
    "missing-publication",
    "mutable-filter",
    "newer-postgresql",
    "no-table",
    "other-postgresql-version",
    "partition-membership-ignored",
    "partition-routing-unstated",
    "replica-identity",
    "root-filter-ignored",
    "root-membership-ignored",
    "sequences",
    "subscription-disabled",
    "superset-misses-table",
    "superset-unproved",
    "unlogged-partition",
)
