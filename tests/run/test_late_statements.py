"""Statements that a server carries out when their client is gone, and another run came between."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from changed_filters import Shop, change
from one_by_one import Killed, OneByOne
from test_lease import ELSEWHERE, MESSAGE, hold

from filtersql.errors import Mistakes
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.targets.duckdb_file import connect
from filtersql.targets.marks import Mark, Written

_STAGE = "filtersql_stage__0"
_RAISES = "10 / a > 0"
_ROWS = [{"a": a, "c": "x"} for a in (1, 1, 2)]
_INTO = r'^(INSERT INTO|UPDATE|DELETE FROM) \S*"bare__quarantine"'


class Server(OneByOne):
    """Its client dies when it asks for a statement of this kind, which waits with its guard."""

    dies_at = ""
    guarded: str | None = None
    late: tuple[str | None, Callable[[], object]] | None = None

    def guard(self, query: str) -> None:
        self.guarded = query

    def execute(self, statement: str) -> None:
        self._asked(statement, lambda: OneByOne.execute(self, statement))

    def create(self, parts: Sequence[str], definitions: str, config: Mapping[str, object]) -> None:
        make = OneByOne.create
        self._asked(f"CREATE {parts[-1]}", lambda: make(self, parts, definitions, config))

    def drop(self, parts: Sequence[str]) -> None:
        self._asked(f"DROP {parts[-1]}", lambda: OneByOne.drop(self, parts))

    def write(self, statement: str, compiled: CompiledTable, mark: Mark) -> Written | None:
        kind = "COPY" if statement == compiled.initial_copy_sql else "MERGE"
        write = OneByOne.write
        if self.dies_at.startswith("MERGE") and kind == "MERGE":
            # What it staged stays as it is, whatever is staged next.
            OneByOne.execute(self, f"CREATE TEMP TABLE staged AS FROM {_STAGE}")
            statement = statement.replace(_STAGE, "staged")
        return self._asked(
            f"{kind} {compiled.target[-1]}", lambda: write(self, statement, compiled, mark)
        )

    def _asked(self, what: str, carry_out: Callable[[], Any]) -> Any:
        guard, self.guarded = self.guarded, None
        if self.dies_at and re.search(self.dies_at, what):
            self.dies_at, self.late = "", (guard, carry_out)
            raise Killed
        if guard is not None:
            self.rows(guard)
        return carry_out()

    def _lets_through(self, guard: str) -> bool:
        try:
            self.rows(guard)
        except Mistakes:
            return False
        return True

    def clear(self) -> None:
        """Its session goes on, too."""
        if self.late is None:
            super().clear()

    def discard(self, parts: Sequence[str]) -> None:
        """Drop a table of this process's own, unless it has died."""
        if self.late is None:
            super().discard(parts)

    def carry_out(self) -> None:
        """What the dead client asked for."""
        assert self.late is not None
        guard, statement = self.late
        if guard is None or self._lets_through(guard):
            statement()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with contextlib.closing(connect(tmp_path / "x.duckdb")) as engine:
        words = "CASE WHEN c THEN NULL ELSE error(w) END"
        engine.execute(f"CREATE TEMP MACRO assert_true(c, w) AS {words}")
        yield Server(engine.connection)


@pytest.fixture
def shop(tmp_path: Path, server: Server) -> Shop:
    """Rows without a key, filled and brought to seq 1."""
    shop = Shop(tmp_path).define(bare="a > 0")
    shop.write({"bare": _ROWS}, [change(1, "insert", "bare", after={"a": 3, "c": "x"})])
    assert shop.run(server).mistakes == ()
    return shop


def _dies(server: Server, at: str, work: Callable[[], object]) -> None:
    server.dies_at = at
    with contextlib.suppress(Killed):
        work()
    assert server.late is not None


@pytest.mark.parametrize("at", ["CREATE bare$", "COPY bare$", "DROP bare$"])
def test_a_table_is_not_made_anew_behind_its_rows(shop: Shop, server: Server, at: str) -> None:
    """A resync was killed, once or twice, and the run behind it has filled the target."""
    resync = frozenset({RelationName("public", "bare")})
    if at.startswith("DROP"):
        _dies(server, "CREATE bare$", lambda: shop.run(server, resync=resync))
    _dies(server, at, lambda: shop.run(server, resync=resync))
    shop.write(changes=[change(2, "insert", "bare", after={"a": 4, "c": "x"})], name="2")
    assert shop.run(server).mistakes == ()
    server.carry_out()
    assert shop.run(server).mistakes == ()
    assert shop.rows(server, "bare") == [(1, "x"), (1, "x"), (2, "x"), (3, "x"), (4, "x")]


def test_changes_do_not_come_behind_a_copy_that_has_them(shop: Shop, server: Server) -> None:
    """A run was killed, and then all was copied again."""
    shop.write(changes=[change(2, "insert", "bare", after={"a": 4, "c": "x"})], name="2")
    _dies(server, "MERGE bare$", lambda: shop.run(server))
    shop.write(changes=[change(3, "delete", "bare", before={"a": 4, "c": "x"})], name="3")
    resync = frozenset({RelationName("public", "bare")})
    assert shop.run(server, resync=resync).mistakes == ()
    server.carry_out()
    assert shop.rows(server, "bare") == [(1, "x"), (1, "x"), (2, "x"), (3, "x")]


def test_a_repair_is_not_carried_out_behind_a_run(shop: Shop, server: Server) -> None:
    """What it found missing is deleted by then."""
    server.execute("DELETE FROM s1.bare WHERE a = 1")
    _dies(server, r'MERGE INTO \S*"?bare"?\s', lambda: shop.audit(server, repair=True))
    gone = [change(seq, "delete", "bare", before={"a": 1, "c": "x"}) for seq in (2, 3)]
    shop.write(changes=gone, name="2")
    assert shop.run(server).mistakes == ()
    server.carry_out()
    assert shop.rows(server, "bare") == [(2, "x"), (3, "x")]


@pytest.mark.parametrize("released", [False, True])
def test_changes_are_put_aside_once(tmp_path: Path, server: Server, released: bool) -> None:
    """Those that another run put aside, and those that it has released by then."""
    shop = Shop(tmp_path)
    _quarantining(shop, _RAISES)
    shop.write({"bare": _ROWS}, [change(1, "insert", "bare", after={"a": 0, "c": "x"})])
    _dies(server, _INTO, lambda: shop.run(server))
    assert shop.run(server).mistakes == ()
    if not released:
        server.carry_out()
    _quarantining(shop, "a >= 0")
    for _ in range(2):
        assert shop.run(server, release=True, accept_filter_change=True).mistakes == ()
        if released:
            server.carry_out()
    assert shop.rows(server, "bare") == [(0, "x"), (1, "x"), (1, "x"), (2, "x")]


@pytest.mark.parametrize("resync", [False, True])
def test_a_run_that_was_overtaken_is_told_by_whom(
    shop: Shop, server: Server, resync: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lives, and the server has not carried out what it asked for."""
    asked: dict[str, frozenset[RelationName]] = {}
    if resync:
        asked = {"resync": frozenset({RelationName("public", "bare")})}
    shop.write(changes=[change(2, "insert", "bare", after={"a": 4, "c": "x"})], name="2")
    guard = Server.guard

    def overtaken(self: Server, query: str) -> None:
        monkeypatch.undo()
        hold(self, ELSEWHERE, 100)
        guard(self, query)

    monkeypatch.setattr(Server, "guard", overtaken)
    result = shop.run(server, **asked)
    assert [(one.message, one.detail) for one in result.mistakes] == [
        (MESSAGE, 'Process 7 on "elsewhere" was faster. Whatever this run wrote stays.')
    ]
    assert result.exit_code == 2
    assert shop.rows(server, "bare") == [(1, "x"), (1, "x"), (2, "x"), (3, "x")]


def _quarantining(shop: Shop, where: str) -> None:
    shop.define(bare=where)
    file = shop.root / "subscriptions/s.yml"
    file.write_text(f"{file.read_text()}    on_filter_error: quarantine\n", encoding="utf-8")
