"""The values of a lakehouse table's rows as texts, each as exact as it is there: `text_of(…)`.

Example
    ============================ =============================================
    type                         the engine's expression
    ============================ =============================================
    decimal(38,10)               CAST(v AS STRING)
    array<decimal(38,10)>        TO_JSON(TRANSFORM(v, x0 -> CAST(x0 AS STRING)))
    ============================ =============================================

    As numbers, times and bytes of JSON some elements would be others.
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.catalog import Table

__all__ = ["is_array", "text_of"]

_ARRAY = "array<"
#: of times inside of a document; Spark would cut milliseconds
_IN_DOCUMENTS = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


def text_of(name: str, kind: str, table: Table) -> exp.Expr:
    """A column of the engine as text; an array as one of texts, in JSON."""
    pg_type = _held(table, name)
    column = exp.column(name, quoted=True)
    if is_array(kind, table, name):
        return exp.Anonymous(this="TO_JSON", expressions=[_texts(column, kind, pg_type)])
    return _scalar_text(column, kind, pg_type)


def _texts(value: exp.Expr, kind: str, pg_type: str, depth: int = 0) -> exp.Expr:
    """The same array, of texts."""
    if not kind.startswith(_ARRAY):
        return _scalar_text(value, kind, pg_type)
    name = f"x{depth}"
    each = _texts(exp.column(name), kind[len(_ARRAY) : -1], pg_type, depth + 1)
    each = exp.Lambda(this=each, expressions=[exp.to_identifier(name)])
    return exp.Anonymous(this="TRANSFORM", expressions=[value, each])


def _scalar_text(value: exp.Expr, kind: str, pg_type: str) -> exp.Expr:
    text = exp.cast(value.copy(), "string", dialect="spark")
    if kind == "binary":
        return exp.func("CONCAT", exp.Literal.string("\\x"), exp.func("HEX", value))
    if kind.startswith((_ARRAY, "struct<", "map<")):
        options = (exp.Literal.string(each) for pair in _IN_DOCUMENTS.items() for each in pair)
        how = exp.Anonymous(this="MAP", expressions=[*options])
        return exp.Anonymous(this="TO_JSON", expressions=[value, how])
    if kind == "timestamp" and pg_type in ("timestamptz", "_timestamptz"):
        return exp.func("CONCAT", text, exp.Literal.string("+00"))
    return text


def _held(table: Table, name: str) -> str:
    """PostgreSQL's name of a column's type, or of what its domain is made of."""
    known = table.column(name)
    return "" if known is None else (known.type.base or known.type).name


def is_array(kind: str, table: Table, name: str) -> bool:
    """Whether a column of the engine is an array in PostgreSQL, not a document."""
    return kind.startswith(_ARRAY) and _held(table, name) not in ("json", "jsonb")
