"""Feeds whose bytes are cut into portions, in one process, beside what one reader tells of them."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Mapping, Sequence
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from running import World

from filtersql.errors import Mistakes
from filtersql.feeds import debezium_columns, portions
from filtersql.feeds.changes import Reading
from filtersql.feeds.formats import place_bits
from filtersql.feeds.landings import Landing, Share
from filtersql.feeds.lines import find_files
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import feed_reading
from filtersql.run.feed_reading import read_feed
from filtersql.run.spread_feeds import spread_feed
from filtersql.targets.duckdb import DuckDB
from filtersql.targets.duckdb_file import connect
from filtersql.targets.server_work import read_answers

__all__ = ["MORE", "SETTINGS", "PortionedFeed", "ThisProcess", "read_in_portions"]

MORE = 25 if os.environ.get("FILTERSQL_LONG_TESTS") else 1
#: of properties over drawn feeds
SETTINGS = settings(
    max_examples=40 * MORE,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


class ThisProcess:
    """The only executor, whose answers travel as those of a server's do."""

    folder = None

    def sees(self, path):
        return path.exists()

    def answers(self, work, tasks, on_answers=lambda _: None):
        answers = read_answers((at, pickle.dumps(work(task))) for at, task in enumerate(tasks))
        on_answers(answers)
        return answers


def _view(view):
    """A view over a file, or over all files of a folder."""

    def over(self, name, path, columns, **range_of):
        view(self, name, path / "*" if path.is_dir() else path, columns, **range_of)

    return over


class InPortions(DuckDB):
    """DuckDB, with this process as its executor."""

    cluster = ThisProcess()
    view = _view(DuckDB.view)


def read_in_portions(patches: pytest.MonkeyPatch, size: int) -> list[bool]:
    """Runs read feeds in portions of so many bytes, on DuckDB, too; whether each was used."""
    used: list[bool] = []

    def spread(*arguments: Any) -> Any:
        found = spread_feed(*arguments)
        used.append(found is not None)
        return found

    patches.setattr(DuckDB, "cluster", ThisProcess())
    patches.setattr(DuckDB, "view", _view(DuckDB.view))
    patches.setattr(portions, "_BYTES", size)
    patches.setattr(feed_reading, "spread_feed", spread)
    return used


class PortionedFeed:
    """The targets of a world, whose feed is cut into portions."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tables: Sequence[CompiledTable] = self.world.compiled()
        self.engine = InPortions(connect(None).connection)
        self.held: dict[str, object] = {}

    def landings(self, position: int | None) -> list[Landing]:
        """All targets, where they stand."""
        apart = place_bits(self.world.subscription.changes) is not None

        def newest(one: CompiledTable) -> Mapping[RelationName, int] | None:
            at = -1 if position is None else position
            return dict.fromkeys(one.sources, at) if apart else None

        return [Landing(one, position, newest=newest(one)) for one in self.tables]

    def write(self, *files: bytes) -> None:
        """The files of the feed, in place of those before."""
        self.write_named({f"{number}.jsonl": text for number, text in enumerate(files)})

    def write_named(self, files: Mapping[str, bytes]) -> None:
        """The same with names, below the folder of the feed."""
        folder, self.held = self.world.root / "changes", {}
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text)

    def told(self, reading: Reading) -> object:
        """All that a reading tells; what is staged in the order of seq."""
        staged = []
        for one in reading.staged:
            self.engine.view("staged", one.path, one.columns)
            rows = sorted(self.engine.rows("FROM staged"), key=str)
            assert one.truncates == any(op == "truncate" for _, _, op, *_ in rows)
            staged.append((one.read, one.skipped, rows))
        told = (reading.cut, reading.last, reading.total, reading.unpublished, reading.newest)
        seqs = {seq + more for *_, rows in staged for seq, *_ in rows for more in (0, 1)}
        return told, staged, [reading.boundary(seq) for seq in sorted(seqs)]

    def by_one(self, landings: list[Landing]) -> Any:
        """What one reader tells, and the last seq of each file; or its mistakes."""
        inputs = self.world.inputs()
        try:
            with patch.object(InPortions, "cluster", None):
                found = read_feed(inputs, self.engine, inputs.subscriptions["s1"], landings, {},
                                  self.world.root, None)  # fmt: skip
        except Mistakes as refused:
            return [str(one) for one in refused.mistakes]
        assert found is not None
        self.held = {file[0]: file[4] for file in found.files}
        return self.told(found.reading), [file[3] for file in found.files]

    def in_portions(self, landings: list[Landing], size: int) -> Any:
        """The same from portions of so many bytes; None: they were of no use."""
        feed, catalog = self.world.subscription.changes, self.world.inputs().catalog
        assert feed is not None
        assert feed.path is not None
        files = find_files(feed.path, self.world.root, None)
        with (
            patch.object(portions, "_BYTES", size),
            patch.object(debezium_columns, "_FEWEST", 1),
        ):
            share = Share(feed, catalog, landings, self.engine.dialect, self.world.root)
            found = spread_feed(self.engine, share, files, None)
        if found is None:
            return None
        reading, told = found
        last, held = told.last, told.held
        if self.held:  # what one reader told of the same files
            assert all(self.held[name] == one for name, one in held.items())
        return self.told(reading), [last.get(file.shown, -1) for file in files]
