"""Random projects, and random changes of their files: what `compile` has to follow.

Each file's text is drawn by itself, from a few names that all files share: mostly they fit
together, sometimes a table is missing, is defined twice, or a filter reads what is not there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from hypothesis import strategies as st

__all__ = ["FILES", "FLAGS", "Change", "Project", "changes", "projects"]

#: the text of each file by its path; None where there is none
Project = Mapping[str, str | None]
#: what becomes of the texts of a project
Change = Callable[[Project], Project]
Draw = Callable[[st.SearchStrategy], object]

_FILTERS = (
    "a > 5",
    "a > 6",
    "note IS NULL",
    "a IS NOT NULL AND id < 100",
    "region = 'eu'",
    "lower(region) = 'eu'",
    "a = NULL",
    "id > 0 OR id <= 0",
    "CASE WHEN a > 5 THEN region = 'eu' ELSE a IS NULL END",
    "a BETWEEN 1 AND 5",
    "missing > 5",
    "a >",
)
_COMMENTS = ("", "", "# a comment\n", "# two\n# lines\n")


def _few(*values: object) -> st.SearchStrategy[list[object]]:
    return st.lists(st.sampled_from(values), unique=True, min_size=1, max_size=len(values))


def _rarely(often: int) -> st.SearchStrategy[bool]:
    """True once in so many times."""
    return st.integers(1, often).map(lambda number: number == 1 + often // 2)


@st.composite
def _table(draw: Draw, name: str, others: tuple[str, ...]) -> str:
    """A table of YAML, sometimes with a key to another."""
    identity = draw(st.sampled_from(["full"] * 58 + ["default", "nothing"]))
    kind = draw(st.sampled_from(["integer"] * 45 + ["numeric(10, 2)"] * 14 + ["text"]))
    more = draw(st.sampled_from(["", "", "    tags: [nsw]\n", "    tags: [nsw, vic]\n"]))
    other = draw(st.sampled_from(others))
    if draw(_rarely(8)):
        more += (
            f"    foreign_keys:\n      - {{columns: [id], references: {other},"
            " referenced_columns: [id]}\n"
        )
    return (
        f"  - name: {name}\n    columns:\n      id: bigint not null\n      a: {kind}\n"
        f"      region: text\n      note: text\n{more}"
        f"    primary_key: [id]\n    replica_identity: {identity}\n"
    )


@st.composite
def _tables(draw: Draw, names: tuple[str, ...], others: tuple[str, ...]) -> str:
    kept = [name for name in names if not draw(_rarely(40))]
    texts = [draw(_table(name, others)) for name in kept]
    if len(texts) > 1 and draw(_rarely(4)):
        # The first is a root, and the second its partition.
        texts[0] += "    partition_by: {range: [id]}\n"
        bounds = draw(st.sampled_from([1, 2]))
        texts[1] = (
            f"  - name: {kept[1]}\n    partition_of: {kept[0]}\n"
            f"    bounds: {{from: [{bounds}], to: [{bounds + 9}]}}\n"
            "    replica_identity: full\n"
        )
    comments = [draw(st.sampled_from(_COMMENTS)) for _ in texts]
    body = "".join(comment + text for comment, text in zip(comments, texts, strict=True))
    return f"tables:\n{body}" if texts else ""


@st.composite
def _entry(draw: Draw, table: str, filters: tuple[str, ...]) -> str:
    form = draw(st.integers(0, 9))
    if form == 0:
        return f"      - {table}\n"
    where = draw(st.sampled_from(filters))
    silence = draw(st.sampled_from(["", "", "  # silence: filter-never-true"]))
    if form < 4:
        return f'      - {{name: {table}, where: "{where}"}}{silence}\n'
    columns = "        columns: [id, region]\n" if form == 9 and draw(_rarely(20)) else ""
    return f'      - name: {table}\n        where: "{where}"{silence}\n{columns}'


@st.composite
def _publication(draw: Draw, name: str, tables: tuple[str, ...]) -> str:
    head = f"  - name: {name}\n    publish_via_partition_root: true\n"
    head += draw(st.sampled_from(["", "", "", "    publish: [insert]\n", "    tags: [nsw]\n"]))
    if draw(_rarely(30)):
        return head + "    all_tables: true\n"
    filters = _FILTERS if draw(_rarely(40)) else _FILTERS[:-2]
    filters += ("a > {{ var('least', 3) }}",) if draw(st.booleans()) else ()
    listed = draw(_few(*tables))
    entries = "".join(draw(_entry(str(table), filters)) for table in listed)
    return f"{head}    tables:\n{entries}" if listed else head


@st.composite
def _publications(draw: Draw, names: tuple[str, ...], tables: tuple[str, ...]) -> str:
    kept = [name for name in names if not draw(_rarely(20))]
    comments = draw(st.sampled_from(_COMMENTS))
    body = "".join(draw(_publication(name, tables)) for name in kept)
    return f"{comments}publications:\n{body}" if kept else ""


@st.composite
def _subscription(draw: Draw, name: str, publications: tuple[str, ...]) -> str:
    listed = draw(_few(*publications))
    more = draw(
        st.sampled_from(
            [""] * 6
            + [
                "    tags: [s]\n",
                "    copy_data: false\n",
                "    on_conflict: skip\n",
                "    on_filter_error: quarantine\n",
                '    target: "shared.{table}"\n',
                "    superset_of: [s1]\n",
                '    changes: {format: filtersql, path: "c/*.jsonl", before: complete}\n',
            ]
        )
    )
    return f"  - name: {name}\n    publications: [{', '.join(map(str, listed))}]\n{more}"


@st.composite
def _subscriptions(draw: Draw) -> str:
    kept = [name for name in ("s1", "s2", "s3") if not draw(_rarely(20))]
    names = ("p1", "p2", "p3", "p4", *(("gone",) if draw(_rarely(10)) else ()))
    body = "".join(draw(_subscription(name, names)) for name in kept)
    return f"subscriptions:\n{draw(st.sampled_from(_COMMENTS))}{body}" if kept else ""


@st.composite
def _project_file(draw: Draw) -> str:
    more = draw(
        st.sampled_from(
            [
                "",
                "",
                "",
                "vars: {least: 4}\n",
                "silence: [identity-wider-than-needed]\n",
                "semantics: {null_policy: keep}\n",
                "defaults: {copy_data: false}\n",
                "postgres_version: 15\n",
                "identity_check: run\n",
            ]
        )
    )
    return f"name: shop\nversion: 1\nprofile: shop\n{more}"


def _profile(target: str, schema: str) -> str:
    return (
        f"shop:\n  target: {target}\n  outputs:\n    dev: {{type: duckdb, path: shop.duckdb}}\n"
        f"    lake: {{type: spark, method: session, format: delta, schema: {schema}}}\n"
    )


_A, _B = ("t1", "t2", "t3"), ("t4", "t5", "other.t6")
#: the last one names what no plan has
_MACROS = (
    "-- {{ plan.target }}\nSELECT 1",
    "-- {{ plan.target }}\nSELECT 2",
    "SELECT {{ plan.nothing }}",
)

#: how the text of each file is drawn
FILES: dict[str, st.SearchStrategy[str | None]] = {
    "filtersql_project.yml": _project_file(),
    "profiles.yml": st.sampled_from(
        [_profile("dev", "x"), _profile("lake", "x"), _profile("lake", "y")]
    ),
    "tables/a.yml": _tables(_A, _A + _B),
    "tables/b.yml": _tables(_B, _A + _B),
    "tables/c.sql": st.sampled_from(
        [None] * 6
        + ["CREATE TABLE t7 (id int PRIMARY KEY, a int);", "CREATE TYPE mood AS ENUM ('x');"]
    ),
    "publications/p.yml": _publications(("p1", "p2"), _A + _B),
    "publications/q.yml": _publications(("p3", "p4"), _B + _A),
    "subscriptions/s.yml": _subscriptions(),
    "tests/t.yml": st.sampled_from(
        [None] * 4
        + ["tests:\n  - {name: one, subscription: s1, given: {}, changes: [], expect: {}}\n"]
    ),
    "macros/initial_copy.sql": st.sampled_from([None] * 9 + [*_MACROS]),
}
#: how the paths end that small edits are made in
_EDITED = ("/a.yml", "/b.yml", "/p.yml", "/q.yml", "/s.yml")
#: flags of one call
FLAGS = st.sampled_from(
    [()] * 6
    + [
        ("--vars", "{least: 7}"),
        ("--target", "lake"),
        ("--no-publish-via-partition-root",),
        ("--select", "s1"),
        ("--select", "t1"),
        ("--exclude", "t4"),
        ("--format", "json"),
    ]
)


def projects() -> st.SearchStrategy[dict[str, str | None]]:
    """All files of a project."""
    return st.fixed_dictionaries(FILES)


def changes() -> st.SearchStrategy[Change]:
    """Another text of one file; or a small edit: a line more, or another number in a line."""
    paths = st.sampled_from(sorted(FILES))
    drawn = paths.flatmap(lambda path: st.fixed_dictionaries({path: FILES[path]}))
    edited = st.sampled_from([path for path in FILES if path[-6:] in _EDITED])
    edits = st.builds(_edit, edited, st.integers(0, 40), st.booleans())
    return st.one_of(drawn.map(lambda text: lambda project: {**project, **text}), edits, edits)


def _edit(path: str, line: int, longer: bool) -> Change:
    def edited(project: Project) -> Project:
        lines = (project[path] or "").splitlines(keepends=True)
        if not lines:
            return project
        place = line % len(lines)
        if longer:
            lines.insert(place, "-- moved\n" if path.endswith(".sql") else "# moved\n")
        else:
            lines[place] = re.sub(
                r"\b[1-9]", lambda digit: str(int(digit[0]) % 9 + 1), lines[place]
            )
        return {**project, path: "".join(lines)}

    return edited
