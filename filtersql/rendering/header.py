"""The comment at the head of a statement: whose filter is in force for which action, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from filtersql.changes import Criterion, Judgements
from filtersql.publications.model import ResolvedTable
from filtersql.rendering.compiled import LookedUp
from filtersql.rendering.layout import WIDTH, one_line, wrapped
from filtersql.rendering.sql_fragments import comment

__all__ = ["header"]

_OPS = ("insert", "update", "delete", "copy")
#: columns before what goes on below a line: more than any first line begins with
_SHALLOW, _DEEP = 4, len("  truncate ")
_ROOM = WIDTH - len("-- ")
_CONFLICTS = {
    "skip": ("Conflicts: a change that meets the wrong state in the target is skipped.",),
    "error": ("Conflicts: the run stops before a row that exists; a missing one is skipped.",),
}


def header(
    resolved: ResolvedTable,
    judgements: Judgements,
    *,
    target: str,
    key: Sequence[str],
    changes_view: str,
    lookups: Sequence[LookedUp],
    settings: Mapping[str, str],
) -> tuple[str, ...]:
    """The lines, without their comment marks."""
    publications = dict.fromkeys(part.publication for part in resolved.contributions)
    by_op = {op: arm.criteria for arm in judgements.old for op in arm.ops}
    by_op |= {op: arm.criteria for arm in judgements.new for op in arm.ops}
    by_op["copy"] = judgements.copy
    lines = [
        f"Subscription {resolved.subscription.name}: {resolved.table.name} -> {target}",
        f"Publications: {', '.join(publications)}",
        "Row filter in force, for each action:",
        *_in_force({op: _in_words(by_op[op], judgements) for op in _OPS}),
        "  truncate "
        + ("published; no filter judges it" if resolved.truncates else "is not published"),
        *resolved.why,
        *_CONFLICTS.get(resolved.subscription.on_conflict or "", ()),
        f"Changes of: {', '.join(map(str, resolved.sources))}, from the view {changes_view}",
        *(
            f"Looks up: {lookup.relation}, as its target stands at the same boundary, in the view "
            f"{lookup.view}"
            for lookup in lookups
        ),
        f"Rows are found by: {', '.join(key) or 'nothing; inserts only'}",
        "Settings:",
        *(f"  {name}={value}" for name, value in settings.items()),
    ]
    return tuple(_lines(lines))


def _lines(sentences: Iterable[str]) -> Iterator[str]:
    """Each safe behind `--`; what does not fit goes on below, further to the right."""
    for sentence in sentences:
        line = comment(sentence)
        if len(line) <= _ROOM:
            yield line
            continue
        hanging = _DEEP if sentence.startswith(" ") else _SHALLOW
        lines = wrapped(line, _ROOM, hanging)
        # A line that was broken off may end as no sentence does.
        yield from lines if len(lines) == 1 else map(comment, lines)


def _in_force(filters: Mapping[str, str]) -> Iterator[str]:
    """A line for each action; a filter that needs several lines is written once."""
    first_by_text: dict[str, str] = {}
    for op, text in filters.items():
        first = first_by_text.setdefault(text, op)
        again = first != op and len(text) > _ROOM - _DEEP
        yield f"  {op:<8} {f'as {first}' if again else text}"


def _in_words(criteria: Sequence[Criterion], judgements: Judgements) -> str:
    between = " AND " if judgements.every else " OR "
    return between.join(one_line(criterion.label) for criterion in criteria)
