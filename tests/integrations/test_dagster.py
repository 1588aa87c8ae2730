"""Targets as assets of a real Dagster, which runs in this process."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import duckdb
import pytest
from cases import read_fences
from demo import edit, started
from transcripts import Shell

import filtersql
from filtersql import Project

dagster = pytest.importorskip("dagster", reason='needs dagster: pip install -e ".[dagster]"')
filtersql_assets = pytest.importorskip("filtersql.integrations.dagster").filtersql_assets

EUROPE, FINANCE = dagster.AssetKey(["europe", "orders"]), dagster.AssetKey(["finance", "orders"])
CHECKS = dagster.AssetSelection.all_asset_checks()


@pytest.fixture
def shop(tmp_path: Path) -> Shell:
    return started(tmp_path, "shop")


def _assets(shop: Shell) -> dagster.AssetsDefinition:
    return filtersql_assets(Project.load(shop.folder, target="local"))


def _counts(done: dagster.ExecuteInProcessResult) -> dict[dagster.AssetKey, object]:
    return {
        each.asset_key: each.materialization.metadata["rows_inserted"].value
        for each in done.get_asset_materialization_events()
    }


def _passed(done: dagster.ExecuteInProcessResult) -> dict[dagster.AssetKey, bool]:
    return {each.asset_key: each.passed for each in done.get_asset_check_evaluations()}


def test_targets_are_assets_below_their_sources(shop: Shell) -> None:
    """Known without an engine: keys, sources, the filter; a new one is a new version."""
    assets = _assets(shop)
    graph = dagster.Definitions(assets=[assets]).resolve_asset_graph()
    assert graph.get(EUROPE).parent_keys == {dagster.AssetKey(["public", "orders"])}
    assert graph.get(dagster.AssetKey(["public", "orders"])).is_external
    europe, finance = assets.specs
    condition = "((region = 'eu'::text) AND (status <> 'cart'::text))"
    assert europe.description == f"Rows of public.orders where {condition}."
    assert europe.metadata["filtersql/filter"] == condition
    assert [each.name for each in europe.metadata["dagster/column_schema"].columns] == [
        "id", "region", "status", "total",
    ]  # fmt: skip
    assert europe.kinds == {"duckdb"}
    assert not (shop.folder / "shop.duckdb").exists()
    edit(shop, "publications/shop.yml", "total >= 1000", "total >= 2000")
    versions = {spec.key: spec.code_version for spec in _assets(shop).specs}
    assert versions[EUROPE] == europe.code_version
    assert versions[FINANCE] != finance.code_version
    only = filtersql_assets(Project.load(shop.folder, target="local"), select="finance")
    assert only.keys == {FINANCE}


def test_all_are_materialised_and_checked(shop: Shell) -> None:
    """One run; counts are metadata. What is pending later is applied by the next one."""
    done = dagster.materialize([_assets(shop)])
    assert _counts(done) == {EUROPE: 2, FINANCE: 3}
    assert _passed(done) == {EUROPE: True, FINANCE: True}
    (event, _) = done.get_asset_materialization_events()
    assert event.materialization.metadata["position"].value == 9
    assert event.materialization.metadata["execution_time"].value > 0
    assert _counts(dagster.materialize([_assets(shop)])) == {EUROPE: 0, FINANCE: 0}


def test_one_asset_is_run_alone(shop: Shell) -> None:
    """Under another key, too: the other target is not made."""
    module = ModuleType("shop")
    module.shop = _assets(shop)  # type: ignore[attr-defined]
    assets = dagster.load_assets_from_modules([module], key_prefix="lake")
    done = dagster.materialize(assets, selection="lake/finance/orders")
    assert _counts(done) == {FINANCE.with_prefix("lake"): 3}
    assert _passed(done) == {FINANCE.with_prefix("lake"): True}
    with duckdb.connect(str(shop.folder / "shop.duckdb")) as connection:
        found = connection.execute("SELECT schema_name FROM duckdb_tables()").fetchall()
    assert ("finance",) in found
    assert ("europe",) not in found


def test_a_target_that_fails_fails_the_step(shop: Shell) -> None:
    """With its mistakes; the other one is materialised and checked."""
    (shop.folder / "bad.jsonl").write_text(
        '{"seq": 10, "relation": "public.orders", "op": "insert", "after": {"id": "x"}}\n'
    )
    edit(shop, "subscriptions/shop.yml", 'regional]\n    changes: {path: "changes/*.jsonl"}',
         'regional]\n    changes: {path: "bad.jsonl"}')  # fmt: skip
    done = dagster.materialize([_assets(shop)], raise_on_error=False)
    assert not done.success
    assert _counts(done) == {FINANCE: 3}
    assert _passed(done) == {FINANCE: True}
    (failure,) = done.get_step_failure_events()
    assert failure.step_failure_data.error is not None
    assert "bad.jsonl:1" in failure.step_failure_data.error.message


def test_a_check_finds_a_row_that_was_deleted_by_hand(shop: Shell) -> None:
    """Checks run alone, and assets without them. A target that is not filled has not passed."""
    checks = [_assets(shop)]
    unfilled = dagster.materialize(checks, selection=CHECKS)
    assert _passed(unfilled) == {EUROPE: False, FINANCE: False}
    unchecked = dagster.materialize(checks, selection=dagster.AssetSelection.all() - CHECKS)
    assert (_counts(unchecked), _passed(unchecked)) == ({EUROPE: 2, FINANCE: 3}, {})
    with duckdb.connect(str(shop.folder / "shop.duckdb")) as connection:
        connection.execute("DELETE FROM finance.orders WHERE id = 2")
    done = dagster.materialize(checks, selection=CHECKS)
    assert _counts(done) == {}
    assert _passed(done) == {EUROPE: True, FINANCE: False}
    found = {each.asset_key: each.metadata for each in done.get_asset_check_evaluations()}
    assert [found[FINANCE][name].value for name in ("leaked", "missing", "differing")] == [0, 1, 0]


def test_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of docs/orchestrators.md, beside a project that `init` made."""
    Shell(tmp_path).run("filtersql init demo")
    monkeypatch.chdir(tmp_path)
    page = Path(filtersql.__file__).parent / "docs" / "orchestrators.md"
    blocks = [fence.text for fence in read_fences(page) if "dagster" in fence.text]
    assert len(blocks) == 2
    known: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page.name, "exec"), known)
