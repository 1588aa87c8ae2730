"""What a live source was captured into is read like any other feed: `{postgres: erp}`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from projects import PROFILES, TABLES, Make, maker, refused
from transcripts import Ended, Shell

from filtersql.names import RelationName
from filtersql.project import load
from filtersql.project.captured import changes_folder, number_name, rows_folder

SOURCES = PROFILES.replace(
    "{outputs", "{sources: {erp: {type: postgres, dsn: host=nowhere password=hunter2}}, outputs"
)
ODD = "tables: [{name: '\"A/b.c\"', columns: {a: int not null}, primary_key: [a]}]\n"
SUBSCRIBED = """\
publications:
  - {name: p, publish: [insert], tables: [{name: t1, where: c = 'NSW'}, '"A/b.c"']}
subscriptions:
  - {name: s, publications: [p], source: {postgres: erp}, changes: {postgres: erp},
     target: "s.{table}"}
"""


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Writes a project's files."""
    return maker(tmp_path, monkeypatch)


def project(make: Make, **more: str | None) -> Path:
    return make(
        {
            "profiles.yml": SOURCES,
            "tables/t.yml": TABLES,
            "tables/odd.yml": ODD,
            "subscriptions/s.yml": SUBSCRIBED,
            **more,
        }
    )


def capture(root: Path, name: str, seq: int, *rows: dict[str, object]) -> None:
    """What `capture` writes of a table."""
    folder = rows_folder(root, "erp", RelationName("public", name)) / number_name(seq)
    folder.mkdir(parents=True)
    (folder / "1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def record(root: Path, *changes: dict[str, object]) -> None:
    """What `capture` writes of changes."""
    folder = changes_folder(root, "erp")
    folder.mkdir(parents=True, exist_ok=True)
    last = max([0, *(int(str(change["seq"])) for change in changes)])
    text = "".join(json.dumps(change) + "\n" for change in changes)
    (folder / f"{number_name(last)}.jsonl").write_text(text)
    (folder / "torn.part").write_text("{")


def run(root: Path, command: str) -> Ended:
    return Shell(root).run(f"filtersql {command}")


def test_the_newest_rows_and_the_changes_above_them(make: Make) -> None:
    """Each table begins at its own seq; older rows and files of other names are not read."""
    root = project(make)
    capture(root, "t1", 9, {"a": 99, "c": "NSW"})
    capture(root, "t1", 41, {"a": 1, "c": "NSW"}, {"a": 2, "c": "VIC"})
    rows_folder(root, "erp", RelationName("public", "t1")).joinpath("50.part").mkdir()
    capture(root, "A/b.c", 45)
    record(root)

    def insert(seq: int, relation: object, **after: object) -> dict[str, object]:
        return {"seq": seq, "op": "insert", "relation": relation, "after": after}

    record(root, insert(41, "public.t1", a=7, c="NSW"), insert(42, "public.t1", a=3, c="NSW"))
    odd = ["public", "A/b.c"]
    record(root, insert(43, odd, a=7), insert(44, odd, a=8), insert(46, odd, a=9))

    ended = run(root, "run --show 10 --quiet")

    assert ended.exit_code == 0, ended.both
    rows = [line for line in map(str.strip, ended.stdout.splitlines()) if line[:1].isdigit()]
    assert rows == ["9", "1 | NSW", "3 | NSW"]
    assert run(root, "audit").exit_code == 0


def test_nothing_captured_yet(make: Make) -> None:
    """A run names the command that captures; compile needs no file, and writes the same."""
    root = project(make)
    assert run(root, "compile").exit_code == 0
    manifest = (root / "target" / "manifest.json").read_bytes()

    ended = run(root, "run")

    assert ended.exit_code == 1
    assert "subscriptions/s.yml:4:" in ended.stderr
    assert 'no changes have been captured from source "erp"' in ended.stderr
    assert '"filtersql capture erp" records them' in ended.stderr
    record(root)
    capture(root, "t1", 41)
    assert 'no rows of public."A/b.c" have been captured' in run(root, "run").stderr
    assert run(root, "compile --check").exit_code == 0
    assert (root / "target" / "manifest.json").read_bytes() == manifest


def test_a_renamed_table_is_captured_first(make: Make) -> None:
    """The files tell of it by its earlier name: a run says what helps, before it reads them."""
    files = {"tables/odd.yml": ODD, "subscriptions/s.yml": SUBSCRIBED}
    root = project(make, **{name: text.replace("A/b.c", "Old") for name, text in files.items()})
    for name in ("t1", "Old"):
        capture(root, name, 41)
    record(root, {"seq": 42, "op": "insert", "relation": ["public", "Old"], "after": {"a": 7}})
    assert run(root, "run").exit_code == 0

    project(make)
    refused = run(root, "run")

    assert refused.exit_code == 1
    assert 'no rows of public."A/b.c" have been captured' in refused.stderr
    assert "unknown table" not in refused.stderr
    capture(root, "A/b.c", 43, {"a": 7})
    ended = run(root, "run")
    assert (ended.exit_code, "copied: 1 inserted" in ended.stdout) == (0, True), ended.both


def test_a_slot_that_was_made_anew(make: Make) -> None:
    """What was changed before it is in no file, which no change tells yet."""
    root = project(make)
    for name in ("t1", "A/b.c"):
        capture(root, name, 0)
    record(root)
    assert run(root, "run").exit_code == 0
    for name in ("t1", "A/b.c"):
        capture(root, name, 50)
    (changes_folder(root, "erp") / f"{number_name(50)}.jsonl").touch()

    refused = run(root, "run")

    assert refused.exit_code == 1
    assert 'changes of source "erp" are missing before seq 50' in refused.stderr
    for command in ("run --resync t1", "run --full-refresh", "run", "audit"):
        assert run(root, command).exit_code == (command == "run --resync t1")


@pytest.mark.parametrize("command", ["run", "audit", "plan"])
def test_rows_that_are_to_be_taken_again(make: Make, command: str) -> None:
    """What helps names the source, and ends, so that the run behind it can begin."""
    root = project(make)
    capture(root, "t1", 41, {"a": 1, "c": "NSW"})
    capture(root, "A/b.c", 41)
    record(root)
    assert run(root, "run").exit_code == 0
    if command == "plan":
        changed = SUBSCRIBED.replace("'NSW'", "'VIC'")
        (root / "subscriptions/s.yml").write_text(changed)
    (rows,) = rows_folder(root, "erp", RelationName("public", "t1")).glob("*/1.jsonl")
    rows.write_text('{"a": 1}\n')

    ended = run(root, "run --full-refresh" if command == "run" else command)

    assert "(filtersql capture erp --until-current --rows public.t1, or" in ended.both, ended.both


def test_a_source_that_the_profile_lacks(make: Make) -> None:
    """It is a mistake of whoever names it, also where families are compiled."""
    root = project(make)
    assert run(root, "compile").exit_code == 0
    (root / "profiles.yml").write_text(SOURCES.replace("erp", "crm"))

    ended = run(root, "compile")

    assert ended.exit_code == 1
    assert ended.stderr.count('the profile has no source "erp"') == 2
    assert "detail: Its sources are crm." in ended.stderr
    (root / "profiles.yml").unlink()
    assert load(root, need_output=False).sources == {}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{type: postgres, dsn: host=h, sslmode: x}", 'unknown key "sslmode" in source "erp"'),
        ("{type: postgres}", 'source "erp" has no "dsn"'),
        ("{dsn: hunter2}", 'source "erp" has no "type"'),
        ("{type: mysql, dsn: hunter2}", 'type of source "erp"'),
        ("hunter2", 'source "erp" must be a mapping'),
    ],
)
def test_mistakes_in_sources(make: Make, written: str, said: str) -> None:
    """Each has its line, and no dsn is shown; also where no output is needed."""
    profiles = PROFILES.replace(
        "{outputs", "{\n  sources: {\n    erp: " + written + "},\n  outputs"
    )
    root = make({"profiles.yml": profiles})

    report = refused(root, need_output=False)

    assert "profiles.yml:3:" in report
    assert "hunter2" not in report
    assert said in report


@pytest.mark.parametrize(
    "said", ["{postgres: erp, path: x}", "{postgres: erp, format: filtersql}", "{postgres: [erp]}"]
)
def test_what_excludes_a_live_source(make: Make, said: str) -> None:
    """One place, and no format: what is captured has its own."""
    text = SUBSCRIBED.replace("{postgres: erp}", said)

    assert refused(project(make, **{"subscriptions/s.yml": text})).count("s.yml:4:") == 2


def test_an_environment_variable_is_needed_by_who_connects(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of captured files does not need the password of the source."""
    monkeypatch.delenv("ERP_DSN", raising=False)
    profiles = SOURCES.replace("host=nowhere password=hunter2", "\"{{ env_var('ERP_DSN') }}\"")
    root = project(make, **{"profiles.yml": profiles})

    (unset,) = load(root).sources["erp"].unset

    assert 'environment variable "ERP_DSN" is not set' in str(unset)
    monkeypatch.setenv("ERP_DSN", "host=there")
    source = load(root).sources["erp"]
    assert (source.dsn, source.unset) == ("host=there", ())
    assert "there" not in repr(source)
