"""Every switch of the semantics, under every profile, with every value: what it does, or why not.

Each compiles and is proved by `check`'s cells against the slow model, or is refused by a mistake
that is written here. FILTERSQL_LONG_TESTS=1 proves all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from places import put_files

import filtersql
from filtersql import artifacts
from filtersql.api.check import _bench, _tried
from filtersql.compile import compile_project
from filtersql.errors import Mistakes
from filtersql.project import load
from filtersql.semantics import BDR, PGLOGICAL, POSTGRES, XDB, Semantics

PROFILES = (POSTGRES, XDB, PGLOGICAL, BDR)
KINDS = get_type_hints(Semantics)
SWITCHES = [name for name in Semantics.__struct_fields__ if name not in ("name", "unstated")]
#: switches that say what becomes of a single change
OF_ROWS = (
    "null_policy update_decision delete_policy combine missing_target existing_target_on_insert"
    " toast_unchanged".split()
)
#: their profiles differ in most switches
IN_SHORT = (POSTGRES, PGLOGICAL)
Triple = tuple[Semantics, str, object]

#: (profile, switch, value) -> the first words of why it is refused here
REFUSED = {
    ("xdb", "combine", "or_per_action"): "named filter rules exist under semantics: xdb only",
    ("xdb", "combine", "and"): "named filter rules exist under semantics: xdb only",
    ("postgres", "publishes", "replication_sets"): 'row filter for table "t" reads column "v"',
    ("xdb", "publishes", "replication_sets"): 'unknown key "filters" in a table of replication',
    ("pglogical", "update_decision", "old_new"): 'row filter for table "t" reads column "v", which',
    ("pglogical", "delete_policy", "old_filter"): 'row filter for table "t" reads column "v"',
    ("bdr", "update_decision", "old_new"): 'row filter for table "t" reads column "v", which',
    ("bdr", "delete_policy", "old_filter"): 'row filter for table "t" reads column "v", which',
    ("pglogical", "full_identity", "true"): 'filtered table "t" does not have replica identity f',
    ("bdr", "full_identity", "true"): 'filtered table "t" does not have replica identity full',
}


def triples() -> Iterator[Triple]:
    for profile in PROFILES:
        for switch in SWITCHES:
            values = (True, False) if KINDS[switch] is bool else get_args(KINDS[switch])
            yield from (
                (profile, switch, value) for value in values if value != getattr(profile, switch)
            )


def written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def write(folder: Path, triple: Triple) -> None:
    """A table, a filter on a column beside its key, and the switch."""
    profile, switch, value = triple
    publishes = value if switch == "publishes" else profile.publishes
    key = str(publishes)
    full = profile.full_identity or (profile is POSTGRES and publishes == "publications")
    where = 'row_filter: "v > 5"' if key == "replication_sets" else 'where: "v > 5"'
    enabled = ""
    if profile is XDB:
        where, enabled = 'filters: {f: "v > 5"}', ", filters: {t: f}"
    semantics = f"{{profile: {profile.name}, {switch}: {written(value)}}}"
    identity = "ALTER TABLE t REPLICA IDENTITY FULL;\n" if full else ""
    files = {
        "filtersql_project.yml": f"{{name: s, version: 1, profile: s, semantics: {semantics}}}\n",
        "profiles.yml": "s: {outputs: {dev: {type: duckdb, path: s.duckdb}}}\n",
        "tables/t.sql": f"CREATE TABLE t (k int PRIMARY KEY, v int, big text);\n{identity}",
        "publications/p.yml": f"{key}: [{{name: p, tables: [{{name: t, {where}}}]}}]\n",
        "subscriptions/s.yml": f"subscriptions: [{{name: s, {key}: [p]{enabled},"
        ' changes: {path: "changes/*.jsonl"}}]\n',
    }
    put_files(folder, files)


def outcome(folder: Path, *, proved: bool) -> str:
    """`right`, what is refused, or the counterexample."""
    try:
        project = load(folder)
        compilation = compile_project(project)
    except Mistakes as refused:
        return "; ".join(mistake.message for mistake in refused.mistakes)
    if not proved:
        return "right"
    artifacts.write(project, compilation, compilation.nodes)
    with _bench(project, deep=False, spark=False) as bench:
        (result,) = _tried(project, compilation.nodes[:1], bench)
    return "right" if result.right else f"wrong: {result}"


def walk(tmp_path: Path, wanted: list[Triple], *, proved: bool) -> None:
    wrong = {}
    for number, triple in enumerate(wanted):
        write(tmp_path / str(number), triple)
        found = outcome(tmp_path / str(number), proved=proved)
        named = (triple[0].name, triple[1], written(triple[2]))
        if not found.startswith(REFUSED.get(named, "right")):
            wrong[named] = found
    assert wrong == {}


def test_every_switch_that_says_what_a_change_becomes_is_proved(tmp_path: Path) -> None:
    """The compiled statement does on every cell what the slow model does."""
    wanted = [each for each in triples() if each[1] in OF_ROWS and each[0] in IN_SHORT]
    assert len(wanted) > 15
    walk(tmp_path, wanted, proved=True)


def test_every_other_switch_compiles_or_is_refused(tmp_path: Path) -> None:
    """No value of any switch is misunderstood: it compiles, or the reason is known."""
    wanted = [triple for triple in triples() if triple[1] not in OF_ROWS]
    assert len(wanted) > 50
    walk(tmp_path, wanted, proved=False)


@pytest.mark.long
def test_all_others_are_proved(tmp_path: Path) -> None:
    """The other two profiles; also what says nothing of single rows leaves the statement right."""
    others = [each for each in triples() if each[1] not in OF_ROWS or each[0] not in IN_SHORT]
    walk(tmp_path, others, proved=True)


def test_the_page_of_switches_names_each_with_its_values() -> None:
    """What can be turned is told, and the profiles' own values in their order."""
    page = (Path(filtersql.__file__).parent / "docs" / "switches.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    assert rows.keys() == {*SWITCHES}
    for switch, row in rows.items():
        values = row.split("|")[2]
        own = [written(getattr(profile, switch)) for profile in PROFILES]
        said = " ".join(f"`{value}`" for value in own)
        assert said in values or (len({*own}) == 1 and f"`{own[0]}`" in values), row
        kind = KINDS[switch]
        known = ("true", "false") if kind is bool else get_args(kind)
        assert all(f"`{value}`" in values for value in known), row
