"""`check` notices what is wrong in an initial copy, an audit and a MERGE that follows values."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from checked import PROJECT
from test_check import Proofs, proofs, written
from transcripts import Shell

from filtersql.errors import Mistakes

#: table, file, text that is replaced, and by what
CHANGES = [
    # the initial copy
    ("whole", "initial_copy", "        FALSE\n    )", "        TRUE\n    )"),
    ("keyed", "initial_copy", "OR (NOT", "AND (NOT"),
    ("keyed", "initial_copy", "SELECT\n    a,\n    n,", "SELECT\n    n,\n    a,"),
    ("kept", "initial_copy", "SELECT\n    id,\n    body,", "SELECT\n    id,\n    note,"),
    ("bare", "initial_copy", "SELECT\n    a,", "SELECT DISTINCT\n    a,"),
    # the audit of a table with a key
    ("keyed", "audit", "FULL OUTER JOIN", "LEFT OUTER JOIN"),
    ("keyed", "audit", "THEN 'leaked'", "THEN 'missing'"),
    ("keyed", "audit", "e.a = t.a\n        AND ", ""),
    ("keyed", "audit", "COALESCE(t.a, e.a) AS a", "t.a AS a"),
    ("whole", "audit", "t.region IS DISTINCT FROM", "t.region <>"),
    ("whole", "audit", "    OR t.total IS DISTINCT FROM e.total\n", ""),
    ("whole", "audit", "FALSE\n", "TRUE\n"),
    # of one without
    ("bare", "audit", "UNION ALL", "UNION"),
    ("bare", "audit", "-1 AS copy_step", "1 AS copy_step"),
    ("bare", "audit", "THEN 'leaked'", "THEN 'missing'"),
    ("bare", "audit", "ABS(SUM(copy_step))", "SUM(copy_step)"),
    ("bare", "audit", "<> 0", "> 0"),
    # the MERGE that follows a value from key to key
    ("kept", "merge_completing", "'left'", "'arrived'"),
    ("kept", "merge_completing", "= carried_1.previous_seq", "= carried_1.change_seq"),
    ("kept", "merge_completing", ".pending IS NULL\n", ".pending IS NOT NULL\n"),
]


@pytest.fixture(scope="module")
def made() -> Iterator[Proofs]:
    """The project compiled for Spark."""
    with tempfile.TemporaryDirectory() as folder:
        yield proofs(Path(folder) / "project", "dev", Path(folder))


@pytest.mark.parametrize(("table", "file", "old", "new"), CHANGES)
def test_a_change_is_noticed(table: str, file: str, old: str, new: str, made: Proofs) -> None:
    """By rows that come out wrong, in the file that was changed."""
    path = made.folder(table) / f"{file}.sql"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    try:
        proof = made.proof(table)
    finally:
        path.write_text(text, encoding="utf-8")
    assert proof.counterexample is not None
    assert proof.counterexample.kind == file


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("initial_copy", "INSERT INTO s1.keyed", "INSERT INTO s1.kept", "does not write into"),
        ("initial_copy", "INSERT INTO", "INSERT OVERWRITE", "does not just insert a query"),
        ("audit", "FROM filtersql_source__public__keyed", "FROM other", 'it reads "other"'),
        ("audit", "WITH expected AS (", "WITH expected AS ((", "is not one SELECT statement"),
        (
            "audit",
            "COALESCE(\n            --",
            "IFNULL(\n            --",
            "does not judge rows by its 2 row",
        ),
        ("audit", "(a > 5 AND", "(a > 6 AND", "is not one of the definitions"),
    ],
)
def test_what_cannot_be_tried_is_said(
    file: str, old: str, new: str, said: str, made: Proofs
) -> None:
    """One mistake, which names the file."""
    path = made.folder("keyed") / f"{file}.sql"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    try:
        with pytest.raises(Mistakes) as caught:
            made.proof("keyed")
    finally:
        path.write_text(text, encoding="utf-8")
    assert said in str(caught.value)
    assert f"keyed/{file}.sql" in str(caught.value)


def test_a_missing_file_is_said(made: Proofs) -> None:
    """All files that a compile writes have to be there."""
    for file in ("initial_copy", "audit", "merge_completing"):
        path = made.folder("kept") / f"{file}.sql"
        text = path.read_text(encoding="utf-8")
        path.unlink()
        try:
            with pytest.raises(Mistakes, match=f'compiled file "kept/{file}.sql" does not exist'):
                made.proof("kept")
        finally:
            path.write_text(text, encoding="utf-8")


def test_the_command_shows_the_source_and_what_an_audit_finds(tmp_path: Path) -> None:
    """Rows of the source and of the target, and both answers."""
    shell = Shell(written(tmp_path, PROJECT))
    assert shell.filtersql("compile").exit_code == 0
    folder = tmp_path / "target" / "compiled" / "s1" / "public.whole"
    for file, titles in {
        "initial_copy": ("source\n", "target after: - expected, + found"),
        "audit": ("source\n", "target\n", "findings: - expected, + found", "missing"),
    }.items():
        path = folder / f"{file}.sql"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("FALSE\n", "TRUE\n", 1), encoding="utf-8")
        told = shell.filtersql("check", "--select", "s1.public.whole")
        path.write_text(text, encoding="utf-8")
        assert told.exit_code == 1
        assert f"{file}.sql goes wrong." in told.stdout
        for title in titles:
            assert title in told.stdout
