"""Random typed filters on three engines, for as long as asked; says what was covered.

    python tests/support/filter_soak.py [--seconds 60] [--seed 1] [--each] [--spark [--interpreted]]
    python tests/support/filter_soak.py --corpus [FAMILY …] [--seed 1] [--spark [--interpreted]]

The engine is DuckDB, with `--spark` Spark, of which one query answers many expressions; with
`--interpreted` it evaluates them without generating code, which takes a fraction of the time.
Half of the filters, with `--each` all, call one function, operator or cast of the catalog after the
other, so that none is left out. With `--corpus` the filters of `filter_corpus` are asked instead of
random ones, family by family. In tables of an odd seed the locale of the database is known.

Each seed makes a table of nasty and of random rows, and from then on expressions of
`filter_grammar`. Of each it is compared whether PostgreSQL and filtersql accept it (with which
message), its value on every row, and that a row which raises there raises here. What differs is
shortened before it is printed. FILTERSQL_POSTGRES names the server; without it one is started.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import psycopg
from filter_corpus import COLUMNS, connected, families, table
from filter_grammar import Piece, each, expression, shown, smaller
from filter_rows import sampled
from interpreting import INTERPRETED
from sqlglot import exp
from three_engines import ERROR, NOT_IN_SPARK, Duck, Postgres, Rows, Sparks, same
from three_engines import shown as value_shown

from filtersql.errors import Mistake
from filtersql.errors.filters import NotTranslated
from filtersql.filters import resolve
from filtersql.filters.model import Filter
from filtersql.filters.tree.locales import UNKNOWN
from filtersql.filters.tree.nodes import Func, Op
from filtersql.filters.tree.walking import walk
from filtersql.filters.write.dispatch import write
from filtersql.source import Passage, Source
from filtersql.storage import Engine

ROWS = 120
KNOWN = table()
_RAISED_ROWS = 2
_NULL = "null for an error"
#: expressions of one query on Spark, where each query takes its time
_TOGETHER = 16


@dataclass(frozen=True)
class Sampled(Rows):
    """A table of all columns of the corpus, with rows of a seed."""

    seed: int = 0

    #: as PostgreSQL prints them: that is what a target holds
    printed: tuple[tuple[str | None, ...], ...] = field(default=(), compare=False)

    @cached_property
    def values(self) -> list[tuple[str | None, ...]]:
        """The rows."""
        return list(self.printed)


def printed(connection: psycopg.Connection[Any], seed: int, engine: Engine) -> Sampled:
    """The rows of a seed that the engine's types hold."""
    types, names = tuple(COLUMNS.values()), tuple(COLUMNS)
    rows = sampled(random.Random(seed), types, ROWS)
    # a cast to text is another text than the output's: it shows the length of every inet's mask
    output = (
        "(SELECT CASE WHEN v IS NOT NULL THEN format('%%s', v) END FROM (SELECT %s::{} AS v) q)"
    )
    outputs = ", ".join(output.format(kind) for kind in types)
    with connection.cursor() as cursor:
        found = [cursor.execute(f"SELECT {outputs}", row).fetchone() for row in rows]
    lost = NOT_IN_SPARK if engine == "spark" else set[str]()
    texts = (tuple(None if value in lost else value for value in row or ()) for row in found)
    return Sampled(types, names, seed, tuple(texts))


def locale_of(connection: psycopg.Connection[Any]) -> str:
    """The locale of the server's database, as `database_locale` names it."""
    row = connection.execute(
        "SELECT coalesce(datlocale, datcollate) || '|' || coalesce(datlocale, datctype) "
        "FROM pg_database WHERE datname = current_database()"
    ).fetchone()
    assert row is not None
    return str(row[0])


@dataclass
class Covered:
    """What a soak has seen."""

    outcomes: Counter[str] = field(default_factory=Counter)
    functions: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def text(self) -> str:
        """For the end of a run."""
        lines = [", ".join(f"{name} {count}" for name, count in self.outcomes.most_common())]
        lines.append(f"{len(self.functions)} functions compared")
        for title, counts in (("refused", self.refused), ("raises here only", self.raised)):
            lines.append(f"{title}:")
            lines += [f"  {count:5} {reason}" for reason, count in counts.most_common(40)]
        return "\n".join([*lines, *self.differences])


#: some expressions with the rows that each is asked on, in one query
Questions = Sequence[tuple[str, Sequence[int]]]
Ask = Callable[[Rows, Questions], list[dict[int, object]]]


class Soak:
    """One server, one engine, one table at a time."""

    def __init__(
        self, connection: psycopg.Connection[Any], engine: Engine, ask: Ask, seed: int
    ) -> None:
        self.connection, self.engine, self.ask = connection, engine, ask
        self.server = Postgres(connection)
        self.covered = Covered()
        self.rows = printed(connection, seed, engine)
        # every other table's source says the locale of its database
        self.locale = locale_of(connection) if seed % 2 else UNKNOWN
        self.answered: dict[tuple[str, tuple[int, ...]], dict[int, object]] = {}
        #: the share of filters about the next function, operator or cast of the catalog
        self.rows_of_tables = 0.5

    def message(self, text: str) -> str:
        """Why CREATE PUBLICATION refuses the filter; empty where it takes it."""
        try:
            with self.connection.transaction(force_rollback=True):
                self.connection.execute(f"CREATE PUBLICATION p FOR TABLE t WHERE ({text})")
        except psycopg.Error as error:
            return str(error.diag.message_primary)
        return ""

    def judged(self, text: str) -> tuple[str, str]:
        """(outcome, what differs) of one filter."""
        try:
            return self.outcome(text)
        except Exception as error:
            return "CRASH", f"{type(error).__name__}: {error}"

    def outcome(self, text: str) -> tuple[str, str]:
        """The same, where nothing of filtersql breaks."""
        passage = Passage(text, Source("f", text))
        try:
            found = resolve(passage, KNOWN, database_locale=self.locale)
            tree = write(found, self.engine, lambda name: exp.column(name, quoted=True))
        except NotTranslated as mistake:
            return "refused", re.sub(r" (for|on) (Spark|DuckDB)", "", mistake.message)
        except Mistake as mistake:
            refusal = self.message(text)
            if not refusal:
                return "ACCEPTED THERE", mistake.message
            same_words = mistake.message == refusal
            return ("not accepted", "") if same_words else ("OTHER WORDS", f"{refusal} / {mistake}")
        if refusal := self.message(text):
            return "ACCEPTED HERE", refusal
        return self.compared(text, found, tree.sql(dialect=self.engine))

    def compared(self, text: str, found: Filter, sql: str) -> tuple[str, str]:
        """The values of every row."""
        expected, held, plain = self.expected(text)
        places = [self.rows.given.index(name) for name in found.columns]

        def of(row: int) -> tuple[str | None, ...]:
            return tuple(self.rows.values[row][place] for place in places)

        if not plain:
            return "always raises", ""
        values, error = self.values(sql, plain)
        for row, value in values.items():
            if not same(expected[row], value_shown(value, "bool"), "bool"):
                return "DIFFERS", f"{of(row)}: {value}, PostgreSQL gives {expected[row]}"
        most = 1 if self.engine == "spark" else _RAISED_ROWS
        for row in [row for row in held if expected[row] == ERROR][:most]:
            value, problem = self.values(sql, [row])
            if not problem:
                # An engine may see that NULL decides before it looks at what raises.
                outcome = _NULL if value[row] is None else "SILENT"
                return outcome, f"{of(row)}: {value[row]}, PostgreSQL raises"
        for node in walk(found.tree):
            if isinstance(node, (Op, Func)):
                self.covered.functions[str(node.function)] += 1
        return ("raises", error) if error else ("same", "")

    def expected(self, text: str) -> tuple[list[str | None], list[int], list[int]]:
        """PostgreSQL's values, the rows that the engine's types hold, those that do not raise."""
        values = self.server.ask(self.rows, text)
        held = [row for row in range(ROWS) if self.rows.fits(self.rows.values[row], self.engine)]
        return values, held, [row for row in held if values[row] != ERROR]

    def answer_together(self, texts: Sequence[str]) -> None:
        """Asks for the values of several filters in one query; what raises is asked again alone."""
        self.answered.clear()
        questions = []
        for text in texts:
            passage = Passage(text, Source("f", text))
            with contextlib.suppress(Exception):  # judged one by one afterwards
                found = resolve(passage, KNOWN, database_locale=self.locale)
                tree = write(found, self.engine, lambda name: exp.column(name, quoted=True))
                if plain := self.expected(text)[2]:
                    questions.append((tree.sql(dialect=self.engine), tuple(plain)))
        self._together(questions)

    def _together(self, questions: list[tuple[str, tuple[int, ...]]]) -> None:
        try:
            found = self.ask(self.rows, questions) if len(questions) > 1 else []
        except Exception:
            half = len(questions) // 2
            self._together(questions[:half])
            self._together(questions[half:])
        else:
            self.answered.update(zip(questions, found, strict=False))

    def values(self, sql: str, rows: list[int]) -> tuple[dict[int, object], str]:
        """The engine's values, of those rows that do not raise, and what one raises."""
        if (known := self.answered.get((sql, tuple(rows)))) is not None:
            return known, ""
        try:
            return self.ask(self.rows, [(sql, rows)])[0], ""
        except Exception as error:
            if len(rows) == 1:
                return {}, re.sub(r"\s+", " ", str(error))[:150]
        if self.engine == "spark":
            # a query takes seconds there
            few = [(row, *self.values(sql, [row])) for row in rows[:: max(len(rows) // 5, 1)]]
            known = {row: found[row] for row, found, _ in few if row in found}
            return known, next((problem for *_, problem in few if problem), "?")
        half = len(rows) // 2
        first, problem = self.values(sql, rows[:half])
        # Where much raises, half of the rows are enough.
        if problem and len(rows) > _RAISED_ROWS and len(first) < half // 2:
            return first, problem
        second, other = self.values(sql, rows[half:])
        return first | second, problem or other

    def shortened(self, piece: Piece, outcome: str) -> Piece:
        """The smallest expression that this one leads to with the same outcome."""
        for other in smaller(piece):
            if len(shown(other)) < len(shown(piece)) and self.judged(shown(other))[0] == outcome:
                return self.shortened(other, outcome)
        return piece

    def run(self, random_: random.Random, until: float) -> None:
        """Expressions until the time is over."""
        together = _TOGETHER if self.engine == "spark" else 1
        rows = each(random_.shuffle, random_.choice)
        while time.monotonic() < until:
            pieces = [
                next(rows)
                if random_.random() < self.rows_of_tables
                else expression(random_.choice, random_.choice([1, 1, 2, 2, 3, 4]))
                for _ in range(together)
            ]
            if together > 1:
                self.answer_together([shown(piece) for piece in pieces])
            for piece in pieces:
                self.take(piece)

    def run_corpus(self, names: Sequence[str]) -> None:
        """The filters of the corpus, with a line for each family."""
        for family, texts in families(names).items():
            before = self.covered.outcomes.copy()
            for start in range(0, len(texts), _TOGETHER):
                part = texts[start : start + _TOGETHER]
                if self.engine == "spark":
                    self.answer_together(part)
                for text in part:
                    self.take(Piece("bool", text))
            counts = self.covered.outcomes - before
            found = ", ".join(f"{name} {count}" for name, count in counts.most_common())
            print(f"{self.engine} {family}: {found}", flush=True)

    def take(self, piece: Piece) -> None:
        """Judges one and remembers."""
        outcome, what = self.judged(shown(piece))
        self.covered.outcomes[outcome] += 1
        if outcome == "refused":
            self.covered.refused[what] += 1
        elif outcome == "raises":
            self.covered.raised[what] += 1
        if outcome.isupper() or outcome == _NULL:
            short = self.shortened(piece, outcome)
            what = self.judged(shown(short))[1]
            line = f"{outcome} {shown(short)}\n    {what}"
            self.covered.differences.append(line)
            print(line, flush=True)
        elif outcome == "raises" and self.covered.raised[what] <= 1 and self.engine != "spark":
            short = self.shortened(piece, outcome)
            print(f"raises {shown(short)}\n    {self.judged(shown(short))[1]}", flush=True)


def engine_of(arguments: argparse.Namespace) -> tuple[Engine, Ask]:
    """DuckDB; Spark where it is asked for."""
    if arguments.spark:
        from filtersql.targets.embedded import own_session

        settings = INTERPRETED if arguments.interpreted else {}
        return "spark", Sparks(own_session(2, settings, ()).newSession()).ask
    duck = Duck()
    duck.connection.execute("SET threads = 1")
    return "duckdb", lambda rows, asked: [duck.ask(rows, sql, ids) for sql, ids in asked]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--interpreted", action="store_true")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--corpus", nargs="*", metavar="FAMILY")
    arguments = parser.parse_args()
    with connected() as connection:
        connection.execute("SET statement_timeout = '5s'")
        engine, ask = engine_of(arguments)
        soak = Soak(connection, engine, ask, arguments.seed)
        if arguments.each:
            soak.rows_of_tables = 1
        if arguments.corpus is None:
            soak.run(random.Random(arguments.seed), time.monotonic() + arguments.seconds)
        else:
            soak.run_corpus(arguments.corpus)
        print(f"{engine}, seed {arguments.seed}: {soak.covered.text()}", flush=True)


if __name__ == "__main__":
    main()
