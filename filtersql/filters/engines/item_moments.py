"""What `.datetime()`, `.date()`, `.timestamp()` and `.time()` of a jsonpath make of one item.

Example
    ================================== ================================
    string                             becomes
    ================================== ================================
    `2024-01-01`                       `d2024-01-01 00:00:00.000000`
    `2024-01-01T12:34:56.5`            `d2024-01-01 12:34:56.500000`
    `2024-01-01T12:34:56+02`           `z2024-01-01 10:34:56.000000`
    `12:34:56`                         `t12:34:56.000000`
    `x`, `1.5`, `2024-02-30`           NULL: the path fails here
    ================================== ================================

    Texts of one letter sort as the moments do. PostgreSQL also reads `2024-1-1`, `12:34:56 +2` and
    the like: what may be such a text raises.

PostgreSQL
    jsonpath_exec.c, executeDateTimeMethod(); formatting.c, parse_datetime().
"""

from __future__ import annotations

from filtersql.filters.engines.item_methods import DUCKDB_WORDS, SPARK_WORDS, Words

__all__ = ["DOUBTFUL", "DUCKDB", "LOCAL", "SPARK", "TIME", "ZONED"]

_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?"
_ZONE = "(Z|[+-](0[0-9]|1[0-5])(:[0-5][0-9])?)"
_DAY = "-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
#: four digits on every engine
_YEAR = "([1-9][0-9]{3}|0[1-9][0-9]{2})"
#: the same, in whatever zone
_FAR_YEAR = "(1[1-9][0-9]{2}|[2-8][0-9]{3}|9[0-8][0-9]{2})"
LOCAL = f"^{_YEAR}{_DAY}([ T]{_CLOCK})?_z"
ZONED = f"^{_FAR_YEAR}{_DAY}[ T]{_CLOCK}{_ZONE}_z"
TIME = f"^{_CLOCK}_z"
#: two numbers and a sign behind each; no other text is a date or a time
DOUBTFUL = "^_s*([+-]?[0-9]+_s*[-:]_s*){2}[+-]?[0-9]"
_ODD = "a date or time in this document may be one that only PostgreSQL reads"
_NEEDS_ZONE = "cannot convert the value without time zone usage"
_MIDNIGHT = "00:00:00.000000"


def _clock(text: str) -> str:
    """The time of day with six digits behind the point."""
    return (
        f"CASE WHEN {text} = '' THEN '{_MIDNIGHT}' ELSE CONCAT(SUBSTRING({text}, 1, 8), '.', "
        f"RPAD(SUBSTRING({text}, 10, 6), 6, '0')) END"
    )


def _pieces(words: Words, utc: str) -> dict[str, str]:
    """`utc` is a local time c less m minutes, as a text."""
    day = "TRY_CAST(SUBSTRING(t, 1, 10) AS DATE) IS NOT NULL"
    clock = words.let("c", "REGEXP_EXTRACT(SUBSTRING(t, 12), '^[0-9:]+[.]?[0-9]*', 0)", _clock("c"))
    local = f"CONCAT(SUBSTRING(t, 1, 10), ' ', {clock})"
    minutes = (
        "CASE WHEN z = 'Z' THEN 0 ELSE CAST(CONCAT(SUBSTRING(z, 1, 1), '1') AS INT) * "
        "(CAST(SUBSTRING(z, 2, 2) AS INT) * 60 + "
        "CAST(COALESCE(NULLIF(SUBSTRING(z, 5, 2), ''), '0') AS INT)) END"
    )
    zoned = words.let(
        "z",
        "REGEXP_EXTRACT(t, '(Z|[+-][0-9:]+)$', 0)",
        words.let("m", minutes, words.let("c", local, utc)),
    )

    def shaped(pattern: str) -> str:
        return words.has("t", pattern)

    doubt = f"WHEN {shaped(DOUBTFUL)} THEN {words.error.format(_ODD)}"
    within = f"WHEN {shaped(LOCAL)} THEN {words.error.format(_NEEDS_ZONE)}"
    beyond = f"WHEN {shaped(ZONED)} THEN {words.error.format(_NEEDS_ZONE)}"
    of_day = f"WHEN {shaped(LOCAL)} THEN CASE WHEN {day} THEN CONCAT('d', {local}) END"
    of_zone = f"WHEN {shaped(ZONED)} THEN CASE WHEN {day} THEN CONCAT('z', {zoned}) END"
    of_time = f"WHEN {shaped(TIME)} THEN CONCAT('t', {_clock('t')})"
    bodies = {
        "datetime": f"{of_day} {of_zone} {of_time} {doubt}",
        "timestamp": f"{of_day} {beyond} WHEN {shaped(TIME)} THEN NULL {doubt}",
        "timestamp_tz": f"{of_zone} {within} WHEN {shaped(TIME)} THEN NULL {doubt}",
        "date": f"WHEN {shaped(LOCAL)} THEN CASE WHEN {day} "
        f"THEN CONCAT('d', SUBSTRING(t, 1, 10), ' {_MIDNIGHT}') END {beyond} "
        f"WHEN {shaped(TIME)} THEN NULL {doubt}",
        "time": f"WHEN {shaped(LOCAL)} THEN CASE WHEN {day} AND LENGTH(t) > 10 "
        f"THEN CONCAT('t', {clock}) END {of_time} {doubt}",
    }
    text = words.let("t", "SUBSTRING(_1, 2)", "CASE {0} END")
    return {
        f".item_{name}": f"CASE WHEN _1 LIKE 's%' THEN {text.format(body)} END"
        for name, body in bodies.items()
    }


SPARK = _pieces(
    SPARK_WORDS,
    "DATE_FORMAT(CAST(c AS TIMESTAMP_NTZ) - MAKE_DT_INTERVAL(0, 0, m, 0), "
    "'yyyy-MM-dd HH:mm:ss.SSSSSS')",
)
DUCKDB = _pieces(
    DUCKDB_WORDS,
    "STRFTIME(CAST(c AS TIMESTAMP) - TO_MINUTES(m), '%Y-%m-%d %H:%M:%S.%f')",
)
