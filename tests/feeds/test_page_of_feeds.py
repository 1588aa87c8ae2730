"""What docs/feeds.md shows of a feed is read as it stands."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from cases import read_fences
from running import World, insert, table

import filtersql
from filtersql.targets.duckdb_file import connect

PAGE = Path(filtersql.__file__).parent / "docs" / "feeds.md"


def test_the_change_on_the_page_is_one(tmp_path: Path) -> None:
    """Of a table with such columns."""
    (shown,) = (fence for fence in read_fences(PAGE) if fence.language == "json")
    columns = {"id": "int4!", "total": "numeric(12,2)", "tags": "_text", "paid_at": "timestamptz"}
    world = World(tmp_path).publish(table("orders", key=("id",), **columns))
    first = insert("orders", id=3, total=1, tags=None, paid_at=None)
    world.feed([first], name="0").feed(shown.text.encode() + b"\n")
    engine = connect(None)
    assert world.run(engine).results[0].changes_read == 2
    ((id_, total, tags, _),) = engine.rows('SELECT * FROM "s1"."orders"')
    assert (id_, total, tags) == (3, Decimal("15.00"), "{new}")
    engine.close()
