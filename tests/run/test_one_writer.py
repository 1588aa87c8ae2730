"""Decision 12: a target has one writer, and filtersql's own tables are nobody's target."""

from __future__ import annotations

from pathlib import Path

import pytest
from answers import Project

_QUARANTINE = "on_filter_error: quarantine, "


def _refused(folder: Path, tables: str, subscription: str) -> str:
    project = Project(folder)
    project.write("tables/t.sql", tables)
    project.write("publications/p.yml", "publications: [{name: p, all_tables: true}]\n")
    project.write("subscriptions/s.yml", f"subscriptions: [{{{subscription}publications: [p]}}]\n")
    ended = project.shell.filtersql("compile")
    assert ended.exit_code == (1 if ended.stderr else 0)
    return ended.stderr


@pytest.mark.parametrize(
    ("tables", "subscription", "said"),
    [
        (
            'CREATE TABLE t (a int PRIMARY KEY); CREATE TABLE "T" (a int PRIMARY KEY);',
            "name: s, ",
            'is already the target of subscription "s", table "public.t"',
        ),
        (
            "CREATE TABLE ledger (a int PRIMARY KEY);",
            "name: filtersql, ",
            'target table "filtersql.ledger" of subscription "filtersql", table "public.ledger" is '
            "already the target of filtersql itself",
        ),
        (
            "CREATE TABLE t (a int PRIMARY KEY); CREATE TABLE t__quarantine (a int PRIMARY KEY);",
            f"name: s, {_QUARANTINE}",
            'is already the target of the quarantine of subscription "s", table "public.t"',
        ),
    ],
)
def test_a_second_writer_is_refused(
    tmp_path: Path, tables: str, subscription: str, said: str
) -> None:
    """Names are compared as a catalog does, without case."""
    assert said in _refused(tmp_path, tables, subscription)


def test_the_same_names_without_a_quarantine(tmp_path: Path) -> None:
    """Nobody else writes there."""
    tables = "CREATE TABLE t (a int PRIMARY KEY); CREATE TABLE t__quarantine (a int PRIMARY KEY);"
    assert _refused(tmp_path, tables, "name: s, ") == ""


def test_a_table_without_columns_is_refused(tmp_path: Path) -> None:
    """PostgreSQL replicates its rows; no table format can hold them."""
    tables = "CREATE TABLE t (); ALTER TABLE t REPLICA IDENTITY FULL;"
    said = 'subscription "s", table "public.t" publishes no column'
    assert said in _refused(tmp_path, tables, "name: s, ")
