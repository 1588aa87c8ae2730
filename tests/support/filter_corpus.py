"""Filters that an administrator would write, and how many of them each engine has.

`data/filter_corpus/*.txt` holds one filter a line over the columns of `COLUMNS`. A PostgreSQL says
which of them CREATE PUBLICATION accepts; filtersql says which of those it writes for an engine.

    python tests/support/filter_corpus.py [FAMILY …] [--refused | --duckdb | --spark]

prints the rate of each family on the PostgreSQL that FILTERSQL_POSTGRES names (a connection
string; without it one is started), with `--refused` also what is refused and why;
`--duckdb` and `--spark` compare that engine's answers with PostgreSQL's on nasty rows.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from places import DATA
from servers import Server, serve
from sqlglot import exp
from three_engines import ERROR, Duck, Postgres, Rows, Sparks, pg_type, same, shown

from filtersql.catalog import Column, ReplicaIdentity, Table
from filtersql.errors import Mistake
from filtersql.errors.filters import NotTranslated
from filtersql.filters import resolve
from filtersql.filters.model import Filter
from filtersql.filters.write.dispatch import write
from filtersql.names import RelationName
from filtersql.source import Passage, Source
from filtersql.storage import Engine

FOLDER = DATA / "filter_corpus"
ENGINES: tuple[Engine, ...] = ("spark", "duckdb")
_IN_ONE_QUERY = 20
#: the columns of the corpus, by type
COLUMNS = {
    name: kind
    for kind, names in {
        "int2": "i2 j2", "int4": "i4 j4", "int8": "i8 j8", "numeric(12,3)": "n n2",
        "numeric": "nu nv", "float4": "f4 g4", "float8": "f8 g8", "bool": "a b", "text": "s t",
        "varchar(20)": "v w", "bpchar(5)": "c c2", "bytea": "by by2", "date": "d e",
        "time": "tm tn", "timetz": "tt tu", "timestamp": "ts ts2", "timestamptz": "tz tz2",
        "interval": "iv iw", "uuid": "u u2", "json": "j", "jsonb": "jb jc", "_int2": "ak",
        "_int4": "ai bi", "_int8": "al", "_text": "at bt_", "_varchar": "av", "_bpchar": "ac",
        "_numeric": "an", "_float8": "af", "_date": "ad", "_timestamp": "ats",
        "_timestamptz": "atz", "_bool": "ab", "_uuid": "au", "_jsonb": "aj",
        "int4range": "ir is_", "int8range": "lr", "numrange": "nr", "daterange": "dr",
        "tsrange": "tr", "tstzrange": "zr", "int4multirange": "mr", "inet": "ip ip2",
        "cidr": "cd cd2", "macaddr": "mac", "money": "mo mp", "bit(8)": "bt", "varbit": "vb",
    }.items()
    for name in names.split()
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What becomes of a filter: for each engine its text, or why it has none."""

    family: str
    text: str
    accepted: bool
    resolved: Filter | None = None
    written: dict[Engine, str] | None = None
    refused: dict[Engine, str] | None = None


def families(chosen: Sequence[str] = ()) -> dict[str, list[str]]:
    """The filters of each family."""
    return {
        path.stem: [
            line
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.strip() and not line.startswith("#")
        ]
        for path in sorted(FOLDER.glob("*.txt"))
        if not chosen or path.stem in chosen
    }


def table() -> Table:
    """The table t of all columns, as filtersql knows it."""
    span = Source("t.yml", "t").span(0, 1)
    columns = tuple(Column(name, pg_type(kind), span) for name, kind in COLUMNS.items())
    return Table(RelationName("public", "t"), columns, span, replica_identity=ReplicaIdentity())


def create_table(connection: psycopg.Connection[Any]) -> None:
    """The same table on PostgreSQL."""
    columns = ", ".join(f'"{name}" {kind}' for name, kind in COLUMNS.items())
    connection.execute(f"CREATE TABLE t ({columns})")
    connection.execute("SET TimeZone = 'UTC'")


def accepted(connection: psycopg.Connection[Any], text: str) -> bool:
    """Whether CREATE PUBLICATION takes the filter."""
    with contextlib.suppress(psycopg.Error), connection.transaction(force_rollback=True):
        connection.execute(f"CREATE PUBLICATION p FOR TABLE t WHERE ({text})")
        return True
    return False


def answers(
    connection: psycopg.Connection[Any],
    chosen: Sequence[str] = (),
    version: int = 18,
    every: int = 1,
) -> Iterator[Answer]:
    """Each filter of the corpus, or every so many-th of a family, with what becomes of it."""
    known = table()
    for family, texts in families(chosen).items():
        for text in texts[::every]:
            takes = accepted(connection, text)
            yield _answer(family, text, known, version) if takes else Answer(family, text, False)


def _answer(family: str, text: str, known: Table, version: int = 18) -> Answer:
    try:
        found = resolve(Passage(text, Source("f", text)), known, postgres_version=version)
    except Mistake as mistake:
        reason = _reason(mistake)
        return Answer(family, text, True, None, {}, dict.fromkeys(ENGINES, reason))
    written: dict[Engine, str] = {}
    refused: dict[Engine, str] = {}
    for engine in ENGINES:
        try:
            tree = write(found, engine, lambda name: exp.column(name, quoted=True))
            written[engine] = tree.sql(dialect=engine)
        except NotTranslated as mistake:
            refused[engine] = _reason(mistake)
    return Answer(family, text, True, found, written, refused)


def _reason(mistake: Mistake) -> str:
    message = re.sub(r" (for|on) (Spark|DuckDB)", "", mistake.message)
    return f"{message} | {mistake.detail or ''}"


@contextlib.contextmanager
def connected(server: Server | None = None) -> Iterator[psycopg.Connection[Any]]:
    """A database of the corpus's own with the table t, on the given server or one of its own."""
    with contextlib.ExitStack() as stack:
        named = os.environ.get("FILTERSQL_POSTGRES")
        if named:
            connection = stack.enter_context(psycopg.connect(named, autocommit=True))
            connection.execute("DROP TABLE IF EXISTS t")
        else:
            server = server or stack.enter_context(serve())
            connection = stack.enter_context(server.connect(server.create_database()))
            connection.autocommit = True
        create_table(connection)
        yield connection


def report(found: Sequence[Answer], *, refused: bool) -> str:
    """The rates of each family and of all, and the reasons."""
    lines = []
    groups: dict[str, list[Answer]] = defaultdict(list)
    for one in found:
        groups[one.family].append(one)
    for family, ones in [*groups.items(), ("all", list(found))]:
        takes = [one for one in ones if one.accepted]
        rates = [
            f"{engine} {sum(engine in (one.written or {}) for one in takes)}" for engine in ENGINES
        ]
        lines.append(f"{family:10}{len(ones):5} filters, {len(takes)} accepted: {', '.join(rates)}")
    if refused:
        reasons: Counter[str] = Counter()
        examples: dict[str, list[str]] = defaultdict(list)
        for one in found:
            for engine, reason in (one.refused or {}).items():
                reasons[reason] += 1
                examples[reason].append(f"{engine[0]}: {one.text}")
        for reason, count in reasons.most_common():
            lines.append(f"{count:4} {reason}")
            lines += [f"         {text}" for text in examples[reason]]
    return "\n".join(lines)


def rows_of(found: Filter) -> Rows:
    """Every combination of nasty values of the columns that a filter reads."""
    names = tuple(found.columns)
    return Rows(tuple(COLUMNS[name] for name in names), names)


def different(
    server: Postgres, one: Answer, engine: Engine, ask: Callable[[Rows, str, list[int]], Any]
) -> str:
    """How the engine's answer to a filter differs from PostgreSQL's; empty: nowhere."""
    assert one.resolved is not None
    assert one.written is not None
    rows = rows_of(one.resolved)
    expected = server.ask(rows, one.text)
    held = [place for place, row in enumerate(rows.values) if rows.fits(row, engine)]
    plain = [place for place in held if expected[place] != ERROR]
    try:
        values = ask(rows, one.written[engine], plain) if plain else {}
    except Exception as error:
        for place in plain:
            try:
                ask(rows, one.written[engine], [place])
            except Exception:
                return f"{rows.values[place]}: raises {str(error)[:300]}"
        return f"raises on all rows together: {str(error)[:300]}"
    for place, value in values.items():
        if not same(expected[place], shown(value, "bool"), "bool"):
            return f"{rows.values[place]}: {value}, PostgreSQL gives {expected[place]}"
    for place in [place for place in held if expected[place] == ERROR][:3]:
        try:
            value = ask(rows, one.written[engine], [place])[place]
        except Exception:  # any error of the engine is what is wanted
            continue
        return f"{rows.values[place]}: {value}, PostgreSQL raises"
    return ""


def compared(
    connection: psycopg.Connection[Any], found: Iterable[Answer], engine: Engine, session: Any
) -> Iterator[tuple[Answer, str]]:
    """Each filter that the engine has, with how it differs from PostgreSQL on nasty rows."""
    server = Postgres(connection)
    if engine == "duckdb":
        duck = Duck()
        ask: Callable[[Rows, str, list[int]], Any] = duck.ask
    else:
        sparks = Sparks(session.newSession())
        found = sorted(found, key=_columns_of)
        answered = _together(server, sparks, found)

        def ask(rows: Rows, sql: str, ids: list[int]) -> Any:
            known = answered.get((rows, sql, tuple(ids)))
            return known or sparks.ask(rows, [(sql, ids)])[0]

    for one in found:
        if one.written and engine in one.written:
            yield one, different(server, one, engine, ask)


def _columns_of(one: Answer) -> tuple[str, ...]:
    return tuple(one.resolved.columns) if one.resolved is not None else ()


def _together(
    server: Postgres, sparks: Sparks, found: Iterable[Answer]
) -> dict[tuple[Rows, str, tuple[int, ...]], dict[int, object]]:
    """The values of filters over the same columns, of many in one query; none where it fails."""
    asked: dict[Rows, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
    for one in found:
        if one.resolved is not None and "spark" in (one.written or {}):
            rows = rows_of(one.resolved)
            expected = server.ask(rows, one.text)
            plain = tuple(
                place
                for place, row in enumerate(rows.values)
                if rows.fits(row, "spark") and expected[place] != ERROR
            )
            if plain:
                asked[rows].append(((one.written or {})["spark"], plain))
    answered = {}
    for rows, questions in asked.items():
        for start in range(0, len(questions), _IN_ONE_QUERY):
            part = questions[start : start + _IN_ONE_QUERY]
            with contextlib.suppress(Exception):  # asked one by one afterwards
                for (sql, ids), values in zip(part, sparks.ask(rows, part), strict=True):
                    answered[rows, sql, ids] = values
    return answered


def _print_differences(
    connection: psycopg.Connection[Any], names: list[str], engine: Engine
) -> None:
    session = None
    if engine == "spark":
        from filtersql.targets.embedded import own_session

        session = own_session(2, {}, ())
    whole = Counter[str]()
    for family in families(names):
        counts = Counter[str]()
        for one, where in compared(connection, answers(connection, [family]), engine, session):
            kind = "same" if not where else "RAISES" if only_here(where) else "DIFFERS"
            counts[kind] += 1
            if where:
                sql = (one.written or {})[engine][:200]
                print(f"{kind} {one.text}\n    {where}\n    {sql}", flush=True)
        print(f"{engine} {family:10} {_counted(counts)}", flush=True)
        whole += counts
    print(f"{engine} {'all':10} {_counted(whole)}")


def only_here(where: str) -> bool:
    """Whether the difference is that the engine raises where PostgreSQL does not."""
    return ", PostgreSQL gives " not in where and not where.endswith("PostgreSQL raises")


def _counted(counts: Counter[str]) -> str:
    kinds = ", ".join(f"{kind} {count}" for kind, count in counts.most_common())
    return f"{counts.total()} filters compared: {kinds or 'none'}"


if __name__ == "__main__":
    names = [word for word in sys.argv[1:] if not word.startswith("--")]
    with connected() as here:
        if compares := [engine for engine in ENGINES if f"--{engine}" in sys.argv]:
            for engine in compares:
                _print_differences(here, names, engine)
        else:
            print(report(list(answers(here, names)), refused="--refused" in sys.argv))
