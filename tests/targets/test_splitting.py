"""How a Spark of filtersql's own splits work that is small, and work that is not."""

from __future__ import annotations

import pytest
from running import World, insert, table
from test_targets_spark import FORMATS, output

from filtersql.targets import splitting
from filtersql.targets.open import open_engine
from filtersql.targets.server_settings import ServerSettings
from filtersql.targets.session import Session
from filtersql.targets.splitting import (
    BATCH,
    FOR_LARGE_ROWS,
    FOR_SMALL,
    SHUFFLE,
    SNAPSHOT,
    Split,
    lowered,
    split_for,
)

_MEGABYTE = 1024**2
_GIVEN = "spark.sql.leafNodeDefaultParallelism"


@pytest.mark.parametrize(
    ("changes", "held", "shuffle", "small"),
    [
        (3, 2 * _MEGABYTE, 1, True),
        (10_001, 0, 4, False),
        (3, 200 * _MEGABYTE, 4, False),
        (20_000_000, 0, 80, False),
        (3, 1024 * 1024 * _MEGABYTE, 8192, False),
    ],
)
def test_the_larger_of_changes_and_target_decides(changes, held, shuffle, small) -> None:
    split = split_for(changes, held)
    assert (split.parts[SHUFFLE], split.small) == (shuffle, small)
    assert not split_for(changes, held, reads_more=True).small


def test_a_session_of_somebody_else_is_never_split_further() -> None:
    assert lowered(None, SHUFFLE, 300) == "200"
    assert lowered("3", SHUFFLE, 4) == "3"
    assert lowered("200", SNAPSHOT, 1) == "2"
    assert lowered("1", SNAPSHOT, 1) == "1"


def test_what_is_not_known_is_as_before() -> None:
    """What a server's session had lowered for one subscription is put back for the next."""
    server = ServerSettings(told={SHUFFLE: "100"})
    assert "'100'" not in " ".join(server.sizing(Split({SHUFFLE: 4, SNAPSHOT: 1})))
    back = server.sizing(Split({SNAPSHOT: 1}))
    assert [SHUFFLE in back[0], "100" in back[0], len(back)] == [True, True, 1]
    assert server.sizing(Split({SNAPSHOT: 1})) == []
    before = {SHUFFLE: "7", SNAPSHOT: "1"}
    unknown = Split({SNAPSHOT: 1}).settings(before.get, frozenset())
    assert (unknown[SHUFFLE], unknown[SNAPSHOT]) == ("7", "1")
    said = Split({SHUFFLE: 80}, small=True).settings({SHUFFLE: "7"}.get, frozenset({SHUFFLE}))
    assert said[SHUFFLE] == "7"


def test_rows_that_are_large_are_read_a_few_at_a_time() -> None:
    """And Iceberg's own reader is left out; other sessions, and later runs, are as before."""
    split, usual = split_for(2_000, 0, row=_MEGABYTE), split_for(2_000, 0, row=4096)
    assert FOR_LARGE_ROWS.keys().isdisjoint(split_for(2_000, 0, row=2**16).spared)
    assert (split.parts[BATCH], BATCH in usual.parts) == (16, False)
    server = ServerSettings()
    told = " ".join(server.sizing(split))
    assert all(name in told for name in (BATCH, *FOR_LARGE_ROWS))
    back = " ".join(server.sizing(usual))
    assert all(name in back for name in (BATCH, "4096", *FOR_LARGE_ROWS))
    assert FOR_LARGE_ROWS.items() <= split.settings({}.get, frozenset()).items()
    assert FOR_LARGE_ROWS.keys().isdisjoint(split.settings({}.get, None))


@pytest.mark.spark
def test_a_change_with_a_large_text_makes_the_rows_large(tmp_path, spark, monkeypatch) -> None:
    """By the staged changes of the run."""
    world = World(tmp_path, "spark").publish(table("t1", a="int4!", b="text"))
    engine, seen, size = open_engine(output("delta"), tmp_path), [], Session.size
    monkeypatch.setattr(
        Session, "size", lambda self, split: seen.append(split.parts) or size(self, split)
    )
    world.feed([insert("t1", a=number, b=f"{number}" * _MEGABYTE) for number in range(3)])
    assert world.run(engine).results[0].rows_inserted == 3
    engine.close()
    assert 12 <= seen[-1][BATCH] <= 16


@pytest.mark.spark
@pytest.mark.parametrize("table_format", FORMATS)
def test_small_runs_are_spared_what_pays_for_large_ones(
    table_format, tmp_path, spark, monkeypatch
) -> None:
    """What the profile says stays; a large run has all of it back, and so has the session."""
    world = World(tmp_path, "spark", "lake" if table_format == "iceberg" else None)
    world.publish(table("t1", a="int4!"))
    engine = open_engine(output(table_format, spark_conf={_GIVEN: "3"}), tmp_path)
    assert isinstance(engine, Session)

    def settings() -> dict[str, str | None]:
        names = (*FOR_SMALL, SHUFFLE)
        return {name: engine.spark.conf.get(name, None) for name in names}

    at_first, seen, write = settings(), [], Session.write
    monkeypatch.setattr(
        Session, "write", lambda self, *rest: seen.append(settings()) or write(self, *rest)
    )
    for number, limit in enumerate((None, "_SMALL_CHANGES", "_SMALL_BYTES")):
        with monkeypatch.context() as patch:
            if limit is not None:
                patch.setattr(splitting, limit, 0)
            world.feed([{"seq": number + 1, **insert("t1", a=number)}], name=str(number))
            assert world.run(engine).results[0].rows_inserted == 1

    small, *large = seen
    assert small == {**FOR_SMALL, _GIVEN: "3", SHUFFLE: "1"}
    assert large == [{**at_first, SHUFFLE: "4"}] * 2
    assert engine.bytes_of(("s1", "t1")) > 0
    engine.size(Split({SHUFFLE: 1}, small=True))
    engine.close()
    assert settings() == at_first


@pytest.mark.spark
def test_rows_to_be_copied_count_where_no_change_comes(tmp_path, spark, monkeypatch) -> None:
    """A table joins, and the only change is another one's."""
    world = World(tmp_path, "spark").publish(table("t1", a="int4!"))
    world.source(path="source/{table}.jsonl")
    world.write("source/t1.jsonl", [])
    engine, seen, size = open_engine(output("delta"), tmp_path), [], Session.size
    monkeypatch.setattr(
        Session, "size", lambda self, split: seen.append(split.small) or size(self, split)
    )
    monkeypatch.setattr(splitting, "_SMALL_BYTES", 20_000)
    world.feed([insert("t1", a=1)])
    assert world.run(engine).mistakes == ()
    assert seen[-1] is True
    world.publish(table("t2", a="int4!"))
    world.write("source/t2.jsonl", [{"a": number} for number in range(3_000)])
    world.feed([{"seq": 2, **insert("t1", a=2)}], name="2")
    inserted = [result.rows_inserted for result in world.run(engine).results]
    engine.close()
    assert (inserted, seen[-1]) == ([1, 3_000], False)
