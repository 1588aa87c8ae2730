"""Random projects, and random changes of their files: what `compile` has to follow.

Each file's text is drawn by itself, from a few names that all files share: mostly they fit
together, sometimes a table is missing, is defined twice, or a filter reads what is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hypothesis import strategies as st

__all__ = ["FILES", "FLAGS", "Project", "projects"]

#: the text of each file by its path; None where there is none
Project = Mapping[str, str | None]
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
    return st.lists(st.sampled_from(values), unique=True, max_size=len(values))


@st.composite
def _table(draw: Draw, name: str, others: tuple[str, ...]) -> str:
    """A table of YAML; rarely a partition of another, or with a key to it."""
    identity = draw(st.sampled_from(["full"] * 6 + ["default", "nothing"]))
    kind = draw(st.sampled_from(["integer"] * 4 + ["numeric(10, 2)", "text"]))
    more = draw(st.sampled_from(["", "", "    tags: [nsw]\n", "    tags: [nsw, vic]\n"]))
    other = draw(st.sampled_from(others))
    family = draw(st.sampled_from(["alone"] * 8 + ["root", "partition", "key"]))
    if family == "partition":
        return (
            f"  - name: {name}\n    partition_of: {other}\n"
            f"    bounds: FOR VALUES FROM ({len(name)}) TO ({len(name) + 1})\n"
        )
    if family == "root":
        more += "    partition_by: range (id)\n"
    if family == "key":
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
    kept = [name for name in names if draw(st.integers(0, 9))]
    texts = [draw(_table(name, others)) for name in kept]
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
    columns = "        columns: [id, region]\n" if form == 9 else ""
    return f'      - name: {table}\n        where: "{where}"{silence}\n{columns}'


@st.composite
def _publication(draw: Draw, name: str, tables: tuple[str, ...]) -> str:
    head = f"  - name: {name}\n"
    head += draw(st.sampled_from(["", "", "", "    publish: [insert]\n", "    tags: [nsw]\n"]))
    if draw(st.integers(0, 19)) == 0:
        return head + "    all_tables: true\n"
    filters = _FILTERS if draw(st.integers(0, 3)) == 0 else _FILTERS[:-2]
    filters += ("a > {{ var('least', 3) }}",) if draw(st.booleans()) else ()
    listed = draw(_few(*tables))
    entries = "".join(draw(_entry(str(table), filters)) for table in listed)
    return f"{head}    tables:\n{entries}" if listed else head


@st.composite
def _publications(draw: Draw, names: tuple[str, ...], tables: tuple[str, ...]) -> str:
    kept = [name for name in names if draw(st.integers(0, 9))]
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
    kept = [name for name in ("s1", "s2", "s3") if draw(st.integers(0, 9))]
    names = ("p1", "p2", "p3", "p4", *(("gone",) if draw(st.integers(0, 9)) == 0 else ()))
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
_MACRO = "-- {{ plan.target }}\nSELECT {{ plan.form }}"

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
    "macros/initial_copy.sql": st.sampled_from([None] * 5 + [_MACRO]),
}
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
