"""A lakehouse table whose history does not lead from a target to what it holds now is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import test_lake_feeds
from places import put_files
from transcripts import Shell

from filtersql.feeds import lake as feeds_lake
from filtersql.run import feed_reading

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from filtersql.targets.model import Engine

FILES = test_lake_feeds.FILES | {
    "tables/t.yml": """tables:
  - {name: t, columns: {id: int not null, v: text}, primary_key: [id], replica_identity: full}
""",
    "publications/p.yml": "publications: [{name: p, tables: [t]}]\n",
}
NAMES = {"iceberg": "lake.src.t", "delta": "history_source.t"}
FEEDS = {"iceberg": "iceberg_changelog", "delta": "delta_cdf"}
USING = {"iceberg": "ICEBERG", "delta": "DELTA TBLPROPERTIES (delta.enableChangeDataFeed = true)"}
EXPIRE = (
    "CALL lake.system.expire_snapshots(table => 'src.t', retain_last => 1,"
    " older_than => TIMESTAMP '2999-01-01 00:00:00')"
)
COMPACT = (
    "CALL lake.system.rewrite_data_files(table => 'src.t', options => map('rewrite-all','true'))"
)


class Lake:
    """A project with one feed, its source table, and what the target holds of it."""

    def __init__(self, folder: Path, form: str) -> None:
        from filtersql.api.loading import load_project
        from filtersql.api.options import Options
        from filtersql.api.reporter import Reporter
        from filtersql.targets.open import open_engine

        put_files(folder, FILES)
        self.folder, self.form, self.name = folder, form, NAMES[form]
        self.reads_from()
        self.shell = Shell(folder)
        output = load_project(Reporter(Options(project_dir=folder, target=form))).output
        assert output
        self.engine: Engine = open_engine(output, folder)
        schema = self.name.rpartition(".")[0]
        location = f" LOCATION '{folder}/warehouse/{schema}.db'" if form == "delta" else ""
        self.engine.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}{location}")
        self.make()

    def reads_from(self, source: str = "") -> None:
        """Write the subscription; `source` is what a hint says."""
        path = self.folder / "subscriptions/s.yml"
        path.parent.mkdir(exist_ok=True)
        changes = f"changes: {{format: {FEEDS[self.form]}, table: {self.name}}}"
        target = f'target: "{self.form}_history.t"'
        keys = ", ".join(filter(None, ["name: s", "publications: [p]", source, changes, target]))
        path.write_text(f"subscriptions: [{{{keys}}}]\n")

    def make(self) -> None:
        """The source table, without rows."""
        self.engine.execute(f"DROP TABLE IF EXISTS {self.name}")
        self.engine.execute(f"CREATE TABLE {self.name} (id INT, v STRING) USING {USING[self.form]}")

    def insert(self, *keys: int) -> None:
        """A commit for each key."""
        for key in keys:
            self.engine.execute(f"INSERT INTO {self.name} VALUES ({key}, 'v')")

    def run(self, *options: str) -> None:
        """A run, behind which the target holds what the source holds."""
        self.shell.succeed("run", "--target", self.form, *options)
        target = self.engine.table_sql((f"{self.form}_history", "t"))
        for table in (self.name, target):
            self.engine.execute(f"REFRESH TABLE {table}")
        rows = "SELECT id, v FROM {} ORDER BY id"
        held = self.engine.rows(rows.format(target))
        assert held == self.engine.rows(rows.format(self.name))

    def refused(self, words: str, *options: str) -> str:
        """A run that is refused with such words; gives all that it says."""
        ended = self.shell.filtersql("run", "--target", self.form, *options)
        assert ended.exit_code != 0
        assert words in ended.both, ended.both
        return ended.both

    def heeds(self, said: str) -> None:
        """What a hint says is done, and works; so does the next run."""
        found = re.search(r"source: \{.*?\}", said)
        assert found, said
        assert "--full-refresh" in said
        self.reads_from(found[0])
        self.run("--full-refresh")
        self.insert(90)
        self.run()


@pytest.fixture
def lake(tmp_path: Path, spark: SparkSession) -> Iterator[Callable[[str], Lake]]:
    """Makes such a project. Its source is no table of filtersql, which would forget it."""
    yield lambda form: Lake(tmp_path, form)
    spark.sql(f"DROP SCHEMA IF EXISTS {NAMES['delta'].partition('.')[0]} CASCADE")


@pytest.mark.spark
def test_a_first_run_behind_expired_snapshots_is_refused(lake: Callable[[str], Lake]) -> None:
    """The view begins with what is left, and would not tell of the rows before."""
    source = lake("iceberg")
    source.insert(1, 2)
    source.engine.execute(EXPIRE)
    said = source.refused("lake.src.t cannot be read as changes")
    assert "Its first snapshots have expired" in said
    assert f"seq: {2 << 31}}}" in said
    source.heeds(said)


@pytest.mark.spark
def test_expiry_behind_a_target_is_no_matter(lake: Callable[[str], Lake]) -> None:
    """The snapshot at its position leads to the current one; a table without rows has a feed."""
    source = lake("iceberg")
    source.run()
    source.insert(1, 2)
    source.run()
    source.engine.execute(EXPIRE)
    source.insert(3)
    source.run()


@pytest.mark.spark
@pytest.mark.parametrize("copied", [True, False])
def test_a_table_that_was_rolled_back_is_refused(copied: bool, lake: Callable[[str], Lake]) -> None:
    """The target holds rows of a snapshot that no longer leads to the current one."""
    source = lake("iceberg")
    source.insert(1)
    source.run()
    first = source.engine.rows(f"SELECT snapshot_id FROM {source.name}.snapshots")[0][0]
    source.insert(2)
    source.run()
    source.engine.execute(f"CALL lake.system.rollback_to_snapshot('src.t', {first})")
    words = "does not lead to its current one"
    said = source.refused(words)
    source.insert(3)
    assert source.refused(words) != said
    if copied:
        source.heeds(source.refused(words))
    else:
        source.run("--full-refresh")
        source.insert(4)
        source.run()


@pytest.mark.spark
@pytest.mark.parametrize("form", ["iceberg", "delta"])
def test_a_table_that_was_made_again_is_refused(form: str, lake: Callable[[str], Lake]) -> None:
    """Its commits have the same numbers, and are others."""
    source = lake(form)
    source.insert(1, 2)
    source.run()
    source.make()
    source.insert(11)
    source.refused(f"{source.name} cannot be read as changes")
    source.insert(12)
    words = f"{source.name} is not the table that was read last"
    source.refused(words)
    source.run("--full-refresh")
    source.make()
    source.insert(21, 22, 23)
    source.heeds(source.refused(words))


@pytest.mark.spark
def test_a_delta_table_that_was_replaced_goes_on(
    lake: Callable[[str], Lake], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has another id then, and its feed tells of the rows that went."""
    source = lake("delta")
    source.insert(1, 2)
    source.run()
    rows = "SELECT CAST(id AS INT) AS id, 'v' AS v FROM RANGE(2, 4, 1, 1)"
    for looked_at in (20, 1):
        monkeypatch.setattr(feeds_lake, "_FEW", looked_at)
        source.insert(9)
        source.engine.execute(
            f"CREATE OR REPLACE TABLE {source.name} USING {USING['delta']} AS {rows}"
        )
        source.run()
        source.insert(4)
        source.run()
    source.engine.execute(f"RESTORE TABLE {source.name} TO VERSION AS OF 1")
    source.run()


@pytest.mark.spark
def test_the_hint_behind_compaction_and_expiry_works(lake: Callable[[str], Lake]) -> None:
    """It names the newest snapshot's seq, whether or not the target is to be filled again."""
    source = lake("iceberg")
    source.insert(1, 2)
    source.run()
    source.engine.execute(COMPACT)
    source.engine.execute(EXPIRE)
    said = source.refused("is not in its metadata log")
    assert f"seq: {3 << 31}}}" in said
    assert f"seq: {3 << 31}}}" in source.refused("have expired", "--full-refresh")
    source.heeds(said)


@pytest.mark.spark
def test_commits_of_a_branch_that_became_the_table_are_refused(
    lake: Callable[[str], Lake],
) -> None:
    """The metadata log has no number of them, only of the last one."""
    found = lake("iceberg")
    found.insert(1)
    found.run()
    found.engine.execute(f"ALTER TABLE {found.name} CREATE BRANCH b")
    for key in (2, 3):
        found.engine.execute(f"INSERT INTO {found.name}.branch_b VALUES ({key}, 'v')")
    found.engine.rows("CALL lake.system.fast_forward('src.t', 'main', 'b')")
    found.heeds(found.refused("not in the metadata log any more"))


@pytest.mark.spark
def test_deletes_by_delete_files_are_refused(lake: Callable[[str], Lake]) -> None:
    """The hint's statements make it a table whose changes are told; the next one names its seq."""
    source = lake("iceberg")
    properties = f"ALTER TABLE {source.name} SET TBLPROPERTIES"
    source.engine.execute(f"{properties} ('write.delete.mode'='merge-on-read')")
    source.engine.execute(f"INSERT INTO {source.name} SELECT id, 'v' FROM RANGE(1, 10, 1, 1)")
    source.run()
    source.engine.execute(f"DELETE FROM {source.name} WHERE id = 2")
    said = source.refused("A commit took rows away by delete files (merge-on-read)")
    found = re.search(r"(ALTER TABLE .*?); (CALL .*?)\. The next run", said)
    assert found, said
    for statement in found.groups():
        source.engine.execute(statement)
    source.heeds(source.refused("merge-on-read"))
    source.engine.execute(f"DELETE FROM {source.name} WHERE id = 3")
    source.run()


@pytest.mark.spark
@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_what_is_committed_while_a_run_reads_is_the_next_runs(
    form: str, lake: Callable[[str], Lake], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The feed ends at the commit that was the newest: it may be read several times."""
    source = lake(form)
    source.insert(1)
    opened = feed_reading.table_feed

    def overtaken(*asked: Any) -> object:
        found = opened(*asked)
        source.insert(2)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(feed_reading, "table_feed", overtaken)
        ended = source.shell.filtersql("run", "--target", form)
    assert (ended.exit_code, "[1 inserted" in ended.both) == (0, True), ended.both
    source.run()
