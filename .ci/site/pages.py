"""Makes the pages of the site from files that GitHub shows, too.

Example
    [model](../verify/model.py)       becomes   model (`filtersql/verify/model.py`)
    ```yaml write profiles.yml        becomes   ```yaml title="profiles.yml"
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import functions
import mistakes
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

_HOME = Path(__file__).parents[2]
_DOCS = "filtersql/docs"
#: code, in which nothing is a link, or a link to a file
_LINK = re.compile(
    r"(?ms)^(?P<ticks>`{3,}).*?^(?P=ticks)$|`[^`\n]*`"
    r"|\[(?P<text>[^\]]*)\]\((?P<path>(?!\w+:|#)[^)#\s]+)(?P<anchor>#[^)]*)?\)"
)
_TITLED = re.compile(r"(?m)^(`{3,}\w+) (?:(?:write|run) )?(\S+)$")
_ROW = re.compile(r"(?m)^\|.*\|$")
_CODE = re.compile(r"`[^`]*`")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """README.md is the first page, and two are written from the code."""
    files.append(File.generated(config, "index.md", abs_src_path=str(_HOME / "README.md")))
    for name in ("iframe-worker.js", "site.css"):
        source = Path(__file__).with_name(name)
        files.append(File.generated(config, name, abs_src_path=str(source)))
    files.append(File.generated(config, "functions.md", content=functions.page()))
    files.append(File.generated(config, "mistakes.md", content=mistakes.page()))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links stay within the site; what else GitHub understands is said in mkdocs' way."""
    here = posixpath.dirname(page.file.src_uri)
    source = "" if page.file.src_uri == "index.md" else posixpath.join(_DOCS, here)

    def link(found: re.Match[str]) -> str:
        if found["path"] is None:
            return found[0]
        path = posixpath.normpath(posixpath.join(source, found["path"]))
        if path.startswith(f"{_DOCS}/"):
            inside = posixpath.relpath(path, posixpath.join(_DOCS, here))
            return f"[{found['text']}]({inside}{found['anchor'] or ''})"
        return f"{found['text']} (`{path}`)"

    linked = _TITLED.sub(r'\1 title="\2"', _LINK.sub(link, markdown))
    return _ROW.sub(lambda row: _CODE.sub(_plain_bars, row[0]), linked)


def _plain_bars(code: re.Match[str]) -> str:
    """In a table GitHub wants `\\|` within code, and Python's Markdown a bar."""
    return code[0].replace("\\|", "|")
