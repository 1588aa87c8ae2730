"""What the methods of a jsonpath make of one item, as both engines write it.

Example
    ============= ======================= =====================
    piece         raw text                gives
    ============= ======================= =====================
    `.item_abs`   `n-1.50`                `n1.50`
    `.item_floor` `n-1.50`                `n-2`
    `.item_double` `s 1e2 `               `n100`
    `.item_double` `sabc`                 NULL: the path fails here
    ============= ======================= =====================

    Digits are text: a number of jsonb has more of them than an engine's types. What is a number
    for PostgreSQL, and written as nobody writes one (hexadecimal, with `_`), raises.

PostgreSQL
    jsonpath_exec.c, executeItemOptUnwrapTarget(): jpiDouble, jpiNumber, jpiBigint, jpiBoolean.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DUCKDB", "DUCKDB_WORDS", "SPARK", "SPARK_WORDS", "Words"]

_NUMBER = "^n[-0-9]"
#: digits that a double keeps
_KEPT = 15
#: signs of a string that is read as a number
_LONGEST = 10_000


@dataclass(frozen=True)
class Words:
    """How an engine spells what both have."""

    matches: str
    bound: str
    text: str
    error: str
    blank: str
    end: str

    def has(self, text: str, pattern: str) -> str:
        """Whether the pattern is found."""
        return self.matches.format(text, pattern.replace("_s", self.blank).replace("_z", self.end))

    def let(self, name: str, value: str, body: str) -> str:
        """The body, in which a name stands for the value."""
        return self.bound.format(name=name, value=value, body=body)


SPARK_WORDS = Words(
    matches="{} RLIKE '{}'",
    bound="TRANSFORM(ARRAY({value}), {name} -> {body})[0]",
    text="STRING",
    error="CAST(raise_error('{}') AS STRING)",
    blank="[\\\\s]",
    end="\\\\z",
)
DUCKDB_WORDS = Words(
    matches="REGEXP_MATCHES({}, '{}')",
    bound="[{body} FOR {name} IN [{value}]][1]",
    text="TEXT",
    error="CAST(error('{}') AS TEXT)",
    blank="[[:space:]]",
    end="\\z",
)


def _next(digits: str) -> str:
    """The whole number after this one."""
    rest = f"REGEXP_REPLACE({digits}, '9+$', '')"
    return (
        f"CONCAT(CASE WHEN {rest} = '' THEN '1' ELSE CONCAT(LEFT({rest}, LENGTH({rest}) - 1), "
        f"TRANSLATE(RIGHT({rest}, 1), '012345678', '123456789')) END, "
        f"REPEAT('0', LENGTH({digits}) - LENGTH({rest})))"
    )


def _signed(sign: str, digits: str) -> str:
    """`n`, the sign unless the number is 0, the digits."""
    return f"CONCAT('n', CASE WHEN {sign} AND {digits} <> '0' THEN '-' ELSE '' END, {digits})"


def _whole(words: Words, up: str) -> str:
    """The whole part of the number r; the one after it where `up` says so."""
    chosen = f"CASE WHEN {up} THEN {_next('w')} ELSE w END"
    inner = words.let("u", chosen, _signed("r LIKE 'n-%'", "u"))
    found = words.let("w", "REGEXP_EXTRACT(r, '[0-9]+', 0)", inner)
    return f"CASE WHEN {words.has('r', _NUMBER)} THEN {found} END"


def _digits(words: Words, written: str, sign: str) -> str:
    """Decimal digits without zeros that say nothing."""
    bare = f"REGEXP_REPLACE({written}, '^0+', '')"
    short = words.let(
        "u", bare, "CASE WHEN u LIKE '%.%' THEN REGEXP_REPLACE(u, '[.]?0*$', '') ELSE u END"
    )
    shown = words.let("v", short, "CASE WHEN v = '' OR v LIKE '.%' THEN CONCAT('0', v) ELSE v END")
    return words.let("w", shown, _signed(sign, "w"))


def _of_text(words: Words, odd: str, *, real: bool) -> str:
    """The number that a string holds; NULL where it holds none."""
    minus = words.has("r", "^s_s*-")
    mantissa = "REGEXP_EXTRACT(r, '[0-9.]+', 0)"
    plain = _digits(words, mantissa, minus)
    value = "CAST(REGEXP_EXTRACT(r, '[-+0-9.eE]+', 0) AS DECIMAL(38, 20))"
    moved = _digits(words, f"REPLACE(CAST({value} AS {words.text}), '-', '')", minus)
    count = (
        "LENGTH(REGEXP_REPLACE(REGEXP_REPLACE(REPLACE("
        f"{mantissa}, '.', ''), '^0+', ''), '0+$', ''))"
    )
    size = "ABS(TRY_CAST(REGEXP_EXTRACT(r, '[-+0-9.eE]+', 0) AS DOUBLE))"
    none = f"{count} = 0"
    exact = f"{count} <= {_KEPT} AND {size} >= 0.00001 AND {size} < 1e15"
    unknown = words.error.format("a number in a string of jsonb has too many digits")
    other = words.error.format("a number in a string of jsonb is written in an unusual form")
    zero, power = "WHEN " + none + " THEN 'n0' ", words.has("r", "[eE]")
    limits = ""
    if real:
        infinite = "CAST('Infinity' AS DOUBLE)"
        limits = (
            f"WHEN {size} IS NULL OR {size} = {infinite} OR {size} = 0 THEN NULL "
            f"WHEN {count} > {_KEPT} OR {size} < 1e-290 THEN {unknown} "
        )
    number = words.has("r", "^s_s*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?_s*$")
    return (
        f"CASE WHEN {number} THEN CASE {zero}WHEN LENGTH(r) > {_LONGEST} THEN {unknown} "
        f"{limits}WHEN NOT {power} THEN {plain} WHEN {exact} THEN {moved} ELSE {unknown} END "
        f"WHEN {words.has('r', odd)} THEN {other} END"
    )


def _real(words: Words) -> str:
    size = "ABS(TRY_CAST(SUBSTRING(r, 2) AS DOUBLE))"
    fits = f"{size} < CAST('Infinity' AS DOUBLE) AND ({size} > 0 OR NOT {words.has('r', '[1-9]')})"
    text = _of_text(words, "^s_s*[-+]?0[xX]", real=True)
    return (
        f"CASE WHEN {words.has('r', _NUMBER)} THEN CASE WHEN {fits} THEN r END "
        f"WHEN r LIKE 's%' THEN {text} END"
    )


_ODD = "^s_s*[-+]?(0[xXoObB]|[0-9.]*_)"


def _number(words: Words) -> str:
    return (
        f"CASE WHEN {words.has('r', _NUMBER)} THEN r "
        f"WHEN r LIKE 's%' THEN {_of_text(words, _ODD, real=False)} END"
    )


def _integer(words: Words, kind: str) -> str:
    """A number rounded, or a whole number in a string, that fits the type."""

    def fitting(text: str) -> str:
        return (
            f"CASE WHEN TRY_CAST({text} AS {kind}) IS NOT NULL "
            f"THEN CONCAT('n', CAST(TRY_CAST({text} AS {kind}) AS {words.text})) END"
        )

    rounded = _whole(words, words.has("r", "[.][5-9]"))
    number = words.let("t", rounded, fitting("SUBSTRING(t, 2)"))
    string = fitting("REGEXP_EXTRACT(r, '[-+]?[0-9]+', 0)")
    odd = words.error.format("a number in a string of jsonb is written in an unusual form")
    return (
        f"CASE WHEN {words.has('r', _NUMBER)} THEN {number} "
        f"WHEN {words.has('r', '^s_s*[-+]?[0-9]+_s*$')} THEN {string} "
        f"WHEN {words.has('r', _ODD)} THEN {odd} END"
    )


def _boolean(words: Words) -> str:
    whole = "TRY_CAST(SUBSTRING(r, 2) AS INT)"
    number = (
        f"CASE WHEN {whole} IS NOT NULL THEN CASE WHEN {whole} = 0 THEN 'nfalse' ELSE 'ntrue' END "
        "END"
    )
    true = "^s([tT]([rR]([uU][eE]?)?)?|[yY]([eE][sS]?)?|[oO][nN]|1)_z"
    false = "^s([fF]([aA]([lL]([sS][eE]?)?)?)?|[nN][oO]?|[oO][fF][fF]?|0)_z"
    return (
        f"CASE WHEN r IN ('ntrue', 'nfalse') THEN r WHEN {words.has('r', '^n-?[0-9]+$')} "
        f"THEN {number} WHEN {words.has('r', true)} THEN 'ntrue' "
        f"WHEN {words.has('r', false)} THEN 'nfalse' END"
    )


def _string(words: Words) -> str:
    return (
        "CASE WHEN r LIKE 's%' THEN r "
        f"WHEN {words.has('r', '^n([-0-9]|true|false)')} THEN CONCAT('s', SUBSTRING(r, 2)) END"
    )


def _pieces(words: Words) -> dict[str, str]:
    fraction = "[.][0-9]*[1-9]"
    number = words.has("r", _NUMBER)
    bodies = {
        "abs": f"CASE WHEN {number} THEN REPLACE(r, '-', '') END",
        "floor": _whole(words, f"r LIKE 'n-%' AND {words.has('r', fraction)}"),
        "ceiling": _whole(words, f"r NOT LIKE 'n-%' AND {words.has('r', fraction)}"),
        "double": _real(words),
        "number": _number(words),
        "decimal": _number(words),
        "bigint": _integer(words, "BIGINT"),
        "integer": _integer(words, "INT"),
        "boolean": _boolean(words),
        "string": _string(words),
        # not a method: the number as one without zeros at its end
        "plain": f"CASE WHEN {number} AND r LIKE '%.%' THEN REGEXP_REPLACE(r, '[.]?0*$', '') "
        "ELSE r END",
    }
    return {f".item_{name}": words.let("r", "_1", body) for name, body in bodies.items()}


def _member(document: str, key: str) -> str:
    return (
        f"JSON_EXTRACT({document}, '$.\"' || REPLACE(REPLACE({key}, '\\', '\\\\'), '\"', '\\\"') "
        "|| '\"')"
    )


def _in_quotes(text: str) -> str:
    return f"SUBSTRING(TO_JSON(ARRAY({text})), 2, CHAR_LENGTH(TO_JSON(ARRAY({text}))) - 2)"


SPARK = _pieces(SPARK_WORDS) | {
    ".path_pairs": "FLATTEN(TRANSFORM(_1, x -> CASE WHEN STARTSWITH(x, '{') THEN TRANSFORM("
    "MAP_ENTRIES(FROM_JSON(x, 'map<string,string>')), "
    f"p -> CONCAT('{{\"skey\":', {_in_quotes('p.key')}, ',\"svalue\":', "
    f"CASE WHEN LEFT(p.value, 1) IN ('{{', '[') THEN p.value ELSE {_in_quotes('p.value')} END, "
    "'}')) ELSE ARRAY(CAST(NULL AS STRING)) END))",
    ".path_sure": "CASE WHEN FORALL(_1, z -> z IS NOT NULL) THEN _1 END",
    ".path_first_sure": "CASE WHEN SIZE(_1) = 0 THEN FALSE "
    "WHEN ELEMENT_AT(_1, 1) IS NOT NULL THEN TRUE END",
}
DUCKDB = _pieces(DUCKDB_WORDS) | {
    ".path_pairs": "FLATTEN([CASE WHEN JSON_TYPE(x) = 'OBJECT' THEN "
    "[CAST('{\"skey\":' || CAST(TO_JSON(k) AS TEXT) || ',\"svalue\":' || "
    f"CAST({_member('x', 'k')} AS TEXT) || '}}' AS JSON) FOR k IN JSON_KEYS(x)] "
    "ELSE [CAST(NULL AS JSON)] END FOR x IN _1])",
    ".path_sure": "CASE WHEN LIST_COUNT(_1) = LEN(_1) THEN _1 END",
    ".path_first_sure": "CASE WHEN LEN(_1) = 0 THEN FALSE "
    "WHEN LIST_EXTRACT(_1, 1) IS NOT NULL THEN TRUE END",
}
