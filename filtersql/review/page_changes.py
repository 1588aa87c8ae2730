"""The part of the review page that says what changed in meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from filtersql.review.changed_meaning import Meaning, TargetChange
from filtersql.review.html_text import anchor, text
from filtersql.review.review import Review
from filtersql.review.row_trials import Row, shown

__all__ = ["changes", "moves", "row_text"]

_KINDS = {
    "new": "is new",
    "removed": "is gone; its table stays as it is",
    "changed": "has changed",
    "text": "is written otherwise; its filters mean the same",
}


def row_text(row: Row) -> str:
    """The values of a row, a line for each."""
    return "<br>".join(f"<code>{text(name)} = {text(shown(value))}</code>" for name, value in row)


def moves(review: Review) -> Iterator[str]:
    """What `apply` does to the targets, by the plan; nothing without one."""
    if not review.moves:
        return
    yield "<h2>What apply moves</h2>\n<div class=wide><table>\n"
    yield "<tr><th>Target<th>Change<th>Rows<th>One of each\n"
    for move in review.moves:
        key = f"{move.subscription}.{move.relation}"
        counts = "<br>".join(f"{number:,} {word}" for word, number in move.counts)
        rows = "<br>".join(
            f"{word}: {row_text(row).replace('<br>', ', ')}" for word, row in move.rows
        )
        said = "<br>".join(text(each) for each in (*move.says, *filter(None, [move.message])))
        yield (
            f'<tr><td><a href="#{anchor(key)}">{text(key)}</a><td>{text(move.change)}'
            f"<td>{counts or 'not counted'}<td>{rows}{'<br>' * bool(rows and said)}{said}\n"
        )
    yield "</table></div>\n"


def changes(review: Review) -> Iterator[str]:
    """What changed since the state that the review compares with; nothing without one."""
    if review.changes is None:
        return
    yield f"<h2>Changes of meaning</h2>\n<p class=dim>Since {text(review.state)}.</p>\n"
    if not review.changes:
        yield "<p>Every target is as it was.</p>\n"
    counted = Counter(each.said for change in review.changes for each in change.meanings)
    if counted:
        listed = ", ".join(f"{number} {verdict}" for verdict, number in counted.most_common())
        yield f"<p>Filters: {listed}.</p>\n"
    for change in review.changes:
        yield from _change(change)


def _change(change: TargetChange) -> Iterator[str]:
    name = f"<b>{text(change.key)}</b>"
    if change.kind != "removed":
        name = f'<a href="#{anchor(change.key)}">{name}</a>'
    yield f"<section class=target><h3>{name} {_KINDS[change.kind]}</h3>\n"
    for each in change.meanings:
        yield from _meaning(each)
    for title, before, now in change.others:
        yield (f"<p>{text(title)}: <del>{text(before)}</del> → <ins>{text(now)}</ins></p>\n")
    yield "</section>\n"


def _meaning(each: Meaning) -> Iterator[str]:
    yield f"<h4>{', '.join(each.actions)}: <span class=verdict>{each.said}</span></h4>\n"
    if each.verdict != "the same" or each.before != each.now:
        yield f"<p>Before: <del>{_texts(each.before)}</del></p>\n"
        yield f"<p>Now: <ins>{_texts(each.now)}</ins></p>\n"
    if each.gained is not None:
        yield f"<p>Now taken: {row_text(each.gained).replace('<br>', ', ')}</p>\n"
    if each.lost is not None:
        yield f"<p>No longer taken: {row_text(each.lost).replace('<br>', ', ')}</p>\n"
    yield f"<p class=dim>{text(each.reason[:1].upper() + each.reason[1:])}.</p>\n"


def _texts(filters: tuple[str, ...] | None) -> str:
    if filters is None:
        return "not published"
    return "<br>or ".join(f"<code>{text(each)}</code>" for each in filters) or "every row"
