"""Addresses beside a constant: by PostgreSQL's text, where that says it.

Example
    ============================ ======================================================
    filter                       written as
    ============================ ======================================================
    `ip = '10.0.0.1'`            the same: one address has one text
    `ip << '10.0.0.0/8'`         `ip LIKE '10.%' AND NOT ip RLIKE '/[0-8]$'`
    `ip <<= '172.16.0.0/12'`     its second number is one of 16 to 31, its mask none below 12
    `ip << '2001:db8::/32'`      `ip LIKE '2001:db8:%'`, and its mask is longer than 32
    ============================ ======================================================

    Every other comparison takes the keys of `values.networks`.

PostgreSQL
    network.c: network_sub(), network_out(); inet_net_ntop.c, of six groups or more: zeros are left
    out where two or more groups are zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op, Var
from filtersql.filters.values import show
from filtersql.filters.values.networks import Address
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES"]

_EQUAL = ("network_eq", "network_ne")
_TURNED = {"network_sup": "network_sub", "network_supeq": "network_subeq"}
#: bits of a group, and what stands behind it in the text
_GROUPS = {4: (8, "."), 6: (16, ":")}


def _compared(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    name = node.function.name
    turned = name in _TURNED or (name in _EQUAL and not isinstance(args[0], Var))
    column, other = args[::-1] if turned else args
    constant, found = fold(other), None
    if isinstance(column, Var) and column.type == "inet" and constant is not None:
        known = constant.value
        if isinstance(known, Address):
            found = _beside(writer, _TURNED.get(name, name), writer.column(column), known)
    return found or writer.filled(writer.rows[name], *map(writer.put, args))


def _beside(writer: Writer, name: str, text: exp.Expr, value: Address) -> exp.Expr | None:
    if name in _EQUAL:
        return writer.filled(writer.rows[name], text, show("inet", value))
    head = _head(value)
    # a longer mask is a smaller network; that of a single address is not shown
    least = value.length + (name == "network_sub")
    if head is None or least > len(value.bits):
        return None
    begins = (
        writer.filled("_1 LIKE _2", text, f"{head}%")
        if not head.startswith("^")
        else writer.piece(".matches", text, head)
    )
    wider = writer.piece(".matches", text, f"/{_grouped(_numbers(0, least - 1))}$")
    return writer.filled("_1 AND NOT _2", begins, wider)


def _head(value: Address) -> str | None:
    """What the text of the network's addresses begins with; a pattern where it begins with `^`."""
    size, sign = _GROUPS[value.family]
    count, rest = divmod(value.length, size)
    groups = [int(value.bits[at : at + size], 2) for at in range(0, count * size, size)]
    if value.family == 6 and (rest or 0 in groups):
        return None  # which zeros are left out hangs on the whole address
    whole = "".join(f"{group:{'x' if size == 16 else 'd'}}{sign}" for group in groups)
    if not rest:
        return whole if 0 < value.length < len(value.bits) else None
    first = int(value.bits[count * size :][:rest].ljust(size, "0"), 2)
    numbers = _numbers(first, first + 2 ** (size - rest) - 1)
    return f"^{whole.replace('.', '[.]')}{_grouped(numbers)}{'[.]' if count < 3 else '(/|$)'}"


def _grouped(pattern: str) -> str:
    return f"({pattern})" if "|" in pattern else pattern


def _numbers(first: int, last: int) -> str:
    """A pattern of the whole numbers from the first to the last.

    >>> _numbers(7, 21)
    '[7-9]|1[0-9]|2[0-1]'
    """
    found = []
    for ten in range(first // 10, last // 10 + 1):
        low, high = max(first, ten * 10) % 10, min(last, ten * 10 + 9) % 10
        found.append(f"{ten or ''}{low if low == high else f'[{low}-{high}]'}")
    return "|".join(found)


RULES: dict[str, Rule] = dict.fromkeys(
    (*_EQUAL, *_TURNED, *_TURNED.values()),
    _compared,
)
