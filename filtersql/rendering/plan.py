"""Everything that the macros print for one table: finished strings, in the macros' own words.

A macro loops over these and prints them; whatever is decided is decided here or earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from filtersql.changes import TRANSITIONS, Arm, Criterion, Effect, Form, Images, Judgements
from filtersql.filters.model import Filter
from filtersql.rendering import words
from filtersql.storage import Engine

__all__ = ["Internals", "MergePlan", "PlannedColumn", "merge_plan"]

#: gives a filter's text for an image: (filter, "old_" | "new_" | "") -> SQL
FilterWriter = Callable[[Filter, str], str]


@dataclass(frozen=True, slots=True)
class PlannedColumn:
    """A column under the names that it has on its way; each is quoted, but for `plain`."""

    plain: str
    name: str
    before: str
    after: str
    old: str
    new: str
    is_unchanged: str
    keeps: str
    known: str
    last_known: str
    updated: str


@dataclass(frozen=True, slots=True)
class PlannedCriterion:
    """One alternative of an OR: a comment that names it, its number in the file, its SQL."""

    label: str
    number: int
    sql: str


@dataclass(frozen=True, slots=True)
class PlannedArm:
    """`ops` are literals."""

    ops: tuple[str, ...]
    criteria: tuple[PlannedCriterion, ...]


@dataclass(frozen=True, slots=True)
class PlannedTransition:
    """A row of the UPDATE transformation table as two conditions and a literal."""

    old: str
    new: str
    effect: str


@dataclass(frozen=True, slots=True)
class Internals:
    """Names of filtersql's own columns, chosen so that no column of the table has them."""

    effect: str
    change_seq: str
    side: str
    recency: str
    previous_effect: str
    row_found: str
    finding: str
    old_matches: str
    new_matches: str
    copy_step: str
    copy_level: str
    copy_total: str
    copy_lowest: str
    copies_held: str
    copies_left: str
    copy_ordinal: str


@dataclass(frozen=True, slots=True)
class MergePlan:
    """The values of `plan.` in macros/*.sql. Identifiers are quoted, literals are literals."""

    header: tuple[str, ...]
    target: str
    changes: str
    source_view: str
    columns: tuple[PlannedColumn, ...]
    key_columns: tuple[PlannedColumn, ...]
    payload_columns: tuple[PlannedColumn, ...]
    assignments: tuple[PlannedColumn, ...]
    #: columns of the old row that every update logs
    logged_columns: tuple[PlannedColumn, ...]
    #: columns of the old row that are the new row's where the update logs none
    inferred_columns: tuple[PlannedColumn, ...]
    #: columns of the new row that are the old row's where they are sent as unchanged
    carried_columns: tuple[PlannedColumn, ...]
    #: all other columns of the new row
    sent_columns: tuple[PlannedColumn, ...]
    #: payload columns that the target's row may have to keep, and the others
    keepable_columns: tuple[PlannedColumn, ...]
    complete_columns: tuple[PlannedColumn, ...]
    key: tuple[str, ...]
    #: all columns, for a table without key
    row: tuple[str, ...]
    first_key: str
    witness: str
    key_changed: tuple[str, ...]
    any_unchanged: tuple[str, ...]
    any_kept: tuple[str, ...]
    truncate_ops: tuple[str, ...]
    old_arms: tuple[PlannedArm, ...]
    new_arms: tuple[PlannedArm, ...]
    copy_criteria: tuple[PlannedCriterion, ...]
    transitions: tuple[PlannedTransition, ...]
    inserts: str
    explode: str
    old_side: str
    new_side: str
    both_sides: str
    unknown_value: str
    effect: str
    change_seq: str
    side: str
    recency: str
    previous_effect: str
    row_found: str
    finding: str
    old_matches: str
    new_matches: str
    copy_step: str
    copy_level: str
    copy_total: str
    copy_lowest: str
    copies_held: str
    copies_left: str
    copy_ordinal: str
    zero_to_copies_left: str
    #: `effect` and `copy_ordinal`, unquoted: for the runner
    plain_effect: str
    plain_ordinal: str
    changes_sql: str = ""
    source_sql: str = ""


def merge_plan(
    *,
    engine: Engine,
    header: Sequence[str],
    target: str,
    changes_view: str,
    source_view: str,
    columns: tuple[str, ...],
    read_columns: tuple[str, ...],
    key: tuple[str, ...],
    form: Form,
    images: Images,
    always_logged: bool,
    truncates: bool,
    judgements: Judgements,
    write: FilterWriter,
) -> MergePlan:
    """The plan of one target.

    `columns` are the published columns in the table's order, `read_columns` all that a change may
    carry, `always_logged` says that an update never lacks its old row.
    """
    tail = _tail(read_columns)
    own = Internals(*(f"{name}{tail}" for name in Internals.__slots__))
    planned = {
        name: _column(name, tail, name in images.may_be_unchanged, engine) for name in read_columns
    }
    old = tuple(planned[name] for name in read_columns if name in images.old)
    inferred = () if always_logged or images.witness is None else old
    carried = tuple(planned[name] for name in images.carried)
    payload = tuple(planned[name] for name in columns if name not in key)
    keepable = tuple(planned[name] for name in columns if name in images.may_be_unchanged)
    keys = tuple(planned[name] for name in key)
    numbers = iter(range(1, 1_000_000))
    return MergePlan(
        header=tuple(words.comment(line) for line in header),
        target=target,
        changes=words.quoted(changes_view, engine),
        source_view=words.quoted(source_view, engine),
        columns=tuple(planned[name] for name in columns),
        key_columns=keys,
        payload_columns=payload,
        assignments=payload or keys,
        logged_columns=() if inferred else old,
        inferred_columns=inferred,
        carried_columns=carried,
        sent_columns=tuple(column for column in planned.values() if column not in carried),
        keepable_columns=keepable,
        complete_columns=tuple(column for column in payload if column not in keepable),
        key=tuple(column.name for column in keys),
        row=tuple(planned[name].name for name in columns),
        first_key=keys[0].name if keys else "",
        witness=words.quoted(f"before_{images.witness}", engine),
        key_changed=tuple(words.differs(f"old_{name}", f"new_{name}", engine) for name in key)
        or (words.true_or_false(value=form is Form.KEYLESS, engine=engine),),
        any_unchanged=tuple(column.is_unchanged for column in keepable),
        any_kept=tuple(column.keeps for column in keepable),
        truncate_ops=(words.literal("truncate" if truncates else "not published", engine),),
        old_arms=_arms(judgements.old, "old_", write, numbers, engine),
        new_arms=_arms(judgements.new, "new_", write, numbers, engine),
        copy_criteria=_criteria(judgements.copy, "", write, iter(range(1, 1_000_000)), engine),
        transitions=_transitions(own, engine),
        inserts=words.inserts(
            own.effect,
            tuple(f"keeps_{column.plain}{tail}" for column in keepable),
            "filtersql: an incomplete UPDATE found no row in the target",
            engine,
        ),
        explode=words.explode(engine),
        old_side=words.string_array(("old",), engine),
        new_side=words.string_array(("new",), engine),
        both_sides=words.string_array(("old", "new"), engine),
        unknown_value=words.raise_error(
            "filtersql: the value of an unchanged out-of-line column is not known",
            engine,
        ),
        zero_to_copies_left=words.zero_to(own.copies_left, engine),
        plain_effect=own.effect,
        plain_ordinal=own.copy_ordinal,
        **{field: words.quoted(getattr(own, field), engine) for field in Internals.__slots__},
    )


def _tail(columns: Sequence[str]) -> str:
    """What must stand behind filtersql's own names so that no column of the table has them."""
    taken = {f"{prefix}{name}".lower() for name in columns for prefix in ("", "old_", "new_")}
    own = set(Internals.__slots__) | {
        f"{prefix}{name}".lower() for name in columns for prefix in ("keeps_", "known_")
    }
    tail = ""
    while taken & {f"{name}{tail}" for name in own}:
        tail += "_"
    return tail


@lru_cache(maxsize=65536)
def _column(name: str, tail: str, keepable: bool, engine: Engine) -> PlannedColumn:
    keeps, known = f"keeps_{name}{tail}", f"known_{name}{tail}"
    sent = words.column(name, "s", engine)
    return PlannedColumn(
        plain=name,
        name=words.quoted(name, engine),
        before=words.quoted(f"before_{name}", engine),
        after=words.quoted(f"after_{name}", engine),
        old=words.quoted(f"old_{name}", engine),
        new=words.quoted(f"new_{name}", engine),
        is_unchanged=words.is_unchanged(name, engine),
        keeps=words.quoted(keeps, engine),
        known=words.quoted(known, engine),
        last_known=words.last_known(name, keeps, engine) if keepable else "",
        updated=words.kept_or_sent(name, keeps, engine) if keepable else sent,
    )


def _arms(
    arms: Sequence[Arm], prefix: str, write: FilterWriter, numbers: Iterator[int], engine: Engine
) -> tuple[PlannedArm, ...]:
    return tuple(
        PlannedArm(
            tuple(words.literal(op, engine) for op in arm.ops),
            _criteria(arm.criteria, prefix, write, numbers, engine),
        )
        for arm in arms
    )


def _criteria(
    criteria: Sequence[Criterion],
    prefix: str,
    write: FilterWriter,
    numbers: Iterator[int],
    engine: Engine,
) -> tuple[PlannedCriterion, ...]:
    return tuple(
        PlannedCriterion(
            words.comment(criterion.label),
            number,
            write(criterion.filter, prefix)
            if criterion.filter
            else words.true_or_false(value=criterion.matches, engine=engine),
        )
        for criterion, number in zip(criteria, numbers, strict=False)
    )


@lru_cache(maxsize=64)
def _transitions(own: Internals, engine: Engine) -> tuple[PlannedTransition, ...]:
    def matches(name: str, *, yes: bool) -> str:
        return words.quoted(name, engine) if yes else words.negated(name, engine)

    return tuple(
        PlannedTransition(
            matches(own.old_matches, yes=old),
            matches(own.new_matches, yes=new),
            words.literal(Effect(effect).value, engine),
        )
        for (old, new), effect in TRANSITIONS.items()
    )
