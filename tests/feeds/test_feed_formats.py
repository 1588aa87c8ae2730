"""One history in every format that is read from files leaves the rows of the native feed.

What a format cannot tell is refused before anything runs, or where the value stands.
FILTERSQL_FEED_SEEDS says how many histories each format is tried on (2 without it).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from answers import Project
from feed_histories import Row, debezium, dms, history, native, wal2json
from rows import rows_of
from running import SPAN, World, table

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.feeds.dms import Dms
from filtersql.feeds.lines import find_files

TABLE = """tables:
  - name: t
    columns: {id: int not null, v: text, n: "numeric(10,2)"}
    primary_key: [id]
    replica_identity: full
"""
PUBLICATION = 'publications: [{{name: p, tables: [{{name: t, where: "{}"}}]{}}}]\n'


def project(
    folder: Path, feed: str, text: str, *, where: str = "v = 'eu'", more: str = ""
) -> Project:
    """A subscription of t with that feed."""
    made = Project(folder)
    made.write("tables/t.yml", TABLE)
    made.write("publications/p.yml", PUBLICATION.format(where, more))
    made.write(
        "subscriptions/s.yml", f"subscriptions: [{{name: s, publications: [p], changes: {feed}}}]\n"
    )
    made.write("feed/public/t/1.csv", text)
    return made


FORMATS = {
    "wal2json": ('{format: wal2json, path: "feed/**/*.csv"}', wal2json),
    "debezium": (
        '{format: debezium, path: "feed/**/*.csv", decimal_handling_mode: string}',
        debezium,
    ),
    "dms": (
        '{format: dms, path: "feed/**/*.csv", sequence: at, before_image: true,'
        ' csv_null_value: "\\\\N", assume: [no_truncate]}',
        lambda changes: dms(changes, old_rows=True),
    ),
    "dms without old rows": (
        '{format: dms, path: "feed/**/*.csv", sequence: at, csv_null_value: "\\\\N",'
        " assume: [fixed_keys, no_truncate]}",
        lambda changes: dms(changes, old_rows=False),
    ),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seed", range(int(os.environ.get("FILTERSQL_FEED_SEEDS", "2"))))
def test_every_format_leaves_the_rows_of_the_native_feed(
    form: str, seed: int, tmp_path: Path
) -> None:
    """Random histories, with keys that change and TRUNCATE where the format tells them."""
    feed, write = FORMATS[form]
    is_dms = form.startswith("dms")
    changes = history(seed, fixed_keys=form == "dms without old rows", truncates=not is_dms)
    found = []
    for name, said, text in (
        ("native", '{path: "feed/**/*.csv"}', native(changes)),
        ("foreign", feed, write(changes)),
    ):
        project(tmp_path / name, said, text).succeed("run")
        found.append(rows_of(tmp_path / name, "dev"))
    assert found[0] == found[1]
    assert any(change.after and change.after["v"] == "eu" for change in changes)


def said(folder: Path, feed: str, text: str, command: str = "run", **more: str) -> str:
    """What is said of a project that is refused."""
    ended = project(folder, feed, text, **more).shell.filtersql(command)
    assert ended.exit_code == 1, ended.both
    return ended.both


@pytest.mark.parametrize(
    ("feed", "more", "message"),
    [
        ("dms", "", "A TRUNCATE leaves no trace in it."),
        ("dms", "", "An UPDATE that changes the key does not tell the old one."),
        (
            "dms, assume: [fixed_keys, no_truncate]",
            ", publish: [insert, update]",
            'Its row filters read column "v" of old rows',
        ),
    ],
)
def test_compile_refuses_what_a_format_cannot_tell(
    feed: str, more: str, message: str, tmp_path: Path
) -> None:
    """For the table and its filters, before a change is read."""
    written = f'{{format: {feed}, path: "feed/**/*.csv"}}'
    assert message in said(tmp_path, written, "", "compile", more=more)


@pytest.mark.parametrize(
    ("form", "kind", "told"),
    [
        ("debezium", "money", False),
        ("debezium", "timetz", False),
        ("debezium", "interval[]", False),
        ("debezium", "int4range", True),
        ("dms", "numeric", False),
        ("dms", "numeric(5,2)", True),
        ("wal2json", "money", True),
    ],
)
def test_a_type_whose_values_are_not_told_is_refused(
    form: str, kind: str, told: bool, tmp_path: Path
) -> None:
    """By compile; a column list that leaves the column out is the way around."""
    feed = f'{{format: {form}, path: "feed/**/*.csv"}}'
    more = ", publish: [insert]"
    made = project(tmp_path, feed, "", where="id > 0", more=more)
    made.write("tables/t.yml", TABLE.replace('"numeric(10,2)"', f'"{kind}"'))
    ended = made.shell.filtersql("compile")
    said = f'column "n" of table "public.t": {form} does not write values of type'
    assert (ended.exit_code, said in ended.both) == ((0, False) if told else (1, True))
    made.write("publications/p.yml", PUBLICATION.format("id > 0", more + "").replace(
        "{name: t,", "{name: t, columns: [id, v],"))  # fmt: skip
    assert made.shell.filtersql("compile").exit_code == 0


def event(after: Row, op: str = "c", **more: Any) -> str:
    """A value of Debezium's."""
    source = {"schema": "public", "table": "t", "lsn": 100, "txId": 1, "sequence": '["90","100"]'}
    return json.dumps({"op": op, "source": source, "before": None, "after": after, **more}) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (event({"id": 1, "v": "x", "n": None}), "Debezium writes the same for NULL, NaN"),
        (event({"id": 1, "v": "x", "n": "%%"}), 'Column "n": Only base64 data is allowed'),
        (event({"id": 1, "v": 7, "n": "AJY="}), 'Column "v": it is not a text'),
        (event({"id": 1, "v": "x"}), '"after" of insert on table "public.t" lacks "n"'),
        ('{"op": "z", "source": {}}\n', 'Op "z" is unknown'),
        ('{"op": "c", "source": {"table": "t", "lsn": 1}}\n', "Source.sequence is missing"),
        ('{"op": "c"', "last line of the file is torn"),
        ("[1]\n", "line is not a change that Debezium writes"),
        (event({}).replace("{}", '"x"'), "Expected `object | null`, got `str`"),
        (
            f'{{"schema": {{"fields": ["x"]}}, "payload": {event({"id": 1})[:-1]}}}\n',
            "Expected `object`, got `str` - at `$.fields[0]`",
        ),
        (
            event({"id": 1, "v": "x", "n": "AJY="}, "u"),
            'update on table "public.t" has no "before"',
        ),
    ],
)
def test_a_line_that_cannot_be_told_is_refused(text: str, message: str, tmp_path: Path) -> None:
    """With its place, and nothing is written."""
    printed = said(tmp_path, '{format: debezium, path: "feed/**/*.csv"}', text)
    assert message in printed
    assert "feed/public/t/1.csv:1:1" in printed
    assert not (tmp_path / "cases.duckdb").exists() or rows_are_absent(tmp_path)


@pytest.mark.parametrize("form", ["filtersql", "wal2json", "debezium"])
def test_a_file_may_end_within_a_character(form: str, tmp_path: Path) -> None:
    """That is a torn line, too."""
    made = project(tmp_path, f'{{format: {form}, path: "feed/**/*.csv"}}', "")
    (tmp_path / "feed/public/t/1.csv").write_bytes('{"op": "ü'.encode()[:-1])
    ended = made.shell.filtersql("run")
    assert ended.exit_code == 1, ended.both
    assert "last line of the file is torn" in ended.both, ended.both


def rows_are_absent(folder: Path) -> bool:
    """Whether no target was made."""
    import duckdb

    with duckdb.connect(str(folder / "cases.duckdb"), read_only=True) as connection:
        found = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 't'")
        return found.fetchone() == (0,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"action":"I","schema":"public","table":"t"}\n', "It stands outside of a transaction"),
        ('{"action":"B"}\n', "The transaction has no log position"),
        ('{"action":"B","lsn":"0/10"}\n{"action":"B","lsn":"0/99"}\n', "0/10, has no end"),
        (
            '{"action":"B","lsn":"0/10"}\n{"action":"B","lsn":"0/5"}\n{"action":"C","lsn":"0/5"}\n'
            '{"action":"B","lsn":"0/99"}\n',
            "0/10, has no end",
        ),
        (
            '{"action":"B","lsn":"0/10"}\n{"action":"C","lsn":"0/99"}\n',
            "It ends another transaction than 0/10.",
        ),
        (
            '{"action":"B","lsn":"0/10"}\n{"action":"I","schema":"public","table":"t","columns":'
            '[{"name":"id","value":1},{"name":"v","value":"x"},{"name":"v","value":"y"}]}\n'
            '{"action":"C","lsn":"0/10"}\n',
            "A column stands twice.",
        ),
        ('{"change":[]}\n', "line is not a change that wal2json writes"),
        ('{"action":"C","lsn":"x"}\n', "It stands outside of a transaction"),
        (
            '{"action":"B","lsn":"0/10"}\n{"action":"I","schema":"public","table":"t","columns":'
            '[{"name":"id","value":"\\ud800"}]}\n{"action":"C","lsn":"0/10"}\n',
            "line is not a change that wal2json writes",
        ),
        (
            '{"action":"B","lsn":"0/10"}\n{"action":"I","schema":"public","table":"t","columns":'
            '[{"name":"id","value":1},{"name":"v","value":"x"},{"name":"n","value":null}]}\n'
            '{"action":"C","lsn":"0/10"}\n',
            "wal2json writes the same for NULL, NaN and infinity",
        ),
    ],
)
def test_a_stream_of_wal2json_that_cannot_be_told_is_refused(
    text: str, message: str, tmp_path: Path
) -> None:
    """Recorded in another way, or cut."""
    assert message in said(tmp_path, '{format: wal2json, path: "feed/**/*.csv"}', text)


def test_a_connection_that_was_lost_sends_all_again(tmp_path: Path) -> None:
    """PostgreSQL 15, asked: pg_recvlogical connects again, inside of a transaction, and appends."""

    def transaction(at: int, *keys: int) -> list[str]:
        row = (
            '{{"action":"I","schema":"public","table":"t","columns":[{{"name":"id","value":{}}}]}}'
        )
        ends = [f'{{"action":"{action}","lsn":"0/{at}"}}' for action in "BC"]
        return [ends[0], *map(row.format, keys), ends[1]]

    first, second = transaction(10, 1), transaction(20, 2, 3)
    made = project(tmp_path, '{format: wal2json, path: "feed/**/*.csv"}', "", where="id > 0")
    made.write(
        "tables/t.yml", "tables: [{name: t, columns: {id: int not null}, primary_key: [id]}]"
    )
    for sent in ([*first, *second[:2]], [*first, *second[:3]], [*first, *second]):
        with (made.folder / "feed/public/t/1.csv").open("a") as feed:
            feed.write("".join(f"{line}\n" for line in sent))
        made.succeed("run")
    assert rows_of(made.folder, "dev")["s", "public.t"].total() == 3
    assert "no difference" in made.succeed("audit").both


LONG = """tables:
  - name: t
    columns: {id: int not null, u: "uuid[]", i: "int[]", n: "numeric(5,2)[]", w: "text[]"}
    primary_key: [id]
"""
_HIDDEN = "__debezium_unavailable_value"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"n": None}, "NULL and an array that is stored out of line and did not change"),
        ({"w": ["[Ljava.lang.String;@384331e5"]}, "one of several dimensions"),
        ({"w": [None, None]}, "one of several dimensions"),
        ({}, ""),
    ],
)
def test_arrays_that_debezium_did_not_send(more: Row, message: str, tmp_path: Path) -> None:
    """Its placeholders, as Debezium 3.3 wrote them; it has none for some types."""
    made = project(
        tmp_path,
        '{format: debezium, path: "feed/**/*.csv", decimal_handling_mode: string}',
        "",
        where="id > 0",
    )
    made.write("tables/t.yml", LONG)
    first = {"id": 1, "u": ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"], "i": [1], "n": ["1.50"]}
    first |= {"w": ["x"]}
    second = {
        "id": 1,
        "u": ["b68a35a7-17ad-35b3-af2a-ae46edb4545a"],
        "i": list(_HIDDEN.encode()),
        "n": ["2.50"],
        "w": [_HIDDEN],
    } | more
    source = {"schema": "public", "table": "t", "lsn": 100, "txId": 1, "sequence": '["90","100"]'}
    later = source | {"lsn": 140}
    text = event(first) + event(second, "u", source=later)
    made.write("feed/public/t/1.csv", text)
    ended = made.shell.filtersql("run")
    assert message in ended.both
    if not message:
        (held,) = rows_of(tmp_path, "dev").values()
        (row,) = map(dict, held)
        assert (row["u"], row["i"], row["n"], row["w"]) == (
            "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
            "{1}",
            "{2.50}",
            "{x}",
        )


def test_a_table_without_identity_is_refused_for_wal2json(tmp_path: Path) -> None:
    """Its updates and deletes leave no trace, so that no run could stop at them."""
    made = project(tmp_path, '{format: wal2json, path: "feed/**/*.csv"}', "", where="id > 0")
    made.write("tables/t.yml", TABLE.replace("replica_identity: full", "replica_identity: nothing"))
    settings = tmp_path / "filtersql_project.yml"
    settings.write_text(settings.read_text() + "identity_check: run\n")
    printed = made.shell.filtersql("compile").both
    assert 'wal2json writes no update and no delete of table "public.t"' in printed


def test_dms_files_of_a_full_load_come_first(tmp_path: Path) -> None:
    """LOAD files have no Op; Parquet holds the same; a later load is refused."""
    import pyarrow
    from pyarrow import parquet

    feed = (
        '{format: dms, path: "feed/*/*/*", sequence: AR_H_CHANGE_SEQ, before_image: true,'
        " assume: [no_truncate]}"
    )
    made = project(tmp_path, feed, "Op,id,v,n,AR_H_CHANGE_SEQ\n")
    made.write("feed/public/t/LOAD00000001.csv", "id,v,n\n1,eu,1.50\n2,us,2.50\n")
    when = "2026010203040506"
    rows = [
        {"Op": "U", "id": 2, "v": "eu", "n": 2, "BI_id": 2, "BI_v": "us", "BI_n": 2.5},
        {"Op": "I", "id": 3, "v": "eu", "n": None, "BI_id": None, "BI_v": None, "BI_n": None},
    ]
    numbered = [row | {"AR_H_CHANGE_SEQ": f"{when}{number:019}"} for number, row in enumerate(rows)]
    path = tmp_path / "feed/public/t/20260102-030405678.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(numbered), path)
    made.succeed("run")
    (held,) = rows_of(tmp_path, "dev").values()
    assert sorted(dict(row)["id"] + dict(row)["n"] for row in held) == ["11.50", "22.00", "3NULL"]
    made.write("feed/public/t/LOAD00000002.csv", "id,v,n\n9,eu,1.50\n")
    assert "LOAD00000002.csv is a full load" in made.shell.filtersql("run").both


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("2.csv", "I,2,eu,1.50,7\n", "names no columns"),
        ("LOAD1.csv", "2,eu,1.50\n", "names no columns"),
        ("2.csv", "Op,id,v,n,id,at\nI,2,eu,1.50,3,2\n", 'column "id" stands twice'),
    ],
)
def test_dms_files_without_names(tmp_path: Path, name: str, text: str, said: str) -> None:
    """A file of one row has nothing below it: it is no header; nor is one with a name twice."""
    feed = (
        '{format: dms, path: "feed/*/*/*.csv", sequence: at, before_image: true,'
        " assume: [no_truncate]}"
    )
    made = project(tmp_path, feed, "Op,id,v,n,at\nI,1,eu,1.50,1\n")
    made.write(f"feed/public/t/{name}", text)
    printed = made.shell.filtersql("run").both
    assert f'could not read "feed/public/t/{name}"' in printed
    assert said in printed
    assert "AddColumnName" in printed


@pytest.mark.parametrize(("text", "is_header"), [("id,v\n", True), ("1,eu\n", False)])
def test_an_empty_load_of_a_table_without_a_key_may_lack_columns(
    tmp_path: Path, text: str, is_header: bool
) -> None:
    """As one with rows may, where nobody publishes the others."""
    world = World(tmp_path).add(table("t", key=(), id="int4", v="text", n="int4"))
    world.write("feed/public/t/LOAD1.csv", text.encode())
    feed = Feed(SPAN, "dms", "feed/public/t/*", options={"sequence": "at"})
    files = find_files(str(feed.path), tmp_path, None)
    dms = Dms(files, feed, world.inputs().catalog, {})
    if is_header:
        assert [*dms.index().records([])] == []
    else:
        with pytest.raises(Mistakes, match="could not read"):
            dms.index()
