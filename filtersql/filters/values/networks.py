"""inet, cidr and macaddr: read and shown; and the text by which an engine compares them.

Example
    >>> sort_key(read_inet("10.0.0.0/8", -1, Clock(None)))[:12]
    '400001010 00'

    The key is the family, the bits of the network, a blank, the other bits: keys sort as PostgreSQL
    sorts addresses, and a network holds an address whose bits begin with its own.

PostgreSQL
    network.c: inet_in(), network_cmp_internal(); inet_net_pton.c; inet_net_ntop.c; mac.c.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from filtersql.errors.filters import BadLiteral
from filtersql.filters.values.clock import Clock, Types

__all__ = ["TYPES", "Address", "read_inet", "sort_key"]

_QUAD = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\Z", re.ASCII)
#: parts of an address, such as 10 of 10/8
_PART = re.compile(r"\d{1,3}(\.\d{1,3}){0,2}\.?", re.ASCII)
_MASK = re.compile(r"\d{1,3}", re.ASCII)
#: no zeros stand before the length of a longer address's network
_MASK_OF_SIX = re.compile(r"0|[1-9]\d{0,2}", re.ASCII)
_ZERO_AHEAD = re.compile(r"(?<!\d)0\d", re.ASCII)
_MAC = re.compile(
    r"\s*(?:([0-9a-f]{1,2})([:-])([0-9a-f]{1,2})\2([0-9a-f]{1,2})\2([0-9a-f]{1,2})\2"
    r"([0-9a-f]{1,2})\2([0-9a-f]{1,2})|([0-9a-f]{6})[:-]?([0-9a-f]{6})"
    r"|([0-9a-f]{4})([.-])([0-9a-f]{4})\11([0-9a-f]{4}))\s*\Z",
    re.ASCII | re.IGNORECASE,
)


class Address(NamedTuple):
    """An address with the length of its network; `bits` is 32 or 128 digits 0 and 1."""

    family: int
    bits: str
    length: int


def read_inet(text: str, modifier: int, clock: Clock) -> Address:
    """An address, with a network or without."""
    return _read("inet", text)


def read_cidr(text: str, modifier: int, clock: Clock) -> Address:
    """A network: no bit is set to the right of its mask."""
    found = _read("cidr", text)
    if "1" in found.bits[found.length :]:
        raise BadLiteral(f'invalid cidr value: "{text}"', "Value has bits set to right of mask.")
    return found


def _read(kind: str, text: str) -> Address:
    address, slash, length = text.partition("/")
    masks = _MASK_OF_SIX if ":" in address else _MASK
    if slash and not masks.fullmatch(length):
        raise BadLiteral.syntax(kind, text)
    if _PART.fullmatch(address):
        if kind == "cidr":
            # the length of a network may follow from its class
            raise BadLiteral.unread(kind, text)
        address = _filled(address, int(length) if slash else 32)
    bits = _six(address) if ":" in address else _four(address)
    if bits is None or (slash and int(length) > len(bits)):
        raise BadLiteral.syntax(kind, text)
    return Address(4 if len(bits) == 32 else 6, bits, int(length) if slash else len(bits))


def _filled(part: str, length: int) -> str:
    """`10` of 10/8 with zeros for what it leaves out; empty where the network is longer than it."""
    known = part.rstrip(".").split(".")
    return ".".join([*known, *["0"] * (4 - len(known))]) if length // 8 <= len(known) else ""


def _four(text: str) -> str | None:
    match = _QUAD.match(text)
    if match is None or any(int(part) > 255 for part in match.groups()):
        return None
    return "".join(f"{int(part):08b}" for part in match.groups())


def _six(text: str) -> str | None:
    sides = [_groups(side) for side in text.split("::")]
    known = [side for side in sides if side is not None]
    if len(sides) > 2 or len(known) < len(sides):
        return None
    missing = 128 - sum(map(len, known))
    if (len(sides) == 1 and missing) or (len(sides) == 2 and missing < 16):
        return None
    return known[0] + "0" * missing + (known[1] if len(known) > 1 else "")


def _groups(text: str) -> str | None:
    bits = ""
    groups = text.split(":") if text else []
    for place, group in enumerate(groups):
        if re.fullmatch(r"[0-9a-fA-F]{1,4}", group):
            bits += f"{int(group, 16):016b}"
        elif place == len(groups) - 1 and (four := _four(group)) and not _ZERO_AHEAD.search(group):
            bits += four
        else:
            return None
    return bits


def sort_key(value: Address) -> str:
    """The text by which engines compare."""
    return f"{value.family}{value.bits[: value.length]} {value.bits[value.length :]}"


def _host(value: Address) -> str:
    if value.family == 4:
        return ".".join(str(int(value.bits[at : at + 8], 2)) for at in range(0, 32, 8))
    words = [int(value.bits[at : at + 16], 2) for at in range(0, 128, 16)]
    start, length = _longest_zeros(words)
    quad = start == 0 and (length == 6 or (length == 5 and words[5] == 0xFFFF))
    shown = [format(word, "x") for word in words]
    if quad:
        tail = _host(Address(4, value.bits[96:], 32))
        return "::" + ("ffff:" if length == 5 else "") + tail
    if length < 2:
        return ":".join(shown)
    return ":".join(shown[:start]) + "::" + ":".join(shown[start + length :])


def _longest_zeros(words: list[int]) -> tuple[int, int]:
    best = (-1, 0)
    place = 0
    while place < len(words):
        end = place
        while end < len(words) and words[end] == 0:
            end += 1
        if end - place > best[1]:
            best = (place, end - place)
        place = max(end, place + 1)
    return best


def show_inet(value: object) -> str:
    """The address, with its network where that is not the address alone."""
    assert isinstance(value, Address)
    return _host(value) + ("" if value.length == len(value.bits) else f"/{value.length}")


def show_cidr(value: object) -> str:
    """The network, always with its length."""
    assert isinstance(value, Address)
    return f"{_host(value)}/{value.length}"


def read_macaddr(text: str, modifier: int, clock: Clock) -> str:
    """All the forms; held in the one with colons."""
    match = _MAC.match(text)
    if match is None:
        raise BadLiteral.syntax("macaddr", text)
    parts = [part for part in match.groups() if part and part not in ":-."]
    digits = "".join(part.zfill(2) for part in parts).lower()
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


TYPES: Types = {
    "inet": (read_inet, show_inet),
    "cidr": (read_cidr, show_cidr),
    "macaddr": (read_macaddr, str),
}
