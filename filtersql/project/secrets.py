"""Passwords and tokens of a profile: which they are, and its file without them.

Example
    `password: hunter2` is shown as `password: *******`; so is the value of a key that is not
    known, which may be a password's with a slip in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from filtersql.project.output_keys import KINDS, OUTPUT_KEYS, PROFILE_KEYS
from filtersql.source import Source

__all__ = ["hide_secrets", "is_secret", "secrets_in"]

_SECRET = re.compile(
    r"passw|pwd\b|token|secret|authorization|credential|private_?key|access_?key|account\.key", re.I
)
#: `key: value`, on a line of its own or inside of braces
_PAIR = re.compile(
    r"(?P<before>(?P<key>[\w.\-]+)['\"]?[ \t]*:[ \t]+)"
    r"(?P<value>'[^'\n]*'|\"[^\"\n]*\"|\[[^\]\n]*\]|[^\s{\[#&*|>'\"][^,}\n#]*)"
)
_IN_TEXT = re.compile(
    r"(?:password|pwd|token|secret)=([^;&\s]+)|://[^/\s:@]*:([^/\s@]+)@"
    r"|\bhost['\"]?[ \t]*:[ \t]+['\"]?[^\s:@]*:([^\s@]+)@",
    re.I,
)
#: the whole connection string: a password in it may hold what ends other values
_DSN = re.compile(r"(\bdsn['\"]?[ \t]*:[ \t]*)(\"[^\"\n]*\"|'[^'\n]*'|[^\n]*)")
_HARMLESS = {key for keys in OUTPUT_KEYS.values() for key in keys if not _SECRET.search(key)} | {
    *PROFILE_KEYS,
}


def is_secret(name: str) -> bool:
    """Whether a key or an environment variable of that name holds a secret."""
    return bool(_SECRET.search(name))


def hide_secrets(source: Source) -> Source:
    """The file as it may be shown: only the values of keys that hold no secret can be read.

    A key that is not known may be a password's with a slip in it.
    """

    def hidden(found: re.Match[str]) -> str:
        kind, _ = KINDS.get(found["key"], ("", ""))
        value = found["value"].strip().strip("'\"")
        right = not kind or value.startswith("{{") or re.fullmatch(kind, value)
        shown = found["key"] in _HARMLESS and right
        return found[0] if shown else found["before"] + "*" * len(found["value"])

    text = _DSN.sub(lambda found: found[1] + "*" * len(found[2]), source.text)
    text = _PAIR.sub(hidden, text)
    for found in _IN_TEXT.finditer(text):
        start, end = found.span(found.lastindex or 0)
        text = text[:start] + "*" * (end - start) + text[end:]
    return Source(source.path, text)


def secrets_in(key: str, value: object) -> list[str]:
    """The texts below a key that must not be printed."""
    if isinstance(value, Mapping):
        return [one for name, item in value.items() for one in secrets_in(name, item)]
    if isinstance(value, list):
        return [one for item in value for one in secrets_in(key, item)]
    if value is None or isinstance(value, bool):
        return []
    text = str(value)
    found = [one for pair in _IN_TEXT.findall(text) for one in pair if one]
    return [*found, text] if text and is_secret(key) else found
