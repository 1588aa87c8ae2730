"""PostgreSQL's hash functions, by which people sample rows: `hashtext(c) % 100 = 0`.

They are Bob Jenkins' lookup3: three words of 32 bits, mixed for each twelve bytes and once more at
the end. A step changes one word by the next and passes the roles on, so a mix is a fold over its
six rotations and the end one over its seven.

Example
    `hashint4(1)` is -1905060026 on every machine and in every version since 8.4.

Source: PostgreSQL, src/common/hashfn.c (hash_bytes, hash_bytes_uint32 and their extended forms)
and src/backend/access/hash/hashfunc.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from filtersql.filters.write.writer import Family

__all__ = ["FAMILY"]

_WORD = 4294967295
#: what all three words are before the length is added
_BEGIN = (0x9E3779B9 + 3923095) & _WORD
_MIX = (4, 6, 8, 16, 19, 4)
_END = (14, 11, 25, 16, 4, 14, 24)


@dataclass(frozen=True, slots=True)
class _Speech:
    """How an engine spells lists, folds, bits and hexadecimal texts."""

    array: Callable[..., str]
    at: Callable[[str, int], str]
    fold: Callable[[str, str, str, str], str]
    rotations: Callable[[tuple[int, ...]], str]
    rotation: str
    xor: Callable[[str, str], str]
    left: Callable[[str, str], str]
    right: Callable[[str, str], str]
    of_hex: Callable[..., str]
    chunks: Callable[[str, str], str]


def _rotated(say: _Speech, word: str) -> str:
    by = say.rotation
    return f"(({say.left(word, by)} & {_WORD}) | {say.right(word, f'32 - {by}')})"


def _mixed(say: _Speech, words: str) -> str:
    """The words a, c, b after `mix`."""
    x, y, z = (say.at("s", place) for place in range(3))
    changed = say.xor(f"(({x} - {y}) & {_WORD})", _rotated(say, y))
    step = say.array(z, changed, f"({y} + {z}) & {_WORD}")
    return say.fold(say.rotations(_MIX), words, "s, k", step)


def _ended(say: _Speech, words: str) -> str:
    """Of the words c, b, a: the second is c after `final`, the third is b."""
    x, y, z = (say.at("s", place) for place in range(3))
    step = say.array(z, f"({say.xor(x, y)} - {_rotated(say, y)}) & {_WORD}", y)
    return say.fold(say.rotations(_END), words, "s, k", step)


def _seeded(say: _Speech, begin: str, seed: str) -> str:
    """The words a, c, b at the beginning of an extended hash."""
    plain = say.array(begin, begin, begin)
    high = f"({say.right(seed, '32')} & {_WORD})"
    added = say.array(
        f"({begin} + {high}) & {_WORD}", begin, f"({begin} + ({seed} & {_WORD})) & {_WORD}"
    )
    return f"CASE WHEN {seed} = 0 THEN {plain} ELSE {_mixed(say, added)} END"


def _of_word(say: _Speech, word: str, seed: str | None) -> str:
    begin = str((_BEGIN + 4) & _WORD)
    if seed is None:
        words = say.array(begin, begin, f"({begin} + {word}) & {_WORD}")
        return _ended(say, words)
    step = say.array(
        say.at("t", 1), say.at("t", 2), f"({say.at('t', 0)} + {say.at('w', 0)}) & {_WORD}"
    )
    one = say.array(say.array(word))
    return say.fold(one, _seeded(say, begin, seed), "t, w", _ended(say, step))


def _of_bytes(say: _Speech, digits: str, length: str, seed: str | None) -> str:
    """A fold over pieces of twelve bytes, the last of which is shorter, maybe empty."""
    begin = f"(({_BEGIN} + {length}) & {_WORD})"
    start = say.array(begin, begin, begin) if seed is None else _seeded(say, begin, seed)
    a, c, b, full = (say.at("w", place) for place in range(4))
    words = [f"({say.at('t', place)} + {word}) & {_WORD}" for place, word in enumerate((a, c, b))]
    mixed = _mixed(say, say.array(*words))
    ended = _ended(say, say.array(words[1], words[2], words[0]))
    step = f"CASE WHEN {full} = 1 THEN {mixed} ELSE {ended} END"
    return say.fold(say.chunks(digits, length), start, "t, w", step)


def _chunk(say: _Speech, piece: str, length: str) -> str:
    """The words a, c, b of twelve bytes in hexadecimal digits, and 1 where there are twelve.

    Words are little-endian. The lowest byte of the last c belongs to the length.
    """

    def word(*places: int) -> str:
        return say.of_hex(*(f"SUBSTRING({piece}, {2 * place + 1}, 2)" for place in places))

    full = f"{length}({piece}) = 24"
    third = f"CASE WHEN {full} THEN {word(11, 10, 9, 8)} ELSE {word(10, 9, 8)} * 256 END"
    return say.array(
        word(3, 2, 1, 0), third, word(7, 6, 5, 4), f"CASE WHEN {full} THEN 1 ELSE 0 END"
    )


def _int4(say: _Speech, words: str) -> str:
    """The word c as an integer with a sign."""
    return f"CAST((({say.at(words, 1)} + 2147483648) & {_WORD}) - 2147483648 AS INT)"


def _int8(say: _Speech, words: str) -> str:
    """The words b and c as a bigint: asked through a fold, to have both of one computation."""
    joined = (
        f"(((({say.at('v', 2)} + 2147483648) & {_WORD}) - 2147483648) * 4294967296"
        f" + {say.at('v', 1)})"
    )
    return say.at(say.fold(say.array(words), say.array("0"), "u, v", say.array(joined)), 0)


def _table(say: _Speech, text: str, length: str, trimmed: str) -> dict[str, str]:
    """One row for each function; `text` gives the digits of a text's bytes."""
    whole = f"(CAST(_1 AS BIGINT) & {_WORD})"
    high = f"({say.right('CAST(_1 AS BIGINT)', '32')} & {_WORD})"
    # a bigint that an integer could hold hashes as that integer does
    folded = say.xor(whole, f"(CASE WHEN _1 >= 0 THEN {high} ELSE {_WORD} - {high} END)")
    words = {
        "hashint2": whole,
        "hashint4": whole,
        "hashint8": folded,
        "hashbool": "(CASE WHEN _1 THEN 1 ELSE 0 END)",
    }
    strings = {
        "hashtext": (text.format("_1"), length.format("_1")),
        "hashbpchar": (text.format(trimmed), length.format(trimmed)),
        "hashbytea": ("HEX(_1)", "OCTET_LENGTH(_1)"),
        "uuid_hash": ("UPPER(REPLACE(CAST(_1 AS STRING), '-', ''))", "16"),
    }
    found: dict[str, str] = {}
    for name, word in words.items():
        found[name] = _int4(say, _of_word(say, word, None))
        found[f"{name}extended"] = _int8(say, _of_word(say, word, "_2"))
    for name, (digits, bytes_) in strings.items():
        extended = "uuid_hash_extended" if name == "uuid_hash" else f"{name}extended"
        found[name] = _int4(say, _of_bytes(say, digits, bytes_, None))
        found[extended] = _int8(say, _of_bytes(say, digits, bytes_, "_2"))
    return {
        name: f"CASE WHEN _1 IS NOT NULL{' AND _2 IS NOT NULL' * name.endswith('extended')} "
        f"THEN {sql} END"
        for name, sql in found.items()
    }


def _typed(items: Sequence[str]) -> str:
    """The items of a list, a number as a bigint."""
    return ", ".join(f"CAST({item} AS BIGINT)" if item.isdigit() else item for item in items)


_SPARK: _Speech = _Speech(
    array=lambda *items: f"ARRAY({_typed(items)})",
    at=lambda words, place: f"{words}[{place}]",
    fold=lambda items, start, names, step: f"AGGREGATE({items}, {start}, ({names}) -> {step})",
    rotations=lambda each: f"ARRAY({', '.join(map(str, each))})",
    rotation="k",
    xor=lambda one, other: f"({one} ^ {other})",
    left=lambda word, by: f"SHIFTLEFT({word}, {by})",
    right=lambda word, by: f"SHIFTRIGHT({word}, {by})",
    of_hex=lambda *digits: f"CAST(CONV(CONCAT('0', {', '.join(digits)}), 16, 10) AS BIGINT)",
    chunks=lambda digits, length: (
        f"TRANSFORM(SEQUENCE(0, CAST(FLOOR({length} / 12) AS INT)), i -> "
        + _chunk(_SPARK, f"SUBSTRING({digits}, 24 * i + 1, 24)", "CHAR_LENGTH")
        + ")"
    ),
)
_DUCKDB: _Speech = _Speech(
    array=lambda *items: f"[{_typed(items)}]",
    at=lambda words, place: f"{words}[{place + 1}]",
    fold=lambda items, start, names, step: f"LIST_REDUCE({items}, ({names}) -> {step}, {start})",
    rotations=lambda each: f"[{', '.join(f'[CAST({one} AS BIGINT)]' for one in each)}]",
    rotation="k[1]",
    xor=lambda one, other: f"XOR({one}, {other})",
    left=lambda word, by: f"({word} << ({by}))",
    right=lambda word, by: f"({word} >> ({by}))",
    of_hex=lambda *digits: f"CAST('0x0' || {' || '.join(digits)} AS BIGINT)",
    chunks=lambda digits, length: (
        f"LIST_TRANSFORM(RANGE(0, {length} // 12 + 1), i -> "
        + _chunk(_DUCKDB, f"SUBSTRING({digits}, CAST(24 * i + 1 AS BIGINT), 24)", "LENGTH")
        + ")"
    ),
)

_SPARK_ROWS = _table(_SPARK, "HEX(ENCODE({0}, 'UTF-8'))", "OCTET_LENGTH({0})", "RTRIM(_1)")
_DUCKDB_ROWS = _table(_DUCKDB, "HEX({0})", "STRLEN({0})", "RTRIM(_1, ' ')")


FAMILY = Family(rows={"spark": _SPARK_ROWS, "duckdb": _DUCKDB_ROWS})
