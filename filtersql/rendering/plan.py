"""Everything that the macros print for one table: finished strings, in the macros' own words.

A macro loops over these and prints them; whatever is decided is decided here or earlier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct, structs

from filtersql.changes import Form, Images, Judgements
from filtersql.errors.stopping import UNKNOWN_VALUE
from filtersql.rendering import sql_fragments, sql_of_changes
from filtersql.rendering.filters_in_force import judging_words
from filtersql.rendering.layout import alternatives, clause, laid_out
from filtersql.rendering.plan_columns import BRANCH, INCOMPLETE, NARROW, planned_column
from filtersql.rendering.plan_records import Internals, MergePlan, PlannedColumn
from filtersql.rendering.template_cache import Own
from filtersql.storage import Engine

__all__ = ["Outline", "merge_plan", "read_of_old_rows"]

_UNKNOWN = f"filtersql: {UNKNOWN_VALUE}"
#: the forms in which a key finds rows
_KEYED = (Form.KEYED, Form.KEYED_UNCHANGED, Form.KEYED_SKIPPING, Form.KEYED_KEEPING)
_OWN = Internals.__struct_fields__


class Outline(Struct, frozen=True):
    """The shape of a target before anything is printed: targets alike in it share their plan.

    `columns` are the published columns in the table's order, `read_columns` all that a change may
    carry with their `types`, `always_logged` says that an update never lacks its old row.
    """

    engine: Engine
    columns: tuple[str, ...]
    read_columns: tuple[str, ...]
    types: tuple[str, ...]
    key: tuple[str, ...]
    #: the primary key, where rows are found by another key
    unique: tuple[str, ...]
    form: Form
    images: Images
    always_logged: bool
    updates: bool
    truncates: bool
    #: whether a change that leaves out a column always stops the run
    stops_at_unchanged: bool
    read_of_old_rows: frozenset[str]
    #: whether all filters of an action have to match, whether NULL does, whether rows leave in time
    every: bool
    unknown_matches: bool
    expires: bool


@lru_cache(maxsize=1024)
def merge_plan(outline: Outline) -> MergePlan:
    """The plan of all targets of a shape, without what is a target's own."""
    engine, images = outline.engine, outline.images
    tail = _tail(outline.read_columns)
    own = Internals(*(f"{name}{tail}" for name in _OWN))
    moves = outline.form in (Form.KEYED_KEEPING, Form.KEYED_SKIPPING)
    may_lack, unique = images.may_be_unchanged, outline.unique
    planned = {
        name: planned_column(name, tail, name in may_lack, name in unique, moves, engine)
        for name in outline.read_columns
    }
    keepable = tuple(planned[name] for name in outline.columns if name in may_lack)
    names: dict[str, Any] = {
        field: sql_fragments.named(getattr(own, field), engine) for field in _OWN
    }
    return MergePlan(
        **Own().of_a_plan(),
        **_target_columns(outline, planned, keepable),
        **_image_columns(outline, planned),
        **judging_words(own, engine, every=outline.every, unknown_matches=outline.unknown_matches),
        **_completeness(outline, own, keepable, tail),
        **_misses(own, engine),
        explode=sql_fragments.explode(engine),
        text_type=sql_fragments.text_type(engine),
        old_side=sql_fragments.string_array(("old",), engine),
        new_side=sql_fragments.string_array(("new",), engine),
        both_sides=sql_fragments.string_array(("old", "new"), engine),
        zero_to_copies_left=sql_of_changes.zero_to(own.copies_left, engine),
        found_before=laid_out(
            sql_of_changes.found_before(
                own.effect,
                own.stays if outline.updates else None,
                own.epoch if outline.truncates else None,
                engine,
            ),
            engine,
            BRANCH,
        ),
        all_outcomes=laid_out(
            sql_of_changes.outcomes(
                own.change_seq,
                (own.old_effect, own.old_seq, own.new_effect, own.new_seq),
                own.linked,
                engine,
            ),
            engine,
            BRANCH,
        ),
        each_outcome=sql_of_changes.each_outcome(own.outcomes, engine),
        epoch_of_change=laid_out(sql_of_changes.epoch_of_change(own.place, engine), engine, BRANCH),
        all_barriers=sql_of_changes.all_of("seq", engine),
        plain_effect=own.effect,
        plain_ordinal=own.copy_ordinal,
        **_flags(outline, lacks_values=bool(keepable)),
        **names,
    )


def _flags(outline: Outline, *, lacks_values: bool) -> dict[str, Any]:
    """On what the macros branch."""
    form = outline.form
    return {
        "keyed": form in _KEYED,
        "adds_only": form is Form.APPEND,
        "skips_missing": form in (Form.KEYED_SKIPPING, Form.KEYLESS_SKIPPING),
        "keeps_existing": form is Form.KEYED_KEEPING,
        "held_first": form is Form.KEYED_KEEPING,
        "lacks_values": lacks_values,
        "key_changes": outline.updates,
        "truncates": outline.truncates,
        "expires": outline.expires,
    }


def _target_columns(
    outline: Outline, planned: Mapping[str, PlannedColumn], keepable: tuple[PlannedColumn, ...]
) -> dict[str, Any]:
    """The columns of the target, and those that find its rows."""
    payload = tuple(planned[name] for name in outline.columns if name not in outline.key)
    keys = tuple(planned[name] for name in outline.key)
    return {
        "columns": tuple(planned[name] for name in outline.columns),
        "key_columns": keys,
        "payload_columns": payload,
        "assignments": payload or keys,
        "keepable_columns": keepable,
        "complete_columns": tuple(column for column in payload if column not in keepable),
        "conflict_columns": keys or tuple(planned[name] for name in outline.columns),
        "unique_columns": tuple(planned[name] for name in outline.unique),
        "selection": clause("SELECT", tuple(planned[name].name for name in outline.columns), 0),
        "key_partition": clause("PARTITION BY", tuple(column.name for column in keys), NARROW),
        "row_partition": clause(
            "PARTITION BY", tuple(planned[name].name for name in outline.columns), NARROW
        ),
        "first_key": keys[0].name if keys else "",
    }


def _image_columns(outline: Outline, planned: Mapping[str, PlannedColumn]) -> dict[str, Any]:
    """Where the columns of the old and of the new row come from."""
    engine, images = outline.engine, outline.images
    old = tuple(planned[name] for name in outline.read_columns if name in images.old)
    hidden = tuple(column for column in old if column.plain in images.hidden_from_deletes)
    inferred = () if outline.always_logged or images.witness is None else old
    carried = tuple(planned[name] for name in images.carried if name in planned)
    read = outline.read_of_old_rows.difference(images.old)
    types = dict(zip(outline.read_columns, outline.types, strict=True))
    return {
        "logged_columns": ()
        if inferred
        else tuple(column for column in old if column not in hidden),
        "inferred_columns": inferred,
        "update_columns": hidden,
        "absent_columns": tuple(
            structs.replace(planned[name], absent=sql_fragments.null(types[name], engine))
            for name in outline.read_columns
            if name in read
        ),
        "carried_columns": carried,
        "sent_columns": tuple(column for column in planned.values() if column not in carried),
        "witness": sql_fragments.named(f"before_{images.witness}", engine),
    }


def _misses(own: Internals, engine: Engine) -> dict[str, Any]:
    """Which changes of a table without key find no copy of their old row."""
    levels, places = (own.copy_level, own.copy_lowest), (own.old_place, own.new_place)
    text = sql_of_changes.misses(own.change_seq, levels, places, engine)
    return {
        "all_misses": laid_out(text, engine, BRANCH),
        "place_of_row": sql_of_changes.place_of_row(own.change_seq, own.copy_step, engine),
    }


def _completeness(
    outline: Outline, own: Internals, keepable: tuple[PlannedColumn, ...], tail: str
) -> dict[str, Any]:
    """What happens where a change left columns out, and whether it changes the key."""
    engine = outline.engine
    keeps = tuple(f"keeps_{column.plain}{tail}" for column in keepable)
    key_changed = tuple(
        sql_fragments.differs(f"old_{name}", f"new_{name}", engine) for name in outline.key
    ) or (sql_fragments.true_or_false(value=not outline.key, engine=engine),)
    always = (sql_fragments.true_or_false(value=True, engine=engine),)
    enters = (sql_fragments.equals(own.effect, "insert", engine), *key_changed)
    complete_if = always if outline.stops_at_unchanged else enters
    return {
        "key_change": alternatives(key_changed, NARROW),
        "any_unchanged": alternatives(tuple(column.is_unchanged for column in keepable), NARROW),
        "any_kept": alternatives(tuple(column.keeps for column in keepable), NARROW),
        "must_be_complete": alternatives(complete_if, NARROW),
        "checked_effect": laid_out(
            sql_fragments.checked_effect(
                own.effect, keeps, _UNKNOWN, engine, always=outline.stops_at_unchanged
            ),
            engine,
            NARROW,
        ),
        "unknown_value": laid_out(sql_fragments.raise_error(_UNKNOWN, engine), engine, NARROW),
        "inserts": laid_out(
            sql_fragments.inserts(own.effect, keeps, INCOMPLETE, engine), engine, NARROW
        ),
    }


def _tail(columns: Sequence[str]) -> str:
    """What must stand behind filtersql's own names so that no column of the table has them."""
    in_use = {f"{prefix}{name}".lower() for name in columns for prefix in ("", "old_", "new_")}
    own = {*_OWN} | {
        f"{prefix}{name}".lower()
        for name in columns
        for prefix in ("keeps_", "known_", "left_behind_")
    }
    tail = ""
    while in_use & {f"{name}{tail}" for name in own}:
        tail += "_"
    return tail


def read_of_old_rows(judgements: Judgements) -> frozenset[str]:
    """The columns that any filter reads of an old row."""
    return frozenset(
        column
        for arm in judgements.old
        if arm.image == "old"
        for criterion in arm.criteria
        if criterion.filter is not None
        for column in criterion.filter.columns
    )
