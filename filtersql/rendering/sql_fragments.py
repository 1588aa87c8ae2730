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

from sqlglot import exp

from filtersql.rendering.keywords import is_plain
from filtersql.storage import Engine

__all__ = [
    "as_written",
    "checked_effect",
    "column",
    "column_of",
    "comment",
    "differs",
    "equals",
    "explode",
    "identifier",
    "inserted",
    "inserts",
    "is_unchanged",
    "kept_or_sent",
    "literal",
    "named",
    "negated",
    "null",
    "null_as",
    "quoted",
    "raise_error",
    "stopped_by",
    "string_array",
    "text_type",
    "true_or_false",
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
    return identifier(name).sql(engine, copy=False)


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
    return exp.not_(column_of(name)).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def differs(left: str, right: str, engine: Engine) -> str:
    """Whether two columns differ."""
    return exp.NEQ(this=column_of(left), expression=column_of(right)).sql(engine, copy=False)


@lru_cache(maxsize=64)
def equals(name: str, value: str, engine: Engine) -> str:
    """Whether a column is equal to a string."""
    return exp.EQ(this=column_of(name), expression=exp.Literal.string(value)).sql(
        engine, copy=False
    )


@lru_cache(maxsize=1024)
def null(sql_type: str, engine: Engine) -> str:
    """NULL of a type."""
    kind = exp.DataType.build(sql_type, dialect=engine)
    return exp.Cast(this=exp.null(), to=kind).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def null_as(name: str, engine: Engine) -> str:
    """NULL, selected as the column."""
    return exp.alias_(exp.null(), identifier(name), copy=False).sql(engine, copy=False)


@lru_cache(maxsize=4096)
def checked_effect(
    effect: str, keeps: tuple[str, ...], message: str, engine: Engine, *, always: bool
) -> str:
    """The effect, selected; stops where a change that brings a row (or any) left a column out."""
    if not keeps:
        return named(effect, engine)
    brings = column_of(effect).isin("update", "insert", "arrived") if always else None
    brings = brings or column_of(effect).isin("insert", "arrived")
    lacking = exp.and_(brings, exp.or_(*map(column_of, keeps)))
    stop = exp.case().when(lacking, stopped_by(message, engine)).else_(column_of(effect))
    return exp.alias_(stop, identifier(effect), copy=False).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def kept_or_sent(name: str, keeps: str, engine: Engine) -> str:
    """The target's own value where the change left the column out, else the change's."""
    kept = exp.case().when(column_of(keeps, "s"), column_of(name, "t"))
    return kept.else_(column_of(name, "s")).sql(engine, copy=False)


@lru_cache(maxsize=4096)
def inserts(effect: str, keeps: tuple[str, ...], message: str, engine: Engine) -> str:
    """Whether a staged row without a row in the target is inserted: if it is not a delete.

    On DuckDB it stops where the change left a column out. Delta looks at this condition for rows
    that have a row in the target, too: on Spark `inserted` stops.
    """
    lives = exp.NEQ(this=column_of(effect, "s"), expression=exp.Literal.string("delete"))
    if not keeps or engine == "spark":
        return lives.sql(engine, copy=False)
    lacking = exp.or_(*(column_of(name, "s") for name in keeps))
    return (
        exp.case()
        .when(exp.not_(lives), exp.false())
        .when(lacking, stopped_by(message, engine))
        .else_(exp.true())
        .sql(engine, copy=False)
    )


@lru_cache(maxsize=65536)
def inserted(name: str, keeps: str, message: str, engine: Engine) -> str:
    """The change's value for a new row; on Spark it stops where the change left the column out.

    DuckDB looks at the values for rows that have a row in the target, too: there `inserts` stops.
    """
    sent = column_of(name, "s")
    if engine == "duckdb":
        return sent.sql(engine, copy=False)
    stop = exp.case().when(column_of(keeps, "s"), stopped_by(message, engine))
    return stop.else_(sent).sql(engine, copy=False)


@lru_cache(maxsize=65536)
def column(name: str, table: str, engine: Engine) -> str:
    """A column of `s` or `t`."""
    return column_of(name, table).sql(engine, copy=False)


def as_written(sql: str) -> exp.Expr:
    """The tree of what was printed before: a macro's statement, or a part of one.

    It ends on a line of its own, since its last line may be a comment.
    """
    return exp.Var(this=f"{sql}\n")


def column_of(name: str, table: str | None = None) -> exp.Column:
    """The tree of a column."""
    return exp.column(identifier(name), table=table)


def identifier(name: str) -> exp.Identifier:
    """The tree of an identifier, quoted where it is not plain."""
    return exp.to_identifier(name, quoted=not is_plain(name))


def stopped_by(message: str, engine: Engine) -> exp.Anonymous:
    """The tree of a call that stops the statement with a message."""
    function = "raise_error" if engine == "spark" else "error"
    return exp.Anonymous(this=function, expressions=[exp.Literal.string(message)])


@lru_cache(maxsize=65536)
def raise_error(message: str, engine: Engine) -> str:
    """An expression that stops the statement with the message."""
    return stopped_by(message, engine).sql(engine, copy=False)


@lru_cache(maxsize=8)
def text_type(engine: Engine) -> str:
    """The type of text."""
    return exp.DataType.build("text").sql(engine)


def explode(engine: Engine) -> str:
    """The function that makes a row of each element of an array."""
    return "EXPLODE" if engine == "spark" else "UNNEST"


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
