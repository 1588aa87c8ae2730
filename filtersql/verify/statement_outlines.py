"""What a compiled file says beside its names, filters and comments: files may have it in common.

Example
    ============================================== =============================================
    MERGE INTO s1.t1 AS t USING (… CASE WHEN       MERGE INTO filtersql_check.target AS t USING
    COALESCE((old_a > 5), FALSE) … FROM            (… COALESCE(filtersql_twin_1, FALSE) … FROM
    filtersql_changes__public__t1 …                filtersql_check_feed …
    ============================================== =============================================

Two files with one outline differ in these names alone, so they are parsed and lifted once. The
outline of a text that is not certain to be understood is the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from msgspec import Struct, field
from sqlglot import Dialect as Tongue
from sqlglot import TokenType, exp

from filtersql.rendering.line_breaks import STRINGS
from filtersql.storage import Engine

__all__ = ["Outline", "Outlines", "outlined"]

_TOKENS = {
    dialect: re.compile(
        rf"(?P<piece>{pieces})|(?P<comment>--[^\n]*)"
        r"|(?P<space>\s+)|(?P<name>[\w.]+)|(?P<other>[^\s\w.'\"`/-]+|.)",
        re.DOTALL,
    )
    for dialect, pieces in STRINGS.items()
}
_MOST = 128


class Outline(Struct):
    """A text, parsed once, and the statements that were made of it."""

    text: str
    #: what it writes into; None: it is a query
    into: exp.Expr | None
    tree: exp.Expr | None
    parse: Callable[[], exp.Expr]
    #: the target and the view that is read, by the names that the tree knows them by
    target: exp.Table
    feed: str
    #: what is made of a row's value, outside of the filters
    computed: str | None
    made: dict[tuple[str, ...], str] = field(default_factory=dict)

    def take(self) -> exp.Expr:
        """A tree for one who changes it: a copy of each would take longer than most are used."""
        tree, self.tree = self.tree, None
        return self.parse() if tree is None else tree


class Outlines(Struct, frozen=True):
    """Those that were met last."""

    known: dict[tuple[Engine, str, str], Outline] = field(default_factory=dict)

    def get(self, dialect: Engine, kind: str, text: str) -> Outline | None:
        """The outline of a text, if it was met as a statement of that kind."""
        return self.known.get((dialect, kind, text))

    def keep(self, dialect: Engine, kind: str, outline: Outline) -> None:
        """Remember an outline."""
        if len(self.known) >= _MOST:
            self.known.clear()
        self.known[dialect, kind, outline.text] = outline


def outlined(text: str, names: dict[str, str], dialect: Engine) -> str | None:
    """The text with other names and without comments and spaces; None where that is not certain.

    `text` has placeholders for its filters. `names` gives each name's replacement.
    """
    if not all(_is_plain(name, dialect) for name in names):
        return None
    if any(name in text for name in names.values()):
        return None
    tokens = list(_tokens(text, dialect))
    return None if "" in tokens else "".join(names.get(token, token) for token in tokens)


def _tokens(text: str, dialect: Engine) -> Iterator[str]:
    """The tokens; an empty one where the text may mean something else: E'\\'', $$, /*+ x */."""
    before = ""
    for match in _TOKENS[dialect].finditer(text):
        token = match[0]
        match match.lastgroup:
            case "comment" | "space":
                token = " "
            case "piece" if before[-1:].isalnum() or before[-1:] in ("_", "&"):
                token = ""
            case "other" if "$" in token or (before == "/" and token[0] == "*"):
                token = ""
        if token != " " or before != " ":
            yield token
        before = token


@lru_cache(maxsize=4096)
def _is_plain(name: str, dialect: Engine) -> bool:
    """Whether no part of a name is a word of the language."""
    kinds = [token.token_type for token in Tongue.get_or_raise(dialect).tokenize(name)]
    return all(
        kind is (TokenType.DOT if place % 2 else TokenType.VAR) for place, kind in enumerate(kinds)
    )
