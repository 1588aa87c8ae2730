"""The picture at the top of the review: publications, the filters in them, the targets they feed.

Example
    regional ──── public.orders: region = 'eu' ──── europe.orders
                                                ╲
    large ──────── public.orders: total >= 1000 ─── finance.orders

    The page's style colours it. It is as wide as a desk's screen, and scrolls within its box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from filtersql.review.html_text import anchor, text
from filtersql.review.review import ReviewedTarget
from filtersql.review.text_table import cut
from filtersql.source import Span

__all__ = ["picture"]

#: targets that are drawn; the page lists all of them
MOST = 40
_TOP, _PITCH, _HEIGHT = 24, 52, 40
#: of each column its left side and width, and the letters that a line has room for
_COLUMNS = {"Publications": (0, 220, 24), "Filters": (310, 390, 48), "Targets": (790, 210, 23)}

#: a link around the inside, where there is something to lead to
Link = Callable[[Span | None, str], str]


class _Box(Struct, frozen=True):
    lines: tuple[str, ...]
    place: Span | None = None
    #: a part of the page
    section: str | None = None


def picture(targets: Sequence[ReviewedTarget], link: Link) -> Iterator[str]:
    """The picture of the first targets as HTML."""
    if not targets:
        return
    columns, joins = _drawn(targets[:MOST])
    publications, filters, landing = columns
    middle = {key: _TOP + _PITCH * number for number, key in enumerate(filters)}
    left = _beside(middle, publications, ((begin, end) for begin, end in joins if end in middle))
    right = _beside(middle, landing, ((end, begin) for begin, end in joins if begin in middle))
    tops = {**left, **middle, **right}
    height = max(tops.values()) + _PITCH
    yield "<div class=picture tabindex=0>"
    yield f'<svg viewBox="0 0 1000 {height}" aria-label="Publications, filters, targets">\n'
    for begin, end in joins:
        x, to = (220, 310) if end in middle else (700, 790)
        at, goal, half = tops[begin] + _HEIGHT // 2, tops[end] + _HEIGHT // 2, (x + to) // 2
        yield f'<path d="M{x} {at}C{half} {at} {half} {goal} {to} {goal}"/>\n'
    for (head, (x, width, letters)), column in zip(_COLUMNS.items(), columns, strict=True):
        yield f'<text class=dim x="{x}" y="14">{head}</text>\n'
        for key, box in column.items():
            frame = f'<svg x="{x}" y="{tops[key]}" width="{width}" height="{_HEIGHT}">'
            yield link(box.place, f"{frame}{_inside(box, width, letters)}</svg>") + "\n"
    yield "</svg></div>\n"
    if len(targets) > MOST:
        yield f"<p class=dim>{len(targets) - MOST} more targets are not drawn.</p>\n"


def _drawn(
    targets: Sequence[ReviewedTarget],
) -> tuple[tuple[dict[object, _Box], ...], dict[tuple[object, object], None]]:
    """Publications, filters and targets, in the order in which they are met, and what joins two."""
    publications: dict[object, _Box] = {}
    filters: dict[object, _Box] = {}
    landing: dict[object, _Box] = {}
    joins: dict[tuple[object, object], None] = {}
    for target in targets:
        compiled = target.node.compiled
        lines = (".".join(compiled.target), f"subscription {compiled.subscription}")
        goal = (target.key,)
        landing[goal] = _Box(lines, section=anchor(target.key))
        rows = [action for action in target.actions if action.name != "truncate"]
        for each in (one for action in rows for one in action.filters):
            publications.setdefault(each.publication, _Box((each.publication,)))
            key = (each.publication, target.title, each.where)
            filters.setdefault(key, _Box((target.title, each.where or "every row"), each.place))
            joins[each.publication, key] = joins[key, goal] = None
    return (publications, filters, landing), joins


def _beside(
    filters: Mapping[object, int], column: Iterable[object], joins: Iterable[tuple[object, object]]
) -> dict[object, int]:
    """Where boxes begin: beside their first filter, but below the box before them."""
    first: dict[object, int] = {}
    for key, each in joins:
        first.setdefault(key, filters[each])
    tops: dict[object, int] = {}
    free = _TOP
    for key in column:
        tops[key] = max(free, first.get(key, free))
        free = tops[key] + _PITCH
    return tops


def _inside(box: _Box, width: int, letters: int) -> str:
    shown = f'<rect x=".5" y=".5" width="{width - 1}" height="{_HEIGHT - 1}" rx="6"/>'
    y = 25 - 8 * (len(box.lines) - 1)
    for number, line in enumerate(box.lines):
        dim = " class=dim" if number else ""
        shown += f'<text{dim} x="10" y="{y + 17 * number}">{_plain(cut(line, letters))}</text>'
    if any(cut(line, letters) != line for line in box.lines):
        shown += f"<title>{_plain(': '.join(box.lines))}</title>"
    return shown if box.section is None else f'<a href="#{box.section}">{shown}</a>'


def _plain(value: str) -> str:
    """Text without the page's marks, which a picture cannot hold."""
    return text(value).replace("<mark>", "[").replace("</mark>", "]")
