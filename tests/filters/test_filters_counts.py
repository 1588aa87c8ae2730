"""How many of PostgreSQL's functions, operators and casts each engine has; none is lost unseen.

Each immutable one over the types of `filter_corpus.COLUMNS` is written over columns, and where that
has no form with constants behind the first argument, then before it. Polymorphic ones count once.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from filter_corpus import ENGINES, table
from filter_grammar import BY_TYPE, MORE, WORDS, callables
from sqlglot import exp
from three_engines import NASTY

from filtersql.errors import Mistake
from filtersql.filters import resolve
from filtersql.filters.model import Filter
from filtersql.filters.write.dispatch import write
from filtersql.source import Passage, Source
from filtersql.storage import Engine

#: raised when more is written; a test that finds fewer has lost some
FEWEST = {
    ("spark", "function"): 767,
    ("spark", "operator"): 438,
    ("spark", "cast"): 84,
    ("duckdb", "function"): 764,
    ("duckdb", "operator"): 438,
    ("duckdb", "cast"): 84,
}
#: how many ways to call one are tried
_FORMS = 3
_KNOWN = table()


def counted() -> tuple[dict[str, set[str]], dict[tuple[str, str], set[str]]]:
    """All of each kind, and those that each engine has."""
    every, had = defaultdict(set), defaultdict(set)
    for kind, name, call, types, result in callables():
        every[kind].add(name)
        rest = [engine for engine in ENGINES if name not in had[engine, kind]]
        for text in _filters(name, call, types, result) if rest else ():
            filter = _resolved(text)
            for engine in [one for one in rest if filter and _has(filter, one)]:
                had[engine, kind].add(name)
                rest.remove(engine)
            if not rest:
                break
    return every, had


def _filters(name: str, text: str, types: tuple[str, ...], result: str) -> Iterator[str]:
    """Calls over columns, and over columns and constants, each compared with something."""
    columns = [BY_TYPE.get(kind, [""])[-1] for kind in types]
    called = name.partition("(")[0]
    constants = [_constant(called, place, kind) for place, kind in enumerate(types)]
    for known in itertools.islice(itertools.product((False, True), repeat=len(types)), _FORMS):
        args = [constants[place] if known[place] else columns[place] for place in range(len(types))]
        if all(known) or not all(args):
            continue
        call = text.format(*args)
        if result == "bool":
            yield call
            continue
        yield f"{call} = {_constant('', 0, result)}"
        yield f"{call} > {_constant('', 0, result)}"


def _constant(name: str, place: int, kind: str) -> str:
    words = WORDS.get((name, place)) or MORE.get(kind) or NASTY.get(kind) or ["1"]
    value = next((one for one in words if one), "1").replace("'", "''")
    return f"'{value}'::{kind}"


def _resolved(text: str) -> Filter | None:
    with suppress(Mistake):
        return resolve(Passage(text, Source("test", text)), _KNOWN, database_locale="C")
    return None


def _has(filter: Filter, engine: Engine) -> bool:
    with suppress(Mistake):
        write(filter, engine, lambda name: exp.column(name, quoted=True))
        return True
    return False


@pytest.fixture(scope="module")
def found() -> tuple[dict[str, set[str]], dict[tuple[str, str], set[str]]]:
    """The count, made once."""
    return counted()


@pytest.mark.parametrize("kind", ["function", "operator", "cast"])
def test_none_is_lost(
    found: tuple[dict[str, set[str]], dict[tuple[str, str], set[str]]],
    announce: Callable[[str], None],
    kind: str,
) -> None:
    """So many of PostgreSQL's immutable ones have a form on each engine."""
    every, had = found
    for engine in ENGINES:
        count = len(had[engine, kind])
        announce(f"{engine}: {count} of {len(every[kind])} immutable {kind}s over the types")
        assert count >= FEWEST[engine, kind]
