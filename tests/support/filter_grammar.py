r"""Typed expressions at random: every function, operator and cast of PostgreSQL over some types.

`expression(pick, depth)` grows a boolean expression over the columns of `filter_corpus.COLUMNS`.
`pick` chooses one of a sequence: Hypothesis's draw in a test, a seeded Random in `filter_soak`.
What may be called comes out of the catalog facts, so a new function of the tables is met without a
word here; arguments that have a language of their own (patterns, paths, fields, formats) are drawn
from `WORDS`.

Example
    >>> import random
    >>> shown(expression(random.Random(1).choice, 2)).count("(") > 0
    True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from filter_corpus import COLUMNS
from three_engines import NASTY

from filtersql.filters.facts import Function, facts

__all__ = [
    "BY_TYPE",
    "MORE",
    "WORDS",
    "Pick",
    "Piece",
    "callables",
    "each",
    "expression",
    "shown",
    "smaller",
]

Pick = Callable[[Sequence[Any]], Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an expression: its text, `{}` where its own parts stand."""

    type: str
    text: str
    parts: tuple[Piece, ...] = ()


#: the columns of each type, without what is between parentheses
BY_TYPE: dict[str, list[str]] = {}
for _name, _kind in COLUMNS.items():
    BY_TYPE.setdefault(_kind.partition("(")[0], []).append(_name)
#: values that are written as constants, beside the nasty ones of the columns
MORE = {
    "jsonb": ['{"a": 1}', '{"a": {"b": 1}}', "1", '"a"', '["a"]', "[]", "{}", "null", '{"b": null}',
              '[{"a": 1}, 2]', '{"a": [1, {"b": 2}]}'],
    "_text": ["{a}", "{a,b}", "{0}", "{a,-1}", "{}", "{c d,e}", "{a,NULL}", "{tags,0}", "{1}"],
    "text": ["a", "abc", "", "b", "1", "%", "tags"],
    "int4": ["0", "1", "2", "3", "-1", "5"],
    "int8": ["0", "1", "2", "10", "-1"],
    "int2": ["0", "1", "2"],
    "numeric": ["0", "1", "2.5", "-0.5", "100", "7.00", "0.001"],
    "float8": ["0", "1", "1.5", "-2", "NaN", "Infinity"],
    "interval": ["1 day", "1 mon", "02:00:00", "1 year", "-1 days", "1 week 3 hours"],
    "timestamp": ["2024-01-01 00:00:00", "2024-02-29 12:00:00"],
    "date": ["2024-01-01", "2024-02-29"],
    "jsonpath": ["$", "$.a", "$.*", "$[*]", "$.a[*]", "$[0]", "$[last]", "$.a ? (@ > 1)",
                 "$[*] ? (@ == 1)", '$.a ? (@ == "x")', "$.a == 1", "$[*] > 1", "exists($.b)",
                 '$.* ? (@ starts with "n")', "strict $.a", "strict $[0]",
                 "$.a.size()", "$.a.type()", "$.a[*].b", "$.**", "$.a ? (@.b == null)",
                 "strict $.a.b ? (@ > 0)", "$[1 to 2]", '$."c d".e',
                 "$ ? (@.a > @.b)",
                 "!($.a == 1)", "($.a == 1) is unknown", "$.a == 1 || $.b == 1"],
}  # fmt: skip
PATTERNS = [
    "a",
    "^a",
    "c$",
    "a.c",
    "[abc]+",
    "\\d+",
    "^\\w+$",
    "(a|b)c?",
    "x*",
    "[^a-z]",
    "a{2,3}",
    "\\ma",
    "^$",
    "[[:alpha:]]+",
    "\\.",
    "(?i)ABC",
    "a\\nb",
    ".*",
    "\\s",
    "b|c",
    "(a)(b)?",
]
LIKES = ["a%", "%c", "_b_", "%", "", "a\\%c", "%a%b%", "A%", "a_c", "abc", "%\\_%", "_"]
FIELDS = ["year", "month", "day", "hour", "minute", "second", "dow", "doy", "epoch", "quarter",
          "week",
          "isodow", "isoyear", "century", "decade", "millennium", "milliseconds", "microseconds",
          "julian"]  # fmt: skip
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "+02", "Australia/Lord_Howe"]
#: (function name, place of the argument): what is written there
WORDS: dict[tuple[str, int], list[str]] = {
    **{(name, 1): LIKES for name in ("textlike", "textnlike", "bpcharlike", "bpcharnlike",
       "texticlike", "texticnlike", "bpchariclike", "bpcharicnlike", "like", "notlike")},
    **{(name, 1): PATTERNS for name in ("textregexeq", "textregexne", "texticregexeq",
       "texticregexne", "bpcharregexeq", "bpcharregexne", "bpcharicregexeq", "bpcharicregexne",
       "regexp_like", "regexp_replace", "regexp_count", "regexp_instr", "regexp_substr",
       "regexp_match", "regexp_split_to_array")},
    ("regexp_replace", 2): ["", "x", "\\1", "[\\&]"],
    ("regexp_replace", 3): ["g", "i", ""],
    ("regexp_like", 2): ["i", "n", ""],
    ("regexp_match", 2): ["i", ""],
    # bounded: the longest of all would take a server's memory
    **{(name, 1): ["0", "1", "2", "3", "-1", "7"] for name in ("repeat", "lpad", "rpad")},
    **{(name, 1): ["2", "0.5", "-1", "0", "3", "1", "-0.5", "10"]
       for name in ("power", "pow", "numeric_power", "dpow")},
    ("factorial", 0): ["0", "1", "5", "20", "-1"],
    ("like_escape", 0): ["a^%", "%", "a\\%c"],
    ("like_escape", 1): ["^", "", "\\"],
    ("similar_to_escape", 1): ["^", "", "\\"],
    ("similar_to_escape", 0): ["a%", "(a|b)%", "_b_", "%c", "[a-c]+"],
    **{(name, 0): FIELDS for name in ("extract", "date_part", "date_trunc")},
    ("timezone", 0): ZONES,
    ("date_trunc", 2): ZONES,
    ("encode", 1): ["hex", "base64", "escape"],
    ("decode", 1): ["hex", "base64", "escape"],
    ("jsonb_path_exists", 2): ["{}"],
    ("jsonb_path_match", 2): ["{}"],
    ("jsonb_path_query_first", 2): ["{}"],
    ("split_part", 1): [",", " ", "a", ""],
    ("string_to_array", 1): [",", " ", "a", ""],
    ("normalize", 1): ["NFC", "NFD"],
    ("is_normalized", 1): ["NFC", "NFD"],
}  # fmt: skip
#: what raises on some rows, whatever stands beside it
RAISING = {
    "int2": ["(10 / i2)::int2", "(i2 + j2)"],
    "int4": ["(10 / i4)", "(i4 + 1)", "(i4 / j4)", "(- j4)", "length(substr(s, 1, i4))"],
    "int8": ["(10 / i8)", "(i8 + 1)"],
    "numeric": ["(10 / n)", "(n % n2)", "((1 / i4)::numeric)"],
    "float4": ["(1 / f4)", "(f4 * g4)"],
    "float8": ["(1 / f8)", "(f8 * g8)", "sqrt(f8)"],
    "bool": ["(10 / i4 > 1)", "(10 / i4 IS NULL)"],
    "text": ["substr(s, 1, i4)", "repeat('a', 10 / i4)"],
    "varchar": ["substr(s, 1, i4)::varchar"],
    "bpchar": ["substr(s, 1, i4)::bpchar"],
    "bytea": ["substr(by, 1, i4)", "set_byte(by, 1, i4)"],
    "date": ["make_date(i4, 1, 1)", "(d + i4)"],
    "time": ["make_time(i4, 0, 0)"],
    "timestamp": ["make_timestamp(2024, i4, 1, 0, 0, 0)", "(ts + iv)"],
    "timestamptz": ["to_timestamp(f8)"],
    "interval": ["(iv * f8)", "(iv + iw)", "(ts - ts2)"],
    "jsonb": ["(jb - 'a')"],
    "bit": ["(bt & jb::int4::bit(8))"],
    "_int4": ["ARRAY[10 / i4]", "ARRAY[i4, 10 / j4]", "array_append(ai, 10 / i4)"],
    "_int8": ["ARRAY[10 / i8]"],
    "_numeric": ["ARRAY[10 / n]"],
    "_float8": ["ARRAY[1 / f8]"],
    "_text": ["ARRAY[substr(s, 1, i4)]"],
    "_date": ["ARRAY[make_date(i4, 1, 1)]"],
    "int4range": ["int4range(10 / i4, NULL)", "int4range(i4, j4)"],
    "int8range": ["int8range(i8, 10)"],
    "numrange": ["numrange(n, n2)"],
    "daterange": ["daterange(d, e)", "daterange(make_date(i4, 1, 1), NULL)"],
    "tsrange": ["tsrange(ts, ts2)"],
    "tstzrange": ["tstzrange(tz, tz2)"],
    "inet": ["(ip + i8)"],
    "money": ["(mo / i4)", "(mo + mp)"],
}  # fmt: skip
#: pairs of (array, element) that stand for anyarray and anyelement
_ARRAYS = [("_int4", "int4"), ("_text", "text"), ("_numeric", "numeric"), ("_date", "date"),
           ("_float8", "float8"), ("_int8", "int8")]  # fmt: skip
_RANGES = [("int4range", "int4"), ("numrange", "numeric"), ("daterange", "date"),
           ("tsrange", "timestamp"), ("tstzrange", "timestamptz"),
           ("int8range", "int8")]  # fmt: skip
_TYPES = {*BY_TYPE, "jsonpath"}
#: they are aggregates' insides, need the server's files or a secret, or run for minutes
_NEVER = {"array_fill", "generate_series", "bytea_string_agg_finalfn", "gin_cmp_tslexeme",
          "gin_compare_jsonb", "jsonb_path_query", "in_range"}  # fmt: skip
_INSIDE_AGGREGATES = ("_accum", "_combine", "_inv", "_avg", "_sum", "transfn", "statefunc",
                      "finalfn",
                      "_avg_accum", "_var_samp", "_var_pop", "_stddev_pop", "_stddev_samp",
                      "_corr", "_covar_pop", "_covar_samp")  # fmt: skip
Maker = tuple[str, str, tuple[str, ...]]


@cache
def makers(result: str) -> tuple[tuple[int, tuple[Maker, ...]], ...]:
    """How a value of a type comes about: (weight, [(name, text, argument types), …]) by kind."""
    groups: dict[tuple[str, str], list[Maker]] = {}
    for kind, maker in _all_makers():
        if maker[0] == result:
            name, text, args = kind, maker[1], maker[2]
            groups.setdefault((name.partition(" ")[0], args[0] if args else ""), []).append(
                (name.partition(" ")[2], text, args)
            )
    weights = {"operator": 6, "function": 4, "inside": 1, "cast": 2}
    return tuple((weights[kind], tuple(found)) for (kind, _), found in sorted(groups.items()))


@cache
def _all_makers() -> tuple[tuple[str, Maker], ...]:
    known, found, inside = facts(), list[tuple[str, Maker]](), set[int]()
    for name in known._raw["operators"]:
        for operator in known.operators(name):
            function = known.function(operator.function) if operator.function else None
            if function is None or function.volatility != "i":
                continue
            inside.add(function.oid)
            args = tuple(side for side in (operator.left, operator.right) if side)
            text = f"({{}} {name} {{}})" if operator.left else f"({name} {{}})"
            for types, result in _concrete(args, operator.result):
                found.append((f"operator {function.name}", (result, text, types)))
    for name in known.function_names():
        for function in known.functions(name):
            if _callable(function):
                kind = "inside" if function.oid in inside else "function"
                text = f'"{name}"({", ".join(["{}"] * len(function.args))})'
                for types, result in _concrete(function.args, function.result):
                    found.append((f"{kind} {name}", (result, text, types)))
    for source in BY_TYPE:
        for target in BY_TYPE:
            cast = known.cast(source, target)
            if cast is not None and cast.method != "i":
                found.append(("cast cast", (target, f"{{}}::{target}", (source,))))
    return tuple(found)


def callables() -> Iterator[tuple[str, str, str, tuple[str, ...], str]]:
    """(kind, signature, text, argument types, result) of all that can be called.

    Of those of arrays and of ranges there is the first choice of types.
    """
    seen = set()
    for kind, (result, text, types) in _all_makers():
        what, _, name = kind.partition(" ")
        if any(one.startswith("_") or "range" in one for one in types):
            if (kind, text) in seen:
                continue
            seen.add((kind, text))
        if what == "cast":
            yield what, f"{types[0]} to {result}", text, types, result
        elif what == "operator":
            yield what, f"{name}({text} {', '.join(types)})", text, types, result
        else:
            yield "function", f"{name}({', '.join(types)})", text, types, result


def _callable(function: Function) -> bool:
    return (
        function.kind == "f"
        and function.volatility == "i"
        and not function.returns_set
        and not function.variadic
        and function.name not in _NEVER
        and len(function.args) > 0
        and not function.name.endswith(("canonical", "subdiff"))
        and "support" not in function.name
        and "sel" not in function.name[-4:]
        and not function.name.endswith(_INSIDE_AGGREGATES)
        and "regr_" not in function.name
    )


def _concrete(args: tuple[str, ...], result: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The signature with each choice of types in the place of polymorphic ones."""
    every = {*args, result}
    if any(name.startswith("any") for name in every):
        pairs = _RANGES if any("range" in name for name in every) else _ARRAYS
        for whole, one in pairs:
            named = dict.fromkeys(("anyarray", "anycompatiblearray", "anyrange"), whole)
            named |= dict.fromkeys(("anyelement", "anycompatible", "anynonarray",
                                    "anycompatiblenonarray"), one)  # fmt: skip
            types = tuple(named.get(name, name) for name in args)
            if {*types, named.get(result, result)} <= _TYPES:
                yield types, named.get(result, result)
    elif every <= _TYPES:
        yield args, result


def expression(pick: Pick, depth: int) -> Piece:
    """A boolean expression of so many levels; half of them are about one function of them all."""
    if depth > 0 and pick(range(2)):
        return _about(pick, *pick(pick(_by_name())), depth)
    return _grown(pick, "bool", depth)


def each(shuffled: Callable[[list[tuple[str, Maker]]], None], pick: Pick) -> Iterator[Piece]:
    """Calls of all that can be called, in an order of its own, again and again."""
    every = [(kind.partition(" ")[2], maker) for kind, maker in _all_makers()]
    while True:
        shuffled(every)
        for name, maker in every:
            yield _about(pick, name, maker, pick([1, 1, 1, 2]))


@cache
def _by_name() -> tuple[tuple[tuple[str, Maker], ...], ...]:
    """What can be called, by name: without this, what few expressions lead to is hardly drawn."""
    names: dict[str, list[tuple[str, Maker]]] = {}
    for kind, maker in _all_makers():
        what, _, name = kind.partition(" ")
        if what != "inside":
            key = f"{maker[2][0]} to {maker[0]}" if what == "cast" else name
            names.setdefault(key, []).append((name, maker))
    return tuple(map(tuple, names.values()))


_COMPARISONS = ["({} = {})", "({} < {})", "({} >= {})", "({} <> {})", "({} IS DISTINCT FROM {})",
                "({} IN ({}, {}))"]  # fmt: skip


def _about(pick: Pick, name: str, maker: Maker, depth: int) -> Piece:
    """A call, compared with something of its type."""
    result, text, types = maker
    call = Piece(result, text, tuple(_arguments(pick, name, types, depth - 1)))
    if result == "bool":
        return call
    if not facts().has_order(result) or pick(range(8)) == 0:
        return Piece("bool", "({} IS NULL)", (call,))
    form = pick(_COMPARISONS)
    others = [_grown(pick, result, depth - 2, 2) for _ in range(form.count("{}") - 1)]
    return Piece("bool", form, (call, *others))


def _grown(pick: Pick, kind: str, depth: int, constant: int = 3) -> Piece:
    """A value of a type; one in `constant` leaves is a constant."""
    if depth <= 0 or (kind not in ("bool",) and pick(range(5)) == 0):
        return _leaf(pick, kind, constant)
    if kind == "bool" and pick(range(3)) == 0:
        return _condition(pick, depth)
    if pick(range(9)) == 0:
        return _construct(pick, kind, depth)
    groups = makers(kind)
    if not groups:
        return _leaf(pick, kind, constant)
    chosen = pick([found for weight, found in groups for _ in range(weight)])
    name, text, args = pick(chosen)
    return Piece(kind, text, tuple(_arguments(pick, name, args, depth - 1)))


def _arguments(pick: Pick, name: str, args: tuple[str, ...], depth: int) -> Iterator[Piece]:
    # at least one reads a column: PostgreSQL computes what holds constants alone beforehand
    first = pick(range(len(args)))
    for place, kind in enumerate(args):
        words = WORDS.get((name, place))
        if words and pick(range(12)):
            yield Piece(kind, _quoted(pick(words), kind if kind != "text" else ""))
        elif place == first:
            yield _grown(pick, kind, depth, 20)
        else:
            yield _grown(pick, kind, depth - pick(range(2)), 2)


def _leaf(pick: Pick, kind: str, constant: int) -> Piece:
    rare = pick(range(16))
    if rare == 0 and kind in RAISING:
        return Piece(kind, pick(RAISING[kind]))
    if rare == 1 and kind in BY_TYPE:
        # all rows together may be NULL here
        return Piece(kind, f"(CASE WHEN {pick(['a', 'b', 'i4 > 7'])} THEN {BY_TYPE[kind][0]} END)")
    if kind in BY_TYPE and pick(range(constant)):
        return Piece(kind, pick(BY_TYPE[kind]))
    return Piece(kind, _constant(pick, kind))


def _constant(pick: Pick, kind: str) -> str:
    full = next((name for name in COLUMNS.values() if name.partition("(")[0] == kind), kind)
    common, nasty = MORE.get(kind, []), NASTY.get(full, [])
    value = pick(nasty if nasty and (not common or pick(range(3)) == 0) else common or ["1"])
    if value is None:
        return f"NULL::{kind}" if kind != "bpchar" else "NULL::bpchar"
    if kind in ("int4", "numeric") and pick(range(2)) and value[-1].isdigit():
        return f"({value})" if value[0] == "-" else value
    return _quoted(value, kind if kind != "text" or pick(range(3)) else "")


def _quoted(value: str, kind: str) -> str:
    text = value.replace("'", "''")
    return f"'{text}'::{kind}" if kind else f"'{text}'"


def _condition(pick: Pick, depth: int) -> Piece:
    """What has syntax instead of a name."""
    kind = pick(["int4", "int8", "numeric", "float8", "text", "varchar", "bpchar", "date", "jsonb",
                 "timestamp", "timestamptz", "uuid", "interval", "int2", "bytea", "time", "bool",
                 "money", "inet", "int4range", "_int4", "_text"])  # fmt: skip
    text, *types = pick([
        ("({} AND {})", "bool", "bool"),
        ("({} OR {})", "bool", "bool"),
        ("(NOT {})", "bool"),
        ("({} IS NULL)", kind),
        ("({} IS NOT NULL)", kind),
        ("({} IS DISTINCT FROM {})", kind, kind),
        ("({} IS NOT DISTINCT FROM {})", kind, kind),
        ("({} IN ({}, {}, {}))", kind, kind, kind, kind),
        ("({} NOT IN ({}, {}))", kind, kind, kind),
        ("({} BETWEEN {} AND {})", kind, kind, kind),
        ("({} NOT BETWEEN SYMMETRIC {} AND {})", kind, kind, kind),
        ("({} IS TRUE)", "bool"),
        ("({} IS NOT FALSE)", "bool"),
        ("({} IS UNKNOWN)", "bool"),
        ("(({}, {}) < ({}, {}))", kind, "int4", kind, "int4"),
        ("(({}, {}) = ({}, {}))", kind, "text", kind, "text"),
        ("(({}, {}) IN (({}, {}), ({}, {})))", kind, "int4", kind, "int4", kind, "int4"),
        ("({} = ANY (ARRAY[{}, {}]))", kind, kind, kind),
        ("({} < ALL (ARRAY[{}, {}]))", kind, kind, kind),
        ("({} = ANY ({}))", "int4", "_int4"),
        ("({} <> ALL ({}))", "text", "_text"),
        ("({} > ANY ({}))", "int4", "_int4"),
        ('({} COLLATE "C" < {})', "text", "text"),
        ('({} COLLATE "C" BETWEEN {} AND {})', "varchar", "text", "text"),
        ("({} LIKE {})", "text", "text"),
        ("({} SIMILAR TO " + _quoted(pick(["a%", "(a|b)_", "%c", "[a-c]+"]), "") + ")", "text"),
        ("({} ~ " + _quoted(pick(PATTERNS), "") + ")", "text"),
        ("(CASE {} WHEN {} THEN {} ELSE {} END)", kind, kind, "bool", "bool"),
        ("(({}, {}) OVERLAPS ({}, {}))", "timestamp", "timestamp", "timestamp", "timestamp"),
        ("(extract(" + pick(FIELDS) + " FROM {}) > {})", pick(["date", "timestamp", "interval",
                                                               "time"]), "int4"),
        ("(num_nulls({}, {}, {}) = {})", kind, "int4", "text", "int4"),
        ("(starts_with({}, {}))", "text", "text"),
        ("(substring({} FROM " + _quoted(pick(PATTERNS), "") + ") = {})", "text", "text"),
    ])  # fmt: skip
    return Piece("bool", text, tuple(_arguments(pick, "", tuple(types), depth - 1)))


def _construct(pick: Pick, kind: str, depth: int) -> Piece:
    """CASE, COALESCE, NULLIF, GREATEST and LEAST."""
    text, *types = pick([
        ("(CASE WHEN {} THEN {} ELSE {} END)", "bool", kind, kind),
        ("(CASE WHEN {} THEN {} END)", "bool", kind),
        ("coalesce({}, {})", kind, kind),
        ("nullif({}, {})", kind, kind),
        ("greatest({}, {})", kind, kind),
        ("least({}, {}, {})", kind, kind, kind),
    ])  # fmt: skip
    return Piece(kind, text, tuple(_arguments(pick, "", tuple(types), depth - 1)))


def shown(piece: Piece) -> str:
    """The expression as SQL."""
    parts = iter(piece.parts)
    text = piece.text.split("{}") if piece.parts else [piece.text]
    return text[0] + "".join(shown(next(parts)) + rest for rest in text[1:])


def smaller(piece: Piece) -> Iterator[Piece]:
    """The expression with one part replaced by something of its type that is shorter."""
    for inside in _below(piece):
        if inside.type == piece.type:
            yield inside
    if piece.parts and piece.type in BY_TYPE:
        yield Piece(piece.type, BY_TYPE[piece.type][0])
    for place, part in enumerate(piece.parts):
        for other in smaller(part):
            parts = (*piece.parts[:place], other, *piece.parts[place + 1 :])
            yield Piece(piece.type, piece.text, parts)


def _below(piece: Piece) -> Iterator[Piece]:
    for part in piece.parts:
        yield part
        yield from _below(part)
