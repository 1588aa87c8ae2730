"""inet, macaddr, money and bit strings, which the target holds as PostgreSQL's text.

Example
    `ip << '10.0.0.0/8'` compares keys (see `literals.networks`): the one of `ip` is made of its
    text, without its blank it begins with the bits of the network.

PostgreSQL
    network.c; mac.c; cash.c: cash_mul_float8() rounds to even; varbit.c: bitshiftleft(),
    bitfromint4(), bittoint4().
"""

from __future__ import annotations

from filtersql.filters.engines.interval_pieces import Words, words
from filtersql.filters.facts import SYMBOLS
from filtersql.storage import Engine

__all__ = ["bit_count", "quotient", "text_kinds"]

_COMPARED = ("network_{}", "macaddr_{}", "cash_{}", "bit{}", "varbit{}")
_MONEY = "^-?[$][0-9]{1,3}(,[0-9]{3})*[.][0-9]{2}$"


def text_kinds(engine: Engine) -> dict[str, str]:
    """The pieces, and rows for functions of these types."""
    say = words(engine)
    compared = {
        pattern.format(name): f"_1 {symbol} _2"
        for pattern in _COMPARED
        for name, symbol in SYMBOLS.items()
    }
    return {
        **compared,
        **_networks(say, engine),
        **_money(say),
        **_bits(say, engine),
        **_pairs(say, engine),
        **_shifts(),
        **_ranges(say),
    }


def _key(engine: Engine) -> str:
    """The key of an address's text, its network's length at the end of it."""
    address = "SPLIT_PART(_1, '/', 1)"
    if engine == "spark":
        octet, group = "LPAD(CONV({0}, 10, 2), 8, '0')", "LPAD(CONV(e, 16, 2), 16, '0')"

        def groups(text: str) -> str:
            item = f"CASE WHEN CONTAINS(e, '.') THEN {quad('e')} ELSE {group} END"
            return (
                f"ARRAY_JOIN(TRANSFORM(FILTER(SPLIT({text}, ':'), e -> e <> ''), e -> {item}), '')"
            )
    else:
        octet, group = (
            "FORMAT('{{:08b}}', CAST({0} AS INT))",
            "FORMAT('{:016b}', CAST('0x' || NULLIF(e, '') AS INT))",
        )

        def groups(text: str) -> str:
            item = f"CASE WHEN CONTAINS(e, '.') THEN {quad('e')} ELSE {group} END"
            return f"ARRAY_TO_STRING([{item} FOR e IN STRING_SPLIT({text}, ':') IF e <> ''], '')"

    def quad(text: str) -> str:
        parts = (octet.format(f"SPLIT_PART({text}, '.', {place})") for place in range(1, 5))
        return " || ".join(parts)

    left, right = (groups(f"SPLIT_PART({address}, '::', {side})") for side in (1, 2))
    missing = f"REPEAT('0', CAST(128 - LENGTH({left}) - LENGTH({right}) AS INT))"
    bits = (
        f"CASE WHEN CONTAINS(_1, ':') THEN '6' || {left} || {missing} || {right} "
        f"ELSE '4' || {quad(address)} END"
    )
    length = "CAST(SPLIT_PART(_1, '/', 2) AS INT)"
    with_length = f"LEFT({bits}, {length} + 1) || ' ' || SUBSTRING({bits}, {length} + 2)"
    return f"CASE WHEN CONTAINS(_1, '/') THEN {with_length} ELSE {bits} || ' ' END"


def _networks(say: Words, engine: Engine) -> dict[str, str]:
    key = _key(engine)
    starts = "STARTSWITH" if engine == "spark" else "STARTS_WITH"

    def within(inner: str, outer: str) -> str:
        prefix = f"SPLIT_PART({outer}, ' ', 1)"
        return f"{starts}(REPLACE({inner}, ' ', ''), {prefix})"

    def inside(inner: str, outer: str, symbol: str) -> str:
        return f"{within(inner, outer)} AND INSTR({inner}, ' ') {symbol} INSTR({outer}, ' ')"

    first, rest = "SPLIT_PART(_1, ' ', 1)", "LENGTH(SPLIT_PART(_1, ' ', 2))"
    size = "(INSTR(_1, ' ') - 2)"
    whole = "(LENGTH(_1) - 2)"
    bits = "REPLACE(SUBSTRING(_1, 2), ' ', '')"
    family = "LEFT(_1, 1)"

    def count(text: str, number: str) -> str:
        return f"REPEAT('{text}', CAST({number} AS INT))"

    return {
        ".inet": key,
        ".cidr": key,
        "network_sub": inside("_1", "_2", ">"),
        "network_subeq": inside("_1", "_2", ">="),
        "network_sup": inside("_2", "_1", ">"),
        "network_supeq": inside("_2", "_1", ">="),
        "network_overlap": f"{within('_1', '_2')} OR {within('_2', '_1')}",
        "family(inet)": f"CAST({family} AS INT)",
        "masklen(inet)": f"CAST({size} AS INT)",
        "network(inet)": f"{first} || ' ' || {count('0', rest)}",
        "cidr(inet)": f"{first} || ' ' || {count('0', rest)}",
        "broadcast(inet)": f"{first} || ' ' || {count('1', rest)}",
        "netmask(inet)": f"{family} || {count('1', size)} || {count('0', rest)} || ' '",
        "hostmask(inet)": f"{family} || {count('0', size)} || {count('1', rest)} || ' '",
        "inet_same_family": f"{family} = LEFT(_2, 1)",
        "inetnot": f"{family} || TRANSLATE(SUBSTRING(_1, 2), '01', '10')",
        **{
            f"set_masklen({kind},int4)": "CASE WHEN _1 IS NULL THEN NULL "
            "WHEN _2 = -1 THEN REPLACE(_1, ' ', '') || ' ' "
            f"WHEN _2 NOT BETWEEN 0 AND {whole} THEN {say.fails('invalid mask length')} "
            f"ELSE {family} || LEFT({bits}, _2) || ' ' || {behind} END"
            for kind, behind in (
                ("inet", f"SUBSTRING({bits}, _2 + 1)"),
                ("cidr", count("0", f"{whole} - _2")),
            )
        },
        ".inet_host": "SPLIT_PART(_1, '/', 1)",
        ".inet_text": "CASE WHEN CONTAINS(_1, '/') THEN _1 WHEN CONTAINS(_1, ':') "
        "THEN _1 || '/128' ELSE _1 || '/32' END",
        "trunc(macaddr)": "LEFT(_1, 8) || ':00:00:00'",
        "macaddr_not": "TRANSLATE(_1, '0123456789abcdef', 'fedcba9876543210')",
    }


def _money(say: Words) -> dict[str, str]:
    def fits(text: str) -> str:
        return f"CAST({text} AS BIGINT)"

    def product(first: str, second: str) -> str:
        return fits(f"CAST({first} AS DECIMAL(19, 0)) * CAST({second} AS DECIMAL(19, 0))")

    cents = "REPLACE(REPLACE(REPLACE(_1, '$', ''), ',', ''), '.', '')"
    zero = say.fails("division by zero")
    float_first, float_second = "CAST(_1 AS DOUBLE)", "CAST(_2 AS DOUBLE)"
    return {
        ".money": f"CASE WHEN {say.matches('_1', _MONEY)} THEN CAST({cents} AS BIGINT) "
        "WHEN _1 IS NOT NULL THEN "
        f"CAST({say.fails('money is not in the form of the locales C and en_US')} AS BIGINT) END",
        "cash_pl": fits("CAST(_1 AS DECIMAL(38, 0)) + _2"),
        "cash_mi": fits("CAST(_1 AS DECIMAL(38, 0)) - _2"),
        "cash_mul_int2 cash_mul_int4 cash_mul_int8": product("_1", "_2"),
        "int2_mul_cash int4_mul_cash int8_mul_cash": product("_1", "_2"),
        "cash_mul_flt4 cash_mul_flt8 flt4_mul_cash flt8_mul_cash": say.bigint(
            f"{float_first} * {float_second}"
        ),
        "cash_div_int2 cash_div_int4 cash_div_int8": f"_1 {say.div} CAST(_2 AS BIGINT)",
        "cash_div_flt4 cash_div_flt8": "CASE WHEN _1 IS NULL THEN NULL "
        f"WHEN _2 = 0 THEN CAST({zero} AS BIGINT) "
        f"ELSE {say.bigint(f'{float_first} / {float_second}')} END",
        "cash_div_cash": "CASE WHEN _1 IS NULL THEN NULL "
        f"WHEN _2 = 0 THEN CAST({zero} AS DOUBLE) "
        f"ELSE {float_first} / {float_second} END",
        "cashlarger": "CASE WHEN _1 >= _2 THEN _1 WHEN _1 < _2 THEN _2 END",
        "cashsmaller": "CASE WHEN _1 <= _2 THEN _1 WHEN _1 > _2 THEN _2 END",
    }


def _bits(say: Words, engine: Engine) -> dict[str, str]:
    size = "CAST(LENGTH(_1) AS INT)"
    number = "CONV(_1, 2, 10)" if engine == "spark" else "'0b' || _1"
    wide = (
        f"CAST({number} AS DECIMAL(20, 0))" if engine == "spark" else f"CAST({number} AS HUGEINT)"
    )
    out_of_range = say.fails("bit index out of valid range")

    def to_integer(bits: int, kind: str) -> str:
        return (
            f"CASE WHEN LENGTH(_1) > {bits} THEN CAST({say.fails(f'{kind} out of range')} AS "
            f"{kind}) WHEN _1 = '' THEN 0 WHEN LENGTH(_1) = {bits} AND LEFT(_1, 1) = '1' "
            f"THEN CAST({wide} - {2**bits} AS {kind}) ELSE CAST({wide} AS {kind}) END"
        )

    def of_integer(sign: str) -> str:
        return f"LPAD(RIGHT(LPAD(BIN(CAST(_1 AS BIGINT)), 64, '0'), LEAST(_2, 64)), _2, {sign})"

    negative = "CASE WHEN _1 < 0 THEN '1' ELSE '0' END"
    return {
        "bitnot": "TRANSLATE(_1, '01', '10')",
        "bitcat": "_1 || _2",
        "length(bit) bit_length(bit)": size,
        "octet_length(bit)": f"CAST((LENGTH(_1) + 7) {say.div} 8 AS INT)",
        "bit_count(bit)": "CAST(LENGTH(REPLACE(_1, '0', '')) AS BIGINT)",
        "get_bit(bit,int4)": f"CASE WHEN _1 IS NULL THEN NULL "
        f"WHEN _2 < 0 OR _2 >= LENGTH(_1) THEN CAST({out_of_range} AS "
        "INT) ELSE CAST(SUBSTRING(_1, _2 + 1, 1) AS INT) END",
        "set_bit(bit,int4,int4)": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        f"WHEN _2 < 0 OR _2 >= LENGTH(_1) THEN {out_of_range} "
        f"WHEN _3 NOT IN (0, 1) THEN {say.fails('new bit must be 0 or 1')} "
        f"ELSE LEFT(_1, _2) || CAST(_3 AS {say.text}) || SUBSTRING(_1, _2 + 2) END",
        "int4(bit)": to_integer(32, "INT"),
        "int8(bit)": to_integer(64, "BIGINT"),
        ".bits_of_int": of_integer(negative),
        ".bit": "RPAD(LEFT(_1, _2), _2, '0')",
        ".varbit": "LEFT(_1, _2)",
        "position(bit,bit)": "CAST(INSTR(_1, _2) AS INT)",
        "substring(bit,int4,int4)": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        f"WHEN _3 < 0 THEN {say.fails('negative substring length not allowed')} "
        "ELSE SUBSTRING(_1, GREATEST(_2, 1), CAST(LEAST(GREATEST(CAST(_2 AS BIGINT) + _3 - "
        "GREATEST(_2, 1), 0), 2147483647) AS INT)) END",
        "substring(bit,int4)": "CASE WHEN _2 IS NOT NULL THEN SUBSTRING(_1, GREATEST(_2, 1)) END",
    }


def _pairs(say: Words, engine: Engine) -> dict[str, str]:
    """AND, OR and XOR of two bit strings of one length."""
    differ = say.fails("cannot combine bit strings of different sizes")

    def pairwise(test: str, native: str) -> str:
        if engine == "duckdb":
            both = f"CAST({native} AS TEXT)"
        else:
            both = (
                "ARRAY_JOIN(TRANSFORM(SEQUENCE(1, LENGTH(_1)), i -> "
                f"CASE WHEN {test} THEN '1' ELSE '0' END), '')"
            )
        return (
            f"CASE WHEN LENGTH(_1) <> LENGTH(_2) THEN {differ} "
            "WHEN _1 = '' AND _2 IS NOT NULL THEN '' "
            f"WHEN _1 IS NOT NULL AND _2 IS NOT NULL THEN {both} END"
        )

    one, two = "SUBSTRING(_1, i, 1)", "SUBSTRING(_2, i, 1)"
    first, second = "CAST(_1 AS BIT)", "CAST(_2 AS BIT)"
    return {
        "bitand": pairwise(f"{one} = '1' AND {two} = '1'", f"{first} & {second}"),
        "bitor": pairwise(f"{one} = '1' OR {two} = '1'", f"{first} | {second}"),
        "bitxor": pairwise(f"{one} <> {two}", f"XOR({first}, {second})"),
    }


def _ranges(say: Words) -> dict[str, str]:
    # A bound with a blank stands in quotes; no bound of these types has a comma.
    lower, upper = '^."?([^",]*)"?,', ',"?([^",]*)"?.$'
    quoted = "CASE WHEN CONTAINS({0}, ' ') THEN '\"' || {0} || '\"' ELSE {0} END"
    return {
        ".range_lower": f"NULLIF(REGEXP_EXTRACT(_1, '{lower}', 1), '')",
        ".range_upper": f"NULLIF(REGEXP_EXTRACT(_1, '{upper}', 1), '')",
        ".range_text": "CASE WHEN _2 IS NULL THEN '(' ELSE _1 END || "
        f"COALESCE({quoted.format('_2')}, '') || ',' || COALESCE({quoted.format('_3')}, '') || "
        "CASE WHEN _3 IS NULL THEN ')' ELSE _4 END",
        ".next_int4": "CAST(CAST(_1 AS BIGINT) + _2 AS INT)",
        ".next_int8": "CAST(CAST(_1 AS DECIMAL(38, 0)) + _2 AS BIGINT)",
    }


def _shifts() -> dict[str, str]:
    """A negative count shifts the other way; what falls off is lost."""
    size = "CAST(LENGTH(_1) AS INT)"
    # the length of NULL is no least one: one more than the largest integer must not be asked for
    left = f"RPAD(SUBSTRING(_1, LEAST({{0}}, {size}, 2147483646) + 1), {size}, '0')"
    right = f"LPAD(LEFT(_1, GREATEST({size} - {{0}}, 0)), {size}, '0')"
    back = "CAST(LEAST(0 - CAST(_2 AS BIGINT), 2147483647) AS INT)"
    return {
        "bitshiftleft": f"CASE WHEN _2 >= 0 THEN {left.format('_2')} "
        f"WHEN _2 < 0 THEN {right.format(back)} END",
        "bitshiftright": f"CASE WHEN _2 >= 0 THEN {right.format('_2')} "
        f"WHEN _2 < 0 THEN {left.format(back)} END",
    }


def bit_count(digits: str) -> str:
    """The bits that are set in bytes, by their hexadecimal digits."""
    counts = ("", "1248", "3569AC", "7BDE", "F")
    signs = "0123456789ABCDEF"
    parts = [
        f"LENGTH(TRANSLATE({digits}, '{wanted + signs.translate(str.maketrans('', '', wanted))}', "
        f"'{wanted}')) * {count}"
        for count, wanted in enumerate(counts)
        if count
    ]
    return f"CAST({' + '.join(parts)} AS BIGINT)"


def quotient(whole: str) -> str:
    """_1 / _2 of whole numbers, cut off; `whole` divides two positive ones."""
    return f"CAST(SIGN(_1) * SIGN(_2) AS INT) * {whole.format('ABS(_1)', 'ABS(_2)')}"
