"""Since when, for each zone, all time zone databases that may be in use say the same.

    python tests/recorders/time_zones.py TZ "host=127.0.0.1 user=postgres" [java …] [--folder DIR …]

TZ is a clone of the tz database's repository with its tags. Each release is built as it is given
out, with `backzone` for the places that have a name of their own since 1970 (Debian), and with all
of `backzone`: zones that are one since 1970 have histories of their own there. Beside them stand
folders of compiled zones (the system's; `zic -b fat`), each Java that is named, the
PostgreSQL that is asked, and DuckDB.

Writes `filtersql/filters/catalog_facts/time_zones.json`: for each zone that all of them know
nothing where they agree on every moment, the first and the last day of the window within which
they may differ, or null where that window has no end. The days are one wider on both sides, so
that they bound local times, too.
"""

from __future__ import annotations

import datetime
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import duckdb
import psycopg

import filtersql

FILE = Path(filtersql.__file__).parent / "filters" / "catalog_facts" / "time_zones.json"
#: the oldest release whose history before 1970 counts, and after it
FIRST, FIRST_OF_NOW = "2018d", "2021e"
BUILDS = {"plain": ("", ""), "packed": ("backzone", "zone.tab"), "all": ("backzone", "")}
DAY = 86_400
#: 1970-01-02, since when zones are one where their clocks are
NOW = DAY
#: files have each change until here; later ones follow the rule at the end
LAST = int(datetime.datetime(2037, 1, 1, tzinfo=datetime.UTC).timestamp())
EVER = -(10**18)
#: moments in the years in which most corrections are, each a month from the next one
GRID = range(-130 * 365 * DAY, 130 * 365 * DAY, 30 * DAY)


class Clock(NamedTuple):
    """What a database says of a zone: the first offset, the changes, the rule of the future."""

    first: int
    changes: tuple[tuple[int, int], ...]
    rule: str | None = None

    def at(self, moment: int) -> int:
        """The offset at a moment."""
        place = bisect_right(self.changes, (moment, 10**9))
        return self.changes[place - 1][1] if place else self.first


Database = dict[str, Clock]
Window = tuple[int, int] | None
#: more than this is no change of a clock, but of the side of the date line
MOST_STEP = 3 * 3600
#: names of the rule at a file's end
_NAMES = re.compile(r"<[^>]*>|[A-Za-z]{3,}")


def of_steps(first: int, steps: Iterable[tuple[int, int]], rule: str | None = None) -> Clock:
    """A clock without steps that change nothing."""
    changes: list[tuple[int, int]] = []
    for moment, east in steps:
        if moment < LAST and east != (changes[-1][1] if changes else first):
            changes.append((moment, east))
    return Clock(first, tuple(changes), rule)


@cache
def of_file(data: bytes) -> Clock:
    """A compiled zone (RFC 9636); its second block has 64 bits."""
    head = ">4sc15x6l"
    _, _, universal, standard, leaps, times, types, letters = struct.unpack_from(head, data, 0)
    start = 44 + times * 5 + types * 6 + letters + leaps * 8 + standard + universal
    _, _, universal, standard, leaps, times, types, letters = struct.unpack_from(head, data, start)
    start += 44
    moments = struct.unpack_from(f">{times}q", data, start)
    kinds = data[start + times * 8 : start + times * 9]
    start += times * 9
    offsets = [struct.unpack_from(">lbb", data, start + place * 6)[0] for place in range(types)]
    end = start + types * 6 + letters + leaps * 12 + standard + universal
    steps = zip(moments, (offsets[kind] for kind in kinds), strict=True)
    return of_steps(offsets[0], steps, data[end:].decode().strip())


def of_folder(folder: Path) -> Database:
    """All compiled zones of a folder."""
    found = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_file() and not name.startswith(("posix/", "right/")):
            data = path.read_bytes()
            if data.startswith(b"TZif"):
                found[name] = of_file(data)
    if found["Europe/London"].changes[-1][0] < LAST - 400 * DAY:
        raise ValueError(f"{folder} holds rules in the place of changes: use zic -b fat")
    return found


def of_java(java: str) -> Database:
    """The zones of a Java."""
    program = Path(__file__).with_name("TimeZones.java")
    lines = subprocess.run([java, str(program)], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in lines.splitlines():
        name, first, *steps = line.split()
        pairs = [step.split(":") for step in steps]
        found[name] = of_steps(int(first), [(int(moment), int(east)) for moment, east in pairs])
    return found


def releases(clone: Path, work: Path) -> Iterator[tuple[str, Database]]:
    """Each release in each build."""
    tags = subprocess.run(
        ["git", "-C", str(clone), "tag"], check=True, capture_output=True, text=True
    ).stdout.split()
    for tag in sorted(tag for tag in tags if len(tag) == 5 and tag >= FIRST):
        source = work / "source"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        archive = ["git", "-C", str(clone), "archive", f"refs/tags/{tag}"]
        packed = subprocess.run(archive, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", str(source)], check=True, input=packed)
        for data, listed in BUILDS.values():
            compiled = work / "compiled"
            shutil.rmtree(compiled, ignore_errors=True)
            (source / "main.zi").unlink(missing_ok=True)
            given = [f"PACKRATDATA={data}", f"PACKRATLIST={listed}"]
            for command in (
                ["make", "-s", "DATAFORM=main", *given, "main.zi"],
                ["zic", "-b", "fat", "-d", str(compiled), "main.zi"],
            ):
                subprocess.run(command, check=True, cwd=source, capture_output=True)
            yield tag, of_folder(compiled)


def differing(clocks: Iterable[Clock], start: int, end: int) -> list[tuple[int, int]]:
    """The stretches of time within which some of the clocks are not alike."""
    different = set(clocks)
    bounds = {moment for clock in different for moment, _ in clock.changes if start < moment < end}
    points = [start, *sorted(bounds), end]
    return [
        (one, other)
        for one, other in pairwise(points)
        if len({clock.at(one) for clock in different}) > 1
    ]


def windows(sources: Sequence[tuple[str, Database]], names: Iterable[str]) -> dict[str, Window]:
    """Where the databases differ in each zone: from the first such moment to the last one."""
    found = {}
    for name in names:
        clocks = [(age, clocks[name]) for age, clocks in sources if name in clocks]
        recent = [clock for age, clock in clocks if age >= FIRST_OF_NOW]
        stretches = differing([clock for _, clock in clocks], EVER, NOW)
        stretches += differing(recent, NOW, LAST)
        stretches += [span for clock in set(recent) for span in _steps_beside_steps(clock)]
        rules = {_NAMES.sub("", clock.rule) for clock in recent if clock.rule is not None}
        if len(rules) > 1:
            stretches.append((LAST, LAST))
        found[name] = _window(stretches)
    return found


def _steps_beside_steps(clock: Clock) -> Iterator[tuple[int, int]]:
    """Steps that a rule for one step in a few hours does not read: where days are skipped."""
    before = clock.first
    for place, (moment, east) in enumerate(clock.changes):
        wide = abs(east - before) > MOST_STEP
        if wide or (place and moment - clock.changes[place - 1][0] < 2 * DAY):
            yield moment - DAY, moment + DAY
        before = east


def _window(stretches: Sequence[tuple[int, int]]) -> Window:
    if not stretches:
        return None
    return min(start for start, _ in stretches), max(end for _, end in stretches)


def asked(server: str, query: str, pairs: Sequence[tuple[str, int]]) -> list[int]:
    """What a server says of pairs of a zone and a moment."""
    given = [[name for name, _ in pairs], [moment for _, moment in pairs]]
    if server == "duckdb":
        with duckdb.connect() as duck:
            duck.execute("SET TimeZone = 'UTC'")
            text = f"SELECT {query} FROM (SELECT unnest($1) AS z, unnest($2) AS m)"
            text = text.replace("SECONDS", "epoch").replace("LOCAL", "make_timestamp(m * 1000000)")
            return [round(row[0]) for row in duck.execute(text, given).fetchall()]
    with psycopg.connect(server, options="-c TimeZone=UTC") as connection:
        given_pairs = "unnest(%s::text[], %s::bigint[]) WITH ORDINALITY AS p (z, m, n)"
        text = f"SELECT {query} FROM {given_pairs}".replace("SECONDS(", "extract(epoch FROM ")
        text = text.replace("LOCAL", "(timestamp 'epoch' + m * interval '1 second')")
        rows = connection.execute(f"{text} ORDER BY n", given).fetchall()  # type: ignore[arg-type]
        return [round(row[0]) for row in rows]


MOMENTS = "SECONDS(timezone(z, to_timestamp(m))) - m"
LOCALS = "m - SECONDS(timezone(z, LOCAL))"


def telling(clocks: Database) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Moments, and local times, that tell clocks from each other: around each of their changes."""
    moments, locals = [], []
    for name, clock in clocks.items():
        moments += [(name, moment) for moment in GRID]
        before = clock.first
        for moment, east in clock.changes:
            moments += [(name, moment - 1), (name, moment)]
            edges = moment + min(before, east), moment + max(before, east)
            near = {*edges, sum(edges) // 2, edges[0] - 1, edges[1] - 1, edges[1] + 1}
            locals += [(name, time) for time in sorted(near)]
            before = east
    return moments, locals


def disagreeing(conninfo: str, clocks: Database) -> dict[str, list[int]]:
    """Moments, and local times, on which PostgreSQL, DuckDB and a release do not say the same."""
    found: dict[str, list[int]] = {}
    for query, pairs in zip((MOMENTS, LOCALS), telling(clocks), strict=True):
        theirs, ours = (asked(server, query, pairs) for server in (conninfo, "duckdb"))
        for (name, moment), one, other in zip(pairs, theirs, ours, strict=True):
            known = query == LOCALS or moment >= LAST or clocks[name].at(moment) == one
            if one != other or not known:
                found.setdefault(name, []).append(moment)
    return found


def record(clone: Path, conninfo: str, javas: Sequence[str], folders: Sequence[Path]) -> None:
    """Asks all and writes the file."""
    with tempfile.TemporaryDirectory() as work:
        sources = list(releases(clone, Path(work)))
    newest = sources[-len(BUILDS)][1]
    others = [*map(of_java, javas), *map(of_folder, folders)]
    sources += [("9999", database) for database in others]
    with psycopg.connect(conninfo) as connection:
        known = connection.execute("SELECT name FROM pg_timezone_names").fetchall()
    with duckdb.connect() as duck:
        ours = duck.execute("SELECT name FROM pg_timezone_names()").fetchall()
    all_known = [newest, {row[0] for row in ours}, *others]
    names = sorted(name for (name,) in known if all(name in held for held in all_known))
    found = windows(sources, names)
    for name, moments in disagreeing(conninfo, {name: newest[name] for name in names}).items():
        window = found[name]
        found[name] = _window([(min(moments), max(moments)), *([window] if window else [])])
    zones = {name: _days(window) for name, window in found.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(days)}" for name, days in zones.items())
    FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    alike, endless = (sum(days == kind for days in zones.values()) for kind in ([], None))
    print(f"{len(zones)} zones, {alike} alike on every moment, {endless} without an end")


def _days(window: Window) -> list[str] | None:
    if window is None:
        return []
    if window[1] >= LAST - 370 * DAY:
        return None
    start, end = (moment // DAY for moment in window)
    epoch = datetime.date(1970, 1, 1)
    first = "" if window[0] <= EVER else str(epoch + datetime.timedelta(start - 1))
    return [first, str(epoch + datetime.timedelta(end + 2))]


if __name__ == "__main__":
    _clone, _conninfo, *_rest = sys.argv[1:]
    _folders = [Path(word) for word in _rest if Path(word).is_dir()]
    record(
        Path(_clone), _conninfo, [word for word in _rest if Path(word) not in _folders], _folders
    )
