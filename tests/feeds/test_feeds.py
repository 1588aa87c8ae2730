"""A feed is judged as a whole before anything is written, and every mistake names its line."""

from __future__ import annotations

import gzip
import json

import pytest
from msgspec.structs import replace
from running import World, delete, insert, table, truncate, update

from filtersql.catalog import Column, PgType, Table
from filtersql.errors import Mistakes
from filtersql.feeds import intake
from filtersql.feeds.changes import Reading, read
from filtersql.feeds.dms_rows import batches_of
from filtersql.feeds.landings import Landing
from filtersql.feeds.lines import find_files
from filtersql.feeds.native import from_files, from_rows
from filtersql.names import RelationName
from filtersql.source import Source


@pytest.fixture
def world(tmp_path) -> World:
    world = World(tmp_path).publish(
        table("t1", a="int4!", b="int4", c="text", v="numeric(10,2)"), where="{p}a > 5"
    )
    return world.publish(table("t2", a="int4!")).add(table("other", a="int4!"))


def reading(world: World, position: int | None = None, *, closed: bool = True) -> Reading:
    folder = world.root / "staging"
    folder.mkdir(exist_ok=True)
    files = find_files("changes/*.jsonl*", world.root, None)
    landings = [Landing(compiled, position) for compiled in world.compiled()]
    return read(
        lambda mistakes: from_files(files, mistakes),
        world.share(landings, folder),
        closed=closed,
    )


def refusals(world: World, position: int | None = None) -> list[str]:
    """Place and message of each mistake."""
    with pytest.raises(Mistakes) as found:
        reading(world, position)
    return [f"{mistake.span}: {mistake.message}" for mistake in found.value.mistakes]


def rows(world: World, index: int = 0) -> list[tuple]:
    import duckdb

    return duckdb.sql(f"FROM '{world.root}/staging/changes-{index}.parquet'").fetchall()


def row(**more) -> dict:
    return {"a": 1, "b": None, "c": "x", "v": 1, **more}


def test_numbers_never_pass_through_a_float(world) -> None:
    """A number keeps the digits that stand in the line."""
    world.feed(
        b'{"seq": 1, "relation": "public.t1", "op": "insert", '
        b'"after": {"a": 7, "b": null, "c": 1.10, "v": 12345678.90}}\n'
    )
    assert reading(world).cut == 1
    assert [str(value) for value in rows(world)[0][3:]] == [
        "None", "7", "None", "None", "None", "1.10", "None", "12345678.90", "[]",
    ]  # fmt: skip


def test_every_mistake_of_a_feed_is_reported_with_its_line(world) -> None:
    """None hides another."""
    world.feed(
        [
            {**insert("t1", **row()), "op": "insrt"},
            {**insert("tt1", **row())},
            insert("t1", **row(d=1)),
            insert("t1", **row(a="x")),
            insert("t1", **row(a=None)),
            insert("t1", a=1, b=2, c="x"),
            {"op": "insert", "relation": "public.t1"},
            {"op": "delete", "relation": "public.t1"},
            delete("t1", b=1),
            {**update("t1", **row()), "unchanged": ["c"]},
            {**update("t1", b=1, c="x", v=1), "unchanged": ["a"]},
            {**insert("t1", **row()), "relation": "a.b.c"},
            {**insert("t1", **row()), "befor": {}},
            {**insert("t1", **row()), "seq": -1},
        ]
    )
    assert refusals(world) == [
        'changes/1.jsonl:1:1: unknown op "insrt"',
        'changes/1.jsonl:2:1: change for unknown table "public.tt1"',
        'changes/1.jsonl:3:1: column "d" of table "public.t1" does not exist',
        'changes/1.jsonl:4:1: column "a" of table "public.t1": '
        'invalid input syntax for type integer: "x"',
        'changes/1.jsonl:5:1: null value in column "a" of table "public.t1" '
        "violates not-null constraint",
        'changes/1.jsonl:6:1: "after" of insert on table "public.t1" lacks "v"',
        'changes/1.jsonl:7:1: insert on table "public.t1" has no "after"',
        'changes/1.jsonl:8:1: delete on table "public.t1" has no "before"',
        'changes/1.jsonl:9:1: "before" of delete on table "public.t1" lacks "a"',
        'changes/1.jsonl:10:1: column "c" cannot be listed in "unchanged"',
        'changes/1.jsonl:11:1: column "a" cannot be listed in "unchanged"',
        "changes/1.jsonl:12:1: line is not a change record",
        "changes/1.jsonl:13:1: line is not a change record",
        "changes/1.jsonl:14:1: line is not a change record",
    ]


def test_a_typo_gets_the_nearest_name(world) -> None:
    """Unknown tables, columns and ops."""
    world.feed([insert("tt1", **row()), {"op": "updat", "relation": "public.t1"}])
    with pytest.raises(Mistakes) as found:
        reading(world)
    hints = [mistake.hint for mistake in found.value.mistakes]
    assert hints == ['Perhaps "public.t1" was meant.', 'Perhaps "update" was meant.']


def test_the_report_shows_the_line(world) -> None:
    """As INTERFACE.md words a mistake: place, message, excerpt, detail, hint."""
    world.feed([insert("t2", a=1), insert("t2", a=1, z=2)])
    with pytest.raises(Mistakes) as found:
        reading(world)
    line = json.dumps({"seq": 2, **insert("t2", a=1, z=2)})
    message, shown, carets, hint = str(found.value).splitlines()
    assert message == 'changes/1.jsonl:2:1: column "z" of table "public.t2" does not exist'
    assert (shown.strip(), carets.strip()) == (line, "^" * len(line))
    assert hint == ("hint: Add the column to the table's definition, or remove it from the feed.")


def test_a_torn_last_line_is_told_from_a_broken_one(world) -> None:
    """A file that is still being written has no newline at its end."""
    world.feed(b'{"seq": 1, "op": "insert"\n{"seq": 2, "op": "ins')
    assert refusals(world) == [
        "changes/1.jsonl:1:1: line is not a change record",
        "changes/1.jsonl:2:1: last line of the file is torn",
    ]


def test_a_complete_last_line_needs_no_newline(world) -> None:
    """Only what cannot be read is torn; blank lines and a byte order mark say nothing."""
    line = json.dumps({"seq": 1, **insert("t2", a=1)}).encode()
    world.feed(b"\xef\xbb\xbf\n\n" + line)
    assert reading(world).cut == 1


def test_a_gzipped_file_is_read_and_a_cut_one_refused(world) -> None:
    """`.gz` beside `.jsonl`."""
    packed = gzip.compress(json.dumps({"seq": 4, **insert("t2", a=1)}).encode() + b"\n")
    world.write("changes/1.jsonl.gz", packed)
    assert reading(world).cut == 4
    world.write("changes/1.jsonl.gz", packed[:-9])
    assert refusals(world) == ['None: could not read "changes/1.jsonl.gz"']


def test_a_file_that_became_shorter_is_refused(world) -> None:
    """What was read of it is not all that was found; one that grew is read up to there."""
    world.feed([insert("t1", **row()), insert("t1", **row())])
    (file,) = find_files("changes/*.jsonl", world.root, None)
    text = file.path.read_bytes()
    file.path.write_bytes(text * 2)
    assert len(list(from_files([file], []))) == 2
    file.path.write_bytes(text[: len(text) // 2])
    with pytest.raises(Mistakes) as refused:
        list(from_files([file], []))
    (mistake,) = refused.value.mistakes
    assert mistake.message == 'file "changes/1.jsonl" was changed or removed while it was read'
    rows = replace(file, path=world.root / "public" / "t1" / "LOAD1.csv")
    rows.path.parent.mkdir(parents=True)
    rows.path.write_bytes(b"Op,a\nI,1\n")
    with pytest.raises(Mistakes, match="was changed or removed while it was read"):
        list(batches_of([rows]))


def test_a_path_that_matches_nothing_is_a_mistake_and_an_empty_file_is_none(world) -> None:
    """INTERFACE.md 1.1."""
    assert refusals(world) == ['None: no file matches "changes/*.jsonl*"']
    world.feed(b"")
    assert reading(world).cut is None


def test_the_same_seq_with_the_same_content_is_a_replay(world) -> None:
    """Also when the keys of the object come in another order, or a number is written as a text."""
    world.feed([insert("t2", a=1), insert("t2", a=2)])
    world.feed(
        b'{"op": "insert", "relation": "public.t2", "after": {"a": 1}, "seq": 1}\n', name="2"
    )
    found = reading(world)
    assert (found.staged[1].read, found.staged[1].skipped, found.cut) == (2, 1, 2)


def test_the_same_seq_with_other_content_is_refused(world) -> None:
    """Decision 7."""
    world.feed([insert("t2", a=1), insert("t2", a=2)])
    world.feed([insert("t2", a=3)], name="2")
    assert refusals(world) == ["changes/2.jsonl:1:1: seq 1 was used before for another change"]


def test_changes_at_or_below_the_position_are_replays(world) -> None:
    """They are counted and not staged."""
    world.feed([insert("t2", a=1), insert("t2", a=2), insert("t2", a=3)])
    found = reading(world, position=2)
    assert (found.staged[1].read, found.staged[1].skipped) == (1, 2)
    assert [line[0] for line in rows(world, 1)] == [3]


def test_what_all_targets_are_beyond_is_not_judged(world) -> None:
    """Since then its table may have got other columns."""
    world.feed([insert("t1", a=1), insert("t1", **row(d=1)), insert("t1", **row())])
    assert [each.split(":")[1] for each in refusals(world, 1)] == ["2"]
    assert reading(world, 2).staged[0].read == 1


def test_transactions_that_interleave_are_refused(world) -> None:
    """Decision 6; a change without tx between two of one transaction parts them too."""
    marks = ["x", "y", "x", None, "y"]
    world.feed([{**insert("t2", a=1), "tx": tx} for tx in marks])
    assert refusals(world) == [
        'changes/1.jsonl:3:1: transaction "x" interleaves with another one at seq 3',
        'changes/1.jsonl:5:1: transaction "y" interleaves with another one at seq 5',
    ]


def test_transactions_may_lie_in_several_files_in_any_order(world) -> None:
    """Only seq orders the changes."""
    world.feed([{"seq": 3, "tx": 2, **insert("t2", a=3)}], name="1")
    world.feed([{"seq": 1, "tx": 1, **insert("t2", a=1)}, {"seq": 2, "tx": 2, **insert("t2", a=2)}],
               name="2")  # fmt: skip
    assert reading(world).cut == 3


def test_a_gap_is_refused_where_the_feed_states_prev_seq(world) -> None:
    """Decision 7; the position counts as seen."""
    world.feed([{**insert("t2", a=n), "seq": n, "prev_seq": n - 1} for n in (3, 4, 7)])
    assert refusals(world, position=2) == ["changes/1.jsonl:3:1: changes are missing before seq 7"]
    assert refusals(world, position=1)[0].endswith("changes are missing before seq 3")


def test_an_open_feed_holds_back_its_last_transaction(world) -> None:
    """Until a later one follows or a commit record ends it."""
    changes = [{**insert("t2", a=n), "tx": tx} for n, tx in enumerate("aabb")]
    world.feed(changes)
    found = reading(world, closed=False)
    assert (found.cut, found.waiting) == (2, True)
    assert reading(world, closed=True).cut == 4
    world.feed([*changes, {"op": "commit", "tx": "b"}])
    assert reading(world, closed=False).cut == 5
    world.feed(changes[:2])
    assert reading(world, closed=False).cut is None


def test_a_change_for_a_table_that_nobody_subscribes_to_is_counted(world) -> None:
    """The catalog knows it; one that the catalog does not know is a mistake."""
    world.feed([insert("other", a=1), insert("t2", a=1)])
    assert reading(world).unpublished == 1


def test_rows_of_a_table_are_read_as_lines_are() -> None:
    """The images are JSON text; relation may be a JSON array."""
    mistakes: list = []
    columns = ("seq", "op", "relation", "before", "after", "tx", "unchanged")
    found = list(
        from_rows(
            "changes",
            columns,
            [
                (1, "insert", '["a.b", "t"]', None, '{"v": 1.50}', "7", None),
                (2, "x", "t", "{", None, None, []),
            ],
            mistakes,
        )
    )  # fmt: skip
    assert found[0][1].relation == ["a.b", "t"]
    assert found[0][1].after == {"v": "1.50"}
    assert [mistake.span.line for _, mistake in mistakes] == [2]


@pytest.fixture
def tree(tmp_path) -> World:
    source = Source("t.yml", "")
    columns = (Column("a", PgType("int4"), source.span(0, 0), not_null=True),)
    parent = Table(
        RelationName("public", "parent"),
        columns,
        source.span(0, 0),
        primary_key=("a",),
        partition_by=("range", ("a",)),
    )
    child = Table(
        RelationName("public", "child"),
        columns,
        source.span(0, 0),
        primary_key=("a",),
        partition_of=parent.name,
        bounds="DEFAULT",
    )
    return World(tmp_path, via_root=True).publish(parent).add(child)


def test_a_leafs_truncate_published_via_root_needs_relations(tree) -> None:
    """Else a leaf's and the root's look the same."""
    tree.feed([truncate("child")])
    assert refusals(tree) == [
        'changes/1.jsonl:1:1: truncate of partition "public.child" does not say whether '
        '"public.parent" was truncated'
    ]
    assert not reading(tree, 1).waiting  # to who is beyond it, it is all the same


def test_with_relations_it_is_known_whether_the_root_was_truncated(tree) -> None:
    """A leaf's own TRUNCATE is not published as the root's."""
    tree.feed(
        [
            truncate("child", relations=["public.child"]),
            truncate("child", relations=["public.child", "public.parent"]),
            insert("child", a=1),
            truncate("parent"),
        ]
    )
    assert reading(tree).staged[0].read == 3
    assert [line[0] for line in rows(tree)] == [2, 3, 4]


def test_few_large_changes_are_buffered_at_a_time(world, monkeypatch) -> None:
    """As many as a batch has bytes: each batch is written before the next is read."""
    from pyarrow import parquet

    monkeypatch.setattr(intake, "_BATCH_BYTES", 10_000)
    world.feed([insert("t1", **row(a=number, c="x" * 1_000)) for number in range(60)])
    groups = parquet.ParquetFile(reading(world).staged[0].path).metadata
    assert groups.num_rows == 60
    assert max(groups.row_group(n).num_rows for n in range(groups.num_row_groups)) <= 10
