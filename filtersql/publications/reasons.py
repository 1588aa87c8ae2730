"""Why a filter is in force and another is not, as sentences for `show` and the compiled header.

Example
    `Publication "p2" (for all tables) sends every insert, so the filter of "p1" does not matter.`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from filtersql.definitions.model import Action
from filtersql.errors.publications import shown
from filtersql.names import RelationName
from filtersql.publications.flag import only_flag_turns_off
from filtersql.publications.index import SET, Index
from filtersql.publications.model import ResolvedTable

__all__ = ["Leak", "leaks", "listed", "reasons"]


class Leak(Struct, frozen=True):
    """Actions that only displaced publications publish, and the leaves whose changes these are."""

    actions: tuple[Action, ...]
    sources: tuple[RelationName, ...]
    publications: str


def leaks(resolved: ResolvedTable) -> Iterator[Leak]:
    """The leaking actions, those alike together."""
    grouped: dict[tuple[tuple[RelationName, ...], str], list[Action]] = {}
    for action, sources in resolved.only_from.items():
        by = _quoted(each.publication for each in resolved.displaced if action in each.actions)
        grouped.setdefault((sources, by), []).append(action)
    for (sources, by), actions in grouped.items():
        yield Leak(tuple(actions), sources, by)


#: switches that change what a reader expects of PostgreSQL
_SWITCHES = {
    ("null_policy", "keep"): "A row for which its filter is NULL is sent.",
    ("update_decision", "new_only"): "An UPDATE is judged by its new row alone: it stays an UPDATE,"
    " or is not sent.",
    ("update_decision", "target_existence"): "An UPDATE whose new row does not match deletes the"
    " target's row; one that matches inserts it where it is missing.",
    ("delete_policy", "key_only_filter"): "A DELETE is judged by its replica identity; all other"
    " columns are NULL.",
    ("delete_policy", "target_existence"): "A DELETE is sent whatever the filter says.",
    ("missing_target", "skip"): "An UPDATE of a row that the target lacks is skipped.",
    ("existing_target_on_insert", "error"): "The run stops before a change that brings a row which"
    " the target has.",
}
#: those of them that say how a filter judges
_OF_FILTERS = ("null_policy", "update_decision", "delete_policy")
_OF_ACTIONS = {
    "update_decision": Action.UPDATE,
    "delete_policy": Action.DELETE,
    "missing_target": Action.UPDATE,
}


def reasons(resolved: ResolvedTable, index: Index) -> Iterator[str]:
    """The sentences of one target."""
    yield from (text for switch, text in _SWITCHES.items() if _is_turned(resolved, *switch))
    yield from _routing(resolved, index)
    yield from _enabled(resolved, index)
    yield from _absorbed(resolved, index.kind)
    yield from _not_absorbing(resolved, index.kind)
    yield from _without_effect(resolved, index)
    yield from _leaks(resolved)
    yield from _copied(resolved)
    yield from _columns(resolved, index)


def _is_turned(resolved: ResolvedTable, name: str, value: str) -> bool:
    if getattr(resolved.semantics, name) != value:
        return False
    conflicts = ("missing_target", "existing_target_on_insert")
    policy = resolved.subscription.on_conflict if name in conflicts else None
    if _OF_ACTIONS.get(name, Action.INSERT) not in {*resolved.filters, Action.INSERT}:
        return False
    filtered = any(each.where is not None for each in resolved.contributions)
    return policy is None and (filtered or name not in _OF_FILTERS)


def _routing(resolved: ResolvedTable, index: Index) -> Iterator[str]:
    name = shown(resolved.table.name)
    ancestors = index.lineage.ancestors[resolved.table.name]
    if not resolved.streamed:
        why = "its changes are published as its root"
        if resolved.table.unlogged:
            why = "no change of an unlogged table is decoded"
        yield f"Only the initial copy takes {name}: {why}."
    elif resolved.via_partition_root:
        by = _quoted(each.publication for each in resolved.contributions)
        yield f"The rows of its partitions are published as {name} by {index.kind} {by}."
    elif ancestors and any(
        each.written_on != resolved.table.name for each in resolved.contributions
    ):
        yield f"Partition {name} is published under its own name, so no filter of its root counts."
    yield from _turned_off(resolved, index)


def _turned_off(resolved: ResolvedTable, index: Index) -> Iterator[str]:
    """What the compile flag alone makes of a root's own WHERE or column list."""
    if index.kind == SET or index.settings.via_partition_root_flag is None:
        return
    for name in dict.fromkeys(each.publication for each in resolved.contributions):
        if not only_flag_turns_off(index.definitions.publications[name], index.settings):
            continue
        for ancestor in index.lineage.ancestors[resolved.table.name]:
            entry = index.publications[name].entries.get(ancestor)
            if entry is None or (entry.where is None and entry.columns is None):
                continue
            word = "WHERE" if entry.where is not None else "column list"
            yield (
                f'The {word} of {shown(ancestor)} in publication "{name}" is ignored: '
                "--no-publish-via-partition-root."
            )


def _enabled(resolved: ResolvedTable, index: Index) -> Iterator[str]:
    """The named rule that a subscription enables, where its table has some."""
    rule = resolved.subscription.filters.get(str(resolved.table.name))
    if rule is not None:
        yield f'Rule "{rule}" is enabled.'
    elif any(
        (entry := index.members[each.publication].entries.get(each.written_on)) and entry.filters
        for each in resolved.contributions
    ):
        yield "No rule of the table is enabled, so no row is filtered."


def _not_absorbing(resolved: ResolvedTable, kind: str) -> Iterator[str]:
    """Members without a filter where all filters must match."""
    filtered = [each for each in resolved.contributions if each.where is not None]
    if resolved.semantics.combine != "and" or resolved.semantics.unfiltered_cancels or not filtered:
        return
    for each in resolved.contributions:
        if each.where is None:
            yield (
                f'{kind.capitalize()} "{each.publication}" ({each.reason}) has no filter, so those '
                "of the others decide."
            )


def _absorbed(resolved: ResolvedTable, kind: str) -> Iterator[str]:
    unfiltered = [each for each in resolved.contributions if each.where is None]
    grouped: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Action]] = {}
    for action, contributions in resolved.absorbed.items():
        publishing = (each for each in unfiltered if action in each.actions)
        by = tuple(f'"{each.publication}" ({each.reason})' for each in publishing)
        names = tuple(each.publication for each in contributions)
        grouped.setdefault((by, names), []).append(action)
    for (by, names), actions in grouped.items():
        filters = "filter" if len(names) == 1 else "filters"
        does = "does" if len(names) == 1 else "do"
        sends = "sends" if len(by) == 1 else "send"
        who = kind.capitalize() if len(by) == 1 else f"{kind.capitalize()}s"
        yield (
            f"{who} {', '.join(by)} {sends} every {listed(actions)}, so the {filters} "
            f"of {_quoted(names)} {does} not matter."
        )


def _copied(resolved: ResolvedTable) -> Iterator[str]:
    """Where the copy takes others than inserts would bring."""
    inserts = resolved.filters.get(Action.INSERT, resolved.copy_filters)
    copied, sent = ([each.publication for each in by] for by in (resolved.copy_filters, inserts))
    if resolved.copy_filters == inserts or copied == sent:
        return
    if resolved.semantics.copy_predicate == "none":
        yield "The initial copy takes every row."
        return
    yield "The initial copy counts every publication, whatever it publishes."
    if not resolved.copy_filters:
        for each in resolved.contributions:
            if each.where is None:
                by = f'publication "{each.publication}" ({each.reason})'
                yield f"It takes every row: {by} has no filter."


def _columns(resolved: ResolvedTable, index: Index) -> Iterator[str]:
    """Why columns are left out."""
    published = {column.name for column in resolved.columns}
    left_out = [column for column in resolved.table.columns if column.name not in published]
    listing = [
        each.publication
        for each in resolved.contributions
        if (entry := index.members[each.publication].entries.get(each.written_on))
        and entry.columns is not None
    ]
    names = ", ".join(column.name for column in left_out)
    if left_out and listing:
        yield f"The columns that {index.kind} {_quoted(listing)} lists leave out {names}."
    elif left_out and all(column.generated for column in left_out):
        yield f"Generated columns are not published: {names}."


def _without_effect(resolved: ResolvedTable, index: Index) -> Iterator[str]:
    for each in resolved.contributions:
        if each.ignored is not None:
            yield (
                f'{index.kind.capitalize()} "{each.publication}" publishes the whole table '
                f"({each.reason}), so its own WHERE does not matter."
            )
    leaking = [leak.publications for leak in leaks(resolved)] if resolved.displaced else []
    for each in resolved.displaced:
        if each.where is not None:
            yield (
                f'The filter of publication "{each.publication}" on {shown(each.written_on)} '
                "does not count: a publication of a higher level takes the rows."
            )
        elif not any(_quoted([each.publication]) in by for by in leaking):
            yield (
                f'Publication "{each.publication}" has no filter, which does not count: the rows '
                f"are published as {shown(resolved.table.name)} by a publication of a higher level."
            )
    if not resolved.via_partition_root:
        return
    for each in resolved.contributions:
        entries = index.members[each.publication].entries
        for source in resolved.sources:
            # A relation that is only copied is its own source, and its own filter counts.
            entry = entries.get(source) if source != resolved.table.name else None
            if entry is not None and entry.where is not None:
                yield (
                    f'The filter of {index.kind} "{each.publication}" on {shown(source)} '
                    f"does not count: its rows are published as {shown(resolved.table.name)}."
                )


def _leaks(resolved: ResolvedTable) -> Iterator[str]:
    for leak in leaks(resolved):
        yield (
            f"Every {listed(leak.actions)} of {', '.join(map(shown, leak.sources))} is sent "
            f"without a filter: only publication {leak.publications} of a lower level publishes it."
        )


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in dict.fromkeys(names))


def listed(actions: Iterable[Action]) -> str:
    """`insert, update and delete`."""
    *most, last = actions
    return f"{', '.join(most)} and {last}" if most else str(last)
