"""A page in its file, whole or not at all.

Example
    write_page(Path("target/review.html"), html(review))
"""

from __future__ import annotations

from pathlib import Path

import click

from filtersql.artifacts import write_file

__all__ = ["write_page"]


def write_page(place: Path, page: str) -> None:
    """Writes it, and the folders above. Raises UsageError where that cannot be."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_file(place, page.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise click.UsageError(f"{place}: cannot be written: {error.strerror}") from None
