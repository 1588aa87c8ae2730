"""The documentation's site is built without a warning, and needs no other host."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from places import HOME
from sites import build

pytest.importorskip("mkdocs", reason='needs mkdocs: pip install -e ".[docs]"')


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


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("See [it](nowhere.md).", "nowhere.md"),
        ("See [it](files.md#nowhere).", "#nowhere"),
        ("", "not included in the"),
    ],
    ids=["link", "anchor", "page"],
)
def test_a_wrong_page_is_refused(page: str, said: str, tmp_path: Path) -> None:
    """A link or an anchor that leads nowhere, and a page that nothing leads to."""
    home = tmp_path / "home"
    for part in ("filtersql", ".ci"):
        shutil.copytree(HOME / part, home / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HOME / "README.md", home)
    docs = home / "filtersql" / "docs"
    if page:
        with (docs / "feeds.md").open("a", encoding="utf-8") as file:
            file.write(f"\n{page}\n")
    else:
        (docs / "lonely.md").write_text("# Lonely\n")

    assert said in build(tmp_path / "site", home)


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
