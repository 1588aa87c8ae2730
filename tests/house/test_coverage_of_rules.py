"""Every statement of the manuals has a case or a reason, and the page that says so is current."""

from __future__ import annotations

import coverage_of_rules as coverage
from places import HOME

PACKAGE = HOME / "filtersql"


def test_every_row_has_a_case() -> None:
    """Rows marked Y, C or V are claimed by a case."""
    claimed = {claim.row for claim in coverage.claims()}

    assert [row.name for row in coverage.rows() if row.mark in coverage.CLAIMED] != []
    assert [
        row.name
        for row in coverage.rows()
        if row.mark in coverage.CLAIMED and row.name not in claimed
    ] == []


def test_every_other_row_has_a_reason() -> None:
    """Rows marked N or O say why, and no other mark exists."""
    assert {row.mark for row in coverage.rows()} <= set(coverage.MARKS)
    assert [
        row.name
        for row in coverage.rows()
        if (row.mark not in coverage.CLAIMED) != bool(row.reason)
    ] == []


def test_claims_name_rows_and_modules_that_exist() -> None:
    """No case claims a row that is not there or not applicable, nor a module that is not there."""
    marks = {row.name: row.mark for row in coverage.rows()}

    assert [
        claim for claim in coverage.claims() if marks.get(claim.row) not in coverage.CLAIMED
    ] == []
    assert [
        claim for claim in coverage.claims() if not (PACKAGE / f"{claim.module}.py").is_file()
    ] == []


def test_the_page_is_current() -> None:
    """`python tests/support/coverage_of_rules.py` would write nothing new."""
    assert coverage.PAGE.read_text(encoding="utf-8") == coverage.page()
