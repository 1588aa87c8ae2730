"""A member that stands twice in an object of a change: refused, wherever it is read from."""

from __future__ import annotations

from json import dumps

import pytest
from msgspec.structs import replace
from running import SPAN, World, table

from filtersql.definitions.model import Feed
from filtersql.feeds.native import from_rows
from filtersql.targets.duckdb_file import connect

REPEATED = {
    '{"seq": 1, "seq": 2, "op": "commit"}': '"seq" stands twice',
    '{"seq": 1, "op": "insert", "relation": "t1", "after": {"a": 1, "\\u0061": 1, "c": "x"}}': (
        '"a" stands twice in "after"'
    ),
    '{"seq":1,"op" :"delete","relation":"t1","before":null,"before":{"a":1}}': (
        '"before" stands twice'
    ),
    '{"seq": 1, "op": "delete", "relation": "t1", "before": {"a": 1, "a" : null}}': (
        '"a" stands twice in "before"'
    ),
}


@pytest.mark.parametrize("line", REPEATED)
def test_a_member_that_stands_twice_is_refused(tmp_path, line: str) -> None:
    """Readers differ in which one they take: no line may depend on that."""
    world = World(tmp_path).publish(table("t1", a="int4!", c="text"))
    world.feed(b'{"seq": 5, "op": "commit"}\n' + line.encode() + b"\n")
    (mistake,) = world.run(connect(None)).mistakes
    assert mistake.message == "line is not a change record"
    assert REPEATED[line] in (mistake.detail or "")
    assert mistake.span is not None
    assert mistake.span.line == 2


def test_what_looks_like_a_member_in_a_value_is_none(tmp_path) -> None:
    """Texts with quotes and colons, documents with a name twice, members that are null."""
    world = World(tmp_path).publish(table("t1", a="int4!", c="text", j="json"))
    document = '{"x": {"y": 1, "y": 2}}'
    world.feed(
        b'{"seq": 1, "op": "insert", "relation": "t1", "before": null,'
        b' "after": {"a": 1, "c": " a\\": b\\" ", "j": ' + document.encode() + b"}}\n"
        b'{"seq": 2, "tx": null, "op": "insert", "relation": "t1", "after" : {"a" : 2,'
        b' "c": null, "j": "{\\"a\\": 1, \\"a\\": 2}"}}\n'
    )
    assert world.run(connect(None)).mistakes == ()


def test_an_image_in_a_table_repeats_no_member_either() -> None:
    """Its text is JSON, too."""
    mistakes: list = []
    columns = ("seq", "op", "relation", "after")
    rows = [(1, "insert", "t1", '{"a": 1, "a": 2}'), (2, "insert", "t1", '{"a": 1}')]
    assert [one.seq for _, one in from_rows("lake.feed", columns, rows, mistakes)] == [2]
    assert '"a" stands twice in "after"' in mistakes[0][1].detail


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize(("side", "op"), [("after", "c"), ("before", "d")])
def test_an_image_of_debezium_repeats_no_member_either(
    tmp_path, side: str, op: str, alone: bool
) -> None:
    """In columns as line by line."""
    world = World(tmp_path).publish(table("t1", a="int4!", c="text"))
    world.subscription = replace(
        world.subscription, changes=Feed(SPAN, format="debezium", path="changes/*.jsonl")
    )

    def line(op: str, lsn: int, before: str, after: str) -> str:
        source = {"schema": "public", "table": "t1", "lsn": lsn, "sequence": f'["9", "{lsn}"]'}
        return f'{{"before": {before}, "after": {after}, "op": "{op}", "source": {dumps(source)}}}'

    rows = (dumps({"a": key, "c": "x"}) for key in range(1 if alone else 4_000))
    lines = [line("c", 10 + number, "null", row) for number, row in enumerate(rows)]
    wrong = '{"a": 7, "c": "x", "a": 8}'
    images = ("null", wrong) if side == "after" else (wrong, "null")
    lines.append(line(op, 9_000, *images))
    world.feed("".join(f"{line}\n" for line in lines).encode())
    (mistake,) = world.run(connect(None)).mistakes
    assert f'"a" stands twice in "{side}"' in (mistake.detail or "")
    assert mistake.span is not None
    assert mistake.span.line == len(lines)


@pytest.mark.parametrize("rows", [1, 5_000])
def test_a_row_of_a_source_repeats_no_member_either(tmp_path, rows: int) -> None:
    """Whether it is read by itself or in columns; a document's members are its own."""
    world = World(tmp_path).publish(table("t1", a="int4!", j="json")).feed(b"")
    world.source(path="source/{table}.jsonl")
    lines = [f'{{"a": {number}, "j": {{"x": 1, "x": 2}}}}\n' for number in range(rows)]
    twice = '{"a": -1, "j": null, "\\u006a": "1"}\n'
    world.write("source/t1.jsonl", "".join([*lines, twice]).encode())
    (mistake,) = world.run(connect(None)).mistakes
    assert mistake.message == "line is not a row"
    assert mistake.detail == '"j" stands twice.'
    assert mistake.span is not None
    assert mistake.span.line == rows + 1
    world.write("source/t1.jsonl", "".join(lines).encode())
    assert world.run(connect(None)).mistakes == ()
