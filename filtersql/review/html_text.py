"""Any text as HTML: nothing that a name or a literal holds is markup, or hides.

Example
    >>> print(text("<script>"))
    &lt;script&gt;
    >>> print(text("a\\u202eb"))
    a<mark>U+202E</mark>b
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

__all__ = ["anchor", "sql", "text"]

#: characters that are not seen, or that change what is seen: controls and directions
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ue000-\uf8ff]"
)
_PIECES = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?\*/)"
    r"|(?P<string>'(?:[^'\\]|''|\\.)*')"
    r"|(?P<name>`(?:[^`]|``)*`|\"(?:[^\"]|\"\")*\")"
    r"|(?P<word>\b[A-Z][A-Z_]+(?: [A-Z][A-Z_]+)*\b)",
    re.DOTALL,
)
_TAGS = {"comment": "i", "string": "em", "word": "b"}


def text(value: object) -> str:
    """The value as text of a page, or within an attribute's quotes."""
    escaped = escape(str(value))
    if escaped.isascii() and escaped.isprintable():
        return escaped
    return _HIDDEN.sub(lambda match: f"<mark>U+{ord(match[0]):04X}</mark>", escaped)


def anchor(value: str) -> str:
    """A name for links within the page."""
    return re.sub(r"[^A-Za-z0-9_.:-]", lambda match: f"_{ord(match[0]):x}_", value)


def sql(statement: str) -> list[str]:
    """The lines of a statement with comments, strings and key words marked."""
    lines = statement.rstrip("\n").split("\n")
    if any(_is_open(line) for line in lines):
        return _marked(statement.rstrip("\n")).split("\n")
    return [*map(_marked, lines)]


@lru_cache(maxsize=8192)
def _is_open(line: str) -> bool:
    """Whether a string, a name or a comment may go on in the next line."""
    rest = _PIECES.sub("", line)
    return "'" in rest or "`" in rest or '"' in rest or "/*" in rest


@lru_cache(maxsize=8192)
def _marked(statement: str) -> str:
    """Many statements have the same lines, so each is done once."""
    parts: list[str] = []
    behind = 0
    for match in _PIECES.finditer(statement):
        parts.append(_indented(text(statement[behind : match.start()]), first=behind == 0))
        tag = _TAGS.get(match.lastgroup or "")
        lines = [text(line) for line in match[0].split("\n")]
        marked = [f"<{tag}>{line}</{tag}>" for line in lines] if tag else lines
        parts.append("\n".join(marked))
        behind = match.end()
    parts.append(_indented(text(statement[behind:]), first=behind == 0))
    return "".join(parts)


def _indented(between: str, *, first: bool) -> str:
    """What stands between strings and comments, indented by tabs: a long page is shorter."""
    lines = between.split("\n")
    begin = 0 if first else 1
    for number, line in enumerate(lines[begin:], begin):
        plain = line.lstrip(" ")
        deep = (len(line) - len(plain)) // 4
        lines[number] = "\t" * deep + line[4 * deep :]
    return "\n".join(lines)
