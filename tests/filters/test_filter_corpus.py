"""Of the filters of the corpus that PostgreSQL accepts, each engine has at least so many.

Every third filter of a family is asked, by the long tests all of them.

The corpus (`data/filter_corpus`) was written before the rules were, by type; `filter_corpus.py`
says which column is what and prints what is refused and why.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from filter_corpus import ENGINES, answers, connected, report
from servers import Server

#: of every so many-th; raised when more is written; a test that finds fewer has lost some
FEWEST = {1: {"spark": 3906, "duckdb": 3903}, 3: {"spark": 1314, "duckdb": 1313}}


@pytest.mark.postgres
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_engines_have_most_of_the_corpus(
    every: int, postgres: Server, announce: Callable[[str], None]
) -> None:
    """What PostgreSQL accepts is resolved without a slip, and most of it is written."""
    with connected(postgres) as connection:
        found = list(answers(connection, every=every))
    announce(report(found, refused=False))

    for engine in ENGINES:
        assert sum(engine in (one.written or {}) for one in found) >= FEWEST[every][engine]
