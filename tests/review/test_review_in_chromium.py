"""The review page in a real browser: on a phone, in the dark, printed, without a network."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from browsers import NEEDS_CHROMIUM, complaints, look
from demo import NASTY, started, written
from places import BENCHMARKS
from transcripts import Shell

#: parts of statements and of the picture
SQL, DRAWN = ("pre i", "pre b", "pre em"), (".picture text", ".picture svg svg .dim")

pytestmark = NEEDS_CHROMIUM


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The template's review with changes of meaning."""
    shell = started(tmp_path_factory.mktemp("page"))
    shell.run("filtersql compile -q")
    (shell.folder / "target" / "manifest.json").rename(shell.folder.parent / "manifest.json")
    orders = shell.folder / "publications" / "orders.yml"
    orders.write_text(orders.read_text().replace("a > 5", "a <> 6"))
    assert shell.run(f"filtersql review --state {shell.folder.parent}").exit_code == 0
    return shell.folder / "target" / "review.html"


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The audit of a target that holds another row."""
    shell = started(tmp_path_factory.mktemp("audit"), "shop")
    shell.run("filtersql run --target local -q")
    with duckdb.connect(str(shell.folder / "shop.duckdb")) as connection:
        connection.execute("UPDATE finance.orders SET status = repeat('x', 900)")
    shell.run("filtersql audit --target local --format html --output audit.html")
    return shell.folder / "audit.html"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_an_audit_is_read_on_a_phone(browser, audit: Path, dark: bool) -> None:
    """It is no wider than the screen; what differs stands out and can be read."""
    for width in (390, 1280):
        look(browser, audit, width, dark=dark)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    style = "getComputedStyle(document.querySelector('td.differs'))"
    colours = [luminance(browser, f"{style}.{name}") for name in ("color", "backgroundColor")]
    assert (max(colours) + 0.05) / (min(colours) + 0.05) >= 4.5
    assert complaints(browser) == []


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_nothing_is_wider_than_the_screen(browser, page: Path, width: int) -> None:
    """Tables and statements scroll within themselves; the page does not."""
    look(browser, page, width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    for details in browser.find_elements("css selector", "summary"):
        details.click()
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert complaints(browser) == []


def test_the_picture_scrolls_in_its_box_on_a_phone(browser, page: Path) -> None:
    """It is as large there as on a desk's screen, where all of it is seen."""
    wide = "const each = document.querySelector('.picture');return each.scrollWidth"
    for width, scrolls in ((390, True), (1280, False)):
        look(browser, page, width)
        assert browser.execute_script(f"{wide} > each.clientWidth") == scrolls
        assert browser.execute_script(wide) >= 900
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    browser.find_element("css selector", '.picture a[href="#s1.public.t1"]').click()
    assert browser.execute_script("return location.hash") == "#s1.public.t1"


def luminance(browser, script: str) -> float:
    """How light a colour is, from 0 to 1, as WCAG counts it."""
    numbers = browser.execute_script(f"return ({script}).match(/[0-9.]+/g).slice(0, 3)")
    parts = [float(number) / 255 for number in numbers]
    linear = [one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everything_can_be_read(browser, page: Path, dark: bool) -> None:
    """Text stands out from its ground by WCAG's 4.5 to 1, in both schemes."""
    look(browser, page, 1000, dark=dark)
    ground = luminance(browser, "getComputedStyle(document.body).backgroundColor")
    assert (ground < 0.2) == dark
    for selector in (*"body a .dim .yes .no .verdict".split(), *SQL, *DRAWN):
        for details in browser.find_elements("css selector", "details:not([open]) summary"):
            details.click()
        kind = "fill" if selector in DRAWN else "color"
        style = f"getComputedStyle(document.querySelector('{selector}')).{kind}"
        colour = luminance(browser, style)
        lighter, darker = max(colour, ground), min(colour, ground)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, selector


def test_a_clause_leads_to_its_definition(browser, page: Path) -> None:
    """A click on a filter of merge.sql shows the line of the definition."""
    look(browser, page, 1000)
    browser.find_element("css selector", "summary").click()
    links = browser.find_elements("css selector", "details[open] pre a")
    (clause, *_) = [link for link in links if "(old_" in link.text]
    clause.click()
    shown = browser.execute_script("return document.querySelector(':target').textContent")
    assert "where:" in shown
    assert "a <> 6" in shown


def test_printed(browser, page: Path) -> None:
    """On paper the statements are there, though they are folded on the screen."""
    look(browser, page, 1000)
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})
    content = base64.b64decode(printed["data"])
    assert content.startswith(b"%PDF")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    height = browser.execute_script("return document.querySelector('details pre').offsetHeight")
    # What a screen scrolls sideways, paper would cut off: the last column says what happens.
    long = "forEach(each => { each.textContent = 'a_long_name_'.repeat(20) })"
    browser.execute_script(f"document.querySelectorAll('td code').{long}")
    wide = "some(each => each.scrollWidth > each.clientWidth)"
    cut = browser.execute_script(f"return [...document.querySelectorAll('.wide')].{wide}")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen"})
    assert height > 100
    assert not cut


def test_nothing_of_a_name_is_run(browser, tmp_path: Path) -> None:
    """A table called <script>alert(1)</script> is a title; nothing is fetched."""
    assert written(tmp_path).run("filtersql review").exit_code == 0
    browser.get_log("performance")
    look(browser, tmp_path / "target" / "review.html", 1000)
    assert NASTY in browser.find_element("css selector", "h3").text
    assert browser.execute_script("return document.scripts.length") == 0
    assert browser.execute_script("return document.images.length") == 0
    fetched = [
        entry for entry in browser.get_log("performance") if "requestWillBeSent" in entry["message"]
    ]
    assert len([entry for entry in fetched if "review.html" not in entry["message"]]) == 0
    assert complaints(browser) == []


def test_a_big_page_opens_quickly(browser, tmp_path: Path, announce: Callable[[str], None]) -> None:
    """The time is reported; the page of 200 tables stays under 3 MB."""
    import sys

    sys.path.insert(0, str(BENCHMARKS))
    from generated import write_project

    write_project(tmp_path, 200, "yaml")
    assert Shell(tmp_path).run("filtersql review -q").exit_code == 0
    made = tmp_path / "target" / "review.html"
    began = time.perf_counter()
    look(browser, made, 1000)
    assert len(browser.find_elements("css selector", "section.target")) == 200
    seconds = time.perf_counter() - began
    announce(f"review of 200 tables: {made.stat().st_size:,} bytes, opened in {seconds:.2f} s")
    assert made.stat().st_size < 3_000_000
