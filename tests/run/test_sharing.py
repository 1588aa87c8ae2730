"""Several subscriptions of one feed share one look at it, and nothing else."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from replaying import Stand

from filtersql.definitions.model import Feed, Subscription
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import Inputs, Options, RunResult, run, shared_feeds
from filtersql.source import Source
from filtersql.targets.duckdb_file import connect


class Several:
    """The targets of one history, once for each of some subscriptions."""

    def __init__(self, folder: Path, names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.engine = connect(None)
        self.stand = Stand(random.Random(5), "duckdb", folder, self.engine)
        inputs = self.stand.inputs
        one = inputs.subscriptions["s1"]
        self.inputs: Inputs = replace(
            inputs, subscriptions={name: _written(one, name) for name in names}
        )
        self.looks = 0
        monkeypatch.setattr(shared_feeds, "read_feed", self._counted(shared_feeds.read_feed))

    def _counted(self, inner):
        def outer(*arguments):
            self.looks += 1
            return inner(*arguments)

        return outer

    def tables(self, name: str) -> list[CompiledTable]:
        """The same statements for other targets."""
        found = []
        for one in self.stand.tables:
            texts = {
                field: re.sub(r"\bs1\b", name, getattr(one, field))
                for field in ("merge_sql", "merge_source_sql", "initial_copy_sql", "target_sql")
            }
            asked = {each: re.sub(r"\bs1\b", name, text) for each, text in one.on_demand.items()}
            target = (name, *one.target[1:])
            found.append(replace(one, subscription=name, target=target, on_demand=asked, **texts))
        return found

    def run(self, *names: str) -> RunResult:
        """Some of the subscriptions."""
        tables = {name: self.tables(name) for name in names}
        return run(self.inputs, tables, self.engine, Options())

    def compare(self, name: str) -> None:
        """All of a subscription's targets."""
        last = self.stand.history.records[self.stand.written - 1]["seq"]
        for compiled in self.tables(name):
            self.stand.positions[compiled.relation.name] = last
            tables = self.stand.tables
            self.stand.tables = (compiled,)
            self.stand.compare(compiled.relation.name)
            self.stand.tables = tables


def _written(like: Subscription, name: str) -> Subscription:
    """The same subscription with a name and a place of its own."""
    assert like.changes is not None
    here = Source("s.yml", "s1, s2, s3").span("s1, s2, s3".index(name), 10)
    return replace(like, name=name, span=here, changes=replace(like.changes, span=here))


@pytest.fixture
def several(tmp_path, monkeypatch) -> Several:
    return Several(tmp_path, ["s1", "s2", "s3"], monkeypatch)


def more(several: Several, transactions: int = 8) -> None:
    several.stand.history.go(transactions)
    several.stand.deliver(10**6, 2)


def test_one_look_for_all_that_read_the_same(several: Several) -> None:
    """Also where they stand at different positions; each has exactly its rows."""
    more(several)
    assert several.run("s1").mistakes == ()
    more(several)
    several.looks = 0
    result = several.run("s1", "s2", "s3")
    assert (result.mistakes, several.looks) == ((), 1)
    for name in ("s1", "s2", "s3"):
        several.compare(name)
    first, second = result.results[0], result.results[4]
    assert first.changes_skipped > 0
    assert second.changes_read > first.changes_read
    assert {one.message for one in several.run("s1", "s2", "s3").results} == {"nothing new"}


def test_another_feed_is_another_look(several: Several) -> None:
    """What the feeds say decides, not where it is written."""
    more(several)
    subscriptions = dict(several.inputs.subscriptions)
    changes = subscriptions["s2"].changes
    assert changes is not None
    subscriptions["s2"] = replace(
        subscriptions["s2"], changes=Feed(changes.span, path="changes/0*.jsonl")
    )
    several.inputs = replace(several.inputs, subscriptions=subscriptions)
    assert several.run("s1", "s2", "s3").mistakes == ()
    assert several.looks == 2
    for name in ("s1", "s2", "s3"):
        several.compare(name)


def test_what_one_refuses_does_not_stop_the_others(several: Several, monkeypatch) -> None:
    """Then each looks by itself."""
    more(several)
    tables = several.tables

    def strict(name: str) -> list[CompiledTable]:
        """One subscription stores a column in a type that its values do not fit."""
        found = tables(name)
        if name != "s2":
            return found
        return [
            replace(
                one,
                feed_columns=tuple(replace(column, not_null=True) for column in one.feed_columns),
            )
            for one in found
        ]

    monkeypatch.setattr(several, "tables", strict)
    result = several.run("s1", "s2", "s3")
    statuses = {one.compiled.subscription: one.status for one in result.results}
    assert statuses == {"s1": "success", "s2": "error", "s3": "success"}
    assert several.looks == 4
    monkeypatch.undo()
    several.compare("s1")
    several.compare("s3")
