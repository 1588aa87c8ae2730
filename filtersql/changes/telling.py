"""Whether a feed's format tells what a target needs: `untold(resolved, read)`.

Example
    ======================================== =========== ================================
    the target                               format      verdict
    ======================================== =========== ================================
    publishes updates, has no identity       wal2json    refused: they leave no trace
    publishes a column of type money         debezium    refused: its text is not sent
    ======================================== =========== ================================

A format is a value (`definitions.formats`); what is refused here is refused by `compile`, before a
change is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from msgspec.structs import replace

from filtersql.catalog import Catalog, PgType
from filtersql.definitions.formats import FORMATS, FeedFormat
from filtersql.definitions.model import Action, Feed, Subscription
from filtersql.errors import Mistake
from filtersql.errors.feed_tables import FEED_OF_ONE_TABLE
from filtersql.errors.feeds import FEED_HIDES_CHANGES, FEED_HIDES_OPERATIONS, UNTOLD_TYPE
from filtersql.names import RelationName
from filtersql.publications.identity import has_identity
from filtersql.publications.model import ResolvedTable
from filtersql.source import Span

__all__ = ["by_target", "lacks_old_rows", "one_table", "untold"]


def untold(resolved: ResolvedTable, read: Collection[str], catalog: Catalog) -> Iterator[Mistake]:
    """What the format of a target's feed cannot tell; `read` are the columns of its filters."""
    feed = resolved.subscription.changes
    if feed is None:
        return
    form = FORMATS[feed.format]
    changing = {Action.UPDATE, Action.DELETE} & set(resolved.filters)
    if form.hides_unidentified and changing:
        for name in resolved.sources:
            if not has_identity(catalog.tables[name]):
                yield FEED_HIDES_CHANGES(feed.span, form=form.name, table=name)
    if form.orders_one_table and len(resolved.sources) > 1:
        subscription = resolved.subscription.name
        yield FEED_OF_ONE_TABLE(
            feed.span, form=form.name, subscription=subscription, count=len(resolved.sources)
        )
    yield from _operations(resolved, form, feed.span)
    yield from _old_rows(resolved, form, feed, read)
    if form.tells is None and not form.keeps:
        return
    needed = {column.name for column in resolved.columns} | set(read)
    for column in resolved.table.columns:
        if column.name in needed and not _is_told(column.type, form, feed, catalog):
            kind = column.type.name
            yield UNTOLD_TYPE(
                feed.span,
                column=column.name,
                table=resolved.table.name,
                form=form.name,
                pg_type=f"{kind[1:]}[]" if kind.startswith("_") else kind,
            )


def _is_told(kind: PgType, form: FeedFormat, feed: Feed, catalog: Catalog) -> bool:
    """Whether the format writes every value of a type so that it can be told from all others."""
    if form.garbles and _is_garbled(kind, form, catalog):
        return False
    kind = kind.base or kind  # a domain's values are written as those of its base
    if any(
        _declared_digits(kind) not in range(digits[name] + 1)
        for option, digits in form.keeps.items()
        if option in feed.options.items()
        and (name := kind.name.removeprefix("_")) in digits
        and kind.schema == "pg_catalog"
    ):
        return False
    if form.tells is None or kind.schema != "pg_catalog":
        return True
    if kind.name == "numeric" and kind.typmod < 0 and not form.tells_any_scale:
        return False
    return kind.name.removeprefix("_") in (form.elements if kind.is_array else form.tells)


def _is_garbled(kind: PgType, form: FeedFormat, catalog: Catalog) -> bool:
    """Whether it is of a type of a user or an extension that the format does not write."""
    made_of = kind.base or kind
    for each in (kind, made_of):
        element = each.name.removeprefix("_")
        name = RelationName(each.schema, element)
        what = catalog.made.types.get(name)
        if name in catalog.tables or name in catalog.others:
            what = "composite type"
        # A type of a user's own may have the name of an extension's.
        named = element if what is None else what
        if each.schema != "pg_catalog" and named in form.garbles:
            return True
        if what == "domain" and element != each.name:
            return True  # an array of a domain
    return False


def _declared_digits(kind: PgType) -> int:
    """The digits of a number or of parts of a second that the type declares; -1: any."""
    if kind.name.removeprefix("_") != "numeric":
        return kind.typmod
    digits = replace(kind, name="numeric").numeric_precision_scale
    return -1 if digits is None else digits[0]


def _operations(resolved: ResolvedTable, form: FeedFormat, span: Span) -> Iterator[Mistake]:
    """What is published must not depend on which operation a change was, where that is not told."""
    published = {action for action in Action if action in resolved.filters}
    if form.truncates == "rows" and resolved.truncates is not (Action.DELETE in published):
        needs = "A TRUNCATE comes as deletes of rows: publish both, or neither."
        yield FEED_HIDES_OPERATIONS(span, form=form.name, table=resolved.table.name, needs=needs)
    if form.tells_updates or (
        published == {Action.INSERT, Action.UPDATE, Action.DELETE}
        and (len({frozenset(parts) for parts in resolved.filters.values()}) == 1)
    ):
        return
    needs = (
        "An update may come as a delete and an insert: publish insert, update and delete, with the"
        " same row filters."
    )
    yield FEED_HIDES_OPERATIONS(span, form=form.name, table=resolved.table.name, needs=needs)


def one_table(subscription: Subscription, tables: Iterable[ResolvedTable]) -> None:
    """A feed whose seq counts one table's commits serves one table. Raises FEED_OF_ONE_TABLE."""
    feed = subscription.changes
    if feed is None or not FORMATS[feed.format].orders_one_table:
        return
    own = [table for table in tables if table.subscription is subscription]
    if len(own) > 1:
        raise FEED_OF_ONE_TABLE(
            feed.span, form=feed.format, subscription=subscription.name, count=len(own)
        )


def by_target(resolved: ResolvedTable) -> ResolvedTable:
    """The target judged by what it holds, where its feed has no old rows and that is exact.

    An UPDATE that does not match deletes the row if it is there: each row there matched once, by
    the one filter of all actions.
    """
    feed = resolved.subscription.changes
    if feed is None or not lacks_old_rows(feed) or not _is_judged_alike(resolved):
        return resolved
    rules = replace(
        resolved.semantics, update_decision="target_existence", delete_policy="target_existence"
    )
    return replace(resolved, semantics=rules)


def lacks_old_rows(feed: Feed) -> bool:
    """Whether an UPDATE of the feed tells the new row only."""
    return FORMATS[feed.format].old_rows == "none" and feed.options.get("before_image") != "true"


def _old_rows(
    resolved: ResolvedTable, form: FeedFormat, feed: Feed, read: Collection[str]
) -> Iterator[Mistake]:
    """What must be known of old rows that are not told."""
    name = resolved.table.name
    if form.truncates == "untold" and resolved.truncates and "no_truncate" not in feed.assume:
        needs = "A TRUNCATE leaves no trace in it."
        remedy = "Publish no truncate, or say `assume: [no_truncate]`."
        yield FEED_HIDES_OPERATIONS(feed.span, form=form.name, table=name, needs=needs, hint=remedy)
    if not lacks_old_rows(feed) or Action.UPDATE not in resolved.filters:
        return
    remedy = "Record BI_ columns (BeforeImageSettings) and say `before_image: true`."
    if "fixed_keys" not in feed.assume:
        needs = "An UPDATE that changes the key does not tell the old one."
        other = f"{remedy} Or say `assume: [fixed_keys]`."
        yield FEED_HIDES_OPERATIONS(feed.span, form=form.name, table=name, needs=needs, hint=other)
    beyond = sorted(set(read).difference(resolved.table.primary_key))
    if not resolved.table.primary_key:
        needs = "An UPDATE does not tell the old row, and the table has no primary key."
        yield FEED_HIDES_OPERATIONS(feed.span, form=form.name, table=name, needs=needs, hint=remedy)
    elif beyond and not _is_judged_alike(resolved):
        needs = (
            f'Its row filters read column "{beyond[0]}" of old rows, and not all actions are'
            " published with the same filters."
        )
        yield FEED_HIDES_OPERATIONS(feed.span, form=form.name, table=name, needs=needs, hint=remedy)


def _is_judged_alike(resolved: ResolvedTable) -> bool:
    """Whether each row of the target matched the filter that judges it now.

    All actions and the copy have the same filters, and nothing stays that the source removed.
    """
    filters = {frozenset(parts) for parts in (*resolved.filters.values(), resolved.copy_filters)}
    every = {Action.INSERT, Action.UPDATE, Action.DELETE} == set(resolved.filters)
    rules, apply = resolved.semantics, resolved.subscription.on_conflict in (None, "apply")
    feed = resolved.subscription.changes
    empties = resolved.truncates or (feed is not None and "no_truncate" in feed.assume)
    plain = (rules.update_decision, rules.delete_policy) == ("old_new", "old_filter")
    return len(filters) == 1 and every and empties and plain and apply
