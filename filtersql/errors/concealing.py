"""Secrets that no output may show, wherever in a profile or a definition they stand.

Example
    `host: "{{ env_var('SPARK_PASSWORD') }}"` is a slip, and the message that there is no such host
    must not tell the password.
"""

from __future__ import annotations

from json import dumps

__all__ = ["conceal", "concealed", "forget"]

#: A shorter text is in too many others: hiding it would hide what is no secret, and numbers.
_SHORTEST = 4
_secrets: dict[str, None] = {}


def forget() -> None:
    """Another project is read."""
    _secrets.clear()


def conceal(text: str) -> None:
    """What an environment variable holds whose name says that it is a secret."""
    if len(text) >= _SHORTEST:
        _secrets[text] = None
        _secrets[dumps(text, ensure_ascii=False)[1:-1]] = None


def concealed(text: str) -> str:
    """The text as it may be printed."""
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, "*****")
    return text
