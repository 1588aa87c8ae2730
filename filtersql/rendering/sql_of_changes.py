"""Expressions over all changes of a key or row, folded in the order of the changes."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp, parse_one

from filtersql.rendering.sql_fragments import column_of, explode, identifier, stopped_by
from filtersql.storage import Engine

__all__ = [
    "all_of",
    "each_outcome",
    "epoch_of_change",
    "found_before",
    "last_known",
    "last_seen",
    "misses",
    "outcomes",
    "place_of_row",
    "zero_to",
]


@lru_cache(maxsize=65536)
def last_known(
    name: str, keeps: str, engine: Engine, effect: str | None = None, message: str = ""
) -> str:
    """The newest value of the column that is known so far, as a struct; goes before OVER (…).

    With an `effect`, a row that comes without it stops the statement: an engine may work out what
    stands outside of a window for the last change only.
    """
    value = exp.PropertyEQ(this=exp.to_identifier("newest"), expression=column_of(name))
    known = exp.case().when(exp.not_(column_of(keeps)), exp.Struct(expressions=[value]))
    if effect is not None:
        brings = column_of(effect).isin("insert", "arrived")
        known = known.when(brings, stopped_by(message, engine))
    return exp.IgnoreNulls(this=exp.LastValue(this=known)).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def last_seen(name: str, keeps: str, effect: str, seq: str, engine: Engine) -> str:
    """The newest value of the column as a struct, `pending` where the change did not send it.

    That is the seq of the change that brought the row from another key, or -1. An UPDATE that
    leaves the key and the column alone does not count.
    """
    rows = column_of(effect).isin("held", "insert", "update", "arrived")
    sent = exp.and_(rows, exp.not_(column_of(keeps)))
    came = exp.EQ(this=column_of(effect), expression=exp.convert("arrived"))
    pending = exp.case().when(sent.copy(), exp.null()).when(came, column_of(seq))
    seen = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(field), expression=value)
            for field, value in (
                ("newest", exp.case().when(sent, column_of(name))),
                ("pending", pending.else_(exp.convert(-1))),
            )
        ]
    )
    stays = exp.and_(
        exp.EQ(this=column_of(effect), expression=exp.convert("update")), column_of(keeps)
    )
    known = exp.case().when(exp.not_(exp.paren(stays)), seen)
    return exp.IgnoreNulls(this=exp.LastValue(this=known)).sql(engine, copy=False)


@lru_cache(maxsize=64)
def zero_to(name: str, engine: Engine) -> str:
    """The array of the numbers from 0 up to a column's value."""
    start, end = (exp.cast(bound, "bigint") for bound in (exp.Literal.number(0), column_of(name)))
    return exp.GenerateSeries(start=start, end=end).sql(engine, copy=False)


@lru_cache(maxsize=64)
def found_before(effect: str, stays: str | None, epoch: str | None, engine: Engine) -> str:
    """Whether the last change left a row under the key; goes before OVER (…).

    With an epoch, which one the row is of, or -1; with `stays`, a change may leave it as it is.
    """
    row: exp.Expr = column_of(effect).isin("held", "insert", "arrived")
    if epoch is not None:
        row = exp.case().when(row, column_of(epoch)).else_(exp.convert(-1))
    if stays is not None:
        row = exp.case().when(exp.not_(column_of(stays)), row)
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
    link = _joined(_digits(seq), column_of(old_known), _digits(old_seq))
    link = _joined(link, column_of(new_known), _digits(new_seq))
    alone = _joined(_digits(seq), column_of(old_known), column_of(new_known))
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
    raised = exp.Add(this=column_of(level), expression=exp.convert(_UNSIGNED))
    link = _joined(_digits(seq), _padded(raised), column_of(old_place), column_of(new_place))
    folded = parse_one(_MISSES, dialect="spark")
    (links,) = (column for column in folded.find_all(exp.Column) if column.name == "links")
    doubtful = exp.LTE(this=column_of(lowest), expression=exp.convert(0))
    links.replace(exp.ArrayAgg(this=exp.case().when(doubtful, link), nulls_excluded=True))
    surely = exp.LTE(this=exp.Min(this=column_of(level)), expression=exp.convert(0))
    text = exp.case().when(surely, folded).else_(exp.convert(""))
    return text.sql(engine, copy=False)


@lru_cache(maxsize=64)
def place_of_row(seq: str, step: str, engine: Engine) -> str:
    """A text that only one side of one change has."""
    old = exp.EQ(this=column_of(step), expression=exp.convert(-1))
    side = exp.case().when(old, exp.convert("0")).else_(exp.convert("1"))
    return _joined(_digits(seq), side).sql(engine, copy=False)


@lru_cache(maxsize=64)
def each_outcome(outcomes: str, engine: Engine) -> str:
    """A row for each part of the text of outcomes."""
    kind = exp.RegexpSplit if engine == "spark" else exp.Split
    split = kind(this=column_of(outcomes), expression=exp.convert(","))
    return exp.Anonymous(this=explode(engine), expressions=[split]).sql(engine, copy=False)


@lru_cache(maxsize=8)
def epoch_of_change(barriers: str, engine: Engine) -> str:
    """How many TRUNCATEs came before a side's `seq`. Spark takes no subquery for the list."""
    text = "COALESCE(SIZE(FILTER(barriers, barrier -> barrier < seq)), 0)"
    counted = parse_one(text, dialect="spark")
    (column,) = (one for one in counted.find_all(exp.Column) if one.name == "barriers")
    column.replace(column_of(barriers, "barriers"))
    for each in counted.find_all(exp.Column):
        if each.name == "seq":
            each.set("table", identifier("sides"))
    return counted.sql(engine, copy=False)


@lru_cache(maxsize=8)
def all_of(name: str, engine: Engine) -> str:
    """The list of a column's values."""
    return exp.ArrayAgg(this=column_of(name), nulls_excluded=True).sql(engine, copy=False)


def _digits(name: str) -> exp.Pad:
    return _padded(column_of(name))


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
    flagged = exp.EQ(this=column_of(flag), expression=exp.convert(value))
    return exp.ArrayAgg(this=exp.case().when(flagged, text), nulls_excluded=True)
