"""`review`: worked rows, changes of meaning, approvals; any name and literal is text."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reviewed import span
from servers import Server
from test_schemas import wrong
from transcripts import Shell

from filtersql.catalog import Column, PgType, Table
from filtersql.changes import Effect
from filtersql.errors import Mistakes
from filtersql.filters import resolve
from filtersql.names import RelationName
from filtersql.proving.boundaries import candidates, is_cellular
from filtersql.reviewing.approvals import Approval, approvals_text, read_approvals
from filtersql.reviewing.html_text import sql, text
from filtersql.reviewing.trying import Condition, NotTried, Trials
from filtersql.reviewing.worked import worked_rows
from filtersql.source import Source
from filtersql.targets.duckdb import connect

TYPES = {
    "id": "int4",
    "a": "int4",
    "b": "int8",
    "c": "text",
    "d": "bpchar",
    "e": "numeric",
    "f": "date",
    "g": "timestamptz",
    "h": "bool",
    "i": "float8",
    "j": "uuid",
    "k": "varchar",
}
TABLE = Table(
    RelationName("public", "t"),
    tuple(
        Column(name, PgType(kind), span("t.sql"), not_null=name == "id")
        for name, kind in TYPES.items()
    ),
    span("t.sql"),
    ("id",),
)


def condition(*filters: str) -> Condition:
    return Condition(tuple(resolve(Source("p.yml", each).passage(), TABLE) for each in filters))


@pytest.fixture(scope="module")
def trials() -> Iterator[Trials]:
    """Rows of the table above, tried in DuckDB."""
    engine = connect(None)
    yield Trials(engine, TABLE)
    engine.close()


class TestTrying:
    @pytest.mark.parametrize(
        ("before", "now", "gained", "lost"),
        [
            ("a > 5", "a > 4", {"a": "5"}, None),
            ("a > 5", "a >= 6", None, None),
            ("a > 5", "a < 5", {"a": "4"}, {"a": "6"}),
            ("a > 5 AND c = 'x'", "c = 'x' AND 5 < a", None, None),
            ("a > 5 OR c IS NULL", "a > 5", None, {"a": "5", "c": None}),
            ("e > 1.5", "e > 1.50", None, None),
            ("e > 1.5", "e > 1.51", None, {"e": "1.51"}),
            ("f > '2026-01-01'", "f >= '2026-01-02'", None, None),
            ("NOT h", "h IS FALSE", None, None),
            ("h IS NOT TRUE", "NOT h", None, {"h": None}),
            ("a IN (1, 2, 3)", "a BETWEEN 1 AND 3", None, None),
            ("a NOT IN (1, 2)", "a <> 1 AND a <> 2", None, None),
            ("c IN ('a', 'b')", "c = 'b' OR c = 'a'", None, None),
            ("k = 'a'", "k = 'b' OR k = 'a'", {"k": "b"}, None),
            ("i > 0.1", "i >= 0.1", {"i": "0.1"}, None),
            ("a > 5.5", "a > 5", None, None),
            ("g < '2026-01-01 00:00Z'", "g < '2026-01-01 01:00+01'", None, None),
            ("CASE WHEN a > 3 THEN h ELSE FALSE END", "a > 3 AND h", None, None),
            ("id IS NULL", "FALSE", None, None),
            ("id IS NOT NULL", "TRUE", None, None),
        ],
    )
    def test_proofs(
        self, trials: Trials, before: str, now: str, gained: object, lost: object
    ) -> None:
        """Every one of these is decided: a row proves a difference, all cells prove none."""
        found = trials.compare(condition(before), condition(now))
        assert found.exhaustive
        assert (found.gained and dict(found.gained)) == gained
        assert (found.lost and dict(found.lost)) == lost

    @pytest.mark.parametrize(
        ("before", "now"),
        [
            ("c LIKE 'N%'", "c LIKE 'NS%'"),
            ("a % 2 = 0", "a % 2 <> 1"),
            ("e = 'NaN'", "e >= 'NaN'"),
            ("f >= 'infinity'", "f = 'infinity'"),
            ("d = 'x'", "d = 'x '"),
            ("a + 1 > 5", "a > 4"),
            ("a > b", "a >= b"),
        ],
    )
    def test_what_is_not_proved(self, trials: Trials, before: str, now: str) -> None:
        """A filter that looks into values can tell more rows apart than were tried."""
        assert not trials.compare(condition(before), condition(now)).exhaustive

    def test_a_filter_without_a_form_for_duckdb(self, trials: Trials) -> None:
        """The reason is said."""
        with pytest.raises(NotTried, match="cannot be written for DuckDB"):
            trials.compare(condition("c < 'x'"), condition("c = 'x'"))

    def test_several_filters_are_an_or(self, trials: Trials) -> None:
        """Two publications take what either takes; no filter takes every row."""
        both = condition("a > 5", "c = 'x'")
        assert trials.compare(both, condition("c = 'x' OR a > 5")).gained is None
        assert trials.compare(both, Condition()).gained == (("a", "5"), ("c", "other"))
        assert trials.compare(Condition(), Condition(matches=False)).lost == ()

    def test_all_three_answers_have_rows(self, trials: Trials) -> None:
        """True, false and NULL, where the columns can give them."""
        found = trials.examples(condition("a > 5 AND c = 'NSW'"))
        assert found[True][0] == (("a", "6"), ("c", "NSW"))
        assert (("a", "6"), ("c", None)) in found[None]
        assert all(found.values())
        assert not trials.examples(condition("id > 5"))[None]

    def test_a_condition_that_may_raise(self, trials: Trials) -> None:
        """A numeric without digits is compared by a form that may raise; it is tried."""
        assert trials.examples(condition("e > 1.5"))[True]

    def test_rows_on_which_a_filter_raises_are_left_out(self, trials: Trials) -> None:
        """The others are shown; a comparison over them is not decided."""
        where = condition("10 / (a - 2) > 2")
        found = trials.examples(where)
        assert (("a", "3"),) in found[True]
        assert (("a", "10"),) in found[False]
        assert (("a", "2"),) not in (*found[True], *found[False], *found[None])
        with pytest.raises(NotTried, match="raises on some of the rows"):
            trials.compare(where, Condition())

    def test_a_column_is_never_out_of_its_range(self) -> None:
        """The candidates are values of the type, also beside its limits."""
        table = Table(
            RelationName("public", "t"),
            (
                Column("a", PgType("int2"), span("t.sql"), not_null=True),
                Column("n", PgType("numeric", ((3 << 16) | 1) + 4), span("t.sql"), not_null=True),
                Column("v", PgType("varchar", 6), span("t.sql"), not_null=True),
            ),
            span("t.sql"),
        )
        where = "a >= 32767 AND n > 99.9 AND v = 'ab'"
        tree = resolve(Source("p", where).passage(), table).tree
        small, number, word = candidates(table, [tree])
        assert {"32767", "32766"} < set(small.values)
        assert max(int(value or 0) for value in small.values) == 32767
        assert {"99.9", "99.8"} == set(number.values)
        assert all(len(value or "") <= 2 for value in word.values)
        assert small.complete
        assert number.complete
        assert not word.complete


ATOMS = st.sampled_from(
    [
        *(f"a {op} {value}" for op in ("<", ">", "=", "<>", "<=") for value in (0, 1, 2.5, 3)),
        *(f"e {op} {value}" for op in ("<", ">=", "<>") for value in (0, 0.5, 1)),
        *(f"c {op} '{value}'" for op in ("=", "<>") for value in ("x", "y")),
        "a IS NULL",
        "c IS NOT NULL",
        "h",
        "h IS NOT TRUE",
        "a IN (1, 3)",
        "c IN ('x', 'y')",
        "a IS DISTINCT FROM 1",
        "TRUE",
    ]
)
FILTERS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: f"({two[0]} AND {two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]} OR {two[1]})"),
        inner.map(lambda one: f"(NOT {one})"),
        st.tuples(inner, inner).map(lambda two: f"(CASE WHEN {two[0]} THEN {two[1]} END)"),
    ),
    max_leaves=4,
)


def literal(value: str | None, kind: str) -> str:
    return f"NULL::{kind}" if value is None else f"'{value}'::{kind}"


@pytest.fixture(scope="module")
def connection(postgres: Server) -> Iterator[object]:
    with postgres.connect(postgres.create_database()) as made:
        yield made


@pytest.fixture(scope="module")
def everything() -> str:
    """Many rows, those at and between the constants among them."""
    lists = {
        "a": ["NULL", *map(str, range(-2, 6))],
        "e": ["NULL", "-1", "0", "0.25", "0.5", "0.75", "1", "2", "'NaN'"],
        "c": ["NULL", "'x'", "'y'", "'z'", "''"],
        "h": ["NULL", "TRUE", "FALSE"],
    }
    kinds = {"a": "int4", "e": "numeric", "c": "text", "h": "bool"}
    rows = ", ".join(f"({', '.join(values)})" for values in product(*lists.values()))
    typed = ", ".join(f"{name}::{kind}" for name, kind in kinds.items())
    return f"(SELECT {typed} FROM (VALUES {rows}) v(a, e, c, h)) AS t"


class TestAgainstPostgres:
    @settings(
        max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(before=FILTERS, now=FILTERS)
    def test_verdicts_hold(
        self, before: str, now: str, trials: Trials, connection, everything: str
    ) -> None:
        """The rows that prove a difference do so in PostgreSQL; what is proved equal is equal."""
        first, second = condition(before), condition(now)
        assert is_cellular(first.filters[0].tree)
        found = trials.compare(first, second)
        assert found.exhaustive
        judged = f"({now}) IS TRUE AS n, ({before}) IS TRUE AS b"
        for row, expected in ((found.gained, (True, False)), (found.lost, (False, True))):
            if row is not None:
                values = {name: literal(None, kind) for name, kind in TYPES.items()}
                values |= {name: literal(value, TYPES[name]) for name, value in row}
                columns = ", ".join(f"{value} AS {name}" for name, value in values.items())
                query = f"SELECT {judged} FROM (SELECT {columns}) AS t"
                assert connection.execute(query).fetchone() == expected
        differing = f"SELECT DISTINCT n, b FROM (SELECT {judged} FROM {everything}) s WHERE n <> b"
        differences = set(connection.execute(differing).fetchall())
        assert ((True, False) in differences) <= (found.gained is not None)
        assert ((False, True) in differences) <= (found.lost is not None)


def test_worked_rows_follow_the_transformation_table() -> None:
    """An UPDATE for each pair of answers; a changed key moves the row."""
    examples = {True: ((("a", "6"),),), False: ((("a", "5"),),), None: ((("a", None),),)}
    found = worked_rows(examples, ["a"])
    assert [(each.old_truth, each.new_truth, each.effect) for each in found] == [
        (True, True, Effect.UPDATE),
        (True, False, Effect.DELETE),
        (True, None, Effect.DELETE),
        (False, True, Effect.INSERT),
        (False, False, Effect.NOTHING),
        (False, None, Effect.NOTHING),
        (None, True, Effect.INSERT),
        (None, False, Effect.NOTHING),
        (None, None, Effect.NOTHING),
    ]
    two = {True: ((("a", "6"),), (("a", "7"),)), False: (), None: ()}
    assert [each.happens for each in worked_rows(two, ["a"])] == ["UPDATE"]


class _Reader(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    return reader


NASTY = "<script>alert(1)</script>"
PROJECT = {
    "filtersql_project.yml": "name: '<b>shop</b>'\nprofile: shop\n",
    "profiles.yml": "shop: {outputs: {dev: {type: duckdb, path: x.duckdb}}}\n",
    "tables/t.yml": (
        f"tables:\n  - name: '\"{NASTY}\"'\n    columns: {{a: int, '\"<i>|`c\"': text}}\n"
        "    primary_key: [a]\n    replica_identity: full\n"
    ),
    "publications/p.yml": (
        "publications:\n  - name: '\"</title><img src=x onerror=alert(2)>\"'\n"
        "    description: '<!--'\n    tables:\n"
        f"      - {{name: '\"{NASTY}\"', where: 'a > 5 AND \"<i>|`c\" <> ''</pre>&amp;\u202e'''}}\n"
    ),
    "subscriptions/s.yml": (
        "subscriptions:\n  - {name: '\"<s>\"', publications: "
        "['\"</title><img src=x onerror=alert(2)>\"'], changes: {path: 'c/*.jsonl'}}\n"
    ),
}


@pytest.fixture
def nasty(tmp_path: Path) -> Shell:
    """A project whose names and literals are markup."""
    for name, content in PROJECT.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return Shell(tmp_path)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    made.run("filtersql init demo")
    made.run("cd demo")
    return made


def edit(shell: Shell, path: str, old: str, new: str) -> None:
    file = shell.folder / path
    content = file.read_text()
    assert old in content
    file.write_text(content.replace(old, new))


class TestPage:
    def test_names_and_literals_are_text(self, nasty: Shell) -> None:
        """No element of the page comes from the project."""
        ended = nasty.run("filtersql review")
        assert ended.exit_code == 0, ended.both
        page = parsed((nasty.folder / "target" / "review.html").read_text())
        assert {tag for tag, _ in page.tags} <= {
            *"html meta title style body header main h1 h2 h3 h4 p section div table tr".split(),
            *"th td code br span a b i em pre details summary mark ul li nav del ins".split(),
        }
        assert NASTY in page.text
        assert "</title><img src=x onerror=alert(2)>" in page.text
        assert "</pre>&amp;U+202E" in page.text
        assert all(
            value is None or value.startswith("#")
            for _, attributes in page.tags
            for name, value in attributes.items()
            if name == "href"
        )
        assert not any(name.startswith("on") for _, each in page.tags for name in each)

    def test_links_lead_somewhere(self, shell: Shell) -> None:
        """Every link of the page has its target in the page, and each clause of a filter one."""
        shell.run("filtersql review")
        page = parsed((shell.folder / "target" / "review.html").read_text())
        anchors = {attributes.get("id") for _, attributes in page.tags}
        links = [attributes["href"] or "" for tag, attributes in page.tags if tag == "a"]
        assert len(links) > 20
        assert [link for link in links if link[1:] not in anchors] == []
        source = (shell.folder / "target" / "review.html").read_text()
        lines = [line for line in source.split("\n") if "/*&lt;1*/" in line]
        assert len(lines) == 6
        assert all('<a href="#f' in line for line in lines)

    def test_policy_and_size(self, shell: Shell) -> None:
        """The page may run no script and fetch nothing; the same project gives the same bytes."""
        shell.run("filtersql review")
        place = shell.folder / "target" / "review.html"
        first = place.read_bytes()
        assert b"default-src 'none'" in first
        assert b"http://" not in first
        assert b"https://" not in first
        shell.run("filtersql review")
        assert place.read_bytes() == first

    def test_why_is_said(self, shell: Shell) -> None:
        """Absorbed filters, leaves and roots, warnings."""
        edit(shell, "subscriptions/subscriptions.yml", "[p1]", "[p1, p2]")
        edit(shell, "publications/orders.yml", "e = 99", "d = 99")
        assert shell.run("filtersql review").exit_code == 0
        page = parsed((shell.folder / "target" / "review.html").read_text())
        assert "absorbs a > 5 AND c = 'NSW' of p1" in page.text
        assert "s4_leaf: public.child" in page.text

    def test_sql_is_marked_up_and_otherwise_itself(self) -> None:
        """Strings may hold comments, comments quotes, and a string may have several lines."""
        statement = "SELECT 'a--b' AS `FROM`, \"x'y\" -- it's\nFROM t /* 'c */ WHERE c = 'd\ne'"
        lines = sql(statement)
        assert parsed("\n".join(lines)).text == statement
        assert lines[0].startswith("<b>SELECT</b> <em>&#x27;a--b&#x27;</em>")
        assert lines[1].endswith("<em>&#x27;d</em>")
        assert lines[2] == "<em>e&#x27;</em>"

    @pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x00", "\x1b", "\ufeff", "\r"])
    def test_hidden_characters_are_shown(self, hidden: str) -> None:
        """By their numbers."""
        assert text(f"a{hidden}b") == f"a<mark>U+{ord(hidden):04X}</mark>b"


class TestMarkdown:
    def test_names_and_literals_are_text(self, nasty: Shell) -> None:
        """Outside of the SQL's fences nothing that the project wrote is markup."""
        ended = nasty.run("filtersql review --format markdown")
        assert ended.exit_code == 0, ended.both
        outside = re.sub(r"(`{3,})sql\n.*?\n\1\n", "", ended.stdout, flags=re.DOTALL)
        tags = {tag for tag, _ in parsed(outside).tags}
        assert tags <= {"code", "br", "details", "summary"}
        assert "`" not in outside
        for row in (line for line in outside.split("\n") if line.startswith("| a")):
            assert row.count("|") in (4, 6)

    def test_a_pull_request(self, shell: Shell) -> None:
        """A table of actions, worked rows, the SQL."""
        ended = shell.run("filtersql review --format markdown --select s1")
        assert "| <code>a = 6</code>, <code>c = &#39;NSW&#39;</code> | true |" in ended.stdout
        assert "| DELETE of the old row |" in ended.stdout
        assert ended.stdout.count("```sql\n") == 2
        assert shell.run("filtersql ls --format markdown").exit_code == 2
        assert shell.run("filtersql --format markdown ls").exit_code == 2


class TestMeaning:
    def changed(self, shell: Shell, old: str, new: str) -> dict[str, object]:
        """The first filter's change, of a project in which one text was replaced."""
        shell.run("filtersql compile -q")
        before = shell.folder / "target" / "manifest.json"
        before.rename(shell.folder.parent / "manifest.json")
        edit(shell, "publications/orders.yml", old, new)
        ended = shell.run(f"filtersql review --format json --state {shell.folder.parent}")
        assert ended.exit_code == 0, ended.both
        found: dict[str, object] = json.loads(ended.stdout)
        return found

    @pytest.mark.parametrize(
        ("new", "verdict"),
        [
            ("a > 4", "wider"),
            ("a > 6", "narrower"),
            ("a <> 6", "both"),
            ("a >= 6", "the same"),
            ("a % 2 = 0 OR a > 5", "not decided"),
        ],
    )
    def test_verdicts(self, shell: Shell, new: str, verdict: str) -> None:
        """Wider, narrower, both, the same though the text differs, not decided."""
        (change,) = self.changed(shell, "a > 5", f"({new})")["changes"]  # type: ignore[misc]
        (found,) = change["filters"]
        assert found["verdict"] == verdict
        assert found["actions"] == ["insert", "update", "delete", "copy"]
        assert (found["gained"] is not None) == (verdict in ("wider", "both", "not decided"))
        assert (found["lost"] is not None) == (verdict in ("narrower", "both"))
        assert change["kind"] == ("text" if verdict == "the same" else "changed")
        assert shell.run(f"filtersql review --state {shell.folder.parent}").exit_code == 0
        page = parsed((shell.folder / "target" / "review.html").read_text())
        assert f"insert, update, delete, copy: {verdict}" in page.text

    def test_a_filter_that_is_dropped(self, shell: Shell) -> None:
        """Every row is wider than any filter, by a row."""
        (change,) = self.changed(  # type: ignore[misc]
            shell, '{name: t1, where: "a > 5 AND c = \'{{ var(\\"state\\") }}\'"}', "{name: t1}"
        )["changes"]
        assert [each["verdict"] for each in change["filters"]] == ["wider"]

    def test_targets_that_come_and_go(self, shell: Shell) -> None:
        """A new one, one that is gone, other columns; the page shows them all."""
        shell.run("filtersql compile -q")
        (shell.folder / "target" / "manifest.json").rename(shell.folder.parent / "manifest.json")
        edit(shell, "subscriptions/subscriptions.yml", "name: s4_leaf", "name: s5")
        edit(shell, "tables/tables.sql", "b int, c text", "b bigint, x int, c text")
        before = shell.folder.parent
        ended = shell.run(f"filtersql review --format json --state {before}")
        changes = {each["target"]: each for each in json.loads(ended.stdout)["changes"]}
        assert {key: each["kind"] for key, each in changes.items()} == {
            "s1.public.t1": "changed",
            "s5.public.child": "new",
            "s4_leaf.public.child": "removed",
        }
        assert changes["s1.public.t1"]["others"] == [
            ["columns", "a, b, c", "a, b, x, c"],
            ["type of b", "integer", "bigint"],
        ]
        page = parsed((shell.folder / "target" / "review.html").read_text())
        assert "s4_leaf.public.child is gone" in page.text
        markdown = shell.run(f"filtersql review --format markdown --state {before}").stdout
        assert "is gone" in markdown

    def test_a_filter_that_no_longer_fits_the_table(self, shell: Shell) -> None:
        """The earlier filter reads a column that is gone: not decided, and why."""
        edit(shell, "publications/orders.yml", "d = 10", "d = 10 AND e = 1")
        edit(shell, "tables/tables.sql", "f int, PRIMARY KEY (d)", "f int, PRIMARY KEY (d, e)")
        edit(shell, "subscriptions/subscriptions.yml", "[p1]", "[p3]")
        shell.run("filtersql compile -q")
        (shell.folder / "target" / "manifest.json").rename(shell.folder.parent / "manifest.json")
        edit(shell, "publications/orders.yml", "d = 10 AND e = 1", "d = 10")
        edit(shell, "publications/orders.yml", "{name: t2, where: e = 99}", "t2")
        edit(
            shell,
            "tables/tables.sql",
            "d int, e int, f int, PRIMARY KEY (d, e)",
            "d int, f int, PRIMARY KEY (d)",
        )
        ended = shell.run(f"filtersql review --format json --state {shell.folder.parent}")
        (change,) = json.loads(ended.stdout)["changes"]
        (found,) = change["filters"]
        assert found["verdict"] == "not decided"
        assert 'column "e" does not exist' in found["reason"]

    def test_nothing_changed(self, shell: Shell) -> None:
        """The page says so."""
        shell.run("filtersql compile -q")
        shell.run("filtersql review --state target")
        page = parsed((shell.folder / "target" / "review.html").read_text())
        assert "Every target is as it was." in page.text


class TestApprovals:
    def test_a_run_needs_them(self, shell: Shell) -> None:
        """Not approved, approved, changed since; --target asks for approvals of its own."""
        run = "filtersql run --require-approval -t local -s s1"
        ended = shell.run(run)
        assert ended.exit_code == 1
        assert (
            'the statements of "s1.public.t1" for output "local" are not approved' in ended.stderr
        )
        assert not (shell.folder / "shop.duckdb").exists()

        ended = shell.run("filtersql review --approve s1 --by 'Ann Ö.' -t local")
        assert ended.stdout.startswith("approved s1.public.t1\n")
        assert shell.run(run).exit_code == 0
        assert shell.run("filtersql run --require-approval -t local").exit_code == 1
        ended = shell.run("filtersql run --require-approval -s s1 -t dev")
        assert 'for output "dev" are not approved' in ended.stderr

        edit(shell, "publications/orders.yml", "a > 5", "a > 4")
        ended = shell.run(run)
        assert ended.exit_code == 1
        assert "have changed since they were approved" in ended.stderr
        assert '"Ann Ö." approved them on ' in ended.stderr
        shell.run("filtersql review -t local")
        page = parsed((shell.folder / "target" / "review.html").read_text())
        assert "Not approved: changed since." in page.text
        assert "Not approved: nobody has approved it." in page.text

    def test_a_second_approval_takes_the_place_of_the_first(self, shell: Shell) -> None:
        """Of the same target and output only; the page names the person."""
        shell.run("filtersql review --approve s1 --by Ann -t local")
        shell.run("filtersql review --approve s4,public.parent --by Bob -t local")
        shell.run("filtersql review --approve s1 --by Eve -t local")
        found = read_approvals((shell.folder / "approvals.yml").read_text())
        assert [(each.target, each.by) for each in found] == [
            ("s1.public.t1", "Eve"),
            ("s4.public.parent", "Bob"),
        ]
        shell.run("filtersql review -t local")
        page = parsed((shell.folder / "target" / "review.html").read_text())
        assert "Approved by Eve on " in page.text

    @pytest.mark.parametrize("arguments", ["--approve s1", "--by Ann", "--approve s1 --by ' '"])
    def test_wrong_usage(self, shell: Shell, arguments: str) -> None:
        """A selection and a name belong together."""
        assert shell.run(f"filtersql review {arguments}").exit_code == 2
        assert not (shell.folder / "approvals.yml").exists()

    def test_a_selection_that_matches_nothing(self, shell: Shell) -> None:
        """Nothing is approved."""
        assert shell.run("filtersql review --approve s9 --by Ann").exit_code == 1
        assert not (shell.folder / "approvals.yml").exists()

    @pytest.mark.parametrize(
        "content", ["approvals: 3", "{", "- a", "approvals: [{target: s1}]", "a: &a [*a]"]
    )
    def test_files_that_are_broken(self, shell: Shell, content: str) -> None:
        """Nothing is approved by one, and it is not written over."""
        (shell.folder / "approvals.yml").write_text(content)
        for line in ("run --require-approval -t local", "review --approve s1 --by Ann", "review"):
            ended = shell.run(f"filtersql {line}")
            assert ended.exit_code == 1, line
            assert "approvals.yml: not a file of approvals" in ended.stderr
        assert (shell.folder / "approvals.yml").read_text() == content

    def test_what_is_written_is_read(self) -> None:
        """Any name survives."""
        names = ["Ann", "no", "1", "a: b # c", "'\"", "\u202e", "ü\n", "*x"]
        approvals = [Approval("t", name, name, "2026-11-20", {"merge": "0"}) for name in names]
        found = read_approvals(approvals_text(approvals))
        assert sorted(each.by for each in found) == sorted(names)
        with pytest.raises(Mistakes):
            read_approvals("approvals: [1]")


def test_no_secret_is_on_the_page(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A password of the profile is in nothing that is written."""
    monkeypatch.setitem(os.environ, "SHOP_PASSWORD", "hunter2")
    edit(
        shell,
        "profiles.yml",
        "path: shop.duckdb",
        "path: shop.duckdb, settings: {password: \"{{ env_var('SHOP_PASSWORD') }}\"}",
    )
    assert shell.run("filtersql review -t local").exit_code == 0
    assert shell.run("filtersql run -t local").exit_code == 0
    for path in [*(shell.folder / "target").rglob("*.*"), *(shell.folder / "logs").rglob("*.*")]:
        assert not path.is_file() or b"hunter2" not in path.read_bytes()
    manifest = json.loads((shell.folder / "target" / "manifest.json").read_text())
    assert wrong("manifest", manifest) == []
