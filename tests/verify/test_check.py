"""`check`: compiled files are proved, and almost every change of them is noticed."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from checked import EQUIVALENT, MUTATIONS, PROFILES, PROJECT, Mutation, with_conflicts, with_profile
from msgspec.structs import replace
from places import put_files
from transcripts import Shell

from filtersql import artifacts
from filtersql.compile import FilterCache, Node, compile_project
from filtersql.errors import Mistakes
from filtersql.project import Project, load
from filtersql.targets.duckdb_file import connect
from filtersql.verify.check import Bench, Cases, Proof, cases_of, prove, read_statements
from filtersql.verify.lifted_queries import NotLifted
from filtersql.verify.loading import TrialEngine


@dataclass
class Proofs:
    """A compiled project, and proofs of its files."""

    project: Project
    nodes: dict[str, Node]
    bench: Bench
    cases: dict[str, Cases] = field(default_factory=dict)

    def path(self, name: str) -> Path:
        """The compiled file of a table."""
        folder = artifacts.compiled_path(self.nodes[name])
        return self.project.compiled_path / folder / "merge.sql"

    def folder(self, name: str) -> Path:
        """The folder of a table's compiled files."""
        return self.path(name).parent

    def proof(self, name: str, *, deep: bool = False) -> Proof:
        """The proof of a table's files as they stand."""
        bench = replace(self.bench, deep=deep)
        return prove(self.nodes[name], self.folder(name), name, bench)

    def cases_of(self, name: str) -> Cases:
        """What a table's file is tried on."""
        return cases_of(self.nodes[name], self.bench)

    def notices(self, mutation: Mutation) -> bool:
        """Whether a file that is changed on disk is not proved any more."""
        path = self.path(mutation.table)
        text = path.read_text(encoding="utf-8")
        assert mutation.old in text, f"{mutation} changes nothing"
        path.write_text(text.replace(mutation.old, mutation.new, 1), encoding="utf-8")
        try:
            name = mutation.table
            cases = self.cases.get(name) or self.cases.setdefault(name, self.cases_of(name))
            proof = prove(self.nodes[name], path.parent, name, self.bench, cases)
            return proof.counterexample is not None
        except Mistakes:
            return True
        finally:
            path.write_text(text, encoding="utf-8")


def written(root: Path, files: Mapping[str, str] = PROJECT) -> Path:
    """A project on disk."""
    put_files(root, files)
    return root


def proofs(root: Path, target: str, folder: Path, files: Mapping[str, str] = PROJECT) -> Proofs:
    """A project compiled for one of its targets."""
    project = load(written(root, files), target=target)
    compilation = compile_project(project)
    artifacts.write(project, compilation, compilation.nodes)
    engine = connect(None)
    engine.execute("SET threads = 1")
    # A mutation may make a statement endless.
    engine.execute("SET memory_limit = '200MB'")
    engine.execute("SET temp_directory = ''")
    trial = TrialEngine(engine, folder)
    dialect = "spark" if target != "local" else "duckdb"
    bench = Bench(trial, trial, FilterCache(project), dialect)  # type: ignore[arg-type]
    return Proofs(project, {n.compiled.relation.name: n for n in compilation.nodes}, bench)


@pytest.fixture(scope="module")
def for_spark() -> Iterator[Proofs]:
    """The project compiled for Spark, tried on DuckDB."""
    with tempfile.TemporaryDirectory() as folder:
        yield proofs(Path(folder) / "project", "dev", Path(folder))


TABLES = {
    "keyed": "keyed",
    "kept": "keyed_unchanged",
    "bare": "keyless",
    "added": "append",
    "whole": "keyed",
}


@pytest.mark.parametrize("target", ["dev", "local"])
def test_every_form_is_proved(target: str, tmp_path: Path) -> None:
    """What is compiled for Spark and for DuckDB is right in every cell, in all four forms."""
    made = proofs(tmp_path / "project", target, tmp_path)
    assert {name: node.compiled.form for name, node in made.nodes.items()} == TABLES
    for name in TABLES:
        proof = made.proof(name)
        assert proof.counterexample is None, name
        assert proof.cells > 50
        assert proof.histories > 30


@pytest.mark.parametrize("profile", PROFILES)
def test_other_source_systems_are_proved(profile: str, tmp_path: Path) -> None:
    """The model plays by the switches of xDB, pglogical and BDR, too."""
    made = proofs(tmp_path / "project", "dev", tmp_path, with_profile(profile))
    for name in ("t1", "t2"):
        assert made.proof(name).counterexample is None, name


@pytest.mark.parametrize("target", ["dev", "local"])
def test_what_meets_the_wrong_state_is_proved_to_be_skipped(target: str, tmp_path: Path) -> None:
    """The files of `on_conflict: skip` are right in every cell and every short history."""
    made = proofs(tmp_path / "project", target, tmp_path, with_conflicts("skip"))
    for name in ("keyed", "kept", "bare", "whole"):
        form = "keyless_skipping" if name == "bare" else "keyed_keeping"
        assert made.nodes[name].compiled.form == form
        proof = made.proof(name)
        assert proof.counterexample is None, name
        assert proof.cells > 50
        assert proof.histories > 30


def test_one_table_takes_little_time(for_spark: Proofs, announce: Callable[[str], None]) -> None:
    """Nothing fails on time: it is announced for the number of cases that one MERGE takes."""
    for name in TABLES:
        for_spark.proof(name)
        began = time.process_time()
        proof = for_spark.proof(name)
        spent = 1000 * (time.process_time() - began)
        count = proof.cells + proof.histories
        announce(f"check {name} ({TABLES[name]}): {count} cases in {spent:.0f} ms of CPU")
        assert count > 80


def test_deep_adds_histories_of_three_changes(for_spark: Proofs) -> None:
    """Three changes of a few keys in one batch, in every order."""
    plain, deep = for_spark.proof("bare"), for_spark.proof("bare", deep=True)
    assert deep.counterexample is None
    assert deep.histories > 10 * plain.histories


def test_mutations_are_noticed(for_spark: Proofs, announce: Callable[[str], None]) -> None:
    """Of all changes of the files, those that are not noticed are known to change no row."""
    survivors = [each for each in MUTATIONS if not for_spark.notices(each)]
    named = {(each.table, each.name) for each in survivors}
    announce(
        f"check noticed {len(MUTATIONS) - len(survivors)} of {len(MUTATIONS)} mutations; "
        f"{len(EQUIVALENT)} are equivalent"
    )
    assert named == set(EQUIVALENT)
    assert len({each.name for each in MUTATIONS}) >= 30
    assert len(survivors) <= 0.06 * len(MUTATIONS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("new_region = 'eu'", "new_region <> 'eu'"),
        ("new_total > ", "new_total >= "),
        ("old_region = 'eu'", "old_region = 'EU'"),
    ],
)
def test_filters_of_a_file_for_duckdb_are_tried_as_they_stand(
    old: str, new: str, tmp_path: Path
) -> None:
    """Rows on both sides of every boundary notice another filter."""
    made = proofs(tmp_path / "project", "local", tmp_path)
    assert made.notices(Mutation("", "whole", old, new))


def refusal(made: Proofs, name: str, change: Callable[[str], str] | None) -> str:
    """What is said of a file that is changed, or removed."""
    path = made.path(name)
    text = path.read_text(encoding="utf-8")
    try:
        if change is None:
            path.unlink()
        else:
            path.write_text(change(text), encoding="utf-8")
        with pytest.raises(Mistakes) as caught:
            made.proof(name)
        return str(caught.value)
    finally:
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, 'compiled file "keyed/merge.sql" does not exist'),
        (lambda text: "", "is not one MERGE statement"),
        (lambda text: "SELECT 1", "is not one MERGE statement"),
        (lambda text: text + ";\nDROP TABLE x", "is not one MERGE statement"),
        (lambda text: text.replace("USING (", "USING (("), "is not one MERGE statement"),
        (lambda text: text.replace("OR (NOT", "OR NOT (NOT"), "does not judge rows by its 4 row"),
        (lambda text: text.replace("THEN COALESCE(", "THEN ("), "does not judge rows by its 4 row"),
        (lambda text: text.replace("new_a > 5", "new_a > 6"), "is not one of the definitions"),
        (lambda text: text.replace("INTO s1.keyed", "INTO s1.kept"), "does not write into"),
        (lambda text: text.replace("FROM judged", "FROM judged LIMIT 3"), "cannot be proved"),
        (lambda text: f"--   TimeZone=UTC\n{text}", "It is written for DuckDB; the target is on"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_tried_is_one_clear_mistake(
    change: Callable[[str], str] | None, said: str, for_spark: Proofs
) -> None:
    """Missing, no MERGE any more, filters gone, another filter, another target."""
    report = refusal(for_spark, "keyed", change)
    assert said in report
    assert report.count("hint:") == 1


def test_many_cases_in_one_merge_end_as_each_alone(for_spark: Proofs) -> None:
    """Lifting mixes no cases: tried one after another they hold the same rows."""
    trial, ended = for_spark.bench.engine, 0
    for name in TABLES:
        node, cases = for_spark.nodes[name], for_spark.cases_of(name)
        for statement in read_statements(node, for_spark.folder(name), name, for_spark.bench):
            kind = statement.kind
            sql = statement.sql(cases.layout, trial.engine)
            together = cases.shared[kind].together[::40]
            for some in [dict(enumerate(together)), *({n: one} for n, one in enumerate(together))]:
                trial.load(cases.layout, some, kind)
                assert trial.carry_out(cases.layout, sql, kind) is None
                assert trial.differing(cases.layout, kind) == (), (kind, some)
                ended += 1
    assert ended > 150


def test_what_cannot_be_lifted_is_said() -> None:
    """A query whose cases could be mixed up is refused, not guessed."""
    import sqlglot
    from sqlglot import exp

    from filtersql.verify.batch_cases import lifted
    from filtersql.verify.lifted_queries import Lifting

    def lift(query: str) -> str:
        merge = sqlglot.parse_one(
            f"MERGE INTO t USING ({query}) AS s ON t.a = s.a WHEN MATCHED THEN DELETE"
        )
        assert isinstance(merge, exp.Merge)
        tables = [exp.to_table(name) for name in ("feed", "t")]
        lifting = Lifting(
            "n", "cases", lambda one: one.name == "feed", lambda one: one.name == "t", *tables
        )
        return lifted(merge, lifting).sql()

    both = lift("SELECT t.a FROM feed FULL JOIN t ON t.a = feed.a")
    assert "ON (t.a = feed.a) AND" in both
    assert 'COALESCE("feed"."n", "t"."n") AS "n"' in both
    assert "PARTITION BY" in lift("SELECT a, ROW_NUMBER() OVER (ORDER BY a) FROM feed")
    for query in (
        "SELECT a FROM feed LIMIT 1",
        "SELECT a FROM other",
        "SELECT COUNT(*) AS a FROM feed",
        "SELECT a FROM feed RIGHT JOIN t ON TRUE",
        "SELECT feed.a FROM feed FULL JOIN t ON TRUE JOIN t AS u ON TRUE",
        "SELECT * FROM feed FULL JOIN t ON TRUE",
        "SELECT 1 AS a",
        "SELECT a FROM feed WHERE a IN (SELECT a FROM t LIMIT 1)",
    ):
        with pytest.raises(NotLifted):
            lift(query)


def test_the_command_prints_the_smallest_counterexample(tmp_path: Path) -> None:
    """Changes in, rows before, rows expected and found; exit code 1."""
    shell = Shell(written(tmp_path))
    assert shell.filtersql("compile").exit_code == 0
    right = shell.filtersql("check", "--select", "s1.public.whole", "--format", "json")
    assert right.exit_code == 0, right.stderr
    (found,) = json.loads(right.stdout)["checks"]
    assert (found["status"], found["counterexample"]) == ("proved", None)
    path = tmp_path / "target" / "compiled" / "s1" / "public.whole" / "merge.sql"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("WHEN old_matches AND NOT", "WHEN old_matches AND"))
    wrong = shell.filtersql("check", "--select", "s1.public.whole")
    assert wrong.exit_code == 1
    assert "target after: - expected, + found" in wrong.stdout
    assert "Done. PROVED=0 WRONG=1 TOTAL=1" in wrong.stdout
    path.unlink()
    gone = shell.filtersql("check", "--select", "s1.public.whole")
    assert (gone.exit_code, "PROVED=0 WRONG=0 ERROR=1 TOTAL=1" in gone.stdout) == (1, True)


@pytest.mark.spark
def test_spark_proves_the_text_as_it_stands(spark: object, tmp_path: Path) -> None:
    """The Spark text of the filters too, on Delta."""
    from filtersql.targets.open import open_engine

    made = proofs(tmp_path / "project", "dev", tmp_path)
    assert made.project.output is not None
    engine = open_engine(made.project.output, tmp_path)
    try:
        bench = replace(made.bench, engine=TrialEngine(engine, tmp_path))
        proof = prove(made.nodes["bare"], made.folder("bare"), "bare", bench)
        assert proof.counterexample is None
    finally:
        engine.close()
