"""Filters that an older PostgreSQL computes, reads or refuses otherwise mean what they mean there.

`data/filter_corpus/versions.txt` holds them. A server that FILTERSQL_POSTGRES_15, …_16 or …_17
names is asked about every one; what each version does to an infinite timestamp stands here, too.
"""

from __future__ import annotations

from contextlib import suppress

import duckdb
import psycopg
import pytest
import three_engines
from filter_corpus import answers, compared, create_table, families, only_here, table
from servers import Server
from sqlglot import exp
from three_engines import Duck, Rows

from filtersql.errors import Mistake
from filtersql.filters import resolve
from filtersql.filters.write.dispatch import write
from filtersql.source import Passage, Source


@pytest.mark.postgres
def test_older_versions_agree(older: tuple[Server, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is taken there is taken here, and means the same on DuckDB; the rest is refused."""
    server, version = older
    with server.connect(server.create_database()) as connection:
        create_table(connection)
        for kind, values in three_engines.NASTY.items():
            known = [one for one in values if _reads(connection, kind.split(":")[0], one)]
            monkeypatch.setitem(three_engines.NASTY, kind, known)
        found = list(answers(connection, ["versions"], version))
        wrong = [one.text for one in found if not one.accepted and _resolves(one.text, version)]
        differing = list(compared(connection, found, "duckdb", None))

    assert wrong == []
    assert [(one.text, where) for one, where in differing if where and not only_here(where)] == []
    assert len(differing) >= len(families(["versions"])["versions"]) // 4


@pytest.mark.parametrize(("version", "raises"), [(15, True), (16, True), (17, False), (18, False)])
@pytest.mark.parametrize("where", ["c1 - c2 > '1 day'", "age(c1, c2) > '1 day'"])
def test_before_17_nothing_is_between_infinite_timestamps(
    where: str, version: int, raises: bool
) -> None:
    """timestamp.c, timestamp_mi(): since there are infinite intervals, some differences are."""
    rows = Rows(("timestamp", "timestamp"))
    far = rows.values.index(("infinity", "2000-01-01 00:00:00"))
    found = resolve(Passage(where, Source("f", where)), rows.table, postgres_version=version)
    sql = write(found, "duckdb", lambda name: exp.column(name, quoted=True)).sql("duckdb")
    if raises:
        with pytest.raises(duckdb.Error):
            Duck().ask(rows, sql, [far])
    else:
        assert Duck().ask(rows, sql, [far]) == {far: True}


def _reads(connection: psycopg.Connection[object], kind: str, text: str | None) -> bool:
    with suppress(psycopg.Error):
        connection.execute(f"SELECT %s::text::{kind}", (text,))
        return True
    return False


def _resolves(text: str, version: int) -> bool:
    with suppress(Mistake):
        resolve(Passage(text, Source("f", text)), table(), postgres_version=version)
        return True
    return False
