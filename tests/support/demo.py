"""The template's project in a folder, for tests of commands; and a page's elements and text."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from places import put_files
from transcripts import Ended, Shell

__all__ = [
    "NASTY",
    "PROJECT",
    "PageReader",
    "edit",
    "lines",
    "parsed",
    "started",
    "take_a_secret",
    "written",
]

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


def started(folder: Path, example: str = "postgres") -> Shell:
    """A shell in an example that `init` makes: PostgreSQL's own ones, or another."""
    shell = Shell(folder)
    shell.run(f"filtersql init demo --example {example}")
    shell.run("cd demo")
    return shell


def written(folder: Path) -> Shell:
    """A shell in a project whose names and literals are markup."""
    put_files(folder, PROJECT)
    return Shell(folder)


def take_a_secret(shell: Shell) -> None:
    """The output of DuckDB has a value of the environment: that of SHOP_PASSWORD."""
    secret = "settings: {temp_directory: \"{{ env_var('SHOP_PASSWORD') }}\"}"
    edit(shell, "profiles.yml", "path: shop.duckdb", f"path: shop.duckdb, {secret}")


def edit(shell: Shell, path: str, old: str, new: str) -> None:
    """Replaces a text that must be there."""
    file = shell.folder / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def lines(ended: Ended) -> list[str]:
    """What was printed, line by line."""
    return ended.stdout.splitlines()


class PageReader(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(page: str) -> PageReader:
    reader = PageReader()
    reader.feed(page)
    return reader
