"""What the methods of a project give back: what the commands print as JSON, field by field.

Example
    done = project.run()
    done.results[0].rows_inserted
"""

from __future__ import annotations

from msgspec import field

from filtersql.api.documents import Known, Record, Row, Rows

__all__ = [
    "Applied",
    "Audit",
    "Audits",
    "Check",
    "Checks",
    "Compiled",
    "CompiledTarget",
    "Listed",
    "Listing",
    "Plan",
    "PlannedTarget",
    "Run",
    "Statuses",
    "Target",
    "TargetRun",
    "Test",
    "Tests",
]


class CompiledTarget(Known, frozen=True):
    """A target's folder of statements, below the project's."""

    unique_id: str
    path: str


class Compiled(Record, frozen=True):
    """What `compile` wrote, and its warnings."""

    compiled: tuple[CompiledTarget, ...]
    warnings: list[str]


class Check(Known, frozen=True):
    """Whether a target's statements are proved: `proved`, `wrong` or `error`; seconds it took.

    `counterexample` is the smallest case that goes wrong.
    """

    unique_id: str
    status: str
    cells: int
    histories: int
    execution_time: float
    counterexample: Row | None
    message: str | None


class Checks(Record, frozen=True):
    """What `check` tried."""

    checks: tuple[Check, ...]

    @property
    def right(self) -> bool:
        """Whether all is proved."""
        return all(each.status == "proved" for each in self.checks)


class Audit(Known, frozen=True):
    """How a target differs from the filter over its source, at its position.

    `status` is `ok`, `found`, `repaired`, `skip` (not filled yet) or `error`.
    """

    unique_id: str
    target: str
    status: str
    position: int | None
    leaked: int
    missing: int
    differing: int
    sample: list[Row]
    repaired: bool
    message: str | None


class Audits(Record, frozen=True):
    """What `audit` found."""

    audits: tuple[Audit, ...]

    @property
    def right(self) -> bool:
        """Whether all is right, or was repaired."""
        return all(each.status in ("ok", "repaired", "skip") for each in self.audits)


class Target(Known, frozen=True):
    """How far a target got; see `filtersql status`.

    `changes_per_run` are those of up to 12 runs since it was filled, the oldest first.
    """

    unique_id: str
    target: str
    state: str
    position: int | None
    lag: int | None
    last_run: str | None
    conflicts: dict[str, int]
    quarantine: int
    clock: str | None
    next_row_leaves: str | None
    in_force_since: str | None
    definition_changed: bool | None
    changes_per_run: list[int]
    #: bytes of the live source's log that were not captured yet; None: not known, or not live
    source_behind: int | None = None


class Listed(Known, frozen=True):
    """What `ls` has a line for: a publication, set, table, subscription or target."""

    resource_type: str
    name: str
    unique_id: str
    relation: list[str] | None
    tags: list[str]
    publications: list[str]
    subscriptions: list[str]
    path: str
    description: str | None


class Listing(Rows, frozen=True):
    """What `ls` lists."""

    nodes: tuple[Listed, ...]


class Statuses(Rows, frozen=True):
    """What `status` knows."""

    targets: tuple[Target, ...]


class PlannedTarget(Known, frozen=True):
    """What a changed definition moves in one target. Counts are None where nobody counted.

    `leaves` and `enters` are a row of each kind, `constructed` where there is none and it was not
    counted, or counted as 0; `statement` is the path of change.sql.
    """

    subscription: str
    relation: str
    target: str
    position: int | None
    change: str
    delete: int | None
    insert: int | None
    update: int | None
    unchanged: int | None
    leaves: Row | None
    enters: Row | None
    constructed: bool
    statement: str | None
    checksum: str | None
    reads_source: bool
    says: list[str]
    definition: dict[str, str]
    message: str | None


class Plan(Record, frozen=True):
    """What `plan` shows: every target that changes."""

    metadata: Row
    targets: tuple[PlannedTarget, ...]
    totals: dict[str, int]

    @property
    def moves(self) -> bool:
        """Whether `apply` would do anything; it leaves a removed target that is not dropped."""
        return any(each.change != "removed" or each.delete is not None for each in self.targets)


class Applied(Plan, frozen=True):
    """What `apply` carried out: the targets of the plan that it changed."""


class TargetRun(Known, frozen=True):
    """What a run did to a target: `success`, `error` or `skipped`; seconds, rows and changes."""

    unique_id: str
    status: str
    message: str
    execution_time: float
    rows_inserted: int
    rows_updated: int
    rows_deleted: int
    changes_read: int
    changes_skipped: int
    conflicts: dict[str, int]
    conflict_sample: list[Row]
    quarantined: int
    released: int
    position: int | None
    relation_name: str
    compiled_path: str
    #: changes that `run --release` left in quarantine
    held_back: int = 0


class Run(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What `run` did; `target/run_results.json` holds the same. `retry` of nothing has no more."""

    metadata: Row = field(default_factory=dict)
    args: Row = field(default_factory=dict)
    elapsed_time: float = 0.0
    results: tuple[TargetRun, ...]


class Test(Known, frozen=True):
    """A unit test: `pass` or `fail`, and the rows that are missing or unexpected."""

    name: str
    subscription: str
    status: str
    message: str | None
    differences: list[Row]


class Tests(Record, frozen=True):
    """What the project's unit tests came to."""

    tests: tuple[Test, ...]

    @property
    def right(self) -> bool:
        """Whether all tests pass."""
        return all(each.status == "pass" for each in self.tests)
