"""Which character of a quoted or folded text each character of its value came from.

Example
    ============ ============= ========= =====================================
    style        raw           value     pieces (in value, in raw, width)
    ============ ============= ========= =====================================
    single       it''s         it's      (0, 0, 0) (2, 2, 2) (3, 4, 0)
    double       a \\x3e 5       a > 5     (0, 0, 0) (2, 2, 4) (3, 6, 0)
    folded       a >⏎  5       a > 5     (0, 0, 0) (3, 3, 0) (4, 6, 0)
    ============ ============= ========= =====================================

A piece of width 0 goes on character by character; another stands for `width` characters of raw.
"""

from __future__ import annotations

import re

from filtersql.source import Passage

__all__ = ["aligned", "within"]

_Pieces = list[tuple[int, int, int]]
_BLANK = " \t\r\n"
_YAML_ESCAPE = re.compile(
    r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|(?P<fold>\r?\n[ \t]*)|.)", re.DOTALL
)
_SQL_ESCAPE = re.compile(
    r"\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{1,3}|.)|''", re.DOTALL
)
_DOUBLED = re.compile("''")
#: how a style escapes a character; a style without an entry escapes none
_ESCAPES = {"single": _DOUBLED, "double": _YAML_ESCAPE, "sql": _DOUBLED, "sql_escape": _SQL_ESCAPE}


def within(text: Passage, start: int, end: int, value: str, style: str) -> Passage:
    """`value` as a passage, where the characters `start` up to `end` of `text` are its raw form.

    A value that cannot be followed stands at all of its raw form, and so does an empty one: of
    `key: !!str` or `key: &name`.
    """
    raw = text.text[start:end]
    if raw == value:
        return text.part(start, end)
    pieces = aligned(raw, value, style)
    if not pieces:
        return text.pick(value, ((0, start, max(end - start, 1)),))
    return text.pick(value, ((at, start + offset, width) for at, offset, width in pieces))


def aligned(raw: str, value: str, style: str) -> _Pieces | None:
    """The pieces, or None when the value did not come from raw by the style's rules."""
    escape = _ESCAPES.get(style)
    pieces: _Pieces = []
    i = j = 0
    while i < len(value):
        if j >= len(raw):
            # What a block scalar's last line break becomes has no character of its own.
            return pieces if not value[i:].strip(_BLANK) else None
        match = escape.match(raw, j) if escape else None
        if match and match.groupdict().get("fold"):
            j = match.end()
        elif match:
            pieces.append((i, j, match.end() - j))
            i, j = i + 1, match.end()
        elif raw[j] in _BLANK:
            begin, j = j, _run(raw, j)
            pieces.append((i, begin, 0))
            i += _blanks(raw[begin:j], value, i, style)
        elif raw[j] == value[i]:
            if not pieces or pieces[-1][2] or i - pieces[-1][0] != j - pieces[-1][1]:
                pieces.append((i, j, 0))
            i, j = i + 1, j + 1
        else:
            return None
    return pieces


def _run(text: str, position: int) -> int:
    while position < len(text) and text[position] in _BLANK:
        position += 1
    return position


def _blanks(run: str, value: str, position: int, style: str) -> int:
    """How many blanks of the value a run of blanks gave."""
    if style == "double":
        # An escaped blank may follow in the value, so the run is folded as YAML does.
        return 1 if run.count("\n") == 1 else max(run.count("\n") - 1, 0) or len(run)
    return _run(value, position) - position
