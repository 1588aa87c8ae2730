"""`review`: one HTML page that holds everything and fetches nothing.

Example
    html(review) is a whole document: no script, no link to the outside, a policy that forbids both.
    Clauses of the SQL lead to the lines of the definitions, which stand at its end.

    Every name and literal is text. Characters that cannot be seen, or that turn the direction of
    the text around, are shown by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from filtersql.artifacts import Mapped
from filtersql.errors import Notice
from filtersql.errors.wording import counted
from filtersql.review.approvals import Approval
from filtersql.review.html_text import anchor, sql, text
from filtersql.review.page_changes import changes, moves, row_text
from filtersql.review.page_frame import framed
from filtersql.review.picture import picture
from filtersql.review.review import InForce, Review, ReviewedAction, ReviewedTarget, grouped
from filtersql.review.worked_example import Worked
from filtersql.source import Source, Span

__all__ = ["html"]

_TRUTHS = {True: ("yes", "true"), False: ("no", "false"), None: ("null", "NULL")}


def html(review: Review) -> str:
    """The page."""
    sources = _sources(review)
    parts = [
        *picture(review.targets, lambda span, inner: _around(span, sources, inner)),
        *changes(review),
        *moves(review),
        *_notices(review.notices, sources),
        *_index(review),
    ]
    for name, targets in groupby(review.targets, key=lambda each: each.node.compiled.subscription):
        parts.append(f"<h2>Subscription {text(name)}</h2>\n")
        for target in targets:
            parts += _target(target, sources)
    parts += _definitions(sources)
    return framed(f"Review of {review.project}", _facts(review), parts)


def _facts(review: Review) -> str:
    output = f"Output <b>{text(review.output)}</b>: " if review.output else ""
    return (
        f"{output}{text(review.engine)}. Semantics of {text(review.semantics)}. "
        f"{counted(len(review.targets), 'target')}, {counted(len(review.notices), 'warning')}."
    )


def _sources(review: Review) -> dict[str, Source]:
    """The definition files that something on the page comes from, by their paths."""
    spans: list[Span | None] = [notice.span for notice in review.notices]
    for target in review.targets:
        resolved = target.node.resolved
        spans += [resolved.subscription.span, resolved.table.span]
        spans += [each.place for action in target.actions for each in action.filters]
        spans += [each.where.span() for each in resolved.contributions if each.where]
    sources = {span.source.path: span.source for span in spans if span is not None}
    return dict(sorted(sources.items()))


def _index(review: Review) -> Iterator[str]:
    if len(review.targets) < 2:
        return
    yield "<nav><h2>Targets</h2>\n<ul>\n"
    for target in review.targets:
        name = f"{target.node.compiled.subscription}: {target.title}"
        yield f'<li><a href="#{anchor(target.key)}">{text(name)}</a></li>\n'
    yield "</ul></nav>\n"


def _target(target: ReviewedTarget, sources: dict[str, Source]) -> Iterator[str]:
    compiled = target.node.compiled
    yield f'<section class=target id="{anchor(target.key)}">\n<h3>{text(target.title)}</h3>\n'
    key = ", ".join(compiled.key) or "nothing (whole rows)"
    yield (
        f"<p class=dim>Lands in <code>{text('.'.join(compiled.target))}</code>; "
        f"rows are found by <code>{text(key)}</code>.{_approval(target.approval)}</p>\n"
    )
    yield "<div class=wide><table>\n<tr><th>Action<th>Rows that are sent<th>By\n"
    for action in grouped(target.actions):
        yield from _action(action, sources)
    yield "</table></div>\n"
    for reason in target.why:
        yield f"<p>{text(reason)}</p>\n"
    for notice in target.node.resolved.notices:
        yield _notice(notice, sources)
    yield from _worked(target)
    yield from _statement("merge.sql", compiled.merge_sql, target.merge_map, sources)
    if compiled.merge_completing_sql is not None:
        yield from _statement(
            "merge_completing.sql", compiled.merge_completing_sql, target.completing_map, sources
        )
    yield from _statement("initial_copy.sql", compiled.initial_copy_sql, target.copy_map, sources)
    yield "</section>\n"


def _approval(approval: object) -> str:
    if approval is None:
        return ""
    if isinstance(approval, Approval):
        return f" <span class=yes>Approved by {text(approval.by)} on {text(approval.date)}.</span>"
    return f" <span class=no>Not approved: {text(approval_reason(approval))}.</span>"


def approval_reason(approval: object) -> str:
    """Why the statements are not approved, in a few words."""
    detail = getattr(approval, "detail", None)
    return "changed since" if detail else "nobody has approved it"


def _action(action: ReviewedAction, sources: dict[str, Source]) -> Iterator[str]:
    filters = [each for each in action.filters if each.where is not None]
    by = "<br>".join(_publication(each, sources) for each in action.filters)
    if filters:
        rows = "<br>or ".join(f"<code>{text(each.where)}</code>" for each in filters)
        if " of " in action.rows:
            rows += f"<br>{text(action.rows)}"
    else:
        rows = text(action.rows)
    for each in action.absorbed:
        place = _link(each.place, sources)
        rows += (
            f"<br><span class=dim>absorbs <del><code>{text(each.where)}</code></del> of "
            f"{text(each.publication)} {place}</span>"
        )
    yield f"<tr><td>{text(action.name)}<td class=rows>{rows}<td>{by}\n"


def _publication(each: InForce, sources: dict[str, Source]) -> str:
    place = _link(each.place, sources)
    return f"{text(each.publication)} <span class=dim>({text(each.reason)})</span> {place}"


def _link(span: Span | None, sources: dict[str, Source]) -> str:
    if span is None or span.source.path not in sources:
        return ""
    return _around(span, sources, text(str(span)))


def _around(span: Span | None, sources: dict[str, Source], inner: str) -> str:
    return inner if span is None else _to(str(span), sources, inner)


def _to(place: str, sources: dict[str, Source], inner: str) -> str:
    path, line, _ = place.rsplit(":", 2)
    if path not in sources:
        return inner
    return f'<a href="#f{list(sources).index(path)}-{line}">{inner}</a>'


def _worked(target: ReviewedTarget) -> Iterator[str]:
    yield "<h4>What an UPDATE becomes</h4>\n"
    if target.not_worked is not None:
        yield f"<p class=dim>{text(target.not_worked[:1].upper() + target.not_worked[1:])}.</p>\n"
        return
    heads = "<th>Old row<th>Filter<th>New row<th>Filter<th>What happens"
    yield f"<div class=wide><table>\n<tr>{heads}\n"
    for each in target.worked:
        yield _update(each)
    yield "</table></div>\n"
    if not any(each.old_truth is None for each in target.worked):
        yield "<p class=dim>No row that was tried makes the filter NULL.</p>\n"


def _update(each: Worked) -> str:
    def truth(value: bool | None) -> str:
        name, word = _TRUTHS[value]
        return f"<td class={name}>{word}"

    return (
        f"<tr><td>{row_text(each.old)}{truth(each.old_truth)}"
        f"<td>{row_text(each.new)}{truth(each.new_truth)}<td>{text(each.happens)}\n"
    )


def _statement(
    name: str, statement: str, mapped: Iterable[Mapped], sources: dict[str, Source]
) -> Iterator[str]:
    places: dict[int, str] = {}
    for each in mapped:
        for line in range(each.line, each.last_line + 1):
            places.setdefault(line, each.place)
    lines = sql(statement)
    for number, place in places.items():
        if number <= len(lines):
            lines[number - 1] = _to(place, sources, lines[number - 1])
    yield f"<details><summary>{name}</summary><pre>" + "\n".join(lines) + "</pre></details>\n"


def _notices(notices: Iterable[Notice], sources: dict[str, Source]) -> Iterator[str]:
    listed = list(notices)
    if listed:
        yield "<h2>Warnings</h2>\n"
        yield from (_notice(notice, sources) for notice in listed)


def _notice(notice: Notice, sources: dict[str, Source]) -> str:
    more = "".join(
        f"<p class=dim>{text(each)}</p>" for each in (notice.detail, notice.hint) if each
    )
    place = _link(notice.span, sources)
    return f"<div class=notice><p>{text(notice.message)} {place}</p>{more}</div>\n"


def _definitions(sources: dict[str, Source]) -> Iterator[str]:
    yield "<h2>Definitions</h2>\n"
    for number, (path, source) in enumerate(sources.items()):
        lines = source.text.rstrip("\n").split("\n")
        spans = (
            f'<span id="f{number}-{line}">{text(content)}</span>'
            for line, content in enumerate(lines, 1)
        )
        yield f"<h4>{text(path)}</h4>\n<pre>" + "\n".join(spans) + "</pre>\n"
