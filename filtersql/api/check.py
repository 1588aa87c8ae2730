"""The compiled SQL on disk is proved against the reference semantics."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from filtersql.api.loading import loaded_compilation
from filtersql.api.options import WrongUsage, check_switches
from filtersql.api.progress import dotted
from filtersql.api.records import Check, Checks
from filtersql.api.reporter import Reporter
from filtersql.api.selecting import selected
from filtersql.artifacts import compiled_path
from filtersql.compile import destination
from filtersql.filter_cache import FilterCache
from filtersql.review.counterexamples import counterexample_record, counterexample_text
from filtersql.targets.duckdb_file import connect
from filtersql.targets.open import open_engine
from filtersql.verify.check import Bench
from filtersql.verify.loading import TrialEngine
from filtersql.verify.shared_proofs import Asked, proofs

if TYPE_CHECKING:
    from filtersql.compile import Node
    from filtersql.errors import Mistakes
    from filtersql.project import Project
    from filtersql.targets.model import Engine
    from filtersql.verify.check import Proof
    from filtersql.verify.shared_proofs import Outcome

__all__ = ["ENGINES", "check"]

#: what may run the statements
ENGINES = ("duckdb", "spark")


class _Result(Struct, frozen=True):
    """What came of one target: a proof, or why there is none."""

    node: Node
    #: the folder of its files as messages show it
    folder: str
    outcome: Outcome

    @property
    def proof(self) -> Proof | None:
        return self.outcome.proof

    @property
    def mistakes(self) -> Mistakes | None:
        return self.outcome.mistakes

    @property
    def name(self) -> str:
        return self.node.compiled.unique_id

    @property
    def right(self) -> bool:
        return self.proof is not None and self.proof.counterexample is None


def check(reporter: Reporter, *, deep: bool = False, engine: str = "duckdb") -> Checks:
    """Tries every selected target's files: `deep` histories of three changes, too."""
    check_switches(deep=deep)
    if engine not in ENGINES:
        raise WrongUsage(f"--engine takes {' or '.join(ENGINES)}, not {engine!r}.")
    project, compilation = loaded_compilation(reporter)
    nodes = selected(project, compilation, reporter.options)
    results: list[_Result] = []
    with _bench(project, deep=deep, spark=engine == "spark") as bench:
        for index, result in enumerate(_tried(project, nodes, bench), 1):
            results.append(result)
            _tell(reporter, f"{index} of {len(nodes)}", result)
            if not result.right and reporter.options.fail_fast:
                break
    _end(reporter, results)
    return Checks(tuple(_record(result) for result in results))


@contextmanager
def _bench(project: Project, *, deep: bool, spark: bool) -> Iterator[Bench]:
    """DuckDB in memory, and Spark in a folder that is not the project's where it is asked for."""
    dialect = destination(project).engine
    if spark and dialect != "spark":
        raise WrongUsage("--engine spark proves files for Spark; --target names one.")
    with tempfile.TemporaryDirectory(prefix="filtersql-check-") as name:
        folder = Path(name)
        duckdb = connect(None)
        # Small statements: handing each to several threads costs more than it gives.
        duckdb.execute("SET threads = 1")
        # A wrong file may follow values from key to key without end.
        duckdb.execute("SET memory_limit = '1GB'")
        duckdb.execute("SET temp_directory = ''")
        engine: Engine = _spark(project, folder) if spark else duckdb
        # What was compiled lives on: looking through it for garbage took a sixth of the time.
        frozen = gc.get_freeze_count()
        gc.freeze()
        try:
            trial = TrialEngine(duckdb, folder)
            other = TrialEngine(engine, folder) if spark else trial
            yield Bench(trial, other, FilterCache(project), dialect, deep)
        finally:
            if not frozen:  # what the process froze itself stays so
                gc.unfreeze()
            engine.close()
            duckdb.close()


def _spark(project: Project, folder: Path) -> Engine:
    assert project.output is not None  # loaded_compilation asked for one
    return open_engine(project.output, folder)


def _tried(project: Project, nodes: Sequence[Node], bench: Bench) -> Iterator[_Result]:
    asked = []
    for node in nodes:
        folder = project.compiled_path / compiled_path(node)
        inside = folder.is_relative_to(project.root)
        shown = folder.relative_to(project.root) if inside else folder
        asked.append(Asked(node, folder, shown.as_posix()))
    for node, each, outcome in zip(nodes, asked, proofs(asked, bench), strict=True):
        yield _Result(node, each.shown, outcome)


def _tell(reporter: Reporter, place: str, result: _Result) -> None:
    word, color = ("PROVED", "green") if result.right else ("WRONG", "red")
    if result.mistakes is not None:
        word = "NOT PROVED"
    told = (
        f"[{_counts(result.proof)} in {result.outcome.seconds:.2f}s]" if result.proof else "[ERROR]"
    )
    reporter.message(dotted(f"{place} {word} {result.name}", told), color=color)
    if result.mistakes is not None:
        reporter.report(result.mistakes)
    if result.proof is not None and result.proof.counterexample is not None:
        example = result.proof.counterexample
        text = counterexample_text(example, result.node.compiled)
        place = f"{result.folder}/{example.kind.file}.sql:1:1"
        reporter.finding(f"the SQL of {result.name} is wrong", place, text)


def _counts(proof: Proof) -> str:
    return f"{proof.cells} cells, {proof.histories} histories"


def _end(reporter: Reporter, results: list[_Result]) -> None:
    proofs = [result.proof for result in results if result.proof is not None]
    proved, failed = sum(each.right for each in results), len(results) - len(proofs)
    wrong = len(proofs) - proved
    cells, histories = sum(p.cells for p in proofs), sum(p.histories for p in proofs)
    reporter.message(
        f"Done. PROVED={proved} WRONG={wrong} {f'ERROR={failed} ' if failed else ''}"
        f"TOTAL={len(results)}: {cells} cells and {histories} histories tried",
        color="green" if proved == len(results) else "red",
    )
    statements = len({result.outcome.statement for result in results})
    if statements < len(results):
        reporter.message(
            f"Files that differ in names and filters alone were tried together: {len(results)} in "
            f"{statements} statements"
        )


def _record(result: _Result) -> Check:
    proof, compiled = result.proof, result.node.compiled
    example = None if proof is None else proof.counterexample
    return Check(
        unique_id=result.name,
        status="proved" if result.right else "wrong" if proof else "error",
        cells=0 if proof is None else proof.cells,
        histories=0 if proof is None else proof.histories,
        execution_time=round(result.outcome.seconds, 6),
        counterexample=None if example is None else counterexample_record(example, compiled),
        message=None if result.mistakes is None else str(result.mistakes),
    )
