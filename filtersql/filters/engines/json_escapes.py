r"""Escapes in json that no engine may be asked to read: `\u0000`, and half of a surrogate pair.

Example
    `{"a": "\ud83d\ude00"}` is a smile; `{"a": "\ud83d"}` raises, as in PostgreSQL.

PostgreSQL
    jsonapi.c, json_lex_string(): "Unicode high surrogate must not follow a high surrogate."
"""

from __future__ import annotations

__all__ = ["DOUBTFUL", "SURE"]

#: zero, or a surrogate
DOUBTFUL = r"\\u(0000|[dD][89a-fA-F])"
#: a backslash, or a pair of surrogates: what is left may be doubtful
SURE = r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
