"""The filters of the corpus with tables of their own, and what is done to the rows of each."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import psycopg
from filter_corpus import COLUMNS, Answer, answers, rows_of
from three_engines import ERROR, NASTY, Duck, Postgres, Rows

__all__ = ["SHAPES", "Line", "Tally", "lengthen", "lines", "quoted"]

#: of a table: an id beside the columns and whole old rows; the same with values out of line; no
#: key and whole old rows; the filter's columns are the key
SHAPES = ("key", "wide", "none", "columns")

#: types of which equal values have one text, and numeric with its digits
_KEYS = {
    *("int2", "int4", "int8", "bool", "text", "varchar", "bytea", "date", "time", "timestamp"),
    *("timestamptz", "uuid", "inet", "cidr", "macaddr", "money", "bit", "varbit", "numeric"),
    *("float4", "float8", "bpchar", "_text", "_int4", "_int8", "int4range", "daterange"),
}
_LONG = {"text", "bytea", "json", "jsonb", "_text", "numeric"}


def quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


@dataclass
class Line:
    """One filter with its table, and the rows that it is asked for."""

    name: str
    answer: Answer
    rows: Rows
    #: places of the rows for which PostgreSQL says true, false or NULL, and raises
    verdicts: dict[int, str | None] = field(default_factory=dict)
    raising: tuple[int, ...] = ()
    #: those on which the engine alone raises
    alone: frozenset[int] = frozenset()
    #: id -> (before anybody subscribes, after it)
    plan: dict[int, tuple[int | None, tuple[tuple[str, int], ...]]] = field(default_factory=dict)
    shape: str = "key"
    #: of the shapes without an id: rows that are there before, and what is done
    first: list[int] = field(default_factory=list)
    moves: list[tuple[str, int, int]] = field(default_factory=list)

    @property
    def has_id(self) -> bool:
        return self.shape in ("key", "wide")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        if self.has_id:
            return ("id", *self.rows.names, *(("wide", "mark") if self.shape == "wide" else ()))
        return (*self.rows.names, "mark")

    @property
    def ddl(self) -> str:
        kinds = {**COLUMNS, "id": "int PRIMARY KEY", "wide": "text", "mark": "int"}
        columns = ", ".join(f'"{name}" {kinds[name]}' for name in self.names)
        if self.shape == "columns":
            columns += f", PRIMARY KEY ({quoted(self.rows.names)})"
        text = f"CREATE TABLE {self.name} ({columns});\n"
        if self.shape == "wide":
            text += "".join(
                f'ALTER TABLE {self.name} ALTER COLUMN "{name}" SET STORAGE EXTERNAL;\n'
                for name in (*self.rows.names, "wide")
                if kinds[name] in _LONG
            )
        if self.shape != "columns":
            text += f"ALTER TABLE {self.name} REPLICA IDENTITY FULL;\n"
        return text

    @property
    def publication(self) -> str:
        return (
            f"CREATE PUBLICATION p_{self.name} FOR TABLE {self.name} WHERE ({self.answer.text});\n"
        )


@dataclass
class Tally:
    filters: int = 0
    refused: int = 0
    left_out: int = 0
    rows: int = 0
    changes: int = 0
    same: int = 0
    stopped: Counter[str] = field(default_factory=Counter)
    #: what differs, filter by filter
    failed: list[str] = field(default_factory=list)
    #: PostgreSQL's planner puts the parts of a filter into another order than decoding does
    copy_raises: list[str] = field(default_factory=list)
    raised: int = 0

    def short(self) -> str:
        return (
            f"filters {self.filters} refused {self.refused} rows {self.rows}"
            f" changes {self.changes} same {self.same} different {len(self.failed)}"
            f" raised {self.raised} stopped alone {sum(self.stopped.values())}"
        )


def planned(line: Line, random_: random.Random, each: int) -> None:
    """Which rows come, move and go."""
    good = sorted(line.verdicts)
    groups = [
        [place for place in good if line.verdicts[place] == verdict]
        for verdict in ("true", "false", None)
    ]
    chosen: list[int] = []
    for group in groups:
        random_.shuffle(group)
    while len(chosen) < each and any(groups):
        for group in groups:
            if group and len(chosen) < each:
                chosen.append(group.pop())
    if not line.has_id:
        _moves(line, random_, [place for place in chosen if place not in line.alone])
        return
    identifier = 0

    def add(first: int | None, *then: tuple[str, int]) -> None:
        nonlocal identifier
        identifier += 1
        line.plan[identifier] = (first, then)

    partners = [
        [place for place in chosen if line.verdicts[place] == verdict]
        for verdict in ("true", "false", None)
    ]
    for place in chosen:
        if place in line.alone:
            add(None, ("I", place))
            continue
        add(place)
        add(None, ("I", place))
        if line.shape == "wide":
            add(place, ("M", place))
            add(None, ("I", place), ("M", place))
        if line.verdicts[place] == "true" or random_.random() < 0.3:
            add(place, ("D", place))
        for group in partners:
            for other in random_.sample(group, min(2, len(group))):
                add(place, ("U", other))
            for other in random_.sample(group, min(1, len(group))):
                if other not in line.alone:
                    add(None, ("I", other), ("U", place))


def _moves(line: Line, random_: random.Random, chosen: list[int]) -> None:
    """Rows come, go, and become each other; with a key no row stands twice."""
    keyed = line.shape == "columns"
    if keyed:
        chosen = [place for place in chosen if None not in line.rows.values[place]]
    line.first = random_.sample(chosen, (len(chosen) + 1) // 2)
    if not keyed:
        line.first += random_.choices(chosen, k=len(chosen)) if chosen else []
    held = list(line.first)
    for _ in range(5 * len(chosen)):
        free = [place for place in chosen if place not in held] if keyed else chosen
        kind = random_.choice("IUUUD")
        if kind == "I" and free:
            place = random_.choice(free)
            line.moves.append(("I", -1, place))
            held.append(place)
        elif kind == "U" and held:
            old = random_.choice(held)
            new = random_.choice(free) if free and random_.random() < 0.8 else old
            line.moves.append(("U", old, new))
            held[held.index(old)] = new
        elif kind == "D" and held:
            old = random_.choice(held)
            line.moves.append(("D", old, -1))
            held.remove(old)


def lines(
    connection: psycopg.Connection[Any],
    chosen: Sequence[str],
    each: int,
    tally: Tally,
    shape: str,
    share: float,
) -> Iterator[Line]:
    """The filters that DuckDB has, with their verdicts."""
    chance = random.Random(len(chosen[0]))
    server, duck = Postgres(connection), Duck()
    number = 0
    for one in answers(connection, chosen):
        if not one.accepted:
            continue
        tally.filters += 1
        if "duckdb" not in (one.written or {}):
            tally.refused += 1
            continue
        if chance.random() >= share:
            continue
        number += 1
        assert one.resolved is not None
        rows = rows_of(one.resolved)
        if shape == "none" and "json" in rows.types:
            tally.left_out += 1
            continue
        kinds = {kind.partition("(")[0] for kind in rows.types}
        if shape == "columns" and (not rows.names or not kinds <= _KEYS):
            tally.left_out += 1
            continue
        expected = server.ask(rows, one.text)
        line = Line(f"f{number:04}", one, rows, shape=shape)
        line.verdicts = {
            place: verdict for place, verdict in enumerate(expected) if verdict != ERROR
        }
        line.raising = tuple(place for place, verdict in enumerate(expected) if verdict == ERROR)
        line.alone = alone(duck, line)
        planned(line, random.Random(one.text), each)
        yield line


def alone(duck: Duck, line: Line) -> frozenset[int]:
    """The rows on which DuckDB raises and PostgreSQL does not: no copy takes them."""
    written = (line.answer.written or {})["duckdb"]

    def raising(places: list[int]) -> list[int]:
        if not places:
            return []
        try:
            duck.ask(line.rows, written, places)
        except duckdb.Error:
            half = len(places) // 2
            return [*raising(places[:half]), *raising(places[half:])] if half else places
        return []

    return frozenset(raising(sorted(line.verdicts)))


def lengthen() -> None:
    """Values that PostgreSQL stores out of line, beside the short ones."""
    long = "abc" + "x" * 3000
    NASTY["text"] += [long, f" {long}é", "A" * 3000, "a\n" * 1500, "3" * 2500]
    NASTY["bytea"] += ["\\x" + "61" * 3000, "\\x00" + "ff" * 3000]
    NASTY["jsonb"] += [f'{{"a": "x", "b": 1, "z": "{long}"}}', f'{{"a": "{long}"}}']
    NASTY["json"] += [f' {{ "a" : "x" , "z": "{long}"}} ', f'["a", "{long}"]']
    NASTY["_text"] += [f"{{a,{long}}}", f'{{"{long} ",NULL}}']
    NASTY["numeric"] += ["1" * 5000, "-0." + "7" * 6000]
