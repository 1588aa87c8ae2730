"""A change of definition that a server commits when its client is gone, and was given up."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from changed_filters import Shop, change
from one_by_one import Killed, OneByOne
from test_apply_plan import FEED, LATER, NEW, OLD, SOURCE

from filtersql.names import RelationName
from filtersql.targets.duckdb_file import connect
from filtersql.targets.marks import Mark

_LATE = 'of "s1/public.orders" was changed late, by an apply that was given up'
_ORDERS = RelationName("public", "orders")


class Server(OneByOne):
    """Its client dies before the first commit of a change, of which the mark is kept."""

    def write(self, statement: str, compiled: object, mark: Mark) -> object:
        if mark.change is None or self.late is not None:
            return super().write(statement, compiled, mark)
        self.late = mark
        raise Killed

    late: Mark | None = None

    def commit(self) -> None:
        """What the server was asked is committed."""
        assert self.late is not None
        name = self.table_sql(("s1", "orders"))
        self.connection.execute(
            "INSERT INTO marks SELECT ?, ?, count(*) FROM marks", [name, self.late.text]
        )


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with contextlib.closing(connect(tmp_path / "x.duckdb")) as engine:
        yield Server(engine.connection)


@pytest.fixture
def shop(tmp_path: Path, server: Server) -> Shop:
    """An apply of another filter was begun."""
    shop = Shop(tmp_path).define(orders=OLD["orders"])
    shop.write(SOURCE, FEED)
    assert shop.run(server).mistakes == ()
    shop.define(orders=NEW["orders"])
    with contextlib.suppress(Killed):
        shop.apply(server)
    assert server.late is not None
    return shop


@pytest.mark.parametrize(("behind", "writes"), [(True, True), (True, False), (False, True)])
def test_a_change_that_was_given_up_is_seen(
    shop: Shop, server: Server, behind: bool, writes: bool
) -> None:
    """Behind a run that went on without it, or while that wrote; copied again all is well."""
    shop.define(orders=OLD["orders"])
    if not behind:
        append = server.append
        server.append = lambda *asked: (append(*asked), server.commit())[0]  # type: ignore
    entering = change(6, "insert", "orders", after={"id": 40, "region": "eu", "total": 1})
    shop.write(changes=[*LATER, entering] if writes else LATER, name="2")
    assert shop.run(server).mistakes == ()
    if behind:
        assert shop.run(server).mistakes == ()
        server.commit()
    else:
        del server.append
    for found in (shop.run(server).mistakes, shop.audit(server)[0].mistakes):
        assert [_LATE in each.message for each in found] == [True]
    for _ in range(2):
        assert shop.run(server, resync=frozenset({_ORDERS})).mistakes == ()
        assert shop.run(server).mistakes == ()
    assert all(each.right for each in shop.audit(server))


def test_a_change_that_was_asked_for_again_is_seen(shop: Shop, server: Server) -> None:
    """Before the next run its rows are the same; behind it they are too few."""
    shop.apply(server)
    server.commit()
    shop.write(changes=LATER, name="2")
    assert shop.run(server).mistakes == ()
    assert shop.run(server).mistakes == ()
    assert all(each.right for each in shop.audit(server))
    server.commit()
    assert [_LATE in each.message for each in shop.run(server).mistakes] == [True]


def test_a_change_that_was_in_force_is_none_of_these(shop: Shop, server: Server) -> None:
    """Its client did not hear of it; then the definition changed again."""
    shop.define(orders=NEW["orders"])
    server.late = None
    writing = OneByOne.write

    def dying(self: Server, *asked: object) -> object:
        writing(self, *asked)
        raise Killed

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Killed):
        patch.setattr(Server, "write", dying)
        shop.apply(server)
    server.late = Mark("", _ORDERS, 0, 0)
    shop.define(orders=OLD["orders"])
    shop.apply(server)
    shop.write(changes=LATER, name="2")
    assert shop.run(server).mistakes == ()
    assert shop.run(server).mistakes == ()
    assert all(each.right for each in shop.audit(server))
