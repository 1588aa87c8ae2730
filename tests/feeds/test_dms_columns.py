"""What is read of DMS's rows in columns is what is read row by row: rows, counts and words."""

from __future__ import annotations

import csv
import io
import os
import shutil
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pyarrow import csv as arrow_csv
from pyarrow import parquet
from read_twice import Reads
from running import SPAN, World, table

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.definitions.model import Feed

_MORE = 25 if os.environ.get("FILTERSQL_LONG_TESTS") else 1
_SETTINGS = settings(
    max_examples=40 * _MORE,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
_COLUMNS = {
    "a": "int8!", "n": "int4", "t": "text", "b": "bool", "f": "float8", "p": "numeric(10,2)",
    "d": "date", "m": "timestamp", "z": "timestamptz", "y": "bytea", "j": "jsonb", "k": "text!",
}  # fmt: skip
_VALUES = {
    "a": ["0", "1", "2", "3", "3 ", "x"],
    "n": ["-5", "0", "007", "2147483648", ""],
    "t": ["x", "", 'a "b",\né', "NULL", "\\N"],
    "b": ["true", "false", "t", "f", "1", "yes", "maybe"],
    "f": ["0.5", "1", "-0", "1e300", "NaN", "1e-400"],
    "p": ["1.50", "2.25", "NaN", "7"],
    "d": ["2026-01-02", "0044-03-15 BC", "infinity"],
    "m": ["2026-01-02 03:04:05.123456", "2026-01-02T03:04:05", "infinity"],
    "z": ["2026-01-02 03:04:05", "2026-01-02 03:04:05+02", "2026-01-02T03:04:05Z"],
    "y": ["00ff", "0x00ff", "\\x00ff", "xyz"],
    "j": ['{"n": 1}', "[1,2]", "{"],
    "k": ["k1", "k2"],
}  # fmt: skip
#: of each column the first values are usual
_USUAL = {name: values[:1] if name in "mzy" else values[:2] for name, values in _VALUES.items()}


def _image(values: dict[str, list[str]], null: str) -> st.SearchStrategy[dict[str, str]]:
    return st.fixed_dictionaries(
        {
            name: st.sampled_from(some if name in "ak" else [*some, null])
            for name, some in values.items()
        }
    )


@st.composite
def _files(draw: st.DrawFn, null: str, *, odd: bool) -> dict[str, list[list[str]]]:
    """The lines of some files, of which one may be of the full load; `odd`: a few are wrong."""
    rare = {name: some * 15 + _VALUES[name] for name, some in _USUAL.items()}
    images = _image(rare if odd else _USUAL, null)

    def row() -> list[str]:
        drawn = draw(images)
        return [drawn[name] for name in _COLUMNS]

    def among(usual: str, unusual: str) -> str:
        return draw(st.sampled_from([usual] * 20 + [unusual])) if odd else usual

    files: dict[str, list[list[str]]] = {}
    at = 0
    for number in range(draw(st.integers(1, 3))):
        name, old = draw(st.sampled_from("tttu")), draw(st.integers(0, 9)) > 0
        header = ["Op", *_COLUMNS, *(f"BI_{one}" for one in _COLUMNS if old), "at"]
        place = draw(st.integers(0, len(header) - 1))
        header[place] = among(header[place], draw(st.sampled_from(["another", "k"])))
        rows = []
        for _ in range(draw(st.integers(1, 7))):
            at += draw(st.integers(0, 2))
            moment = among(f"2026-01-02 03:04:05.{at:02}", "soon")
            op = among(draw(st.sampled_from("IUUUDD")), "X")
            rows.append([op, *row(), *(row() if old else ()), moment])
        if draw(st.integers(0, 9)) == 0:  # a column that is not told
            for line in (header, *rows):
                del line[place]
        load = draw(st.integers(0, 3)) == 0
        file = f"LOAD0000000{number + 1}" if load else f"20260102-{number:09}"
        files[f"public/{name}/{file}.csv"] = [header, *rows]
    return files


def _reads(world: World, *, complete: bool, identity: Identity, **options: str) -> Reads:
    """A feed of two tables."""
    feed = Feed(
        SPAN, "dms", "changes/*/*/*", options={"sequence": "at", **options},
        before_complete=complete, assume=frozenset({"no_truncate", "fixed_keys"}),
    )  # fmt: skip
    for name in "tu":
        one = replace(table(name, **_COLUMNS), replica_identity=ReplicaIdentity(identity))
        world.publish(one, where="{p}a > 0" if identity is Identity.FULL else None)
    world.subscribe(changes=feed)
    return Reads(world.root, feed, world.inputs().catalog, world.compiled())


_WAYS: dict[str, dict[str, Any]] = {
    "old rows": {"before_image": "true", "csv_null_value": "\\N", "identity": Identity.FULL},
    "keys": {"csv_null_value": "\\N", "identity": Identity.DEFAULT},
    "no word for NULL": {"before_image": "true", "identity": Identity.FULL},
}


@pytest.fixture(scope="module", params=[*_WAYS])
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reads:
    world = World(tmp_path_factory.mktemp("drawn"))
    return _reads(world, complete="before_image" in _WAYS[request.param], **_WAYS[request.param])


@_SETTINGS
@given(st.data(), st.sampled_from([80, 400, 2**20]), st.booleans())
def test_drawn_rows(drawn: Reads, data: st.DataObject, size: int, as_parquet: bool) -> None:
    """Values of each type, NULLs, wrong ones, headers that lack a column or have one twice."""
    null = drawn.feed.options.get("csv_null_value", "NULL")
    files = data.draw(_files(null, odd=data.draw(st.booleans())))
    shutil.rmtree(drawn.root / "changes", ignore_errors=True)
    for number, (name, lines) in enumerate(files.items()):
        text = io.StringIO()
        csv.writer(text).writerows(lines)
        file = drawn.root / "changes" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if as_parquet and number == 0 and len({*lines[0]}) == len(lines[0]):
            options = arrow_csv.ConvertOptions(null_values=[null], strings_can_be_null=True)
            read = arrow_csv.read_csv(
                io.BytesIO(text.getvalue().encode()),
                parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
                convert_options=options,
            )
            parquet.write_table(read, file.with_suffix(".parquet"))
        else:
            file.write_text(text.getvalue(), newline="")
    told = drawn.outcome(None)
    position = None
    if isinstance(told, tuple) and told[0][1] is not None and data.draw(st.booleans()):
        position = told[0][1] - data.draw(st.sampled_from([0, 1, 2, 1 << 24, 1 << 25]))
    drawn.compare(size, position)


def test_ordinary_rows_are_read_so(drawn: Reads) -> None:
    """All of them, with NULLs, of the full load, too."""
    shutil.rmtree(drawn.root / "changes", ignore_errors=True)
    row = [values[0] for values in _VALUES.values()]
    null = drawn.feed.options.get("csv_null_value", "NULL")
    nulls = [one if name in "ak" else null for name, one in zip(_VALUES, row, strict=True)]
    if null == "NULL":
        nulls = row
    old = [*(f"BI_{one}" for one in _COLUMNS)]
    files = {
        "public/t/LOAD00000001": [[*_COLUMNS], row, nulls],
        "public/t/20260102-1": [
            ["Op", *_COLUMNS, *old, "at"],
            *([op, *row, *nulls, f"2026-01-02 03:04:0{at}"] for at, op in enumerate("IUD")),
        ],
    }
    for name, lines in files.items():
        file = drawn.root / "changes" / f"{name}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", newline="") as stream:
            csv.writer(stream).writerows(lines)
    before = drawn.changes
    drawn.compare(2**20)
    assert drawn.changes - before == 5
