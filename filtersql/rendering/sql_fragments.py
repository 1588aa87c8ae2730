"""Identifiers, literals and the few engine-specific words, printed from syntax trees and cached.

Example
    ============================ ============================ =====================
    word                         Spark                        DuckDB
    ============================ ============================ =====================
    named("a")                   `a`                          the same
    named("a b")                 `` `a b` ``                  `"a b"`
    literal("it's")              `'it\\'s'`                   `'it''s'`
    is_unchanged("c")            ARRAY_CONTAINS(unchanged, …) the same
    ============================ ============================ =====================
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlglot import exp, parse_one

from filtersql.rendering.keywords import is_plain
from filtersql.storage import Engine

__all__ = [
    "all_of",
    "checked_effect",
    "column",
    "comment",
    "differs",
    "each_outcome",
    "epoch_of_change",
    "equals",
    "explode",
    "found_before",
    "inserted",
    "inserts",
    "is_unchanged",
    "kept_or_sent",
    "last_known",
    "last_seen",
    "literal",
    "misses",
    "named",
    "negated",
    "null",
    "null_as",
    "outcomes",
    "place_of_row",
    "quoted",
    "raise_error",
    "string_array",
    "text_type",
    "true_or_false",
    "zero_to",
]

_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")


@lru_cache(maxsize=65536)
def quoted(name: str, engine: Engine) -> str:
    """The identifier, quoted."""
    return exp.to_identifier(name, quoted=True).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def named(name: str, engine: Engine) -> str:
    """The identifier, quoted where it is not plain: reviewed statements are read by people."""
    if is_plain(name):
        return name
    return _identifier(name).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def literal(text: str, engine: Engine) -> str:
    """The string literal."""
    return exp.Literal.string(text).sql(engine, copy=False)


@lru_cache(maxsize=8)
def true_or_false(*, value: bool, engine: Engine) -> str:
    """TRUE or FALSE."""
    return exp.Boolean(this=value).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def is_unchanged(name: str, engine: Engine) -> str:
    """Whether the feed left the column out because its out-of-line value did not change."""
    contains = exp.ArrayContains(this=exp.column("unchanged"), expression=exp.Literal.string(name))
    return exp.Coalesce(this=contains, expressions=[exp.false()]).sql(engine, copy=False)


@lru_cache(maxsize=1024)
def negated(name: str, engine: Engine) -> str:
    """The boolean column, negated."""
    return exp.not_(_column(name)).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def differs(left: str, right: str, engine: Engine) -> str:
    """Whether two columns differ."""
    return exp.NEQ(this=_column(left), expression=_column(right)).sql(engine, copy=False)


@lru_cache(maxsize=64)
def equals(name: str, value: str, engine: Engine) -> str:
    """Whether a column is equal to a string."""
    return exp.EQ(this=_column(name), expression=exp.Literal.string(value)).sql(engine, copy=False)


@lru_cache(maxsize=1024)
def null(sql_type: str, engine: Engine) -> str:
    """NULL of a type."""
    kind = exp.DataType.build(sql_type, dialect=engine)
    return exp.Cast(this=exp.null(), to=kind).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def null_as(name: str, engine: Engine) -> str:
    """NULL, selected as the column."""
    return exp.alias_(exp.null(), _identifier(name), copy=False).sql(engine, copy=False)


@lru_cache(maxsize=4096)
def checked_effect(
    effect: str, keeps: tuple[str, ...], message: str, engine: Engine, *, always: bool
) -> str:
    """The effect, selected; stops where a change that brings a row (or any) left a column out."""
    if not keeps:
        return named(effect, engine)
    brings = _column(effect).isin("update", "insert", "arrived") if always else None
    brings = brings or _column(effect).isin("insert", "arrived")
    lacking = exp.and_(brings, exp.or_(*map(_column, keeps)))
    stop = exp.case().when(lacking, _stop(message, engine)).else_(_column(effect))
    return exp.alias_(stop, _identifier(effect), copy=False).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def last_known(
    name: str, keeps: str, engine: Engine, effect: str | None = None, message: str = ""
) -> str:
    """The newest value of the column that is known so far, as a struct; goes before OVER (…).

    With an `effect`, a row that comes without it stops the statement: an engine may work out what
    stands outside of a window for the last change only.
    """
    value = exp.PropertyEQ(this=exp.to_identifier("newest"), expression=_column(name))
    known = exp.case().when(exp.not_(_column(keeps)), exp.Struct(expressions=[value]))
    if effect is not None:
        brings = _column(effect).isin("insert", "arrived")
        known = known.when(brings, _stop(message, engine))
    return exp.IgnoreNulls(this=exp.LastValue(this=known)).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def last_seen(name: str, keeps: str, effect: str, seq: str, engine: Engine) -> str:
    """The newest value of the column as a struct, `pending` where the change did not send it.

    That is the seq of the change that brought the row from another key, or -1. An UPDATE that
    leaves the key and the column alone does not count.
    """
    rows = _column(effect).isin("held", "insert", "update", "arrived")
    sent = exp.and_(rows, exp.not_(_column(keeps)))
    came = exp.EQ(this=_column(effect), expression=exp.convert("arrived"))
    pending = exp.case().when(sent.copy(), exp.null()).when(came, _column(seq))
    seen = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(field), expression=value)
            for field, value in (
                ("newest", exp.case().when(sent, _column(name))),
                ("pending", pending.else_(exp.convert(-1))),
            )
        ]
    )
    stays = exp.and_(exp.EQ(this=_column(effect), expression=exp.convert("update")), _column(keeps))
    known = exp.case().when(exp.not_(exp.paren(stays)), seen)
    return exp.IgnoreNulls(this=exp.LastValue(this=known)).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def kept_or_sent(name: str, keeps: str, engine: Engine) -> str:
    """The target's own value where the change left the column out, else the change's."""
    kept = exp.case().when(_column(keeps, "s"), _column(name, "t"))
    return kept.else_(_column(name, "s")).sql(engine, copy=False)


@lru_cache(maxsize=4096)
def inserts(effect: str, keeps: tuple[str, ...], message: str, engine: Engine) -> str:
    """Whether a staged row without a row in the target is inserted: if it is not a delete.

    On DuckDB it stops where the change left a column out. Delta looks at this condition for rows
    that have a row in the target, too: on Spark `inserted` stops.
    """
    lives = exp.NEQ(this=_column(effect, "s"), expression=exp.Literal.string("delete"))
    if not keeps or engine == "spark":
        return lives.sql(engine, copy=False)
    lacking = exp.or_(*(_column(name, "s") for name in keeps))
    return (
        exp.case()
        .when(exp.not_(lives), exp.false())
        .when(lacking, _stop(message, engine))
        .else_(exp.true())
        .sql(engine, copy=False)
    )


@lru_cache(maxsize=65536)
def inserted(name: str, keeps: str, message: str, engine: Engine) -> str:
    """The change's value for a new row; on Spark it stops where the change left the column out.

    DuckDB looks at the values for rows that have a row in the target, too: there `inserts` stops.
    """
    sent = _column(name, "s")
    if engine == "duckdb":
        return sent.sql(engine, copy=False)
    stop = exp.case().when(_column(keeps, "s"), _stop(message, engine))
    return stop.else_(sent).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def column(name: str, table: str, engine: Engine) -> str:
    """A column of `s` or `t`."""
    return _column(name, table).sql(engine, copy=False)


def _column(name: str, table: str | None = None) -> exp.Column:
    return exp.column(_identifier(name), table=table)


def _identifier(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=not is_plain(name))


def _stop(message: str, engine: Engine) -> exp.Anonymous:
    function = "raise_error" if engine == "spark" else "error"
    return exp.Anonymous(this=function, expressions=[exp.Literal.string(message)])


@lru_cache(maxsize=65536)
def raise_error(message: str, engine: Engine) -> str:
    """An expression that stops the statement with the message."""
    return _stop(message, engine).sql(engine, copy=False)


@lru_cache(maxsize=8)
def text_type(engine: Engine) -> str:
    """The type of text."""
    return exp.DataType.build("text").sql(engine)


def explode(engine: Engine) -> str:
    """The function that makes a row of each element of an array."""
    return "EXPLODE" if engine == "spark" else "UNNEST"


@lru_cache(maxsize=64)
def zero_to(name: str, engine: Engine) -> str:
    """The array of the numbers from 0 up to a column's value."""
    start, end = (exp.cast(bound, "bigint") for bound in (exp.Literal.number(0), _column(name)))
    return exp.GenerateSeries(start=start, end=end).sql(engine, copy=False)


@lru_cache(maxsize=64)
def found_before(effect: str, stays: str | None, epoch: str | None, engine: Engine) -> str:
    """Whether the last change left a row under the key; goes before OVER (…).

    With an epoch, which one the row is of, or -1; with `stays`, a change may leave it as it is.
    """
    row: exp.Expr = _column(effect).isin("held", "insert", "arrived")
    if epoch is not None:
        row = exp.case().when(row, _column(epoch)).else_(exp.convert(-1))
    if stays is not None:
        row = exp.case().when(exp.not_(_column(stays)), row)
    return exp.IgnoreNulls(this=exp.LastValue(this=row)).sql(engine, copy=False)


#: the text so far, and a change of a key: its seq in twenty digits, and for the old and the new key
#: what is known (see keeping.sql) with the seq of the change on which it hangs
_IN_ORDER = """
REDUCE(ARRAY_SORT(links), '', (so_far, link) -> so_far || ',' || SUBSTR(link, 1, 20)
  || CASE SUBSTR(link, 21, 1)
    WHEN 'l' THEN CASE WHEN
      SUBSTR(so_far, INSTR(so_far, ',' || SUBSTR(link, 22, 20)) + 21, 2) = '11'
      THEN '1' ELSE '0' END
    WHEN 'a' THEN CASE WHEN
      SUBSTR(so_far, INSTR(so_far, ',' || SUBSTR(link, 22, 20)) + 21, 2) = '00'
      THEN '0' ELSE '1' END
    ELSE SUBSTR(link, 21, 1) END
  || CASE SUBSTR(link, 42, 1)
    WHEN 'l' THEN CASE WHEN
      SUBSTR(so_far, INSTR(so_far, ',' || SUBSTR(link, 43, 20)) + 21, 2) = '11'
      THEN '1' ELSE '0' END
    WHEN 'a' THEN CASE WHEN
      SUBSTR(so_far, INSTR(so_far, ',' || SUBSTR(link, 43, 20)) + 21, 2) = '00'
      THEN '0' ELSE '1' END
    ELSE SUBSTR(link, 42, 1) END)
"""


@lru_cache(maxsize=64)
def outcomes(seq: str, known: tuple[str, str, str, str], linked: str, engine: Engine) -> str:
    """What all changes of a key find, as a text: those that hang on each other fold in order."""
    old_known, old_seq, new_known, new_seq = known
    link = _joined(_digits(seq), _column(old_known), _digits(old_seq))
    link = _joined(link, _column(new_known), _digits(new_seq))
    alone = _joined(_digits(seq), _column(old_known), _column(new_known))
    folded = parse_one(_IN_ORDER, dialect="spark")
    (links,) = (column for column in folded.find_all(exp.Column) if column.name == "links")
    links.replace(_listed(link, linked, 1))
    others = exp.ArrayToString(this=_listed(alone, linked, 0), expression=exp.convert(","))
    nothing = exp.convert("")
    text = _joined(
        exp.Coalesce(this=folded, expressions=[nothing]),
        exp.convert(","),
        exp.Coalesce(this=others, expressions=[nothing.copy()]),
    )
    return text.sql(engine, copy=False)


#: the text so far, and a change that looks for a copy: its seq and the number of copies that are
#: there if no change missed any, in twenty digits, its old row in 21, and its new row. A change
#: that misses is told with its rows: `<` has one copy more than was counted, `>` one less.
_MISSES = """
REDUCE(ARRAY_SORT(links), '', (so_far, link) -> so_far || CASE WHEN
    22 * (CAST(SUBSTR(link, 21, 20) AS BIGINT) - 1000000000000)
    + LENGTH(REPLACE(so_far, '>' || SUBSTR(link, 41, 21), ''))
    - LENGTH(REPLACE(so_far, '<' || SUBSTR(link, 41, 21), ''))
    <= 0
  THEN ',' || SUBSTR(link, 1, 20) || '<' || SUBSTR(link, 41, 21) || '>' || SUBSTR(link, 62)
  ELSE '' END)
"""
_UNSIGNED = 1_000_000_000_000


@lru_cache(maxsize=64)
def misses(seq: str, levels: tuple[str, str], places: tuple[str, str], engine: Engine) -> str:
    """The changes that find no copy of their old row, as a text; `''` if none is sure to.

    The copies there at most and at least, and where the old and the new row are.
    """
    (level, lowest), (old_place, new_place) = levels, places
    raised = exp.Add(this=_column(level), expression=exp.convert(_UNSIGNED))
    link = _joined(_digits(seq), _padded(raised), _column(old_place), _column(new_place))
    folded = parse_one(_MISSES, dialect="spark")
    (links,) = (column for column in folded.find_all(exp.Column) if column.name == "links")
    doubtful = exp.LTE(this=_column(lowest), expression=exp.convert(0))
    links.replace(exp.ArrayAgg(this=exp.case().when(doubtful, link), nulls_excluded=True))
    surely = exp.LTE(this=exp.Min(this=_column(level)), expression=exp.convert(0))
    text = exp.case().when(surely, folded).else_(exp.convert(""))
    return text.sql(engine, copy=False)


@lru_cache(maxsize=64)
def place_of_row(seq: str, step: str, engine: Engine) -> str:
    """A text that only one side of one change has."""
    old = exp.EQ(this=_column(step), expression=exp.convert(-1))
    side = exp.case().when(old, exp.convert("0")).else_(exp.convert("1"))
    return _joined(_digits(seq), side).sql(engine, copy=False)


@lru_cache(maxsize=64)
def each_outcome(outcomes: str, engine: Engine) -> str:
    """A row for each part of the text of outcomes."""
    kind = exp.RegexpSplit if engine == "spark" else exp.Split
    split = kind(this=_column(outcomes), expression=exp.convert(","))
    return exp.Anonymous(this=explode(engine), expressions=[split]).sql(engine, copy=False)


@lru_cache(maxsize=8)
def epoch_of_change(barriers: str, engine: Engine) -> str:
    """How many TRUNCATEs came before a side's `seq`. Spark takes no subquery for the list."""
    text = "COALESCE(SIZE(FILTER(barriers, barrier -> barrier < seq)), 0)"
    counted = parse_one(text, dialect="spark")
    (column,) = (one for one in counted.find_all(exp.Column) if one.name == "barriers")
    column.replace(_column(barriers, "barriers"))
    for each in counted.find_all(exp.Column):
        if each.name == "seq":
            each.set("table", _identifier("sides"))
    return counted.sql(engine, copy=False)


@lru_cache(maxsize=8)
def all_of(name: str, engine: Engine) -> str:
    """The list of a column's values."""
    return exp.ArrayAgg(this=_column(name), nulls_excluded=True).sql(engine, copy=False)


def _digits(name: str) -> exp.Pad:
    return _padded(_column(name))


def _padded(number: exp.Expr) -> exp.Pad:
    return exp.Pad(
        this=exp.cast(number, "text"),
        expression=exp.Literal.number(20),
        fill_pattern=exp.Literal.string("0"),
        is_left=True,
    )


def _joined(*texts: exp.Expr) -> exp.Expr:
    first, *others = texts
    for other in others:
        first = exp.DPipe(this=first, expression=other, safe=True)
    return first


def _listed(text: exp.Expr, flag: str, value: int) -> exp.ArrayAgg:
    """The texts of rows with a flag, without NULLs."""
    flagged = exp.EQ(this=_column(flag), expression=exp.convert(value))
    return exp.ArrayAgg(this=exp.case().when(flagged, text), nulls_excluded=True)


@lru_cache(maxsize=64)
def string_array(values: tuple[str, ...], engine: Engine) -> str:
    """An array of string literals."""
    return exp.Array(expressions=[exp.Literal.string(value) for value in values]).sql(
        engine, copy=False
    )


def comment(text: str) -> str:
    r"""Text that is safe behind `--`: one line, and no backslash at its end.

    Spark continues a `--` comment over a line that ends with a backslash.

    >>> comment("a\nDROP TABLE t")
    'a\\nDROP TABLE t'
    """
    if text.isascii() and text.isprintable() and not text.endswith("\\"):
        return text
    line = _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
    return line + " ." if line.endswith("\\") else line
