"""The named parts of a query, cut out of its text: what several statements ask is run once.

Example
    >>> query = "SELECT * FROM (WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b)"
    >>> found = cut(query, "spark")
    >>> found.alone("b")
    'WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b'
    >>> found.given("b", "SELECT * FROM staged")
    'SELECT * FROM (WITH b AS (SELECT * FROM staged) SELECT * FROM b)'

Spark
    optimizer/InlineCTE.scala: a part that is named twice is planned and run twice, and so is all
    that it reads. DuckDB runs it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import sqlglot
from msgspec import Struct, field
from sqlglot import TokenType, exp, select

from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine as Dialect
from filtersql.targets.model import Engine
from filtersql.targets.statements import in_parentheses, named_column, named_rows, select_all

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

__all__ = ["Kept", "Query", "cut", "run_costly_parts"]


class _Part(Struct, frozen=True):
    """`name AS (…)` as it is written; `words` are all names in it."""

    text: str
    words: frozenset[str]


class Query(Struct, frozen=True):
    """A statement in three: up to the first WITH and that word, its parts, and what follows."""

    begin: str
    parts: dict[str, _Part] = field(default_factory=dict)
    end: str = ""
    end_words: frozenset[str] = frozenset()

    def needed(self, name: str) -> tuple[str, ...]:
        """The text of a part, after those that it needs; nothing where there is none."""
        if name not in self.parts:
            return ()
        return tuple(self.parts[one].text for one in self._behind({name}))

    def alone(self, name: str) -> str:
        """A query of the rows of a part."""
        word = self.begin[self.begin.upper().rindex("WITH") :]
        rows = select("*").from_(exp.Table(this=exp.to_identifier(name)))
        return f"{word}{', '.join(self.needed(name))} {rows.sql()}"

    def given(self, name: str, rows: str) -> str:
        """The statement with a query of a part's rows in place of it and of what it alone needs."""
        given = {**self.parts, name: _Part(f"{name} AS ({rows})", frozenset())}
        whole = Query(self.begin, given, self.end, self.end_words)
        kept = (given[one].text for one in whole._behind(self.end_words & given.keys()))
        return f"{self.begin}{', '.join(kept)}{self.end}"

    def _behind(self, names: frozenset[str] | set[str]) -> list[str]:
        """Parts and all that they need, in the order of the statement."""
        found = set(names)
        for name in reversed(self.parts):
            if name in found:
                found |= self.parts[name].words & self.parts.keys()
        return [name for name in self.parts if name in found]


class Kept(Struct, frozen=True):
    """Parts of statements that were run: what each needed, and a query of its rows."""

    dialect: Dialect
    parts: tuple[tuple[str, tuple[str, ...], str], ...] = ()

    def having(self, name: str, needed: tuple[str, ...], rows: str) -> Kept:
        """These parts and one more."""
        return Kept(self.dialect, (*self.parts, (name, needed, rows)))

    def over(self, statement: str) -> str:
        """A statement over the rows of the parts that it has, word by word."""
        for name, needed, rows in self.parts:
            query = cut(statement, self.dialect)
            if query.needed(name) == needed:
                statement = query.given(name, rows)
        return statement


def run_costly_parts(engine: Engine, compiled: CompiledTable, stage: str, source: str) -> Kept:
    """Run once what the engine would run for each statement that names it. Raises Mistakes.

    A part is kept where it stands in `source` and, word by word the same, in the count of
    conflicts. Following rows from key to key is most of what is planned: where no change moves a
    row, that is left out.
    """
    kept = Kept(engine.dialect)
    moving, shown_by = compiled.moving_part or (None, None)
    for name in compiled.costly_parts:
        query, counting = (
            cut(kept.over(text), engine.dialect) for text in (source, compiled.conflicts_sql)
        )
        needed = query.needed(name)
        if not needed or needed != counting.needed(name):
            continue
        own = f"{stage}__{name}"
        engine.stage(own, query.alone(name))
        kept = kept.having(name, needed, select_all(own, engine.dialect))
        query = cut(kept.over(source), engine.dialect)
        if moving in query.parts and name == shown_by and not _moves(engine, compiled, own):
            none = select("*").from_(in_parentheses(query.alone(moving), "none"))
            none = none.where(exp.false())
            kept = kept.having(moving, query.needed(moving), none.sql(engine.dialect))
    return kept


def _moves(engine: Engine, compiled: CompiledTable, changed: str) -> bool:
    """Whether a change takes a row from one key to another."""
    effect = named_column(compiled.effect_column)
    some = select("1").from_(named_rows(changed)).where(effect.isin("left", "arrived"))
    return bool(engine.rows(some.limit(1).sql(engine.dialect)))


@lru_cache(maxsize=256)
def cut(statement: str, dialect: Dialect) -> Query:
    """The parts of a statement's first WITH; where it has none, all of it is the beginning."""
    tokens = sqlglot.Dialect.get_or_raise(dialect).tokenize(statement)
    kinds = [token.token_type for token in tokens]
    if TokenType.WITH not in kinds:
        return Query(statement)
    place = kinds.index(TokenType.WITH) + 1
    place += kinds[place] is TokenType.RECURSIVE
    begin = tokens[place].start
    parts: dict[str, _Part] = {}
    while True:
        last = _closing(kinds, place)
        text = statement[tokens[place].start : tokens[last].end + 1]
        parts[tokens[place].text] = _Part(text, _words(tokens[place + 1 : last]))
        if kinds[last + 1] is not TokenType.COMMA:
            break
        place = last + 2
    end = statement[tokens[last].end + 1 :]
    return Query(statement[:begin], parts, end, _words(tokens[last + 1 :]))


def _closing(kinds: Sequence[TokenType], place: int) -> int:
    """Where the first parenthesis behind a place is closed."""
    depth = 0
    for index in range(place, len(kinds)):
        depth += kinds[index] is TokenType.L_PAREN
        if kinds[index] is TokenType.R_PAREN:
            depth -= 1
            if not depth:
                return index
    return len(kinds) - 1


def _words(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.text for token in tokens)
