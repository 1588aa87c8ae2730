"""A TRUNCATE that was published when it was applied, or is so since: what a feed still holds."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from answers import Project

from filtersql import Mistakes
from filtersql import Project as Loaded

SENT, UNSENT = "insert, update, delete, truncate", "insert, update, delete"
TABLE = (
    "tables: [{name: t, columns: {id: int not null, n: int}, primary_key: [id],"
    " replica_identity: full}]\n"
)
SUBSCRIPTION = (
    'subscriptions: [{name: s, publications: [p], changes: {path: "changes/*"},'
    ' source: {format: filtersql, path: "{table}.jsonl"}}]\n'
)


def line(seq: int, **more: object) -> str:
    """A change of the table; an insert where nothing else is said."""
    change = {"seq": seq, "relation": "public.t", "op": "insert", **more}
    return json.dumps(change if "op" in more else {**change, "after": {"id": seq, "n": seq}}) + "\n"


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    """Rows 0 to 2, a TRUNCATE, and rows 12 to 14, each in a file of its own."""
    made = Project(tmp_path)
    made.write("tables/t.yml", TABLE)
    made.write("subscriptions/s.yml", SUBSCRIPTION)
    made.write("t.jsonl", "".join(f'{{"id": {n}, "n": {n}}}\n' for n in range(3)))
    made.write("changes/10", line(11, op="truncate", relations=["public.t"]))
    for seq in (12, 13, 14):
        made.write(f"changes/{seq}", line(seq))
    return made


def applied(shop: Project, publish: str, where: str, command: str = "apply") -> list[int]:
    """The ids that the target holds behind it."""
    entry = f'{{name: p, publish: [{publish}], tables: [{{name: t, where: "{where}"}}]}}'
    shop.write("publications/p.yml", f"publications: [{entry}]\n")
    getattr(Loaded.load(shop.folder), command)()
    with duckdb.connect(str(shop.folder / "cases.duckdb"), read_only=True) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM s.t ORDER BY id").fetchall()]


def test_one_that_is_published_no_more_is_not_missed(shop: Project) -> None:
    """It was applied and counted; the changes that are judged now are without it."""
    assert applied(shop, SENT, "n <> 13", "run") == [12, 14]
    assert applied(shop, UNSENT, "n <> 13") == [12, 14]
    assert Loaded.load(shop.folder).audit().audits[0].status != "ok"
    assert applied(shop, UNSENT, "n >= 1") == [1, 2, 12, 13, 14]
    assert Loaded.load(shop.folder).audit().audits[0].status == "ok"
    Loaded.load(shop.folder).run(full_refresh=True)
    (shop.folder / "changes/13").unlink()
    with pytest.raises(Mistakes, match="no longer holds all changes"):
        applied(shop, UNSENT, "n >= 0")


def test_one_that_is_published_since_stands_for_no_other(shop: Project) -> None:
    """It was not counted: a change that is lost is missed, where it was taken for that one."""
    assert applied(shop, UNSENT, "n <> 13", "run") == [0, 1, 2, 12, 14]
    assert applied(shop, SENT, "n <> 13") == [0, 1, 2, 12, 14]
    (shop.folder / "changes/13").rename(shop.folder / "13")
    with pytest.raises(Mistakes, match="no longer holds all changes"):
        applied(shop, SENT, "n >= 1")
    (shop.folder / "13").rename(shop.folder / "changes/13")
    assert applied(shop, SENT, "n >= 1") == [12, 13, 14]
