"""`status`: changes per run, since when a definition is in force, when the next row leaves."""

from __future__ import annotations

import json
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from changed_filters import Shop, change
from demo import lines, started
from one_by_one import Killed, OneByOne

from filtersql.api.inputs import inputs_of
from filtersql.feeds.formats import open_files
from filtersql.run import status
from filtersql.run.status import TargetStatus
from filtersql.targets.duckdb import DuckDB
from filtersql.targets.model import Engine

WINDOW = "{column: at, keep: 1 month, grain: 1 day}"


def told(shop: Shop, engine: Engine) -> dict[str, TargetStatus]:
    """What `status` says of each target."""
    project, found = shop.compiled()
    tables = [node.compiled for node in found.nodes]
    return {
        each.compiled.relation.name: each
        for each in status(inputs_of(project), {"s1": tables}, engine)
    }


@pytest.fixture(autouse=True)
def _ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row of the ledger has a time of its own, a minute after the one before."""
    moments = (datetime(2026, 1, 1) + timedelta(minutes=n) for n in range(1000))
    for module in ("ledger_rows", "holding"):
        monkeypatch.setattr(f"filtersql.run.{module}.now", lambda: next(moments).isoformat())


def test_a_definition_is_in_force_since_the_first_row_that_names_it(
    tmp_path: Path, engine: DuckDB
) -> None:
    """Runs leave it; a change has a time of its own, also where it brings an earlier one back."""
    shop = Shop(tmp_path).define(orders="region = 'eu'", bare=None)
    shop.write({"orders": [], "bare": []}, [change(0, "delete", "bare", before={"a": 1, "c": "x"})])
    assert told(shop, engine)["orders"].in_force_since is None
    assert told(shop, engine)["orders"].definition_changed is None
    assert shop.run(engine).mistakes == ()
    first = {name: each.in_force_since for name, each in told(shop, engine).items()}
    shop.write(
        changes=[
            change(1, "insert", "orders", after={"id": 1, "region": "eu", "total": 9}),
            change(2, "insert", "bare", after={"a": 1, "c": "x"}),
        ]
    )
    shop.run(engine)
    then = told(shop, engine)
    assert {name: each.in_force_since for name, each in then.items()} == first
    assert all(each.last_run > first[name] for name, each in then.items())
    seen = [first["orders"]]
    for text in ("total > 5", "region = 'eu'"):
        shop.define(orders=text, bare=None)
        before = told(shop, engine)
        assert {name: each.definition_changed for name, each in before.items()} == {
            "orders": True,
            "bare": False,
        }
        assert before["orders"].in_force_since == seen[-1]
        shop.apply(engine)
        after = told(shop, engine)
        assert not after["orders"].definition_changed
        assert after["bare"].in_force_since == first["bare"]
        seen.append(after["orders"].in_force_since)
    assert seen == sorted(set(seen))


@pytest.mark.parametrize("after", [False, True])
def test_a_killed_apply_is_in_force_where_its_mark_is(
    tmp_path: Path, engine: DuckDB, *, after: bool
) -> None:
    """The fifth commit is the target's: before it the earlier definition is in force."""
    shop = Shop(tmp_path).define(orders="region = 'eu'")
    rows = [{"id": n, "region": "eu", "total": n} for n in range(9)]
    shop.write({"orders": rows}, [change(1, "delete", "orders", before=rows[0])])
    assert shop.run(OneByOne(engine.connection)).mistakes == ()
    first = told(shop, OneByOne(engine.connection))["orders"].in_force_since
    assert first is not None
    shop.define(orders="total > 5")
    with pytest.raises(Killed):
        shop.apply(OneByOne(engine.connection, 5, after))
    now = told(shop, OneByOne(engine.connection))["orders"]
    assert now.definition_changed is not after
    assert (now.in_force_since == first) is not after
    assert len(shop.rows(engine, "orders")) == (3 if after else 8)


def test_another_window_says_nothing_of_the_rows_that_are_there(
    tmp_path: Path, engine: DuckDB
) -> None:
    """When they leave is told by the definition in force, of which the project has no cuts."""
    shop = Shop(tmp_path, window="{column: at, keep: 1 month, grain: 1 day}").define(visits=None)
    rows = [{"id": n, "at": f"2026-01-{n} 10:00:00"} for n in (30, 31)]
    shop.write({"visits": rows}, [change(1, "delete", "visits", before=rows[0])])
    assert shop.run(engine, as_of=datetime(2026, 2, 5)).mistakes == ()
    status_of_visits = told(shop, engine)["visits"]
    assert status_of_visits.clock == "2026-02-05 00:00:00"
    assert status_of_visits.next_leaves == "2026-03-01 00:00:00"
    shop.window = "{column: at, keep: 2 months, grain: 1 day}"
    shop.define(visits=None)
    assert told(shop, engine)["visits"].definition_changed
    assert told(shop, engine)["visits"].next_leaves is None


def _inserts(*numbers: int) -> list[dict[str, object]]:
    return [
        change(n, "insert", "orders", after={"id": n, "region": "eu", "total": n}) for n in numbers
    ]


def test_changes_per_run_are_those_of_the_last_twelve_runs(tmp_path: Path, engine: DuckDB) -> None:
    """Runs without a change of the table count, an apply does not; a copy begins anew."""
    shop = Shop(tmp_path).define(orders="region = 'eu'", bare=None)
    bare = [change(3, "insert", "bare", after={"a": 1, "c": "x"})]
    feed = [_inserts(0, 1, 2), bare, _inserts(4), *([n] for n in _inserts(*range(5, 16)))]
    shop.write({"orders": [], "bare": []})
    seen = []
    for number, changes in enumerate(feed):
        shop.write(changes=changes, name=f"{number:02}")
        assert shop.run(engine).mistakes == ()
        seen.append({name: each.changes_per_run for name, each in told(shop, engine).items()})
    assert seen[0] == {"orders": (3,), "bare": (0,)}
    assert seen[2] == {"orders": (3, 0, 1), "bare": (0, 1, 0)}
    assert seen[11] == {"orders": (3, 0, *[1] * 10), "bare": (0, 1, *[0] * 10)}
    assert seen[13] == {"orders": (1,) * 12, "bare": (0,) * 12}
    shop.define(orders="region = 'us'", bare=None)
    shop.apply(engine)
    assert told(shop, engine)["orders"].changes_per_run == (1,) * 12
    assert shop.run(engine, full_refresh=True).mistakes == ()
    assert told(shop, engine)["orders"].changes_per_run == (15,)


@pytest.mark.parametrize(
    ("after", "then", "at_last"), [(False, (2, 0), (2, 0, 4)), (True, (2, 3), (2, 3, 1))]
)
def test_changes_of_a_killed_run_are_told_where_they_were_applied(
    tmp_path: Path,
    engine: DuckDB,
    *,
    after: bool,
    then: tuple[int, ...],
    at_last: tuple[int, ...],
) -> None:
    """The second commit is the target's: before it they are the next run's."""
    shop = Shop(tmp_path).define(orders="region = 'eu'")
    shop.write({"orders": []}, _inserts(1, 2))
    assert shop.run(OneByOne(engine.connection)).mistakes == ()
    shop.write(changes=_inserts(3, 4, 5), name="2")
    with pytest.raises(Killed):
        shop.run(OneByOne(engine.connection, 2, after))
    assert told(shop, OneByOne(engine.connection))["orders"].changes_per_run == then
    shop.write(changes=_inserts(6), name="3")
    assert shop.run(OneByOne(engine.connection)).mistakes == ()
    assert told(shop, OneByOne(engine.connection))["orders"].changes_per_run == at_last


def test_the_table_draws_them_beside_the_last_run(tmp_path: Path) -> None:
    """One line for each target; JSON has the counts."""
    shell = started(tmp_path, "window")
    assert shell.run("filtersql run --target local").exit_code == 0
    (shell.folder / "changes/later.jsonl").write_text("")
    assert shell.run("filtersql run --target local").exit_code == 0
    shown = lines(shell.run("filtersql status --target local"))
    assert max(map(len, shown[:4])) <= 80
    head, drawn = [[cell.strip() for cell in line.split("|")] for line in shown[1:4:2]]
    assert drawn[head.index("Changes per run")] == "█▁"
    (target,) = json.loads(shell.run("filtersql status --target local --format json").stdout)
    assert target["changes_per_run"] == [4, 0]


def test_files_that_all_targets_are_beyond_are_not_opened(
    tmp_path: Path, engine: DuckDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A year of them says nothing of what is pending."""
    shop = Shop(tmp_path).define(orders="region = 'eu'", bare=None)
    shop.write({"orders": [], "bare": []}, [change(0, "delete", "bare", before={"a": 1, "c": "x"})])
    assert shop.run(engine).mistakes == ()
    opened: list[str] = []

    def noted(feed, catalog, files, *more):
        opened.extend(file.shown for file in files)
        return open_files(feed, catalog, files, *more)

    monkeypatch.setattr(sys.modules[TargetStatus.__module__], "open_files", noted)
    assert (told(shop, engine)["bare"].lag, opened) == (0, [])
    (file,) = (tmp_path / "changes").iterdir()
    late = change(9, "insert", "bare", after={"a": 2, "c": "x"})
    (tmp_path / "changes/late.jsonl").write_text(json.dumps(late) + "\n")
    assert (told(shop, engine)["bare"].lag, opened) == (1, ["changes/late.jsonl"])
    file.write_text(file.read_text() + json.dumps(late | {"seq": 10}) + "\n")
    assert told(shop, engine)["bare"].lag == 2


def test_a_row_that_an_accepted_change_kept_leaves_when_its_time_is_over(
    tmp_path: Path, engine: DuckDB
) -> None:
    """The filter takes it no more; the window lets it go, and that moment is told."""
    shop = Shop(tmp_path, window="{column: at, keep: 3 days}").define(visits=None)
    shop.write({"visits": [{"id": n, "at": f"2026-03-0{n} 00:00:00"} for n in (4, 5)]})
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes/0.jsonl").touch()
    assert shop.run(engine, as_of=datetime(2026, 3, 5)).mistakes == ()
    shop.define(visits="id > 4")
    assert shop.run(engine, accept_filter_change=True, as_of=datetime(2026, 3, 6)).mistakes == ()
    (told,) = shop.status(engine)
    assert told.next_leaves == "2026-03-08 00:00:00"
    assert shop.run(engine, as_of=datetime(2026, 3, 8)).mistakes == ()
    assert [row[0] for row in shop.rows(engine, "visits")] == [5]


def test_a_change_counts_however_it_names_its_table(tmp_path: Path, engine: DuckDB) -> None:
    """Without its schema, as a list, or as one of the tables of a TRUNCATE."""
    shop = Shop(tmp_path).define(orders="region = 'eu'", bare=None)
    shop.write({"orders": [], "bare": []}, [change(0, "delete", "bare", before={"a": 1, "c": "x"})])
    assert shop.run(engine).mistakes == ()
    row = {"op": "insert", "after": {"a": 2, "c": "x"}}
    later = [
        {"seq": 1, "relation": "bare", **row},
        {"seq": 2, "relation": ["public", "bare"], **row},
        {"seq": 3, "op": "truncate", "relations": ["bare", "public.orders"]},
    ]
    (tmp_path / "changes/later.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in later))
    lags = {name: each.lag for name, each in told(shop, engine).items()}
    assert lags == {"orders": 1, "bare": 3}
    read = {each.compiled.relation.name: each.changes_read for each in shop.run(engine).results}
    assert read == lags
