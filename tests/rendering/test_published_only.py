"""What a publication does not publish has no SQL, and what is left of a statement is right."""

from __future__ import annotations

from pathlib import Path

import pytest
from checked import with_published
from test_check import Proofs, proofs
from test_compiled_text import _lint as lint

#: what is published -> words that only what is not published needs
NEEDLESS = {
    "insert, update, delete, truncate": (),
    "insert, update, delete": ("trunc", "epoch", "barrier"),
    "insert, delete, truncate": ("'left'", "verdicts", "moved", "array('old'", "['old'"),
    "insert, delete": ("trunc", "epoch", "barrier", "'left'", "verdicts", "array('old'", "['old'"),
    "insert": ("trunc", "epoch", "barrier", "'left'", "verdicts", "array('old'", "['old'"),
}
TABLES = ("numbers", "keyed", "kept", "bare")


def statements(made: Proofs, table: str) -> str:
    """What a person reviews and a run executes, without the head that says what is published."""
    compiled = made.nodes[table].compiled
    texts = (compiled.merge_sql, compiled.merge_completing_sql, compiled.audit_sql)
    lines = (line for text in texts if text for line in text.splitlines())
    return "\n".join(line for line in lines if not line.startswith("-- ")).lower()


@pytest.mark.parametrize(("target", "mode"), [("dev", "apply"), ("local", "skip")])
@pytest.mark.parametrize("actions", NEEDLESS)
def test_what_is_not_published_has_no_sql(
    actions: str, target: str, mode: str, tmp_path: Path
) -> None:
    """No TRUNCATE, no change of a key, no value left out: no word of it, and no row otherwise."""
    made = proofs(tmp_path / "project", target, tmp_path, with_published(actions, mode))
    for table in TABLES:
        text = statements(made, table)
        assert [word for word in NEEDLESS[actions] if word in text] == [], table
        assert made.proof(table).counterexample is None, table
    assert "unchanged" not in statements(made, "numbers")
    assert "unchanged" in statements(made, "kept")
    assert ("truncated" in statements(made, "numbers")) is ("truncate" in actions)
    moves = "array('old', 'new')" if target == "dev" else "['old', 'new']"
    assert (moves in statements(made, "numbers")) is ("update" in actions)
    assert (made.nodes["kept"].compiled.merge_completing_sql is None) is ("update" not in actions)


@pytest.mark.parametrize(
    ("actions", "mode"),
    [("insert, update, delete", "skip"), ("insert, delete", "apply"), ("insert", "skip")],
)
def test_what_is_left_is_clean_under_the_default_rules(
    actions: str, mode: str, tmp_path: Path
) -> None:
    """A part that is left out leaves nothing behind that sqlfluff would see."""
    made = proofs(tmp_path / "project", "dev", tmp_path, with_published(actions, mode))
    found = {name: made.nodes[name].compiled.merge_sql for name in ("numbers", "bare")}
    # the folds over changes of a key are long expressions: their lines are not all broken
    assert [one for one in lint(found, None) if " LT05 " not in one] == []
