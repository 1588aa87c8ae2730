"""Projects whose targets have every branch of the macros, compiled with a macro of one's own.

Example
    targets = prepared(folder)                  compiled once, with what each is tried on
    altered("net", text, targets, folder)       the statements that another text of net.sql alters
    reported(target, kind, text, folder)        whether `check` reports such a statement
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from checked import with_profile
from msgspec.structs import replace
from places import put_files

from filtersql.compile import Node, compile_project, destination
from filtersql.errors import Mistakes
from filtersql.filter_cache import FilterCache
from filtersql.project import Project, load
from filtersql.rendering import compiled_table
from filtersql.rendering.filters_in_force import earlier_criteria
from filtersql.targets.duckdb_file import connect
from filtersql.verify.check import Bench, Cases, cases_of, configure, tried
from filtersql.verify.clock import show_trial
from filtersql.verify.kinds import Kind, statements
from filtersql.verify.loading import TrialEngine
from filtersql.verify.statement import read_statement

__all__ = ["Target", "altered", "prepared", "reported"]

_NUMBERS = count()

_TABLES = """
CREATE TABLE keyed (a int, n int NOT NULL, PRIMARY KEY (a, n));
CREATE TABLE whole (id int PRIMARY KEY, n int, UNIQUE (n));
ALTER TABLE whole REPLICA IDENTITY FULL;
CREATE TABLE kept (id int PRIMARY KEY, body text);
CREATE TABLE bare (a int, n int);
ALTER TABLE bare REPLICA IDENTITY FULL;
CREATE TABLE added (a int, c text);
CREATE TABLE fixed (id int PRIMARY KEY, n int);
CREATE TABLE quiet (id int PRIMARY KEY, n int);
CREATE TABLE listed (a int, c text);
ALTER TABLE listed REPLICA IDENTITY FULL;
"""
_PUBLICATIONS = """
CREATE PUBLICATION p1 FOR TABLE keyed WHERE (a > 5), whole WHERE (n > 5), kept WHERE (id < 3),
  bare WHERE (a > 5);
CREATE PUBLICATION p2 FOR TABLE keyed WHERE (n < 2);
CREATE PUBLICATION p3 FOR TABLE added WHERE (a > 5) WITH (publish = 'insert, truncate');
CREATE PUBLICATION p4 FOR TABLE fixed WHERE (id > 5), listed WHERE (a > 5)
  WITH (publish = 'insert, update, delete');
CREATE PUBLICATION p5 FOR TABLE quiet WHERE (id > 5) WITH (publish = 'insert, delete, truncate');
"""
_ENGINES = (
    "proved:\n  target: dev\n  outputs:\n    dev: {type: spark, method: session, format: delta}\n"
)
_NAME = "name: proved\nversion: 1\nprofile: proved\n"


def _postgres(mode: str) -> Mapping[str, str]:
    return {
        "filtersql_project.yml": _NAME,
        "profiles.yml": _ENGINES,
        "tables/tables.sql": _TABLES,
        "publications/publications.sql": _PUBLICATIONS,
        "subscriptions/subscriptions.yml": (
            "subscriptions:\n"
            f"  - {{name: {mode}, publications: [p1, p2, p3, p4, p5], on_conflict: {mode}}}\n"
        ),
    }


def _aging() -> Mapping[str, str]:
    """Rows leave when their time is over: by a key, where values are left out, without a key."""
    tables = """
CREATE TABLE aged (id int PRIMARY KEY, d date);
ALTER TABLE aged REPLICA IDENTITY FULL;
CREATE TABLE worn (id int, d date, body text, PRIMARY KEY (id, d));
CREATE TABLE loose (a int, d date);
ALTER TABLE loose REPLICA IDENTITY FULL;
"""
    window = "window: {column: d, keep: 30 days}"
    listed = f"{{name: aged, where: id > 5, {window}}}, {{name: worn, {window}}}"
    text = f"publications: [{{name: p, tables: [{listed}, {{name: loose, {window}}}]}}]\n"
    subscribed = "".join(
        f"  - {{name: {mode}, publications: [p], on_conflict: {mode}}}\n"
        for mode in ("apply", "skip")
    )
    return {
        "filtersql_project.yml": _NAME,
        "profiles.yml": _ENGINES,
        "tables/tables.sql": tables,
        "publications/publications.yml": text,
        "subscriptions/subscriptions.yml": f"subscriptions:\n{subscribed}",
    }


def _complete() -> Mapping[str, str]:
    """A source that judges deletes by what it logs, updates by both rows; its feed holds more."""
    files = dict(with_profile("bdr"))
    feed, switches = "subscriptions/subscriptions.yml", "filtersql_project.yml"
    files[feed] = files[feed].replace("'changes/*'", "'changes/*', before: complete")
    decision = "or_per_action, update_decision: old_new"
    return {**files, switches: files[switches].replace("or_per_action", decision)}


#: a project's files, and the names of those targets that others do not show already
PROJECTS: Sequence[tuple[Mapping[str, str], tuple[str, ...]]] = (
    (_postgres("apply"), ()),
    (_postgres("skip"), ()),
    (_postgres("error"), ("fixed", "bare")),
    (with_profile("pglogical"), ("t1",)),
    (with_profile("xdb"), ("t1",)),
    (with_profile("bdr, all sets"), ("t1",)),
    (_complete(), ("t1",)),
    (_aging(), ()),
)


@dataclass
class Target:
    """One target: its node, its bench and what its statements are tried on."""

    name: str
    project: Project
    node: Node
    bench: Bench
    cases: Cases
    texts: Mapping[Kind, str]
    #: statements that were tried, and whether `check` reported them
    known: dict[tuple[Kind, str], bool] = field(default_factory=dict)

    def size(self) -> int:
        """How much it takes to try its statements."""
        return sum(len(one.together) for one in self.cases.shared.values())


def prepared(folder: Path) -> list[Target]:
    """All targets, compiled with filtersql's own macros, the cheapest first."""
    engine = connect(None)
    for setting in ("threads = 1", "memory_limit = '200MB'", "temp_directory = ''"):
        engine.execute(f"SET {setting}")
    trial = TrialEngine(engine, folder)
    every = (one for number in range(len(PROJECTS)) for one in _targets(number, folder, trial))
    return sorted(every, key=Target.size)


def _targets(number: int, folder: Path, trial: TrialEngine) -> Iterator[Target]:
    files, wanted = PROJECTS[number]
    root = folder / f"project{number}"
    put_files(root, files)
    project = load(root)
    filters = FilterCache(project)
    bench = Bench(trial, trial, filters, "spark")
    configure(bench)
    for node in compile_project(project, beside=filters).nodes:
        name = node.compiled.relation.name
        if not wanted or name in wanted:
            unique = f"{number}/{node.compiled.unique_id}"
            show_trial([node], trial.engine)
            texts = _statements(node, bench)
            cases = cases_of(node, bench, kinds=tuple(texts))
            yield Target(unique, project, node, bench, cases, texts)


def _statements(node: Node, bench: Bench) -> dict[Kind, str]:
    """What a compile writes, and a plan: the forms of change.sql."""
    compiled = node.compiled
    found = {**statements(node), Kind.CHANGE: compiled.changing_sql()[0]}
    # As filtersql's own macros print it: a DELETE where a row alone tells, whoever prints it.
    found[Kind.LEAVING] = compiled.on_demand["narrowing" if compiled.clock else "deleting"]
    if compiled.key and not (node.judged.every or node.judged.unknown_matches):
        write = bench.filters.writer("spark")
        earlier = earlier_criteria(tuple(node.filters.values()), write, "spark", matches=True)
        found[Kind.ENTERING] = compiled.changing_sql(earlier=earlier)[0]
    return found


def altered(
    macro: str, text: str, targets: Sequence[Target], folder: Path
) -> Iterator[tuple[Target, Kind, str]]:
    """The statements that are other ones with another macro. Raises Mistakes where it prints none.

    Those of the first targets come first, so a caller who has enough can stop.
    """
    own = folder / f"macros{next(_NUMBERS)}"
    own.mkdir()
    try:
        (own / f"{macro}.sql").write_text(text, encoding="utf-8")
        for target in targets:
            goal = replace(
                destination(target.project),
                macro_folders=(own, target.project.macro_paths[-1]),
            )
            node, write = target.node, target.bench.filters.writer("spark")
            compiled = compiled_table(node.resolved, node.judged, write, goal)
            after = _statements(replace(node, compiled=compiled), target.bench)
            for kind, before in target.texts.items():
                if _words(before) != _words(after[kind]):
                    yield target, kind, after[kind]
    finally:
        shutil.rmtree(own)


def _words(text: str) -> list[str]:
    """The lines that are no comments."""
    return [line for line in text.splitlines() if not line.lstrip().startswith("--")]


def reported(target: Target, kind: Kind, text: str, folder: Path) -> bool:
    """Whether `check` reports a statement, as wrong or as one that it cannot try."""
    if (kind, text) not in target.known:
        target.known[kind, text] = _reported(target, kind, text, folder)
    return target.known[kind, text]


def _reported(target: Target, kind: Kind, text: str, folder: Path) -> bool:
    path = folder / f"{kind}.sql"
    path.write_text(text, encoding="utf-8")
    bench = target.bench
    # What compares has both, as `check` tries it.
    kinds = (kind, Kind.LEAVING) if kind is Kind.ENTERING else (kind,)
    try:
        read = [
            read_statement(path, path.name, target.node, bench.filters, bench.dialect, kind=each)
            for each in kinds
        ]
        return tried(read, bench, target.cases).counterexample is not None
    except Mistakes:
        return True
