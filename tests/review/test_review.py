"""`review`: the page and the Markdown, changes of meaning; any name and literal is text."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from demo import NASTY, edit, parsed, started, take_a_secret, written
from test_schemas import wrong
from transcripts import Shell

from filtersql.review.html_text import sql, text


@pytest.fixture
def nasty(tmp_path: Path) -> Shell:
    """A project whose names and literals are markup."""
    return written(tmp_path)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The template's project."""
    return started(tmp_path)


class TestPage:
    def test_names_and_literals_are_text(self, nasty: Shell) -> None:
        """No element of the page comes from the project."""
        nasty.succeed("review")
        page = parsed((nasty.folder / "target" / "review.html").read_text())
        assert {tag for tag, _ in page.tags} <= {
            *"html meta title style body header main h1 h2 h3 h4 p section div table tr".split(),
            *"th td code br span a b i em pre details summary mark ul li nav del ins".split(),
            *"svg g rect path text".split(),
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
        linked = re.findall(r'^<a href="#(f[0-9]+-[0-9]+)">\t+\(', source, re.MULTILINE)
        assert len(linked) == 9  # the old row, the new row and the copy, of three filters

    def test_the_picture_leads_from_publications_to_targets(self, shell: Shell) -> None:
        """A filter in two targets is drawn once; what is too long is there as a title."""
        (shell.folder / "subscriptions/more.yml").write_text(
            "subscriptions:\n  - {name: more, publications: [p1, '\"<b>p\"'],"
            " changes: {path: 'changes/*.jsonl'}}\n"
        )
        (shell.folder / "publications/more.yml").write_text(
            "publications:\n  - name: '\"<b>p\"'\n    publish: [insert]\n    tables: "
            "[{name: t1, where: 'a IN (11111, 22222, 33333, 444444444)'}, t2]\n"
        )
        assert shell.run("filtersql review --select s1 more").exit_code == 0
        page = (shell.folder / "target" / "review.html").read_text()
        drawn = page[page.index("<svg") : page.index("</svg></div>")]
        assert page.index("<svg") < page.index("<h2>")
        picture = parsed(drawn)
        assert not any(tag == "b" for tag, _ in picture.tags)
        names = [attributes for tag, attributes in picture.tags if tag == "a"]
        places = [each["href"] for each in names if each["href"][1:2] == "f"]
        sections = [each["href"] for each in names if each["href"] not in places]
        assert sections == ["#more.public.t1", "#more.public.t2", "#s1.public.t1"]
        assert len(places) == 2
        assert picture.text.count("((a > 5) AND (c = 'NSW'::text))") == 1
        assert "every row" in picture.text
        assert "<b>p" in picture.text
        title = "public.t1: (a = ANY (ARRAY[11111, 22222, 33333, 444444444]))"
        assert f"<title>{title}</title>" in drawn
        # p1 and <b>p to their filters, and these to targets
        assert drawn.count("<path") == 3 + 4

    def test_a_large_picture_ends(self, tmp_path: Path) -> None:
        """Forty targets are drawn, and it says how many are not."""
        shell = written(tmp_path)
        names = [f"t{number}" for number in range(43)]
        listed = "".join(f"  - {{name: {name}, columns: {{a: int}}}}\n" for name in names)
        (tmp_path / "tables/t.yml").write_text(f"tables:\n{listed}")
        (tmp_path / "publications/p.yml").write_text(
            f"publications:\n  - {{name: p, publish: [insert], tables: [{', '.join(names)}]}}\n"
        )
        (tmp_path / "subscriptions/s.yml").write_text(
            "subscriptions:\n  - {name: s, publications: [p], changes: {path: 'c/*.jsonl'}}\n"
        )
        assert shell.run("filtersql review").exit_code == 0
        page = (tmp_path / "target" / "review.html").read_text()
        assert page.count("<section class=target") == 43
        assert page.count("<path") == 80
        assert "<p class=dim>3 more targets are not drawn.</p>" in page

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
        ended = nasty.succeed("review", "--format", "markdown")
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

    def test_settings_and_macros(self, shell: Shell) -> None:
        """A setting is named; of a macro it is only said that the filters are the same."""
        shell.run("filtersql compile -q")
        (shell.folder / "target" / "manifest.json").rename(shell.folder.parent / "manifest.json")
        edit(
            shell,
            "subscriptions/subscriptions.yml",
            "name: s4_leaf ",
            "on_filter_error: quarantine\n    tags: [x]\n    name: s4_leaf ",
        )
        edit(shell, "subscriptions/subscriptions.yml", "[p1]", "[p1]\n    tags: [nightly]")
        (shell.folder / "macros" / "audit.sql").write_text("-- ours\n")
        ended = shell.run(f"filtersql review --format json --state {shell.folder.parent}")
        changes = {each["target"]: each for each in json.loads(ended.stdout)["changes"]}
        assert {key: each["kind"] for key, each in changes.items()} == {
            "s1.public.t1": "text",
            "s4.public.parent": "text",
            "s4_leaf.public.child": "changed",
        }
        assert changes["s4_leaf.public.child"]["others"] == [
            ["on_filter_error", "stop", "quarantine"]
        ]
        (shell.folder / "macros" / "audit.sql").unlink()
        ended = shell.run(f"filtersql ls -s state:modified --state {shell.folder.parent}")
        assert ended.stdout == "s4_leaf:public.child\n"

    def test_nothing_changed(self, shell: Shell) -> None:
        """The page says so."""
        shell.run("filtersql compile -q")
        shell.run("filtersql review --state target")
        page = parsed((shell.folder / "target" / "review.html").read_text())
        assert "Every target is as it was." in page.text


def test_no_secret_is_on_the_page(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that the profile takes from the environment is in nothing that is written."""
    monkeypatch.setitem(os.environ, "SHOP_PASSWORD", "hunter2")
    take_a_secret(shell)
    assert shell.run("filtersql review -t local").exit_code == 0
    assert shell.run("filtersql run -t local").exit_code == 0
    for path in [*(shell.folder / "target").rglob("*.*"), *(shell.folder / "logs").rglob("*.*")]:
        assert not path.is_file() or b"hunter2" not in path.read_bytes()
    manifest = json.loads((shell.folder / "target" / "manifest.json").read_text())
    assert wrong("manifest", manifest) == []
