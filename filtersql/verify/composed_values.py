"""Values of documents, arrays, ranges and addresses at which a filter may change its mind.

Example
    ============== ======================= ================================================
    column         filter                  candidates
    ============== ======================= ================================================
    doc jsonb      doc ->> 'k' = 'v'       {"k": "v"}, {"k": "other"}, {"k": null}, {}, …
    tags text[]    'a' = ANY (tags)        {a}, {}, {a,other}, {NULL}, {other}, …
    span int4range span @> 5               [5,6), [6,), empty, (,), …
    ip inet        ip << '10.0.0.0/8'      10.0.0.0/8, 10.0.0.1, 11.0.0.1, 10.0.0.0/7, …
    t interval     t > '1 hour'            01:00:00, 00:00:00, 1 day, 1 mon, -1 days
    ============== ======================= ================================================

They are never all that a filter can tell apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise, product

from filtersql.errors.filters import BadLiteral
from filtersql.filters.facts import facts
from filtersql.filters.tree.nodes import ArrayExpr, Const, Func, Node, Op, Relabel, Var
from filtersql.filters.values import Clock, read, show
from filtersql.filters.values.networks import Address

__all__ = ["addresses", "arrays", "documents", "plain", "ranges"]

_MOST = 16
_OTHER = "other"
#: functions that step into a document, whose second argument is the way or a key that must be there
_STEPS = frozenset(
    f"{kind}_{step}{text}"
    for kind in ("json", "jsonb")
    for step in ("object_field", "array_element", "extract_path")
    for text in ("", "_text")
)
_EXISTS = frozenset({"jsonb_exists", "jsonb_exists_any", "jsonb_exists_all"})
_TEXTS = frozenset({"text", "varchar", "bpchar", "unknown", "name"})
_INTEGERS = frozenset({"int2", "int4", "int8"})

#: values of types whose constants have no values next to them
_PLAIN = {
    "interval": ("00:00:00", "1 day", "1 mon", "-1 days"),
    "time": ("00:00:00", "12:00:00", "23:59:59"),
    "timetz": ("00:00:00+00", "12:00:00+00", "23:59:59+00"),
    "bytea": (r"\x", r"\x00", r"\x01ff"),
    "money": ("$0.00", "$1.00", "-$1.00", "$1,000.00"),
    "macaddr": ("00:00:00:00:00:00", "08:00:2b:01:02:03"),
}

#: where a value stands in a document: keys of objects and places of arrays
Way = tuple[str | int, ...]
Document = object


def documents(column: str, kind: str, nodes: Sequence[Node]) -> list[str]:
    """Documents that hold what the filters look for, or something else, or nothing."""
    ways: dict[Way, None] = {}
    whole: list[Document] = []
    for node in nodes:
        if not isinstance(node, Op | Func) or len(node.args) != 2:
            continue
        left, right = (_way(each, column) for each in node.args)
        constants = [each for each in node.args if isinstance(each, Const) and each.type == "jsonb"]
        if () in (left, right):
            whole += (json.loads(str(each.value)) for each in constants if each.value is not None)
        if node.function.name in _EXISTS and left is not None:
            ways |= dict.fromkeys((*left, key) for key in _keys(node.args[1]))
        elif (way := _way(node, column)) is not None:
            ways[way] = None
    ends = [way for way in ways if not any(each[: len(way)] == way for each in ways if each != way)]
    found = [*whole, *islice(_filled(ends, _leaves(nodes)), _MOST)]
    found += [_put(document, (_OTHER,), 1) for document in whole if isinstance(document, dict)]
    found += [_put(None, way, None) for way in ends]
    texts = list(map(json.dumps, [*found, {}, {_OTHER: 1}, []]))
    return texts if kind == "json" else _readable(kind, texts)


def _way(node: Node, column: str) -> Way | None:
    """The way that a node goes into the column's documents; None where it does not."""
    match node:
        case Var():
            return () if node.name == column else None
        case Relabel():
            return _way(node.arg, column)
        case Op(args=(left, right)) | Func(args=(left, right)) if node.function.name in _STEPS:
            above, keys = _way(left, column), _keys(right)
            return None if above is None or not keys else (*above, *keys)
    return None


def _keys(node: Node) -> Way:
    match node:
        case ArrayExpr():
            return tuple(key for element in node.elements for key in _keys(element))
        case Relabel():
            return _keys(node.arg)
        case Const(value=tuple() as keys):
            return tuple(key for key in keys if isinstance(key, str))
        case Const(value=str() | int() as key):
            return (key,)
    return ()


def _leaves(nodes: Iterable[Node]) -> list[Document]:
    """What may stand at the end of a way: the filters' own constants, and something else."""
    found: list[Document] = []
    for node in nodes:
        if not isinstance(node, Const) or node.value is None:
            continue
        if node.type == "jsonb":
            found.append(json.loads(str(node.value)))
        elif node.type.removeprefix("_") in _TEXTS:
            found += node.value if isinstance(node.value, tuple) else [node.value]
        elif isinstance(node.value, int) and node.type in _INTEGERS:
            found += [node.value, node.value + 1]
    unique = {json.dumps(leaf): leaf for leaf in (*found, _OTHER, 1)}
    return [*unique.values()]


def _filled(ways: Sequence[Way], leaves: Sequence[Document]) -> Iterator[Document]:
    """Documents with a leaf at the end of each way: first the same at all of them."""
    if not ways:
        return
    for leaf in leaves:
        yield _all(ways, [leaf] * len(ways))
    for chosen in product(leaves, repeat=len(ways)) if len(ways) > 1 else ():
        yield _all(ways, chosen)


def _all(ways: Sequence[Way], leaves: Sequence[Document]) -> Document:
    document: Document = None
    for way, leaf in zip(ways, leaves, strict=True):
        document = _put(document, way, leaf)
    return document


def _put(document: Document, way: Way, leaf: Document) -> Document:
    """The document with a leaf at the end of a way; what stands in the way gives way."""
    if not way:
        return leaf
    step, rest = way[0], way[1:]
    if isinstance(step, str):
        inside = document if isinstance(document, dict) else {}
        return {**inside, step: _put(inside.get(step), rest, leaf)}
    items = [*document] if isinstance(document, list) else []
    place = step if step >= 0 else 0
    items += [None] * (place + 1 - len(items))
    items[place] = _put(items[place], rest, leaf)
    return items


def arrays(kind: str, elements: Sequence[str], known: Sequence[str]) -> list[str]:
    """The filters' own arrays, and arrays of none, one and two of the elements, and of NULL."""
    texts = ["NULL", *map(_quoted, elements)]
    found = ["{}", *(f"{{{text}}}" for text in texts[1:]), "{NULL}"]
    found += [f"{{{first},{second}}}" for first, second in pairwise([*texts[1:], "NULL"])]
    return _readable(kind, [*known, *found])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def ranges(kind: str, bounds: Sequence[str], known: Sequence[str]) -> list[str]:
    """The filters' own ranges, ranges that hold a bound alone, begin or end with it, and all."""
    found = [*known]
    for bound in map(_quoted, bounds):
        found += [f"[{bound},{bound}]", f"[{bound},)", f"(,{bound})", f"({bound},)", f"(,{bound}]"]
    found += ["empty", "(,)"]
    if facts().type(kind).kind == "m":
        found = [*known, "{}", *("{" + each + "}" for each in found[len(known) :])]
    return _readable(kind, found)


def addresses(kind: str, constants: Iterable[Const]) -> list[str]:
    """The filters' own, an address inside of each, one beside it and the network around it."""
    found: list[Address] = []
    for constant in constants:
        value = constant.value
        if not isinstance(value, Address):
            continue
        bits, length, longest = value.bits, value.length, len(value.bits)
        host = "1".rjust(longest - length, "0") if length < longest else ""
        found += [value, Address(value.family, bits[:length] + host, longest)]
        if length:
            beside = bits[: length - 1] + ("0" if bits[length - 1] == "1" else "1") + host
            around = bits[: length - 1].ljust(longest, "0")
            found.append(Address(value.family, beside, longest))
            found.append(Address(value.family, around, length - 1))
    shown = [show(kind, each) for each in found]
    return _readable(kind, [*shown, "::1", "192.168.0.1"])


def plain(kind: str, known: Sequence[str]) -> list[str]:
    """The filters' own constants and a few values of the type."""
    return [*known, *_readable(kind, _PLAIN.get(kind, ()))]


def _readable(kind: str, texts: Iterable[str]) -> list[str]:
    """What the type's input function takes of the texts, as its output function prints it."""
    found: dict[str, None] = {}
    for text in texts:
        try:
            found[show(kind, read(kind, text, -1, Clock()))] = None
        except BadLiteral:
            continue
    return [*found]
