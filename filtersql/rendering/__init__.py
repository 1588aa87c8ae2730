"""TEXT: one published table becomes its statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from filtersql.catalog import Column
from filtersql.changes import Judgements, row_key
from filtersql.errors import Mistake, Mistakes
from filtersql.filters.resolve.windows import cuts_of
from filtersql.filters.tree.nodes import Cut, Var
from filtersql.filters.values.cuts import ClockColumn
from filtersql.names import view_name
from filtersql.publications.model import ResolvedTable
from filtersql.rendering.columns import (
    column_definitions,
    defined_columns,
    differ_by_case,
    feed_columns,
    read_columns,
    target_columns,
)
from filtersql.rendering.compiled import CompiledTable, Delay, LookedUp
from filtersql.rendering.definition import defined
from filtersql.rendering.filter_hash import filter_hash
from filtersql.rendering.filters_in_force import FilterWriter, printed
from filtersql.rendering.header import header
from filtersql.rendering.lookups import looked_up_by
from filtersql.rendering.macros import COSTLY_PARTS
from filtersql.rendering.merges import completing_merge, merge_of
from filtersql.rendering.naming import not_in_session_catalog, target_name, target_sql
from filtersql.rendering.next_leaving import next_leaving
from filtersql.rendering.plan import Outline, merge_plan
from filtersql.rendering.plan_records import MergePlan
from filtersql.rendering.render import render
from filtersql.rendering.sql_fragments import named
from filtersql.rendering.statements_on_demand import StatementsOnDemand
from filtersql.rendering.target_outlines import outlined
from filtersql.rendering.template_cache import Own
from filtersql.storage import Engine

__all__ = ["SETTINGS", "Destination", "compiled_table"]

#: settings of the session on which the meaning of a compiled statement depends
SETTINGS: dict[Engine, dict[str, str]] = {
    "spark": {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.variable.substitute": "false",
        "spark.sql.parser.escapedStringLiterals": "false",
        "spark.sql.timestampType": "TIMESTAMP_LTZ",
    },
    "duckdb": {"TimeZone": "UTC", "disabled_optimizers": "expression_rewriter"},
}


class Destination(Struct, frozen=True):
    """Where the statements will run: the engine, and the catalog and schema of the profile."""

    engine: Engine
    catalog: str | None
    schema: str | None
    #: Spark's own session catalog, which takes only letters, digits and `_` in names
    session_catalog: bool
    macro_folders: tuple[Path, ...]


def compiled_table(
    resolved: ResolvedTable,
    judged: Judgements,
    write: FilterWriter,
    destination: Destination,
) -> CompiledTable:
    """The statements of one target, and what a runner must know of it.

    `write(filter, prefix)` gives a filter's SQL over the columns `<prefix><name>`. Raises Mistakes
    where the target cannot be made: its name, columns and key are judged, none before another.
    """
    published = {column.name for column in resolved.columns}
    unique_keys, inserts_only = resolved.semantics.unique_keys, resolved.inserts_only
    key = row_key(resolved.table, unique_keys=unique_keys, inserts_only=inserts_only)
    if not set(key) <= published:
        key = ()
    read = read_columns(resolved, judged, key)
    mistakes = [*differ_by_case(resolved, read)]
    try:
        target = target_name(resolved, destination.schema)
        if destination.session_catalog:
            mistakes += not_in_session_catalog(resolved, target)
    except Mistake as mistake:
        mistakes.append(mistake)
    try:
        outline = outlined(resolved, destination.engine, judged, read, key)
    except Mistake as mistake:
        mistakes.append(mistake)
    if mistakes:
        raise Mistakes(mistakes)
    return _statements(resolved, outline, judged, write, destination, read, target)


def _own(
    resolved: ResolvedTable,
    judged: Judgements,
    key: tuple[str, ...],
    lookups: Sequence[LookedUp],
    write: FilterWriter,
    *,
    engine: Engine,
    target: str,
) -> Own:
    """What is printed of this target alone."""
    changes = view_name("changes", resolved.table.name)
    return Own(
        header=header(
            resolved,
            judged,
            target=target,
            key=key,
            changes_view=changes,
            lookups=lookups,
            settings=SETTINGS[engine],
        ),
        target=target,
        changes=named(changes, engine),
        source_view=named(view_name("source", resolved.table.name), engine),
        **printed(judged, engine, write),
    )


def _statements(
    resolved: ResolvedTable,
    outline: Outline,
    judged: Judgements,
    write: FilterWriter,
    destination: Destination,
    read: Sequence[Column],
    target: tuple[str, str],
) -> CompiledTable:
    engine, folders = destination.engine, destination.macro_folders
    table, subscription = resolved.table, resolved.subscription
    name = target_sql(destination.catalog, target, engine)
    lookups = looked_up_by(judged) if resolved.semantics.lookups else ()
    own = _own(resolved, judged, outline.key, lookups, write, engine=engine, target=name)
    plan = merge_plan(outline)
    on_demand = StatementsOnDemand(plan, own, folders, complete=outline.stops_at_unchanged)
    hashed, columns = filter_hash(resolved, judged, outline.key), target_columns(resolved, engine)
    return CompiledTable(
        subscription=subscription.name,
        relation=table.name,
        sources=resolved.sources,
        truncated_by=resolved.truncated_by,
        truncates=resolved.truncates,
        target=target,
        target_sql=name,
        columns=columns,
        feed_columns=feed_columns(read, outline.types, table),
        key=outline.key,
        identity=_sent_of_old_rows(resolved, read),
        judged_old=_judged_old(outline),
        form=outline.form.value,
        effect_column=plan.plain_effect,
        ordinal_column=plan.plain_ordinal,
        may_be_unchanged=tuple(each.plain for each in plan.carried_columns + plan.keepable_columns),
        on_conflict=subscription.on_conflict or "apply",
        stops_at_existing=(subscription.on_conflict or resolved.semantics.existing_target_on_insert)
        == "error",
        copy_data=subscription.copy_data,
        changes_view=view_name("changes", table.name),
        source_view=view_name("source", table.name),
        **_texts(plan, own, folders, completes=not outline.stops_at_unchanged),
        unique=outline.unique,
        on_demand=on_demand,
        packaged=on_demand.packaged,
        column_definitions_sql=column_definitions(columns, engine),
        settings=SETTINGS[engine],
        costly_parts=COSTLY_PARTS.get(outline.form, ()) if engine == "spark" else (),
        filter_hash=hashed,
        definition=defined(
            resolved, judged, target, outline.key, defined_columns(resolved, columns), hashed
        ),
        only_from={str(action): sources for action, sources in resolved.only_from.items()},
        via_partition_root=table.partition_by is not None,
        notices=resolved.notices,
        lookups=lookups,
        clock=_clock(judged),
        next_leaving=next_leaving(judged, name, write, engine) if judged.expires else (),
        delays=tuple(_delays(judged)),
        rows_stay=judged.rows_stay,
    )


def _clock(judged: Judgements) -> tuple[ClockColumn, ...]:
    """The moments that the windows of its filters compare with, each once."""
    filters = (one.filter for one in judged.copy)
    trees = (each.tree for each in filters if each is not None and each.over is not None)
    return tuple({each.name: each for tree in trees for each in cuts_of(tree)}.values())


def _delays(judged: Judgements) -> Iterator[Delay]:
    """`column >= cut(delay)` of each window that holds rows back."""
    for criterion in judged.copy:
        if criterion.filter is not None and criterion.filter.young is not None:
            column, cut = criterion.filter.young.args
            assert isinstance(column, Var)
            assert isinstance(cut, Cut)
            yield Delay(column.name, cut.column)


def _texts(
    plan: MergePlan, own: Own, folders: tuple[Path, ...], *, completes: bool
) -> dict[str, Any]:
    """The statements that change rows, and the audit."""
    merge = merge_of(plan, own, folders)
    completing = completing_merge(plan, own, folders) if completes else None
    return {
        "merge_sql": merge.text,
        "merge_source_sql": merge.source,
        "merge_completing_sql": completing and completing.text,
        "completing_source_sql": completing and completing.source,
        "initial_copy_sql": render("initial_copy", plan, own, folders) + "\n",
        "audit_sql": render("audit", plan, own, folders) + "\n",
    }


def _sent_of_old_rows(resolved: ResolvedTable, read: Sequence[Column]) -> tuple[str, ...]:
    """The logged columns: generated ones that are not published are not sent either."""
    generated = {column.name for column in resolved.table.columns if column.generated}
    unsent = generated - {column.name for column in read}
    return tuple(name for name in resolved.old_columns if name not in unsent)


def _judged_old(outline: Outline) -> tuple[str, ...]:
    """What filters read of old rows, where no update lacks its old row."""
    return tuple(sorted(outline.read_of_old_rows)) if outline.always_logged else ()
