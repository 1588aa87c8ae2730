"""The outputs that the documentation shows: each is read, and compiled for."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml
from cases import read_fences
from demo import started
from places import HOME

DOCS = HOME / "filtersql" / "docs"
_UNWRITTEN = re.compile(r"\{\{.*?\}\}")


def _outputs() -> list[tuple[str, str, str]]:
    """Page, name and text of each mapping of outputs."""
    found = []
    for page in sorted(DOCS.rglob("*.md")):
        for fence in read_fences(page):
            if fence.language != "yaml" or fence.words:
                continue
            content = yaml.safe_load(_UNWRITTEN.sub("", fence.text))
            if isinstance(content, dict) and all(
                isinstance(each, dict) and each.get("type") in ("spark", "duckdb")
                for each in content.values()
            ):
                found += [(page.name, name, fence.text) for name in content]
    return found


@pytest.mark.parametrize(("page", "name", "text"), _outputs(), ids=lambda value: str(value)[:20])
def test_an_output_is_read(
    page: str, name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No key is unknown or missing, and what it names can be compiled for."""
    for variable in re.findall(r"env_var\('(\w+)'\)", text):
        monkeypatch.setitem(os.environ, variable, "a secret")
    shell = started(tmp_path, "shop")
    outputs = "".join(f"    {line}\n" for line in text.splitlines())
    (shell.folder / "profiles.yml").write_text(f"demo:\n  outputs:\n{outputs}")
    (shell.folder / "ca.pem").write_text("")
    said = shell.run(f"filtersql compile --target {name}")
    assert said.exit_code == 0, f"{page}\n{said.both}"


def test_outputs_are_found() -> None:
    """The pages of servers, stores and catalogs show some."""
    pages = {page for page, _, _ in _outputs()}
    assert {"targets.md", "object-stores.md", "catalogs.md", "kerberos.md"} <= pages
