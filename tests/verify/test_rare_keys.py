"""Keys of types that have few values to try: no case has two rows of one key."""

from __future__ import annotations

from pathlib import Path

import pytest
from checked import PROJECT
from test_check import proofs


@pytest.mark.parametrize("kind", ["uuid[]", "date[]", "time[]", "inet"])
def test_a_key_of_a_rare_type_is_proved(kind: str, tmp_path: Path) -> None:
    """What is right was called wrong, as the target held a key twice before any change."""
    made = proofs(
        tmp_path / "project",
        "local",
        tmp_path,
        {
            **PROJECT,
            "tables/tables.sql": f"CREATE TABLE rare (id int, k {kind} PRIMARY KEY, body text);\n"
            "ALTER TABLE rare REPLICA IDENTITY FULL;\n",
            "publications/publications.sql": "CREATE PUBLICATION p FOR TABLE rare WHERE (id > 1)",
            "subscriptions/subscriptions.sql": "CREATE SUBSCRIPTION s1 CONNECTION '' PUBLICATION p",
        },
    )
    proof = made.proof("rare")
    assert proof.counterexample is None
    assert proof.cells > 30
