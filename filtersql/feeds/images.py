"""Whether a change says all that its op and its table need, and which targets it concerns.

Example
    ======== ============= ======================== ==========================================
    op       before        after                    unchanged
    ======== ============= ======================== ==========================================
    insert   –             all columns              –
    update   key or none   all but the unchanged    columns whose value was not sent
    delete   key           –                        –
    truncate –             –                        –
    ======== ============= ======================== ==========================================
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from filtersql.catalog import Catalog, Table
from filtersql.errors import Mistake
from filtersql.errors.feeds import (
    INCOMPLETE_NEW_ROW,
    INCOMPLETE_OLD_ROW,
    LEAF_TRUNCATE,
    NO_NEW_ROW,
    NO_OLD_ROW,
    PARTITIONED_RELATION,
    UNCHANGED_MISPLACED,
    UNKNOWN_FEED_COLUMN,
    UNKNOWN_FEED_RELATION,
    UNKNOWN_OPERATION,
    UNREADABLE_LINE,
)
from filtersql.errors.wording import meant
from filtersql.feeds.landings import Landing, needed_columns
from filtersql.feeds.records import OPERATIONS, Record, relation_name
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.source import Span

__all__ = ["NEEDS_AFTER", "NEEDS_BEFORE", "Judged", "Worded", "judge"]

Worded = Callable[[Span], Mistake]

NEEDS_BEFORE = frozenset({"delete"})
NEEDS_AFTER = frozenset({"insert", "update", "read"})


class Judged(Struct, frozen=True):
    """What is known of the relation that changes name: facts that hold for each change of it."""

    targets: tuple[int, ...]
    table: Table | None = None
    columns: frozenset[str] = frozenset()
    #: columns that a new row, and an old row, must hold for all targets together
    new: frozenset[str] = frozenset()
    old: frozenset[str] = frozenset()
    #: columns that a target reads and that cannot be left out as unchanged
    always_sent: frozenset[str] = frozenset()
    #: whether an update without its old row cannot be judged
    judges_old: bool = False
    #: ops that fewer of the targets take (`CompiledTable.only_from`), and those
    partial: Mapping[str, tuple[int, ...]] | None = None


def judge(
    change: Record, catalog: Catalog, landings: Sequence[Landing], tables: dict[str, Judged]
) -> Judged | list[Worded]:
    """The targets of a change, or everything that is wrong with it."""
    if change.op not in OPERATIONS:
        operation = change.op
        hint = meant(operation, OPERATIONS)
        return [
            lambda span: UNKNOWN_OPERATION(span, operation=operation, known=OPERATIONS, hint=hint)
        ]
    if change.op == "commit":
        return Judged(())
    if change.op == "truncate":
        return _truncate(change, catalog, landings)
    written = change.relation
    known = tables.get(written) if isinstance(written, str) else None
    if known is None:
        found = _relation(written, catalog)
        if not isinstance(found, RelationName):
            return [found]
        known = _facts(catalog.tables[found], landings)
        if isinstance(written, str):
            tables[written] = known
    table = known.table
    if table is not None and table.partition_by is not None:
        partitioned = table.name
        return [lambda span: PARTITIONED_RELATION(span, table=partitioned)]
    if table is not None and (known.targets or change.before or change.after):
        return list(_images(change, known, table)) or known
    return known


def _facts(table: Table, landings: Sequence[Landing]) -> Judged:
    compiled = [landing.compiled for landing in landings]
    targets = tuple(index for index, target in enumerate(compiled) if table.name in target.sources)
    serves = [compiled[index] for index in targets]
    return Judged(
        targets,
        table,
        frozenset(column.name for column in table.columns),
        frozenset[str]().union(*(needed_columns(target) for target in serves)),
        frozenset[str]().union(*({*one.identity, *one.judged_old} for one in serves)),
        frozenset[str]().union(*map(_always_sent, serves)),
        judges_old=any(target.judged_old for target in serves),
        partial=_partial(table.name, targets, compiled),
    )


def _partial(
    name: RelationName, targets: Sequence[int], compiled: Sequence[CompiledTable]
) -> Mapping[str, tuple[int, ...]] | None:
    """The targets that take an op of this relation, for ops that some do not take."""
    ops = {op for index in targets for op in compiled[index].only_from}
    return {
        op: tuple(index for index in targets if name in compiled[index].only_from.get(op, (name,)))
        for op in ops
    } or None


def _always_sent(compiled: CompiledTable) -> frozenset[str]:
    read = {column.name for column in compiled.feed_columns}
    return frozenset(read.difference(compiled.may_be_unchanged))


def _relation(written: str | list[str] | None, catalog: Catalog) -> RelationName | Worded:
    if written is None:
        return lambda span: UNREADABLE_LINE(span, reason='it lacks "relation"')
    name = relation_name(written)
    if name is None:
        shown = str(written)
        return lambda span: UNREADABLE_LINE(
            span, reason=f'relation {shown} is not "schema.table" or ["schema", "table"]'
        )
    if name in catalog.tables:
        return name
    hint = meant(str(name), map(str, catalog.tables))
    return lambda span: UNKNOWN_FEED_RELATION(span, relation=name, hint=hint)


def _images(change: Record, facts: Judged, table: Table) -> Iterator[Worded]:
    before, after = change.before, change.after
    for image in (before, after):
        if image is not None and not facts.columns.issuperset(image):
            yield from _unknown(image, facts, table)
    if not facts.targets:
        return
    if change.unchanged:
        yield from _unchanged(change, facts, table)
    name, operation = table.name, change.op
    if operation in NEEDS_AFTER:
        if after is None:
            yield lambda span: NO_NEW_ROW(span, operation=operation, table=name)
        elif not facts.new.issubset(after):
            missing = _in_order(facts.new.difference(after, change.unchanged or ()), table)
            if missing:
                yield lambda span: INCOMPLETE_NEW_ROW(
                    span, operation=operation, columns=missing, table=name
                )
    if before is None:
        judged = operation == "update" and facts.judges_old
        if judged or (operation in NEEDS_BEFORE and facts.old):
            yield lambda span: NO_OLD_ROW(span, operation=operation, table=name)
    elif operation in ("update", "delete") and not facts.old.issubset(before):
        lost = _in_order(facts.old.difference(before), table)
        yield lambda span: INCOMPLETE_OLD_ROW(span, operation=operation, columns=lost, table=name)


def _in_order(columns: Collection[str], table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns if column.name in columns)


def _unknown(image: Collection[str], facts: Judged, table: Table) -> Iterator[Worded]:
    for column in image:
        if column not in facts.columns:
            hint = meant(column, (known.name for known in table.columns))
            yield lambda span, column=column, hint=hint: UNKNOWN_FEED_COLUMN(  # type: ignore[misc]
                span, column=column, table=table.name, hint=hint
            )


def _unchanged(change: Record, facts: Judged, table: Table) -> Iterator[Worded]:
    for column in change.unchanged or ():
        if column not in facts.columns:
            yield from _unknown([column], facts, table)
            continue
        reason = None
        if change.op != "update":
            reason = f"Only an update leaves columns unchanged, not {change.op}."
        elif change.after is not None and column in change.after:
            reason = 'It stands in "after" too.'
        elif column in facts.always_sent:
            reason = "It is part of the key or its values are never stored out of line."
        if reason is not None:
            yield lambda span, column=column, reason=reason: UNCHANGED_MISPLACED(  # type: ignore[misc]
                span, column=column, reason=reason
            )


def _truncate(
    change: Record, catalog: Catalog, landings: Sequence[Landing]
) -> Judged | list[Worded]:
    written = [*([] if change.relation is None else [change.relation]), *(change.relations or ())]
    found = [_relation(name, catalog) for name in written] or [_relation(None, catalog)]
    wrong = [name for name in found if not isinstance(name, RelationName)]
    truncated = {name for name in found if isinstance(name, RelationName)}
    targets = []
    for index, landing in enumerate(landings):
        compiled = landing.compiled
        if not compiled.truncates:
            continue
        if not truncated.isdisjoint(compiled.truncated_by):
            targets.append(index)
        elif change.relations is None and not landing.has(change.seq):
            wrong += [
                lambda span, leaf=leaf, root=compiled.relation: LEAF_TRUNCATE(
                    span, leaf=leaf, published=root
                )  # type: ignore[misc]
                for leaf in sorted(truncated.intersection(compiled.sources))
            ]
    return wrong or Judged(tuple(targets))
