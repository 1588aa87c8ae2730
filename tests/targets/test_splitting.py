"""How a Spark of filtersql's own splits work that is small, and work that is not."""

from __future__ import annotations

import pytest
from running import World, insert, table
from test_targets_spark import FORMATS, output

from filtersql.targets import splitting
from filtersql.targets.open import open_engine
from filtersql.targets.session import Session
from filtersql.targets.splitting import FOR_SMALL, SHUFFLE, SNAPSHOT, Split, lowered, split_for

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
    assert lowered("200", SNAPSHOT, 1) == "1"


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
