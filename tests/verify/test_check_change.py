"""`check` proves the statement of a changed definition in each form, and notices faults."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from changed_filters import Shop
from places import HOME
from test_apply_plan import FEED, NEW, OLD, SOURCE
from test_check import Proofs, proofs
from transcripts import Shell

from filtersql.filters import resolve
from filtersql.rendering.filters_in_force import earlier_criteria
from filtersql.source import Source
from filtersql.verify.check import Cases, Proof, cases_of, read_statements, tried
from filtersql.verify.kinds import Kind

MOVING, LEAVING, ENTERING = "moving", "leaving", "entering"
FORMS = [
    *((table, MOVING) for table in ("keyed", "kept", "bare", "whole")),
    *((table, LEAVING) for table in ("keyed", "kept", "bare", "whole")),
    *((table, ENTERING) for table in ("keyed", "kept", "whole")),
]
#: table, form, text that is replaced, and by what
FAULTS = [
    ("whole", MOVING, "FALSE\n            )", "TRUE\n            )"),
    ("whole", MOVING, "(region = 'eu' OR total > 100)", "(region = 'eu' AND total > 100)"),
    ("whole", MOVING, "OR total > 100", "OR total >= 100"),
    ("keyed", MOVING, "OR (NOT", "AND (NOT"),
    ("keyed", MOVING, "AND e.c = t.c", ""),
    ("keyed", MOVING, "FULL OUTER JOIN", "LEFT OUTER JOIN"),
    ("kept", MOVING, "t.body IS DISTINCT FROM", "t.body <>"),
    ("kept", MOVING, "THEN 'delete'", "THEN 'update'"),
    ("bare", MOVING, "HAVING SUM(copies_left) <> SUM", "HAVING SUM(copies_left) > SUM"),
    ("bare", MOVING, "UNION ALL", "UNION"),
    ("whole", LEAVING, "FALSE\n    )", "TRUE\n    )"),
    ("whole", LEAVING, "NOT COALESCE", "COALESCE"),
    ("keyed", LEAVING, "OR (NOT", "AND (NOT"),
    ("bare", LEAVING, "\n        (a >= 3)", "\n        (a > 3)"),
    ("whole", ENTERING, "FALSE\n        )\n    UNION", "TRUE\n        )\n    UNION"),
    ("whole", ENTERING, "UNION ALL", "EXCEPT"),
    ("whole", ENTERING, "AND NOT COALESCE", "AND COALESCE"),
    ("whole", ENTERING, "AND NOT COALESCE", "OR NOT COALESCE"),
    ("whole", ENTERING, "FALSE\n        )\n) AS s", "TRUE\n        )\n) AS s"),
    ("whole", ENTERING, "'insert' AS effect", "'delete' AS effect"),
    ("keyed", ENTERING, "t.a = s.a\n        AND ", ""),
    ("kept", ENTERING, "UPDATE SET\n        body = ", "UPDATE SET\n        note = "),
]


#: by a table and the forms of its file
CASES: dict[tuple[str, tuple[Kind, ...]], Cases] = {}


@pytest.fixture(scope="module")
def made() -> Iterator[Proofs]:
    """The project compiled for DuckDB: there a filter is tried as it is written."""
    with tempfile.TemporaryDirectory() as folder:
        yield proofs(Path(folder) / "project", "local", Path(folder))


def changing(made: Proofs, table: str, form: str) -> str:
    """What a plan writes of a table."""
    node = made.nodes[table]
    if form != ENTERING:
        return node.compiled.changing_sql(narrows=form == LEAVING)[0]
    column = node.compiled.key[0]
    earlier = resolve(Source("earlier", f"{column} IS NOT NULL").passage(), node.resolved.table)
    criteria = earlier_criteria(
        [earlier], made.bench.filters.writer("duckdb"), "duckdb", matches=True
    )
    return node.compiled.changing_sql(earlier=criteria)[0]


def proof(made: Proofs, table: str, text: str) -> Proof:
    """Of that file alone: the others are what they were."""
    path = made.folder(table) / "change.sql"
    path.write_text(text, encoding="utf-8")
    try:
        written = read_statements(made.nodes[table], made.folder(table), table, made.bench)
    finally:
        path.unlink()
    changes = [statement for statement in written if statement.kind.changes]
    kinds = tuple(statement.kind for statement in changes)
    known = CASES.get((table, kinds))
    if known is None:
        known = CASES[table, kinds] = cases_of(made.nodes[table], made.bench, kinds=kinds)
    return tried(changes, made.bench, known)


@pytest.mark.parametrize(("table", "form"), FORMS)
def test_every_form_of_a_change_is_proved(table: str, form: str, made: Proofs) -> None:
    """With cases of its own beside those of the other files."""
    text = changing(made, table, form)
    found = proof(made, table, text)
    assert found.counterexample is None
    assert found.cells > made.cases_of(table).cells


@pytest.mark.parametrize(("table", "form", "old", "new"), FAULTS)
def test_a_fault_in_a_change_is_noticed(
    table: str, form: str, old: str, new: str, made: Proofs
) -> None:
    """By rows that come out wrong."""
    text = changing(made, table, form)
    assert old in text, text
    found = proof(made, table, text.replace(old, new, 1))
    assert found.counterexample is not None
    assert found.counterexample.kind.file == "change"


def test_a_fault_in_a_macro_is_found_behind_the_plan(tmp_path: Path) -> None:
    """The plan writes what the project's own macro prints, and check tries that."""
    shop = Shop(tmp_path).define(**OLD)
    shop.write(SOURCE, FEED)
    shell = Shell(tmp_path)
    assert shell.filtersql("run").exit_code == 0
    shop.define(**NEW)
    for command in ("compile", "plan", "check"):
        assert shell.filtersql(command).exit_code == 0
    macro = (HOME / "macros/change.sql").read_text(encoding="utf-8")
    (tmp_path / "macros").mkdir(exist_ok=True)
    (tmp_path / "macros/change.sql").write_text(macro.replace("{{ plan.unknown_matches }}", "TRUE"))
    for command in ("compile", "plan"):
        assert shell.filtersql(command).exit_code == 0
    told = shell.filtersql("check")
    assert told.exit_code == 1
    assert "change.sql goes wrong." in told.stdout
