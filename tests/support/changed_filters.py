"""A project of two tables whose filters change: run, planned, applied and audited in the process.

Example
    shop = Shop(tmp_path, orders="region = 'eu'", bare="a > 2")
    shop.write(source={"orders": rows, "bare": rows}, changes=[…])
    shop.run(engine)
    shop.define(orders="total > 5", bare="a > 2")
    shop.apply(engine)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from places import put_files
from small_spark import LAKES

from filtersql.api.inputs import inputs_of, sourced_targets
from filtersql.api.planned import judge_of
from filtersql.compile import Compilation, compile_project
from filtersql.project import Project, load
from filtersql.run import Options, RunResult, ledger, ledger_writer, run, status
from filtersql.run.apply_plan import Applied, apply_plan, plan
from filtersql.run.auditing import Audited, audit
from filtersql.run.ledger_entry import key_of
from filtersql.run.planned_target import PlannedTarget
from filtersql.run.status import TargetStatus
from filtersql.targets.model import Engine
from filtersql.verify.source_copies import delayed_copies

__all__ = ["PROFILES", "Shop", "change", "keep_hashes_alone"]

PROFILES = f"""shop:
  target: local
  outputs:
    local: {{type: duckdb, path: shop.duckdb}}
{LAKES}"""
_TABLES = """tables:
  - {{name: orders, columns: {{id: int not null, region: text, total: {total}}},
     primary_key: [{key}], replica_identity: {identity}}}
  - {{name: visits, columns: {{id: int not null, at: timestamp}}, primary_key: [id],
     replica_identity: full}}
  - {{name: bare, columns: {{a: int, c: text}}, replica_identity: full}}
"""
_SUBSCRIPTION = """subscriptions:
  - name: s1
    publications: [p]
    changes: {path: "changes/*.jsonl"}
"""
_SOURCE = '    source: {format: filtersql, path: "source/{table}.jsonl"}\n'


def change(seq: int, op: str, table: str, **images: object) -> dict[str, object]:
    """A change of the native feed."""
    return {"seq": seq, "op": op, "relation": f"public.{table}", **images}


@dataclass
class Shop:
    """The project in a folder. `where` are the filters of its tables; None: every row."""

    root: Path
    target: str = "local"
    publish: str = "insert, update, delete, truncate"
    source: bool = True
    columns: str | None = None
    window: str | None = None
    key: str = "id"
    identity: str = "full"
    total: str = "int"
    where: dict[str, str | None] = field(default_factory=dict)
    _compiled: dict[str, tuple[Project, Compilation]] = field(default_factory=dict)

    def write(
        self,
        source: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
        changes: Sequence[Mapping[str, Any]] = (),
        name: str = "1",
    ) -> None:
        """Rows of the source tables, and a file of the feed."""
        for table, rows in (source or {}).items():
            self._lines(f"source/{table}.jsonl", rows)
        if changes:
            self._lines(f"changes/{name}.jsonl", changes)

    def _lines(self, path: str, rows: Sequence[Mapping[str, Any]]) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")

    def define(self, **where: str | None) -> Shop:
        """Write the definitions with these filters; a table that is not named is not published."""
        self.where = where
        tables = "".join(
            f"      - {{name: {name}{_written(text)}{self._listed(name)}}}\n"
            for name, text in where.items()
        )
        publication = f"  - name: p\n    publish: [{self.publish}]\n    tables:\n{tables}"
        files = {
            "filtersql_project.yml": "name: shop\nversion: 1\nprofile: shop\nsemantics: postgres\n",
            "profiles.yml": PROFILES,
            "tables/t.yml": _TABLES.format(key=self.key, total=self.total, identity=self.identity),
            "publications/p.yml": f"publications:\n{publication}",
            "subscriptions/s.yml": _SUBSCRIPTION + (_SOURCE if self.source else ""),
        }
        put_files(self.root, files)
        return self

    def _listed(self, name: str) -> str:
        if name == "visits":
            return f", window: {self.window}" if self.window else ""
        return f", columns: {self.columns}" if self.columns and name == "orders" else ""

    def compiled(self) -> tuple[Project, Compilation]:
        """The project and its targets as the files define them now."""
        switches = (self.publish, self.source, self.columns, self.window)
        table = (self.key, self.identity, self.total)
        asked = repr((self.target, switches, table, self.where))
        if asked not in self._compiled:
            project = load(self.root, target=self.target)
            self._compiled[asked] = project, compile_project(project)
        return self._compiled[asked]

    def forget(self) -> None:
        """Read the files again: a test has written into them."""
        self._compiled.clear()

    def run(self, engine: Engine, **options: Any) -> RunResult:
        """What `filtersql run` does."""
        project, compilation = self.compiled()
        tables = {"s1": [node.compiled for node in compilation.nodes]}
        copies = delayed_copies(compilation.nodes, project)
        return run(inputs_of(project), tables, engine, Options(source_copies=copies, **options))

    def plan(self, engine: Engine) -> dict[str, PlannedTarget]:
        """What `filtersql plan` shows, by table."""
        return _by_table(plan(*self._asked(engine)))

    def apply(
        self,
        engine: Engine,
        approve: Callable[[Sequence[PlannedTarget]], bool] = lambda planned: True,
        *,
        drop_removed: bool = False,
    ) -> list[Applied] | None:
        """What `filtersql apply` does once it was approved."""
        inputs, audits, engine, judge, defined = self._asked(engine)
        return apply_plan(
            inputs, audits, engine, approve, judge, defined, drop_removed=drop_removed
        )

    def audit(self, engine: Engine, *, repair: bool = False) -> list[Audited]:
        """What `filtersql audit` finds, or mends."""
        inputs, audits, *_ = self._asked(engine)
        return audit(inputs, audits, engine, repair=repair)

    def status(self, engine: Engine) -> list[TargetStatus]:
        """What `filtersql status` shows."""
        project, compilation = self.compiled()
        return status(
            inputs_of(project), {"s1": [each.compiled for each in compilation.nodes]}, engine
        )

    def rows(self, engine: Engine, name: str) -> list[tuple[object, ...]]:
        """The rows of a target, sorted."""
        return sorted(
            engine.rows(f"SELECT * FROM {engine.table_sql(('s1', name))}"),
            key=lambda row: tuple(map(repr, row)),
        )

    def _asked(self, engine: Engine) -> Any:
        project, compilation = self.compiled()
        return (
            inputs_of(project),
            sourced_targets(project, compilation.nodes, compilation),
            engine,
            judge_of(project, compilation),
            frozenset(key_of(node.compiled) for node in compilation.nodes),
        )


def _by_table(planned: Sequence[PlannedTarget]) -> dict[str, PlannedTarget]:
    return {each.relation.name: each for each in planned}


def _written(where: str | None) -> str:
    return "" if where is None else f", where: {json.dumps(where)}"


def keep_hashes_alone(engine: Engine) -> None:
    """The ledger's newest rows as an earlier version wrote them."""
    known = ledger.read(engine, "filtersql")
    rows = [
        replace(entry, ordinal=known.number_of("s1") + place, filter_hash=entry.judged_by)
        for place, entry in enumerate(known.newest.values(), 1)
    ]
    ledger_writer.append(engine, "filtersql", rows)
