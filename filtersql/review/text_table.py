"""A table of text as psql prints it: title in the middle, columns aligned, footers below.

Example
    >>> print(aligned("Sets", ["Name", "Tables"], [["default", "3"]]))
           Sets
      Name   | Tables
    ---------+--------
     default | 3

PostgreSQL
    src/fe_utils/print.c, print_aligned_text()
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

__all__ = ["aligned", "cut", "in_one_line", "sparkline"]

_BARS = "▁▂▃▄▅▆▇█"
#: columns of a terminal that a value may take
_WIDEST = 100
#: categories of characters that end a line, or turn a terminal's head
_UNSEEN = ("Cc", "Cf", "Zl", "Zp")


def aligned(
    title: str,
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    footers: Iterable[str] = (),
) -> str:
    """The table, without blanks at the ends of lines. A cell may have several lines."""
    cells = [[cell.split("\n") for cell in row] for row in rows]
    widths = [
        max([_width(header), *(_width(line) for row in cells for line in row[column])])
        for column, header in enumerate(headers)
    ]
    total = sum(widths) + 3 * len(widths) - 1
    lines = [_centred(title, total)] if title else []
    lines.append(" " + " | ".join(map(_centred, headers, widths)))
    lines.append("-" + "-+-".join("-" * width for width in widths) + "-")
    for row in cells:
        for number in range(max(map(len, row))):
            texts = [cell[number] if number < len(cell) else "" for cell in row]
            lines.append(" " + " | ".join(map(_padded, texts, widths)))
    return "\n".join(line.rstrip() for line in [*lines, *footers])


def sparkline(counts: Sequence[int]) -> str:
    """A bar for each number; the lowest one says zero.

    >>> sparkline([9, 0, 1, 5])
    '█▁▂▅'
    """
    most, highest = max(counts, default=0), len(_BARS) - 1
    return "".join(_BARS[-(-count * highest // most) if count else 0] for count in counts)


def cut(text: str, columns: int) -> str:
    """The beginning of a text that is too long; what is left out is told by its last character.

    >>> cut("publication", 8)
    'publica…'
    """
    if _width(text) <= columns:
        return text
    kept = ""
    for each in text:
        if _width(kept + each) >= columns:
            break
        kept += each
    return f"{kept}…"


def in_one_line(value: str) -> str:
    r"""A value as a row shows it: cut where it is long, with no ends of lines within.

    >>> in_one_line("a\nb")
    'a\\nb'
    """
    shown = value[:_WIDEST]  # a beginning is enough, were it megabytes
    if not shown.isprintable():
        shown = "".join(
            repr(each)[1:-1] if unicodedata.category(each) in _UNSEEN else each for each in shown
        )
    return cut(shown if len(value) <= _WIDEST else f"{shown}…", _WIDEST)


def _centred(text: str, width: int) -> str:
    left = max(width - _width(text), 0) // 2
    return _padded(" " * left + text, width)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _width(text: str) -> int:
    """Columns on a terminal: wide East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )
