"""Replication sets that pglogical 2.4 refuses are refused with its message, detail and hint.

Each script of `data/refused_by_pglogical.sql` is carried out by a PostgreSQL 15 with pglogical, and
read by filtersql. Skipped, with the reason, where Debian's package is not installed.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pglogical_servers import missing, serve_pglogical
from projects import maker
from refusals import Words, agree, of_filtersql, of_server

_SCRIPTS = Path(__file__).parent / "data" / "refused_by_pglogical.sql"
#: the details of these hold numbers that only the server knows
_NUMBERED = "duplicate key value violates unique constraint"


@pytest.mark.skipif(missing() is not None, reason=missing() or "")
def test_pglogical_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every script; a detail or hint of filtersql's own may stand where pglogical has none."""
    folder = maker(tmp_path, monkeypatch)({"tables/t.sql": ""})
    _, *scripts = _SCRIPTS.read_text(encoding="utf-8").split("\n\n")
    found: dict[str, tuple[Words | None, list[Words]]] = {}
    with serve_pglogical() as server:
        database = server.create_database("refusals")
        with server.connect(database) as connection:
            connection.execute("CREATE EXTENSION pglogical")
            connection.execute("SELECT pglogical.create_node('n', %s)", (server.url(database),))
            for script in scripts:
                theirs = of_server(connection, script)
                ours = of_filtersql(folder, script, 15, "pglogical")
                if theirs and (theirs[0] or "").startswith(_NUMBERED):
                    theirs = theirs[0], None, theirs[2]
                if not agree(theirs, ours):
                    found[script] = theirs, ours

    assert len(scripts) > 60
    assert found == {}
