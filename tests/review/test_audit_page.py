"""`audit --format html`: findings, the source beside the target, what differs; any of it text."""

from __future__ import annotations

import os
import re
from pathlib import Path

import duckdb
import pytest
from demo import parsed, started, take_a_secret
from transcripts import Shell

DAMAGE = """
DELETE FROM finance.orders WHERE id = 2;
UPDATE finance.orders SET total = 99, status = NULL WHERE id = 3;
INSERT INTO finance.orders VALUES (1, 'eu', '<b>x</b>', 40), (77, 'us', 'hunter2<', 1)
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The shop, whose second target another hand has written to."""
    shell = started(tmp_path, "shop")
    assert shell.run("filtersql run --target local -q").exit_code == 0
    with duckdb.connect(str(shell.folder / "shop.duckdb")) as connection:
        connection.execute(DAMAGE)
    return shell


def rows(page: str, section: str) -> list[list[str]]:
    """The cells of a target's table: `!` before a value that is marked."""
    _, _, behind = page.partition(f'<section class=target id="{section}">')
    lines = re.findall(r"<tr>(<td.*)", behind.partition("</section>")[0])
    cells = [re.findall(r"<td([^>]*)>((?:(?!<td).)*)", line) for line in lines]
    return [
        ["!" * ("differs" in kind) + parsed(inner).text for kind, inner in line] for line in cells
    ]


def test_rows_stand_beside_the_sources(shell: Shell) -> None:
    """One was deleted, one changed and two added by hand; the other target is right."""
    ended = shell.run("filtersql audit --target local --format html")
    assert (ended.exit_code, ended.stderr) == (1, "")
    assert rows(ended.stdout, "finance_2f_public.orders") == [
        ["differs", "source", "3", "eu", "!paid", "!15.00"],
        ["target", "3", "eu", "!NULL", "!99.00"],
        ["leaked", "source, outside of the filter", "1", "!us", "!paid", "40.00"],
        ["target", "1", "!eu", "!<b>x</b>", "40.00"],
        ["leaked", "target", "77", "us", "hunter2<", "1.00"],
        ["missing", "source", "2", "us", "packed", "1500.00"],
    ]
    page = parsed(ended.stdout)
    assert "europe/public.orders" in page.text
    assert "No row differs." in page.text
    index = ended.stdout.partition("<section")[0]
    assert re.findall(r"<td>(\d+)", index) == ["0", "0", "0", "9", "2", "1", "1", "9"]
    anchors = {attributes.get("id") for _, attributes in page.tags}
    links = [attributes["href"] or "" for tag, attributes in page.tags if tag == "a"]
    assert [link[1:] in anchors for link in links] == [True, True]
    assert not any(tag == "b" for tag, _ in page.tags)


def test_the_page_goes_to_a_file_or_to_stdout(shell: Shell) -> None:
    """The same bytes; a repair is told, and with another format --output is wrong usage."""
    printed = shell.run("filtersql --format html audit --target local")
    ended = shell.run("filtersql audit --target local --format html --output pages/audit.html")
    assert ended.stdout == "Wrote the audit of 2 targets to pages/audit.html\n"
    assert ended.exit_code == 1
    assert (shell.folder / "pages/audit.html").read_text() == printed.stdout
    assert shell.run("filtersql audit --target local --output a.html").exit_code == 2
    ended = shell.run("filtersql audit --target local --format html --repair")
    assert ended.exit_code == 0
    assert "These rows were found, and are repaired." in ended.stdout
    ended = shell.run("filtersql audit --target local --format html")
    assert ended.exit_code == 0
    assert rows(ended.stdout, "finance_2f_public.orders") == []


def test_what_cannot_be_compared_is_said(shell: Shell) -> None:
    """On the page and on stderr; a target without key counts copies, one is not filled yet."""
    with duckdb.connect(str(shell.folder / "shop.duckdb")) as connection:
        connection.execute("INSERT INTO europe.orders SELECT * FROM europe.orders")
    (shell.folder / "tables/bare.sql").write_text(
        "CREATE TABLE notes (note text); ALTER TABLE notes REPLICA IDENTITY FULL;\n"
        "CREATE PUBLICATION notes FOR TABLE notes;"
    )
    new = "subscriptions:\n  - {name: n, publications: [notes], changes: {path: 'changes/*.jsonl'}}"
    (shell.folder / "subscriptions/n.yml").write_text(new)
    ended = shell.run("filtersql audit --target local --format html")
    assert ended.exit_code == 1
    assert "holds several rows with the same key (id)" in ended.stderr
    assert "holds several rows with the same key (id)" in parsed(ended.stdout).text
    assert "It is not filled yet: there is nothing to compare." in ended.stdout
    assert shell.run("filtersql run --target local -q").exit_code == 0
    with duckdb.connect(str(shell.folder / "shop.duckdb")) as connection:
        connection.execute("INSERT INTO n.notes VALUES ('a'), ('a'), (NULL)")
    ended = shell.run("filtersql audit --target local --format html --select n")
    assert rows(ended.stdout, "n_2f_public.notes") == [
        ["a", "leaked", "2"],
        ["NULL", "leaked", "1"],
    ]


def test_no_secret_is_on_the_page(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value of the environment that a row holds, though its characters are escaped."""
    monkeypatch.setitem(os.environ, "SHOP_PASSWORD", "hunter2<")
    take_a_secret(shell)
    ended = shell.run("filtersql audit --target local --format html")
    assert ended.exit_code == 1
    assert "hunter2" not in ended.stdout
    assert ["leaked", "target", "77", "us", "*****", "1.00"] in rows(
        ended.stdout, "finance_2f_public.orders"
    )
