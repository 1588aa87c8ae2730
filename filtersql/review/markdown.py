"""`review --format markdown`: the review for a pull request's description or comment.

Example
    markdown(review) holds a table for each target, and the SQL in folded blocks.

    Every name and literal is text: what Markdown or HTML would read is written as an entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from filtersql.review.approvals import Approval
from filtersql.review.changed_meaning import Meaning, TargetChange
from filtersql.review.review import Review, ReviewedAction, ReviewedTarget, grouped
from filtersql.review.row_trials import Row, shown

__all__ = ["markdown"]

_KINDS = {
    "new": "is new",
    "removed": "is gone; its table stays as it is",
    "changed": "has changed",
    "text": "is written otherwise; its filters mean the same",
}
_TRUTHS = {True: "true", False: "false", None: "NULL"}
_PLAIN = re.compile(r"[^\w .,:()=/+-]", re.ASCII)


def markdown(review: Review) -> str:
    """The document."""
    lines = [f"# Review of {_text(review.project)}", ""]
    output = f"Output {_text(review.output)}: " if review.output else ""
    count = len(review.targets)
    counted = f"{count} target" + ("" if count == 1 else "s")
    lines += [f"{output}{_text(review.engine)}. {counted}.", ""]
    lines += _changes(review)
    lines += _moves(review)
    if review.notices:
        lines += ["## Warnings", ""]
        for notice in review.notices:
            place = f" ({_text(notice.span)})" if notice.span else ""
            lines.append(f"- {_text(notice.message)}{place}")
        lines.append("")
    for name, targets in groupby(review.targets, key=lambda each: each.node.compiled.subscription):
        lines += [f"## Subscription {_text(name)}", ""]
        for target in targets:
            lines += _target(target)
    return "\n".join(lines).rstrip("\n") + "\n"


def _text(value: object) -> str:
    """Text that is nothing but text to Markdown and to HTML."""
    return _PLAIN.sub(
        lambda match: f"&#{ord(match[0])};" if match[0].isprintable() else f"U+{ord(match[0]):04X}",
        str(value).replace("_", "\ue000"),
    ).replace("U+E000", "&#95;")


def _code(value: object) -> str:
    return f"<code>{_text(value)}</code>"


def _changes(review: Review) -> Iterator[str]:
    if review.changes is None:
        return
    yield from ("## Changes of meaning", "", f"Since {_text(review.state)}.", "")
    if not review.changes:
        yield from ("Every target is as it was.", "")
    for change in review.changes:
        yield from _change(change)


def _moves(review: Review) -> Iterator[str]:
    if not review.moves:
        return
    yield from ("## What apply moves", "")
    yield from ("| Target | Change | Rows | One of each |", "|---|---|---|---|")
    for move in review.moves:
        counts = "<br>".join(f"{number:,} {word}" for word, number in move.counts)
        told = [f"{word}: {_row(row)}" for word, row in move.rows]
        told += map(_text, (*move.says, *filter(None, [move.message])))
        name = _text(f"{move.subscription}.{move.relation}")
        yield f"| {name} | {move.change} | {counts or 'not counted'} | {'<br>'.join(told)} |"
    yield ""


def _change(change: TargetChange) -> Iterator[str]:
    yield from (f"### {_text(change.key)} {_KINDS[change.kind]}", "")
    if change.meanings:
        yield from ("| Actions | Before | Now | Verdict |", "|---|---|---|---|")
        yield from (_meaning(each) for each in change.meanings)
        yield ""
    for title, before, now in change.others:
        yield f"- {_text(title)}: {_code(before)} → {_code(now)}"
    if change.others:
        yield ""


def _meaning(each: Meaning) -> str:
    proof = f"**{each.said}**"
    if each.gained is not None:
        proof += f"<br>now taken: {_row(each.gained)}"
    if each.lost is not None:
        proof += f"<br>no longer taken: {_row(each.lost)}"
    cells = (
        ", ".join(each.actions),
        _filters(each.before),
        _filters(each.now),
        f"{proof}<br>{_text(each.reason)}",
    )
    return f"| {' | '.join(cells)} |"


def _filters(filters: tuple[str, ...] | None) -> str:
    if filters is None:
        return "not published"
    return " or ".join(map(_code, filters)) or "every row"


def _target(target: ReviewedTarget) -> Iterator[str]:
    compiled = target.node.compiled
    yield from (f"### {_text(target.title)}", "")
    key = ", ".join(compiled.key) or "nothing (whole rows)"
    yield f"Lands in {_code('.'.join(compiled.target))}; rows are found by {_code(key)}."
    if isinstance(target.approval, Approval):
        yield f"Approved by {_text(target.approval.by)} on {_text(target.approval.date)}."
    elif target.approval is not None:
        yield "Not approved."
    yield from ("", "| Action | Rows that are sent | By |", "|---|---|---|")
    yield from (_action(action) for action in grouped(target.actions))
    yield ""
    for reason in target.why:
        yield f"- {_text(reason)}"
    for notice in target.node.resolved.notices:
        yield f"- Warning: {_text(notice.message)}"
    yield from ("", "#### What an UPDATE becomes", "")
    if target.not_worked is not None:
        yield f"{_text(target.not_worked[:1].upper() + target.not_worked[1:])}."
    else:
        yield from (
            "| Old row | Filter | New row | Filter | What happens |",
            "|---|---|---|---|---|",
        )
        for each in target.worked:
            yield (
                f"| {_row(each.old)} | {_TRUTHS[each.old_truth]} | {_row(each.new)} "
                f"| {_TRUTHS[each.new_truth]} | {each.happens} |"
            )
    yield ""
    yield from _statement("merge.sql", compiled.merge_sql)
    if compiled.merge_completing_sql is not None:
        yield from _statement("merge_completing.sql", compiled.merge_completing_sql)
    yield from _statement("initial_copy.sql", compiled.initial_copy_sql)


def _action(action: ReviewedAction) -> str:
    filters = [each for each in action.filters if each.where is not None]
    rows = " or ".join(_code(each.where) for each in filters) or _text(action.rows)
    for each in action.absorbed:
        rows += f"<br>absorbs {_code(each.where)} of {_text(each.publication)}"
    by = "<br>".join(
        f"{_text(each.publication)} ({_text(each.reason)})"
        + (f" {_text(each.place)}" if each.place else "")
        for each in action.filters
    )
    return f"| {action.name} | {rows} | {by} |"


def _row(row: Row) -> str:
    return ", ".join(_code(f"{name} = {shown(value)}") for name, value in row)


def _statement(name: str, statement: str) -> Iterator[str]:
    longest = max((len(run) for run in re.findall(r"`+", statement)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"<details><summary>{name}</summary>", "", f"{fence}sql")
    yield statement.rstrip("\n")
    yield from (fence, "", "</details>", "")
