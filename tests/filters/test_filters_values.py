"""The engines' tables once more, over other nasty values than those that they were mended against.

`data/filter_values_second.json` holds them by type, as PostgreSQL prints them: subnormals and
middles of rounding, numbers around powers of two and ten, edges of numeric's digits, letters whose
case or form changes, years' and weeks' ends, changes of zones' clocks, bounds of every kind. A row
that raises here alone is not told: what no value may do is differ.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import duckdb
import psycopg
import pytest
from places import DATA
from servers import Server
from test_filters_engines import questions
from three_engines import ERROR, Duck, Postgres, Rows, as_text, same, shown

from filtersql.errors.filters import NotTranslated

VALUES: dict[str, list[str]] = json.loads((DATA / "filter_values_second.json").read_text())
MOST = 400
TOGETHER = 40


@dataclass(frozen=True)
class OtherRows(Rows):
    """Some combinations of the other values."""

    @cached_property
    def values(self) -> list[tuple[str | None, ...]]:
        """All where they are few, else so many of them, some with one value in all columns."""
        lists = [[*_values(name), None] for name in self.types]
        if math.prod(map(len, lists)) <= MOST:
            return list(itertools.product(*lists))
        random_ = random.Random(repr(self.types))
        rows = {tuple(map(random_.choice, lists)) for _ in range(MOST)}
        if len(set(self.types)) == 1:
            rows |= {(value,) * len(lists) for value in lists[0][::8]}
        return sorted(rows, key=repr)


def _values(name: str) -> list[str]:
    return VALUES.get(name) or VALUES[name.partition(":")[0]]


@pytest.fixture(scope="module")
def server(postgres: Server) -> Iterator[Postgres]:
    """The PostgreSQL that knows the truth."""
    url = postgres.url(postgres.create_database())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET statement_timeout = '5s'")
        yield Postgres(connection)


@pytest.mark.postgres
@pytest.mark.long
def test_duckdb_gives_postgresqls_values_of_others_too(server: Postgres) -> None:
    """On DuckDB, every row of its table."""
    duck, wrong, kept = Duck(), [], dict[tuple[str, ...], OtherRows]()
    for types, expression in questions():
        rows = kept.setdefault(types, OtherRows(types))
        try:
            kind, sql = rows.result_type(expression), rows.written(expression, "duckdb")
            expected = server.ask(rows, expression)
        except (NotTranslated, psycopg.errors.QueryCanceled):
            continue
        sql = as_text(sql, kind, "duckdb")
        plain = [place for place, value in enumerate(expected) if value != ERROR]
        for start in range(0, len(plain), TOGETHER):
            with contextlib.suppress(duckdb.Error):
                found = duck.ask(rows, sql, plain[start : start + TOGETHER])
                wrong += [
                    f"{expression} on {rows.values[place]}: {value}, not {expected[place]}"
                    for place, value in found.items()
                    if not same(expected[place], shown(value, kind), kind)
                ][:1]
    assert not wrong, "\n".join(wrong)
