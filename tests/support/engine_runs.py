"""One world on three engines: after each run all targets hold what the slow model says.

Example
    with Stage(folder) as stage:
        stage.play(world)          # raises AssertionError: the world, and the rows that differ

DuckDB goes first. A world on which it differs from the model never comes to Spark, so that
Hypothesis can shrink what is wrong with a macro in seconds.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine_worlds import World
from msgspec.structs import replace
from places import put_files
from small_spark import SMALL

from filtersql.api.inputs import inputs_of
from filtersql.compile import compile_project
from filtersql.project import load
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import Inputs, Options, RunResult, run
from filtersql.targets.duckdb_file import connect
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine

__all__ = ["SPARK", "Difference", "Stage"]

SPARK = ("delta", "iceberg")
_PROFILES = """worlds:
  target: duckdb
  outputs:
    duckdb: {{type: duckdb, path: ":memory:"}}
    delta: {{type: spark, method: session, format: delta, warehouse: warehouse, threads: 2,
            spark_conf: &small {small}, state_schema: {ledger}}}
    iceberg: {{type: spark, method: session, format: iceberg, catalog: lake, threads: 2,
              spark_conf: *small, state_schema: {ledger},
              catalog_config: {{type: hadoop, warehouse: lakehouse}}}}
"""
#: worlds that share a ledger, each with a subscription of its own: to make one takes a second
_OF_ONE_LEDGER = 5
_PROJECT = "name: worlds\nversion: 1\nprofile: worlds\nsemantics: {profile}\n"
#: what a run says that stops at a conflict, and one that lacks a value that was not sent
_CONFLICT = ("conflict detected on relation",)
_UNKNOWN = ("is not known",)
#: the rows of each target; None: it is not there
Held = Mapping[str, Counter[tuple[object, ...]] | None]


class Difference(AssertionError):
    """An engine that does not hold what the model says, or ends otherwise than another."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a run said and left."""

    mistakes: tuple[str, ...]
    told: tuple[object, ...]
    held: Held


@dataclass(slots=True)
class Stage:
    """A folder, and sessions that many worlds share: each world has schemas of its own in them."""

    folder: Path
    spark: Sequence[str] = SPARK
    #: macros in place of filtersql's own
    macros: Path | None = None
    played: int = 0
    #: what was tried: runs, changes, and how runs ended
    tried: Counter[str] = field(default_factory=Counter)
    engines: dict[str, Engine] = field(default_factory=dict)
    opened: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.opened.close()

    def told(self) -> str:
        """What was tried."""
        numbers = ", ".join(f"{number} {what}" for what, number in sorted(self.tried.items()))
        return f"{self.played} worlds on {', '.join(('duckdb', *self.spark))}: {numbers}"

    def play(self, world: World) -> None:
        """All runs of a world. Raises Difference."""
        self.played += 1
        name = f"e{self.played}"
        root = self.folder / name
        held, pieces = world.happened()
        _write(root, world, name, held, f"ledger{self.played // _OF_ONE_LEDGER}")
        try:
            endings = self._on_duckdb(world, root, held, pieces)
            if self.spark:
                self._on_spark(world, root, pieces, endings)
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def _on_duckdb(
        self,
        world: World,
        root: Path,
        held: Mapping[str, Sequence[Mapping[str, Any]]],
        pieces: Sequence[Sequence[Mapping[str, Any]]],
    ) -> list[Ending]:
        """Each run beside the model."""
        subscriber = world.subscriber(held)
        existing, feed, endings = False, [], []
        engine = connect(None)
        try:
            inputs, tables = self._compiled(world, root, "duckdb")
            for number, piece in enumerate(pieces, 1):
                feed += piece
                _deliver(root, number, piece)
                before = subscriber.applied, subscriber.state()
                must = subscriber.play(feed)
                ending = _ended(inputs, tables, engine)
                refused = must.refuses or (
                    must.may_refuse and bool(ending.mistakes) and not must.stops
                )
                if refused:
                    subscriber.restore(before)
                else:
                    existing = True
                where = f"{world!r}\nrun {number} on DuckDB"
                self.tried["runs"] += 1
                self.tried["changes"] += len(piece)
                self.tried["stopped" if must.stops else "refused" if refused else "ended"] += 1
                _check(must.stops, refused, ending, where)
                _compare(subscriber.state() if existing else None, ending.held, where)
                endings.append(ending)
        finally:
            engine.close()
        return endings

    def _on_spark(
        self,
        world: World,
        root: Path,
        pieces: Sequence[Sequence[Mapping[str, Any]]],
        expected: Sequence[Ending],
    ) -> None:
        """Each run on Delta and Iceberg side by side, beside DuckDB."""
        for file in (root / "changes").iterdir():
            file.unlink()
        compiled = [self._compiled(world, root, name) for name in self.spark]
        engines = [self._engine(name, root) for name in self.spark]
        with ThreadPoolExecutor(len(engines)) as pool:
            for number, piece in enumerate(pieces, 1):
                _deliver(root, number, piece)
                runs = [
                    pool.submit(_ended, *inputs, engine)
                    for inputs, engine in zip(compiled, engines, strict=True)
                ]
                for name, one in zip(self.spark, runs, strict=True):
                    ending, duckdb = one.result(), expected[number - 1]
                    where = f"{world!r}\nrun {number} on {name}, beside DuckDB"
                    same = ending.mistakes, ending.told
                    if same != (duckdb.mistakes, duckdb.told):
                        said = f"{same}\ninstead of {(duckdb.mistakes, duckdb.told)}"
                        raise Difference(f"{where}: {said}")
                    _compare(duckdb.held, ending.held, where)

    def _compiled(
        self, world: World, root: Path, target: str
    ) -> tuple[Inputs, tuple[CompiledTable, ...]]:
        project = load(root, target=target)
        if self.macros is not None:
            project = replace(project, macro_paths=(self.macros,))
        nodes = compile_project(project, via_partition_root=world.flag).nodes
        return inputs_of(project), tuple(node.compiled for node in nodes)

    def _engine(self, name: str, root: Path) -> Engine:
        if name not in self.engines:
            output = load(root, target=name).output
            assert output
            self.engines[name] = open_engine(output, self.folder)
            self.opened.callback(self.engines[name].close)
        return self.engines[name]


def _write(
    root: Path, world: World, name: str, held: Mapping[str, Sequence[Any]], ledger: str
) -> None:
    """The project, and the source as it was at the start."""
    files = world.definitions()
    subscribed = files["subscriptions/s.yml"]
    assert subscribed.count("{name: s,") == 1
    files["subscriptions/s.yml"] = subscribed.replace("{name: s,", f"{{name: {name},")
    files["filtersql_project.yml"] = _PROJECT.format(profile=world.profile)
    files["profiles.yml"] = _PROFILES.format(ledger=ledger, small=json.dumps(SMALL))
    rows = {**held, "root": [row for leaf in ("low", "high") for row in held.get(leaf, ())]}
    for relation, some in rows.items():
        files[f"source/{relation}.jsonl"] = _lines(some)
    put_files(root, files)
    (root / "changes").mkdir()


def _deliver(root: Path, number: int, records: Sequence[Mapping[str, Any]]) -> None:
    (root / "changes" / f"{number}.jsonl").write_text(_lines(records), encoding="utf-8")


def _lines(records: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _ended(inputs: Inputs, tables: Sequence[CompiledTable], engine: Engine) -> Ending:
    """A run, and the rows that it leaves."""
    (name,) = inputs.subscriptions
    result = run(inputs, {name: tables}, engine, Options())
    return Ending(
        tuple(mistake.message for mistake in result.mistakes),
        _told(result),
        {table.relation.name: _rows(engine, table) for table in tables},
    )


def _told(result: RunResult) -> tuple[object, ...]:
    """What is the same on every engine."""
    return tuple(
        (one.unique_id, one.status, one.position, one.changes_read, dict(one.conflicts))
        for one in result.results
    )


def _rows(engine: Engine, table: CompiledTable) -> Counter[tuple[object, ...]] | None:
    found = engine.rows_of(table.target, [column.name for column in table.columns])
    return None if found is None else Counter(map(tuple, found))


def _check(stops: bool, refused: bool, ending: Ending, where: str) -> None:
    """A run ends for the reasons that the model has, and for no other."""
    reasons = _CONFLICT * stops + _UNKNOWN * refused
    said = [any(reason in one for reason in reasons) for one in ending.mistakes]
    if not all(said) or bool(said) is not (stops or refused):
        wanted = " or ".join(reasons) or "no mistake"
        raise Difference(f"{where}: {ending.mistakes} where the model says {wanted}")


def _compare(
    expected: Mapping[str, Sequence[Mapping[str, Any]]] | Held | None, held: Held, where: str
) -> None:
    for name, rows in held.items():
        wanted = None if expected is None else expected[name]
        if wanted is not None and not isinstance(wanted, Counter):
            wanted = Counter(tuple(row.values()) for row in wanted)
        if rows != wanted:
            both = (Counter() if one is None else one for one in (wanted, rows))
            wanted_rows, found_rows = both
            missing, leaked = wanted_rows - found_rows, found_rows - wanted_rows
            raise Difference(
                f"{where}, {name}: missing {[*missing.elements()]}, leaked {[*leaked.elements()]}"
                f"{'' if rows is not None else '; there is no table'}"
            )
