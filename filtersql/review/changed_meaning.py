"""What changed in meaning since an earlier manifest, target by target.

Example
    ================ ====================== ==========================================
    before           now                    verdict
    ================ ====================== ==========================================
    (a > 5)          (a > 4)                wider: (a 5) was left out and is taken
    (a > 5)          (a > 6)                narrower: (a 6) was taken and is left out
    (a > 5)          (a < 5)                both
    (a > 5)          ((a > 5) AND (a > 4))  the same
    (lower(c) = 'x') (c = 'x')              not decided
    ================ ====================== ==========================================

    A row proves a difference. That there is none is only said where it is proved: PostgreSQL prints
    the same text, or the filters can tell only finitely many rows apart and all of them were tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from filtersql.artifacts import EarlierFilter, EarlierManifest, EarlierNode, config_of
from filtersql.catalog import Table
from filtersql.compile import Node
from filtersql.definitions.model import Action
from filtersql.errors import Mistake, Mistakes
from filtersql.filters import Filter
from filtersql.pgtypes import format_type
from filtersql.publications.model import Contribution
from filtersql.review.row_trials import Condition, NotTried, Row, Trials

__all__ = ["Meaning", "TargetChange", "Verdict", "changes_of_meaning", "condition_of"]

Verdict = Literal["wider", "narrower", "both", "the same", "not decided"]
#: gives the filter of an earlier text on a table as it is now
ReadFilter = Callable[[EarlierFilter, Table], Filter]

_Texts = tuple[tuple[str, ...] | None, tuple[str, ...] | None]
ACTIONS = ("insert", "update", "delete", "copy")


class Meaning(Struct, frozen=True):
    """What became of the filter of some actions."""

    actions: tuple[str, ...]
    before: tuple[str, ...] | None
    now: tuple[str, ...] | None
    verdict: Verdict
    #: what was tried, or what proves it
    reason: str
    gained: Row | None = None
    lost: Row | None = None

    @property
    def said(self) -> str:
        """The verdict, for people."""
        return "both wider and narrower" if self.verdict == "both" else self.verdict


class TargetChange(Struct, frozen=True):
    """A target that is not as it was. `kind`: new, removed, changed or written otherwise."""

    key: str
    kind: Literal["new", "removed", "changed", "text"]
    meanings: tuple[Meaning, ...] = ()
    #: other things that changed: (what, before, now)
    others: tuple[tuple[str, str, str], ...] = ()


def changes_of_meaning(
    earlier: EarlierManifest,
    nodes: Mapping[str, Node],
    modified: Callable[[str], bool],
    trials: Callable[[Node], Trials],
    read: ReadFilter,
) -> tuple[TargetChange, ...]:
    """Every target that is new, gone or modified since."""
    changes = []
    for key, node in nodes.items():
        before = earlier.nodes.get(key)
        if before is None:
            changes.append(TargetChange(key, "new"))
        elif modified(key):
            meanings = tuple(_meanings(before, node, trials(node), read))
            others = tuple(_others(before, node))
            differs = any(each.verdict != "the same" for each in meanings) or others
            changes.append(TargetChange(key, "changed" if differs else "text", meanings, others))
    gone = [key for key in earlier.nodes if key not in nodes]
    return (*changes, *(TargetChange(key, "removed") for key in gone))


def condition_of(node: Node, parts: Sequence[Contribution] | None) -> Condition:
    """The condition of an action's filters: no entry, no row; no filter, every row."""
    if parts is None:
        return Condition(matches=False)
    return Condition(tuple(node.filters[part] for part in parts))


def _meanings(
    before: EarlierNode, node: Node, trials: Trials, read: ReadFilter
) -> Iterator[Meaning]:
    """One verdict for each group of actions with the same filters."""
    groups: dict[_Texts, list[str]] = {}
    pairs: dict[_Texts, tuple[tuple[EarlierFilter, ...] | None, Condition]] = {}
    for action in ACTIONS:
        earlier, now = _earlier(before, action), _now(node, action)
        texts = _texts(earlier), _filter_texts(now)
        if texts[0] is None and texts[1] is None:
            continue
        groups.setdefault(texts, []).append(action)
        pairs[texts] = earlier, now
    for texts, actions in groups.items():
        yield _verdict(tuple(actions), *pairs[texts], node.resolved.table, trials, read)


def _earlier(before: EarlierNode, action: str) -> tuple[EarlierFilter, ...] | None:
    if action == "copy":
        return before.copy_filters if before.config.get("copy_data", True) else None
    return before.filters.get(action)


def _now(node: Node, action: str) -> Condition:
    resolved = node.resolved
    if action == "copy":
        parts = resolved.copy_filters if resolved.subscription.copy_data else None
        return condition_of(node, parts)
    return condition_of(node, resolved.filters.get(Action(action)))


def _texts(filters: Sequence[EarlierFilter] | None) -> tuple[str, ...] | None:
    return None if filters is None else tuple(sorted({each.where for each in filters}))


def _filter_texts(condition: Condition) -> tuple[str, ...] | None:
    return condition.texts if condition.matches else None


def _verdict(
    actions: tuple[str, ...],
    earlier: Sequence[EarlierFilter] | None,
    now: Condition,
    table: Table,
    trials: Trials,
    read: ReadFilter,
) -> Meaning:
    before, after = _texts(earlier), _filter_texts(now)
    if before == after:
        return Meaning(actions, before, after, "the same", "PostgreSQL prints the same filter")
    if earlier is None or after is None:
        verdict: Verdict = "wider" if earlier is None else "narrower"
        explanation = "not published before" if earlier is None else "no longer published"
        return Meaning(actions, before, after, verdict, explanation)
    try:
        filters = tuple(read(each, table) for each in earlier)
        compared = trials.compare(Condition(filters), now)
    except NotTried as untried:
        return Meaning(actions, before, after, "not decided", str(untried))
    except (Mistake, Mistakes) as error:
        mistake = error.mistakes[0] if isinstance(error, Mistakes) else error
        problem = (
            f"the earlier filter cannot be read with the table as it is now: {mistake.message}"
        )
        return Meaning(actions, before, after, "not decided", problem)
    gained, lost = compared.gained, compared.lost
    # Where one side takes every row, the other one cannot take more.
    certain_gain = gained is not None or compared.exhaustive or not before
    certain_loss = lost is not None or compared.exhaustive or not after
    proved: dict[tuple[bool, bool], Verdict] = {
        (True, True): "both",
        (True, False): "wider",
        (False, True): "narrower",
        (False, False): "the same",
    }
    verdict = "not decided"
    if certain_gain and certain_loss:
        verdict = proved[gained is not None, lost is not None]
    reason = _reason(compared.rows, gained, lost, exhaustive=compared.exhaustive)
    return Meaning(actions, before, after, verdict, reason, gained, lost)


def _reason(rows: int, gained: Row | None, lost: Row | None, *, exhaustive: bool) -> str:
    if exhaustive:
        return f"proved: all {rows:,} kinds of rows that the filters tell apart were tried"
    if gained and lost:
        return "proved by the two rows"
    tried = f"{rows:,} rows at the filters' boundaries were tried"
    if gained:
        return f"{tried}; none of them was taken before and is left out now, which proves nothing"
    if lost:
        return f"{tried}; none of them was left out before and is taken now, which proves nothing"
    return f"{tried}; none of them tells the filters apart, which proves nothing"


def _others(before: EarlierNode, node: Node) -> Iterator[tuple[str, str, str]]:
    compiled, resolved = node.compiled, node.resolved
    truncates = Action.TRUNCATE.value in before.actions
    now: dict[str, tuple[str, str]] = {
        "columns": (_list(before.columns), _list(column.name for column in compiled.columns)),
        "key": (_list(before.key), _list(compiled.key)),
        "rows are found": (before.form, compiled.form),
        "target": (".".join(before.target), ".".join(compiled.target)),
        "changes come from": (
            _list(".".join(each) for each in before.sources),
            _list(".".join(each) for each in compiled.sources),
        ),
        "TRUNCATE": (_published(truncates), _published(resolved.truncates)),
    }
    for action in sorted({*before.only_from, *compiled.only_from}):
        now[f"{action} is sent for"] = (
            _list(".".join(each) for each in before.only_from.get(action, ())) or "every source",
            _list(".".join(each) for each in compiled.only_from.get(action, ())) or "every source",
        )
    for column in resolved.table.columns:
        earlier = before.types.get(column.name)
        if earlier is not None:
            now[f"type of {column.name}"] = (earlier, format_type(column.type))
    config = config_of(node)
    for name in sorted({*before.config, *config} - {"tags"}):
        now[name] = (_setting(before.config.get(name)), _setting(config.get(name)))
    for title, (was, is_now) in now.items():
        if was != is_now:
            yield title, was or "none", is_now or "none"


def _setting(value: object) -> str:
    """A setting as a person reads it: nested ones without what is not said."""
    if isinstance(value, Mapping):
        settings = (f"{key}: {_setting(item)}" for key, item in value.items() if item is not None)
        return ", ".join(settings)
    return "" if value is None else str(value)


def _published(flag: bool) -> str:
    return "published" if flag else "not published"


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)
