"""Changes of several leaves of one root that have one number: none is lost in quarantine."""

from __future__ import annotations

from pathlib import Path

import pytest
from landing_files import FEEDS, Landing

LEAVES = """CREATE TABLE root (id int NOT NULL, v text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE t PARTITION OF root FOR VALUES FROM (0) TO (10);
CREATE TABLE u PARTITION OF root DEFAULT;
"""
PUBLICATION = (
    "CREATE PUBLICATION p FOR TABLE root WHERE ({})"
    " WITH (publish = 'insert, update, delete', publish_via_partition_root = true);"
)


@pytest.fixture(params=FEEDS)
def landing(request: pytest.FixtureRequest, tmp_path: Path) -> Landing:
    """Both leaves number their changes by themselves; the filter raises on row 5."""
    landing = Landing(tmp_path, request.param)
    project = landing.project
    (project.folder / "tables/t.yml").unlink()
    project.write("tables/t.sql", LEAVES)
    (project.folder / "publications/p.yml").unlink()
    project.write("publications/p.sql", PUBLICATION.format("1 / (id - 5) < 2"))
    said = (project.folder / "subscriptions/s.yml").read_text()
    said = said.replace("name: s,", "name: s, on_filter_error: quarantine,")
    project.write("subscriptions/s.yml", said)
    return landing


def test_a_stop_names_the_keys_of_both(landing: Landing) -> None:
    """Which of the two changes it is, their number does not tell."""
    said = (landing.project.folder / "subscriptions/s.yml").read_text()
    landing.project.write("subscriptions/s.yml", said.replace("quarantine", "stop"))
    landing.land("t", "1", (4, 10), (5, 20))
    landing.land("u", "1", (14, 10), (15, 20))
    said = landing.refused()
    assert "Key (id)=(5 or 15). Everything up to seq" in said
    assert landing.keys("root") == [4, 14]


def release(landing: Landing) -> None:
    """The filter is mended, and what was put aside is applied."""
    landing.project.write("publications/p.sql", PUBLICATION.format("id > 0"))
    landing.project.succeed("run", "--release", "--accept-filter-change")


def test_a_change_beside_one_that_raises_is_kept(landing: Landing) -> None:
    """It has the number of the other one, in another leaf."""
    landing.land("t", "1", (5, 10), (6, 20))
    landing.land("u", "1", (15, 10), (16, 20))
    landing.run()
    assert {6, 16} <= {*landing.keys("root")} <= {6, 15, 16}
    release(landing)
    assert landing.keys("root") == [5, 6, 15, 16]


def test_a_change_beside_one_that_is_held_back_is_kept(landing: Landing) -> None:
    """The row of the other one has an earlier change in quarantine."""
    landing.land("t", "1", (5, 10), (5, 20))
    landing.land("u", "1", (14, 10), (15, 20), (16, 30))
    landing.run()
    assert 16 in landing.keys("root")
    release(landing)
    assert landing.keys("root") == [5, 14, 15, 16]
