"""What stands around a page: one file that holds everything, fetches nothing and runs nothing.

Example
    framed("Review of shop", "DuckDB. 2 targets.", parts) is a whole document, in page.css.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from filtersql.review.html_text import text

__all__ = ["framed"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def framed(title: str, facts: str, parts: Iterable[str]) -> str:
    """The document. `title` is any text; `facts` below it and the parts are HTML."""
    style = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
    return "".join(
        (
            "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n",
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
            '<meta name=viewport content="width=device-width,initial-scale=1">\n',
            f"<title>{text(title)}</title>\n<style>\n{style}</style>\n<body>\n",
            f"<header><h1>{text(title)}</h1>\n<p class=dim>{facts}</p></header>\n<main>\n",
            *parts,
            "</main>\n</body>\n</html>\n",
        )
    )
