"""What a reviewer is shown of each target, as records: the page and the Markdown print them.

Example
    review_target(node, …).actions[0] is ("insert", the filters in force, what they absorbed)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from filtersql.artifacts import Mapped
from filtersql.compile import Node
from filtersql.definitions.model import Action
from filtersql.definitions.windows import filter_text
from filtersql.errors import Mistake, Notice
from filtersql.errors.wording import value_text
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.review.approvals import Approval
from filtersql.review.changed_meaning import TargetChange, condition_of
from filtersql.review.row_trials import NotTried, Row, Trials
from filtersql.review.worked_example import Worked, worked_rows
from filtersql.source import Span

__all__ = [
    "InForce",
    "Move",
    "Review",
    "ReviewedAction",
    "ReviewedTarget",
    "grouped",
    "review_target",
]

ROW_ACTIONS = (Action.INSERT, Action.UPDATE, Action.DELETE)


class InForce(Struct, frozen=True):
    """A filter in force, or one that another publication made redundant; None: every row."""

    where: str | None
    publication: str
    reason: str
    place: Span | None


class ReviewedAction(Struct, frozen=True):
    """One action of a target. `rows` says what is sent where no filter does."""

    name: str
    rows: str
    filters: tuple[InForce, ...]
    absorbed: tuple[InForce, ...] = ()


class ReviewedTarget(Struct, frozen=True):
    """One target with everything that decides its rows."""

    key: str
    node: Node
    actions: tuple[ReviewedAction, ...]
    why: tuple[str, ...]
    worked: tuple[Worked, ...]
    #: why there are no worked rows
    not_worked: str | None
    merge_map: tuple[Mapped, ...]
    copy_map: tuple[Mapped, ...]
    completing_map: tuple[Mapped, ...]
    approval: Approval | Mistake | None

    @property
    def title(self) -> str:
        """The published table's name."""
        return str(self.node.compiled.relation)


class Move(Struct, frozen=True):
    """What `apply` does to a target, as plan.json says it; counts are None where none was asked."""

    subscription: str
    relation: str
    change: str
    definition: Mapping[str, str]
    position: int | None = None
    delete: int | None = None
    insert: int | None = None
    update: int | None = None
    unchanged: int | None = None
    leaves: Mapping[str, object] | None = None
    enters: Mapping[str, object] | None = None
    says: tuple[str, ...] = ()
    message: str | None = None

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """What becomes of how many rows; none that are 0, but for those that stay."""
        known = (
            ("leave", self.delete),
            ("enter", self.insert),
            ("change", self.update),
            ("stay", self.unchanged),
        )
        return tuple((word, n) for word, n in known if n is not None and (n or word == "stay"))

    @property
    def rows(self) -> tuple[tuple[str, Row], ...]:
        """A row that leaves, and one that enters; where none does, it is a constructed one."""
        examples = (("leaves", self.leaves, self.delete), ("enters", self.enters, self.insert))
        return tuple(
            (
                word if count else f"{word} (constructed)",
                tuple((name, None if v is None else value_text(v)) for name, v in row.items()),
            )
            for word, row, count in examples
            if row is not None
        )


class Review(Struct, frozen=True):
    """The whole of it."""

    project: str
    output: str
    engine: str
    semantics: str
    targets: tuple[ReviewedTarget, ...]
    notices: tuple[Notice, ...]
    #: None without --state
    changes: tuple[TargetChange, ...] | None = None
    state: str = ""
    #: None where there is no plan of these definitions
    moves: tuple[Move, ...] | None = None


def review_target(
    key: str,
    node: Node,
    trials: Trials,
    maps: Callable[[Node, str], Sequence[Mapped]],
    approval: Approval | Mistake | None,
) -> ReviewedTarget:
    """Everything that is shown of a target."""
    worked: tuple[Worked, ...] = ()
    not_worked = None
    update = condition_of(node, node.resolved.filters.get(Action.UPDATE))
    if Action.UPDATE not in node.resolved.filters:
        not_worked = "UPDATE is not published"
    elif not update.filters:
        not_worked = "no filter judges an UPDATE: it stays an UPDATE"
    else:
        try:
            worked = worked_rows(trials.examples(update), node.compiled.key)
        except NotTried as reason:
            not_worked = f"no rows were tried: {reason}"
    return ReviewedTarget(
        key,
        node,
        tuple(_actions(node)),
        tuple(_reasons(node.resolved)),
        worked,
        not_worked,
        tuple(maps(node, "merge")),
        tuple(maps(node, "initial_copy")),
        tuple(maps(node, "merge_completing")) if node.compiled.merge_completing_sql else (),
        approval,
    )


def grouped(actions: Sequence[ReviewedAction]) -> tuple[ReviewedAction, ...]:
    """Actions of which the same is to be said, as one."""
    groups: dict[tuple[object, ...], ReviewedAction] = {}
    for each in actions:
        same = (each.rows, each.filters, each.absorbed)
        known = groups.get(same)
        groups[same] = each if known is None else replace(known, name=f"{known.name}, {each.name}")
    return tuple(groups.values())


def _actions(node: Node) -> Iterator[ReviewedAction]:
    resolved = node.resolved
    for action in ROW_ACTIONS:
        parts = resolved.filters.get(action)
        absorbed = tuple(
            InForce(filter_text(each.where), each.publication, each.reason, each.where.span())
            for each in resolved.absorbed.get(action, ())
            if each.where is not None
        )
        if parts is None:
            yield ReviewedAction(action.value, "not published", (), absorbed)
            continue
        sending = [each for each in resolved.contributions if action in each.actions]
        rows = "rows for which a filter is true" if parts else "every row"
        if action in resolved.only_from:
            rows += f" of {', '.join(map(str, resolved.only_from[action]))}"
        yield ReviewedAction(action.value, rows, _in_force(node, parts, sending), absorbed)
    truncating = [each for each in resolved.contributions if Action.TRUNCATE in each.actions]
    if resolved.truncates:
        by = tuple(InForce(None, each.publication, each.reason, None) for each in truncating)
        yield ReviewedAction("truncate", "published; no filter judges it", by)
    else:
        yield ReviewedAction("truncate", "not published", ())
    if resolved.subscription.copy_data:
        rows = "rows for which a filter is true" if resolved.copy_filters else "every row"
        copied = _in_force(node, resolved.copy_filters, resolved.contributions)
        yield ReviewedAction("copy", rows, copied)
    else:
        yield ReviewedAction("copy", "nothing is copied", ())


def _in_force(
    node: Node, parts: Sequence[Contribution], sending: Sequence[Contribution]
) -> tuple[InForce, ...]:
    """The filters; where there are none, the publications that send every row."""
    if not parts:
        unfiltered = (each for each in sending if each.where is None)
        return tuple(InForce(None, each.publication, each.reason, None) for each in unfiltered)
    return tuple(
        InForce(
            node.filters[each].deparsed,
            each.publication,
            each.reason,
            node.filters[each].text.span(),
        )
        for each in parts
    )


def _reasons(resolved: ResolvedTable) -> Iterator[str]:
    table = resolved.table.name
    if resolved.via_partition_root and resolved.sources != (table,):
        yield f"Changes come from {', '.join(map(str, resolved.sources))}, published as {table}."
    yield from resolved.why
    for each in resolved.displaced:
        yield (
            f'Publication "{each.publication}" ({each.reason}) stands on another level of the '
            "partition tree: its filter does not count here."
        )
    if len(resolved.columns) < len(resolved.table.columns):
        yield f"Columns: {', '.join(column.name for column in resolved.columns)}."
