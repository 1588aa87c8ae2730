"""SQL in the terminal's colours."""

from __future__ import annotations

from pygments import highlight
from pygments.formatters import TerminalFormatter
from pygments.lexers.sql import SqlLexer

__all__ = ["highlighted"]


def highlighted(sql: str) -> str:
    """The statement with escape codes; its text is the same without them."""
    # The lexer must neither strip nor add line ends: what is shown is what runs.
    lexer = SqlLexer(stripnl=False, ensurenl=False)
    text: str = highlight(sql, lexer, TerminalFormatter())
    return text
