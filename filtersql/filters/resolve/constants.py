"""Constants as they were written: numbers have a type at once, quoted text is still unknown.

Example
    `5` is int4, `3000000000` int8, `1.5` numeric, `'x'` unknown until it is known what for.

PostgreSQL
    parse_node.c, make_const().
"""

from __future__ import annotations

import re

from filtersql.errors.filters import Wrong
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import Const, Node
from filtersql.filters.values.clock import Clock
from filtersql.filters.values.numbers import read_numeric
from filtersql.grammar import Node as Parsed

__all__ = ["constant"]

_FORMS_SINCE = 16
_NEW_FORM = re.compile(r"0[xXoObB]\w+|\d+_\w*")


def constant(scope: Scope, parsed: Parsed) -> Node:
    """The node of a constant."""
    place = parsed.location
    if parsed.isnull:
        return Const("unknown", -1, place)
    kind = parsed.WhichOneof("val")
    if kind in ("ival", "fval"):
        _check_form(scope, place)
    match kind:
        case "ival":
            return Const("int4", -1, place, value=parsed.ival.ival)
        case "fval":
            return _number(parsed.fval.fval, place, scope.clock)
        case "boolval":
            return Const("bool", -1, place, value=parsed.boolval.boolval)
        case "bsval":
            text = parsed.bsval.bsval
            digits = text[1:] if text[0] == "b" else _hex_bits(text[1:])
            return Const("bit", -1, place, value=digits)
        case _:
            return Const("unknown", -1, place, value=parsed.sval.sval)


def _check_form(scope: Scope, place: int) -> None:
    """`1_000`, `0x1F`, `0o17` and `0b11` are numbers since PostgreSQL 16."""
    if scope.clock.postgres_version >= _FORMS_SINCE:
        return
    written = _NEW_FORM.match(scope.passage.text, place)
    if written is not None:
        message = f'trailing junk after numeric literal at or near "{written[0]}"'
        raise Wrong(message, scope.span(place))


def _number(text: str, place: int, clock: Clock) -> Const:
    value = read_numeric(text, -1, clock)
    if "." not in text and "e" not in text.lower() and -(2**63) <= value < 2**63:
        # Only the smallest integer comes here: its digits without the sign are a bigint.
        kind = "int4" if -(2**31) <= value < 2**31 else "int8"
        return Const(kind, -1, place, value=int(value))
    return Const("numeric", -1, place, value=value)


def _hex_bits(digits: str) -> str:
    return "".join(f"{int(digit, 16):04b}" for digit in digits)
