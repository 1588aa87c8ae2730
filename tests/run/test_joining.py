"""A table that joins a subscription whose publications do not send all changes.

PostgreSQL 15 and a subscriber of it, asked: ALTER SUBSCRIPTION … REFRESH PUBLICATION copies the
rows as they are by then, whatever was not sent of them before.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from places import put_files
from running import delete, insert, update

from filtersql import Failed, Project

_FILES = {
    "filtersql_project.yml": "{name: shop, version: 1}\n",
    "profiles.yml": "shop: {outputs: {dev: {type: duckdb, path: shop.duckdb}}}\n",
    "tables/t.yml": "tables:\n  - &t {name: t1, columns: {a: int not null, b: int},"
    " primary_key: [a]}\n  - {<<: *t, name: t2}\n",
    "publications/p.yml": "publications:\n  - {name: p, publish: [insert], tables: [t1]}\n",
    "subscriptions/s.yml": "subscriptions:\n  - {name: s, publications: [p],"
    " source: {path: 'source/{table}.jsonl', seq: 0}, changes: {path: changes/*.jsonl}}\n",
}
_BEFORE = [
    insert("t1", a=1, b=1),
    delete("t2", a=1),
    update("t2", a=2, b=5),
    insert("t2", a=4, b=4),
]


def _write(root: Path, name: str, rows: list[dict]) -> None:
    file = root / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Subscribed to t1 alone, which was brought to seq 4."""
    put_files(tmp_path, _FILES)
    _write(tmp_path, "source/t1.jsonl", [])
    _write(tmp_path, "source/t2.jsonl", [{"a": a, "b": a} for a in (1, 2, 3)])
    _write(tmp_path, "changes/1.jsonl", [{"seq": n, **each} for n, each in enumerate(_BEFORE, 1)])
    assert Project.load(tmp_path).run().results[0].rows_inserted == 1
    return tmp_path


def _joined(root: Path) -> Project:
    """The project with t2 in the publication, where 4 was taken away by now: that is not sent."""
    file = root / "publications/p.yml"
    file.write_text(file.read_text().replace("[t1]", "[t1, t2]"))
    _write(root, "changes/2.jsonl", [{"seq": 5, **delete("t2", a=4)}])
    return Project.load(root)


def _held(root: Path) -> list[tuple]:
    import duckdb

    with duckdb.connect(str(root / "shop.duckdb"), read_only=True) as connection:
        return connection.execute("SELECT * FROM s.t2 ORDER BY a").fetchall()


def test_rows_that_are_older_than_what_is_not_sent_are_refused(root: Path) -> None:
    """They held 1 and 2 as these were before; nothing is written until the rows are taken again."""
    with pytest.raises(Failed) as refused:
        _joined(root).run()
    (mistake,) = refused.value.mistakes
    assert "older than the delete at seq 2, which may not be published" in mistake.message

    _write(root, "source/t2.jsonl", [{"a": 2, "b": 5}, {"a": 3, "b": 3}, {"a": 4, "b": 4}])
    file = root / "subscriptions/s.yml"
    file.write_text(file.read_text().replace("seq: 0", "seq: 4"))
    Project.load(root).run()
    assert _held(root) == [(2, 5), (3, 3), (4, 4)]


def test_a_publication_that_sends_all_brings_them_forward(root: Path) -> None:
    """So does one whose changes that it does not send did not come."""
    file = root / "publications/p.yml"
    file.write_text(file.read_text().replace("publish: [insert], ", ""))
    _joined(root).run(select=["t2"])
    assert _held(root) == [(2, 5), (3, 3)]


def test_a_truncate_that_is_not_sent_counts(root: Path) -> None:
    """Though no target is told of it."""
    _write(root, "changes/1.jsonl", [{"seq": 4, "op": "truncate", "relation": "public.t2"}])
    file = root / "publications/p.yml"
    file.write_text(file.read_text().replace("[insert]", "[insert, update, delete]"))
    with pytest.raises(Failed, match="older than the truncate at seq 4"):
        _joined(root).run(select=["t2"])


def test_a_table_that_left_joins_again(root: Path) -> None:
    """What came meanwhile was not sent, either."""
    shutil.rmtree(root / "changes")
    (root / "shop.duckdb").unlink()
    _write(root, "changes/0.jsonl", [{"seq": 1, **insert("t1", a=1, b=1)}])
    file = root / "publications/p.yml"
    for tables in ("[t1, t2]", "[t1]"):
        file.write_text(file.read_text().replace("[t1]", tables).replace("[t1, t2]", tables))
        assert Project.load(root).run().results
    _write(root, "changes/1.jsonl", [{"seq": 3, **delete("t2", a=1)}])
    Project.load(root).run()
    with pytest.raises(Failed, match="older than the delete at seq 3"):
        _joined(root).run()


def test_where_nothing_is_copied_nothing_is_older(root: Path) -> None:
    """Without a source the changes alone are applied."""
    file = root / "subscriptions/s.yml"
    file.write_text(
        file.read_text().replace("source: {path: 'source/{table}.jsonl', seq: 0}, ", "")
    )
    _joined(root).run()
    assert _held(root) == [(4, 4)]


def test_a_first_copy_that_was_broken_off_is_finished(root: Path) -> None:
    """It had begun; what came before it ended is no reason to refuse it."""
    import duckdb

    _joined(root)
    with duckdb.connect(str(root / "shop.duckdb")) as connection:
        rows = connection.table("filtersql.ledger")
        names = ", ".join(
            {"ordinal": "ordinal + 1", "relation_name": "'t2'", "phase": "'copying'",
             "target": "'s.t2'"}.get(name, f'"{name}"')
            for name in rows.columns
        )  # fmt: skip
        newest = (
            "(SELECT * FROM filtersql.ledger WHERE relation_name = 't1' ORDER BY 1 DESC LIMIT 1)"
        )
        connection.execute(f"INSERT INTO filtersql.ledger SELECT {names} FROM {newest}")
    Project.load(root).run()
    assert _held(root) == [(1, 1), (2, 2), (3, 3), (4, 4)]


_WHOLE = {
    "publications/p.yml": "publications:\n  - {name: p, tables: [t1]}\n",
    "subscriptions/s.yml": "subscriptions:\n  - {name: s, publications: [p],"
    " changes: {path: changes/*.jsonl}}\n",
}


def _without_a_source(root: Path) -> None:
    """The feed alone: one file for t1 and t2, and another one."""
    put_files(root, {**_FILES, **_WHOLE})
    _write(root, "changes/1.jsonl", [{"seq": 1, **insert("t1", a=1, b=1)},
                                     {"seq": 2, **insert("t2", a=2, b=2)}])  # fmt: skip
    _write(root, "changes/2.jsonl", [{"seq": 3, **insert("t2", a=3, b=3)}])
    Project.load(root).run()
    file = root / "publications/p.yml"
    file.write_text(file.read_text().replace("[t1]", "[t1, t2]"))


def test_a_table_joins_a_feed_that_has_lost_files(tmp_path: Path) -> None:
    """They may have held its changes; nothing is written until they are back."""
    _without_a_source(tmp_path)
    (tmp_path / "changes/1.jsonl").rename(tmp_path / "1.jsonl")
    with pytest.raises(Failed) as refused:
        Project.load(tmp_path).run()
    (told,) = refused.value.mistakes
    assert told.message == 'feed of "s/public.t2" no longer holds all changes of its table'
    assert '"changes/1.jsonl" was read for others and is gone' in told.detail
    (tmp_path / "1.jsonl").rename(tmp_path / "changes/1.jsonl")
    Project.load(tmp_path).run()
    assert _held(tmp_path) == [(2, 2), (3, 3)]


def test_files_may_have_been_put_together_or_packed(tmp_path: Path) -> None:
    """Their changes are there, whatever they are called."""
    _without_a_source(tmp_path)
    files = [tmp_path / f"changes/{n}.jsonl" for n in (1, 2)]
    text = "".join(file.read_text() for file in files)
    for file in files:
        file.unlink()
    (tmp_path / "changes/all.jsonl").write_text(text + '{"seq": 4, "op": "commit"}\n')
    Project.load(tmp_path).run()
    assert _held(tmp_path) == [(2, 2), (3, 3)]


def test_files_that_all_targets_are_beyond_may_go(tmp_path: Path) -> None:
    """One of them has no change of its own, neither before nor behind."""
    _without_a_source(tmp_path)
    Project.load(tmp_path).run()
    (tmp_path / "changes/1.jsonl").unlink()
    (tmp_path / "changes/2.jsonl").unlink()
    for seq in (4, 5):
        _write(tmp_path, f"changes/{seq}.jsonl", [{"seq": seq, **insert("t1", a=seq, b=1)}])
        assert Project.load(tmp_path).run().results[0].rows_inserted == 1
        (tmp_path / f"changes/{seq}.jsonl").rename(tmp_path / f"{seq}.jsonl")
        _write(tmp_path, f"changes/{seq}0.jsonl", [])
        Project.load(tmp_path).run()


@pytest.mark.parametrize("way", ["selected", "left"])
def test_a_target_that_stands_before_a_file_that_is_gone(tmp_path: Path, way: str) -> None:
    """Another one was run alone, or it left its publication for a while."""
    _without_a_source(tmp_path)
    Project.load(tmp_path).run()
    file = tmp_path / "publications/p.yml"
    if way == "left":
        file.write_text(file.read_text().replace("[t1, t2]", "[t1]"))
    _write(tmp_path, "changes/3.jsonl", [{"seq": 4, **insert("t1", a=4, b=4)},
                                         {"seq": 5, **insert("t2", a=5, b=5)}])  # fmt: skip
    Project.load(tmp_path).run(select=["t1"])
    (tmp_path / "changes/3.jsonl").unlink()
    file.write_text(file.read_text().replace("[t1]", "[t1, t2]"))
    _write(tmp_path, "changes/4.jsonl", [{"seq": 6, **insert("t2", a=6, b=6)}])
    with pytest.raises(Failed) as refused:
        Project.load(tmp_path).run()
    (told,) = refused.value.mistakes
    assert told.message == 'feed of "s/public.t2" no longer holds all changes of its table'
    assert _held(tmp_path) == [(2, 2), (3, 3)]
