"""`check` tries files that differ in names and filters alone in one MERGE, each by its cases."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import put_files
from test_check import Proofs, proofs
from transcripts import Shell

from filtersql.artifacts import compiled_path
from filtersql.compile import compile_project
from filtersql.verify.check import read_statements
from filtersql.verify.equal_proofs import sameness
from filtersql.verify.shared_proofs import Asked, Outcome
from filtersql.verify.shared_proofs import proofs as proofs_of
from filtersql.verify.statement_outlines import outlined

FILTERS = {
    "one": "a > 5",
    "two": "a <= 7 OR c = 'x'",
    "three": "c = 's1.one'",
    "select": "a = 1",
    "again": "a > 5",
}
FILES = {
    "filtersql_project.yml": "name: alike\nversion: 1\nprofile: alike\n",
    "profiles.yml": (
        "alike:\n  target: dev\n  outputs:\n"
        "    dev: {type: spark, method: session, format: delta}\n"
        "    local: {type: duckdb, path: alike.duckdb}\n"
    ),
    "tables/t.sql": "".join(
        f'CREATE TABLE "{name}" (a int, c varchar(9), n int, PRIMARY KEY (a, c));\n'
        for name in FILTERS
    )
    + "CREATE TABLE other (a bigint PRIMARY KEY, c varchar(9), n int);\n",
    "publications/p.sql": "CREATE PUBLICATION p FOR TABLE "
    + ", ".join(f'"{name}" WHERE ({text})' for name, text in FILTERS.items())
    + ", other WHERE (a > 5);\n",
    "subscriptions/s.sql": "CREATE SUBSCRIPTION s1 CONNECTION '' PUBLICATION p;\n",
}


@pytest.fixture(scope="module")
def alike() -> Iterator[Proofs]:
    """A project with four tables of one shape and one of another."""
    with tempfile.TemporaryDirectory() as folder:
        yield proofs(Path(folder) / "project", "dev", Path(folder), FILES)


def outcomes(made: Proofs) -> dict[str, Outcome]:
    """What comes of each file."""
    asked = [Asked(node, made.folder(name), name) for name, node in made.nodes.items()]
    return dict(zip(made.nodes, proofs_of(asked, made.bench), strict=True))


def counterexamples(made: Proofs) -> set[str]:
    """The tables whose files are wrong."""
    found = outcomes(made)
    assert all(each.proof for each in found.values())
    return {name for name, each in found.items() if each.proof and each.proof.counterexample}


def test_each_file_has_the_proof_that_it_has_alone(alike: Proofs) -> None:
    """As many cells and histories; a name that is a word of the language keeps its own MERGE."""
    found = outcomes(alike)
    for name, outcome in found.items():
        assert outcome.proof == alike.proof(name)
        assert outcome.proof
        assert outcome.proof.counterexample is None
    first = found["one"].statement
    together = {name for name, each in found.items() if each.statement == first}
    assert together == {"one", "two", "three", "again"}
    assert len({each.statement for each in found.values()}) == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("THEN 'insert'\n", "THEN 'nothing'\n"),
        ("AND seq > COALESCE((SELECT truncated.seq FROM truncated), -1)", ""),
        ("n = s.n", "n = s.a"),
        ("AS old_matches", "AS new_matches"),
    ],
)
def test_of_files_alike_the_wrong_one_is_named(old: str, new: str, alike: Proofs) -> None:
    """Another outline, or, the last one, the old row's filter where the new row's belongs."""
    path = alike.path("two")
    text = path.read_text(encoding="utf-8")
    if old == "AS old_matches":
        begin, end = text.index(old), text.index(new)
        changed = text[:begin] + text[begin:end].replace("new_", "old_") + text[end:]
    else:
        assert old in text
        changed = text.replace(old, new, 1)
    path.write_text(changed, encoding="utf-8")
    try:
        assert counterexamples(alike) == {"two"}
    finally:
        path.write_text(text, encoding="utf-8")


def test_a_mistake_in_all_of_them_is_found_in_each(alike: Proofs) -> None:
    """The counterexample is the file's own."""
    names = ("one", "two", "three", "again")
    texts = {name: alike.path(name).read_text(encoding="utf-8") for name in names}
    try:
        for name, text in texts.items():
            assert "THEN 'update'\n" in text
            changed = text.replace("THEN 'update'\n", "THEN 'insert'\n", 1)
            changed = changed.replace("THEN 'delete'\n", "THEN 'nothing'\n", 1)
            alike.path(name).write_text(changed, encoding="utf-8")
        assert counterexamples(alike) == {*texts}
    finally:
        for name, text in texts.items():
            alike.path(name).write_text(text, encoding="utf-8")


def test_a_file_that_is_the_same_but_for_its_names_is_tried_once(alike: Proofs) -> None:
    """The second one costs nothing."""
    found = outcomes(alike)
    assert found["again"].proof == found["one"].proof
    assert [name for name, each in found.items() if not each.seconds] == ["again"]


SHAPES = {
    "plain": "",
    "again": "",
    "full": "ALTER TABLE full_ REPLICA IDENTITY FULL;",
    "required": "ALTER TABLE required_ ALTER COLUMN n SET NOT NULL;",
    "bytes": 'ALTER TABLE bytes_ ALTER COLUMN c TYPE text COLLATE "C";',
    "found": "CREATE UNIQUE INDEX found_i ON found_ (c); "
    "ALTER TABLE found_ REPLICA IDENTITY USING INDEX found_i;",
}


def test_what_cases_hang_on_tells_files_apart(tmp_path: Path) -> None:
    """Identity, keys, NULLs, collations, what is published, how conflicts end."""
    some = ", ".join(f"{name}_ WHERE (c = 'x')" for name in SHAPES)
    made = proofs(
        tmp_path / "project",
        "dev",
        tmp_path,
        FILES
        | {
            "tables/t.sql": "".join(
                f"CREATE TABLE {name}_ (a int, c text NOT NULL, n int, PRIMARY KEY (a, c));{more}\n"
                for name, more in SHAPES.items()
            ),
            "publications/p.sql": f"CREATE PUBLICATION p FOR TABLE {some};\n"
            f"CREATE PUBLICATION q FOR TABLE plain_ WHERE (c = 'x') WITH (publish = 'insert');\n"
            f"CREATE PUBLICATION r FOR TABLE plain_ WHERE (c = 'x') "
            f"WITH (publish = 'insert, update, delete');\n",
            "subscriptions/s.sql": "".join(
                f"CREATE SUBSCRIPTION s{one} CONNECTION '' PUBLICATION {one};\n" for one in "pqr"
            ),
            "subscriptions/t.yml": "subscriptions:\n"
            "  - {name: sx, publications: [p], on_conflict: skip}\n"
            "  - {name: sy, publications: [p], changes: {path: x, before: complete}}\n",
        },
    )
    found: dict[object, set[str]] = {}
    for node in compile_project(made.project).nodes:
        name = node.compiled.unique_id
        folder = made.project.compiled_path / compiled_path(node)
        statements = read_statements(node, folder, name, made.bench)
        found.setdefault(sameness(node, statements), set()).add(name)
    same = [sorted(names) for names in found.values() if len(names) > 1]
    assert same == [[f"{one}/public.again_", f"{one}/public.plain_"] for one in ("sp", "sx", "sy")]


NAMES = {"s1.one": "its.target", "feed_one": "its_feed"}


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        ("MERGE INTO s1.one -- s1.one\n  USING feed_one", "MERGE INTO its.target USING its_feed"),
        ("x = 's1.one' AND s1.one.a", "x = 's1.one' AND s1.one.a"),
        ("x /*<1*/ AND y", None),
        ("x = 'it''s -- s1.one' AND feed_one2", "x = 'it''s -- s1.one' AND feed_one2"),
        ('"s1.one" - 1', '"s1.one" - 1'),
        ("s1.one /* s1.one */", None),
        ("$$ s1.one $$", None),
        ("E'\\' s1.one", None),
        ("FROM its.target, s1.one", None),
    ],
)
def test_an_outline_has_other_names_and_the_same_strings(text: str, outline: str | None) -> None:
    """What is not certain to be understood has none."""
    assert outlined(text, NAMES, "duckdb") == outline


def test_a_name_that_is_a_word_of_the_language_has_no_outline() -> None:
    """A statement with such a name may be read in another way."""
    assert outlined("FROM s1.select", {"s1.select": "its.target"}, "spark") is None
    assert outlined("FROM `s 1`.one", {"`s 1`.one": "its.target"}, "spark") is None


def test_the_command_says_what_was_tried_together(tmp_path: Path) -> None:
    """After the counts of cells and histories."""
    put_files(tmp_path, FILES)
    shell = Shell(tmp_path)
    assert shell.filtersql("compile").exit_code == 0
    told = shell.filtersql("check")
    assert told.exit_code == 0, told.stdout
    report = told.stdout + told.stderr
    assert "PROVED=6 WRONG=0 TOTAL=6" in report
    assert "were tried together: 6 in 3 statements" in report
