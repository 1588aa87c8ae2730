"""What is known of a target before anything is printed: its shape, which many targets share.

Example
    Two tables with the columns `id int PRIMARY KEY, region text` and a filter on `id` each have the
    same `Outline`: the same columns to print, the same form of MERGE, the same old rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.catalog import Column, Identity
from filtersql.changes import (
    Form,
    Images,
    Judgements,
    Texts,
    images,
    lacks_old_rows,
    row_form,
    stopping,
    texts_of,
)
from filtersql.definitions.model import Action
from filtersql.errors.compiling import KEY_OF_SEVERAL_TEXTS, NO_ROW_KEY, NO_ROW_KEY_BUT_FULL
from filtersql.errors.windows import DELAY_WITHOUT_KEY
from filtersql.pgtypes import format_type
from filtersql.publications.model import ResolvedTable
from filtersql.rendering.plan import Outline, read_of_old_rows
from filtersql.storage import Engine, column_type

__all__ = ["outlined"]


def outlined(
    resolved: ResolvedTable,
    engine: Engine,
    judged: Judgements,
    read: Sequence[Column],
    key: tuple[str, ...],
) -> Outline:
    """The shape of a target. Raises a Mistake where no key finds a row that changes."""
    table, subscription, rules = resolved.table, resolved.subscription, resolved.semantics
    delayed = (one.filter for one in judged.copy if one.filter and one.filter.young)
    if not key and (first := next(delayed, None)) is not None:
        raise DELAY_WITHOUT_KEY(first.text.span(), name=table.name)
    complete = subscription.changes is not None and subscription.changes.before_complete
    untold = subscription.changes is not None and lacks_old_rows(subscription.changes)
    pictures = images(
        table,
        resolved.columns,
        logged=resolved.old_columns,
        before_complete=complete,
        key_only=rules.delete_policy == "key_only_filter",
    )
    return Outline(
        engine=engine,
        columns=tuple(column.name for column in resolved.columns),
        read_columns=tuple(column.name for column in read),
        types=tuple(column_type(column, engine).sql for column in read),
        key=key,
        unique=_other_unique_key(resolved, key),
        form=_form(resolved, key, pictures),
        images=pictures,
        always_logged=complete or (resolved.old_rows_are_full and not untold),
        updates=Action.UPDATE in resolved.filters,
        truncates=resolved.truncates,
        stops_at_unchanged=rules.toast_unchanged == "error",
        read_of_old_rows=read_of_old_rows(judged),
        every=judged.every,
        unknown_matches=judged.unknown_matches,
        expires=judged.expires,
    )


def _form(resolved: ResolvedTable, key: tuple[str, ...], pictures: Images) -> Form:
    """Raises a Mistake where no key finds a row that changes."""
    table, subscription, rules = resolved.table, resolved.subscription, resolved.semantics
    updates = Action.UPDATE in resolved.filters
    form = row_form(
        table,
        key,
        keepable=bool(pictures.may_be_unchanged),
        inserts_only=resolved.inserts_only,
        skips_missing=updates
        and rules.missing_target == "skip"
        and subscription.on_conflict is None,
        keeps_existing=subscription.on_conflict in ("skip", "error"),
    )
    changing = {Action.UPDATE, Action.DELETE} & set(resolved.filters)
    if form is None and changing <= stopping(resolved).keys():
        # The first change that would have to find a row stops the run.
        form = Form.APPEND
    decides = "target_existence" in (rules.update_decision, rules.delete_policy)
    if form is None or (form in (Form.KEYLESS, Form.KEYLESS_SKIPPING) and decides):
        full = table.replica_identity.kind is Identity.FULL
        raise (NO_ROW_KEY_BUT_FULL if full else NO_ROW_KEY)(
            subscription.span, relation=table.name, actions=sorted(resolved.filters)
        )
    for column in filter(lambda each: each.name in key, table.columns):
        if column.several_texts or texts_of(column.type) is Texts.SEVERAL:
            named = format_type(column.type)
            if column.own_collation is not None:
                named = f'{named} COLLATE "{column.collation or column.domain_collation}"'
            raise KEY_OF_SEVERAL_TEXTS(
                column.span, relation=table.name, column=column.name, pg_type=named
            )
    return form


def _other_unique_key(resolved: ResolvedTable, key: tuple[str, ...]) -> tuple[str, ...]:
    """The primary key, if rows are found by another key and the target has its columns."""
    primary = resolved.table.finding_key
    published = {column.name for column in resolved.columns}
    other = key and primary and set(primary) != set(key) and set(primary) <= published
    return primary if other else ()
