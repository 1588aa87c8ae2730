"""The documentation's site is built without a warning, and needs no other host."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from browsers import NEEDS_CHROMIUM, complaints, look
from places import HOME
from sites import build
from test_wording import ROWS

pytest.importorskip("mkdocs", reason='needs mkdocs: pip install -e ".[docs]"')


#: in one step: the list is written anew while somebody types
_FOUND = """return [...document.querySelectorAll(".md-search-result__item h1")]
    .map(heading => heading.innerText)"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    assert build(folder) == ""
    return folder


def test_every_page_is_there(site: Path) -> None:
    """One for README.md and one for each file of filtersql/docs."""
    docs = HOME / "filtersql" / "docs"
    wanted = {path.relative_to(docs).with_suffix(".html") for path in docs.rglob("*.md")}
    pages = {path.relative_to(site) for path in site.rglob("*.html")}

    assert wanted | {Path("index.html")} <= pages
    assert len(wanted) >= 15


def test_wrong_pages_are_refused(tmp_path: Path) -> None:
    """A link and an anchor that lead nowhere, and a page that the navigation does not name."""
    home = tmp_path / "home"
    for part in ("filtersql/docs", ".ci"):
        shutil.copytree(HOME / part, home / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HOME / "README.md", home)
    # It takes most of the time, and its links are those of the site that is built as it is.
    (home / ".ci" / "site" / "functions.py").write_text("def page(): return '# Functions'\n")
    docs = home / "filtersql" / "docs"
    with (docs / "feeds.md").open("a", encoding="utf-8") as file:
        file.write("\n[One](nowhere.md), [two](files.md#nothing).\n")
    (docs / "lonely.md").write_text("# Lonely\n")
    said = build(tmp_path / "site", home)

    assert "'nowhere.md'" in said
    assert "'files.md#nothing'" in said
    assert "lonely.md" in said


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    """No page, style or manifest names a script, a style, a font or a picture of another host."""
    loaded = re.compile(
        r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"?((?:https?:)?//[^\" >]+)"
    )
    styles = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"') ]+)")
    pages, sheets = list(site.rglob("*.html")), list(site.rglob("*.css"))

    assert [url for page in pages for url in loaded.findall(page.read_text())] == []
    assert [url for sheet in sheets for url in styles.findall(sheet.read_text())] == []
    assert pages
    assert sheets


def test_files_beyond_the_site_are_no_links(site: Path) -> None:
    """They are named instead, as they stand in the repository."""
    text = (site / "proofs.html").read_text(encoding="utf-8")

    assert "model (<code>filtersql/verify/model.py</code>)" in text
    assert ">`" not in text


def rows(page: Path) -> set[tuple[str, ...]]:
    """The cells of a page's tables, as texts."""
    plain = re.sub(r"</?(?:code|a)\b[^>]*>", "", page.read_text(encoding="utf-8"))
    found = re.findall(r"<tr>\s*((?:<td>.*?</td>\s*)+)</tr>", plain, re.DOTALL)
    return {tuple(map(unescape, re.findall(r"<td>(.*?)</td>", row, re.DOTALL))) for row in found}


def test_what_engines_write(site: Path) -> None:
    """Of the table, some rows that anybody would look up."""
    found = rows(site / "functions.html")
    constant = "The pattern must be a constant."

    assert ("ascii(text)", "yes", "yes") in found
    assert ("regexp_like(text, text)", constant, constant) in found
    assert ("jsonb -> integer, jsonb -> text", "yes", "yes") in found
    assert ("jsonb ?| text[]", "yes", "yes") in found
    assert ("date::timestamp", "yes", "yes") in found
    assert len(found) > 250


def test_each_mistake_has_its_row(site: Path) -> None:
    """Those that are rows in errors/, and those that are classes."""
    found = rows(site / "mistakes.html")
    messages = {message for message, _, _ in found}
    known = [re.sub(r"\\{.*?\}", ".*", re.escape(row.message)) for row in ROWS.values()]

    assert (
        'no file matches "…"',
        "",
        "A path without a URL is relative to the project. An empty file is accepted.",
    ) in found
    assert "cannot cast type … to …" in messages
    lacking = [text for text in known if not any(re.match(text, each) for each in messages)]
    assert lacking == []
    assert len(known) > 250


@NEEDS_CHROMIUM
@pytest.mark.parametrize("page", ["index", "tutorial", "files", "functions"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_fits_a_phone(browser, site: Path, page: str, dark: bool) -> None:
    """Tables and statements scroll within themselves; the colours are the system's."""
    look(browser, site / f"{page}.html", 390, dark=dark)

    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    scheme = browser.execute_script("return document.body.dataset.mdColorScheme")
    assert scheme == ("slate" if dark else "default")
    assert complaints(browser) == []


#: blocks of code that scroll, with the length of their longest line
_SCROLLING = """return [...document.querySelectorAll("pre > code")]
    .filter(code => code.scrollWidth > code.clientWidth)
    .map(code => Math.max(...code.innerText.split("\\n").map(line => line.length)))"""


@NEEDS_CHROMIUM
@pytest.mark.parametrize("page", ["index", "changes"])
def test_eighty_columns_fit_a_desk(browser, site: Path, page: str) -> None:
    """What a terminal shows needs no scrolling beside the navigation; names in tables are whole."""
    look(browser, site / f"{page}.html", 1300)

    assert [length for length in browser.execute_script(_SCROLLING) if length <= 80] == []
    code = browser.find_element("css selector", "td code")
    assert code.value_of_css_property("word-break") == "normal"


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Says nothing."""


@pytest.fixture(params=["files", "server"])
def address(request: pytest.FixtureRequest, site: Path) -> Iterator[str]:
    """Where the site is read: as files, or from a server as `mkdocs serve` is one."""
    if request.param == "files":
        yield site.as_uri()
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@NEEDS_CHROMIUM
def test_search_finds(browser, address: str) -> None:
    """Words are found on the pages that are about them, and nobody else is asked."""
    from selenium.webdriver.support.wait import WebDriverWait

    browser.get_log("performance")
    look(browser, f"{address}/tutorial.html", 1280)
    box = browser.find_element("css selector", "input[data-md-component=search-query]")
    box.click()
    for words, page in (("replica identity", "Warnings"), ("--max-deletes", "Commands")):
        box.clear()
        box.send_keys(words)
        WebDriverWait(browser, 30).until(
            lambda browser, page=page: page in browser.execute_script(_FOUND)
        )

    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in asked if not url.startswith((address, "data:"))] == []
    assert any("search_index" in url for url in asked)
