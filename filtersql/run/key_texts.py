"""Whether a feed calls each row by the text of its key that the row has.

Example
    ===== ========================= ======================================================
    seq   change                    rows are found by the text of the key
    ===== ========================= ======================================================
    1     insert 1.0                the row 1.0
    2     update 1.0 -> 1.00        the key's text is changed: 1.0 is removed, 1.00 added
    3     delete 1.0                PostgreSQL would find 1.00: refused, nothing is written
    ===== ========================= ======================================================

A PostgreSQL prints an old row as it stands there, so its feeds are taken. Only keys that come in
several texts, in the changes or in the target, are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from sqlglot import exp, select, union

from filtersql.changes import Texts, texts_of
from filtersql.errors import Mistake
from filtersql.errors.stopping import KEY_WRITTEN_OTHERWISE
from filtersql.rendering.compiled import CompiledTable, FeedColumn
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_column, named_rows

__all__ = ["keys_written_otherwise"]

#: a key's texts, or what is compared of them
Key = tuple[str, ...]
_TEXT_TYPES = ("STRING", "VARCHAR")
_SIDES = ("before_", "after_")


class _Call(Struct, frozen=True):
    """What a change calls a row: the texts of its key, and what is compared of them."""

    text: Key
    value: Key


class _Change(Struct, frozen=True):
    """What a change calls the old row and the new one."""

    seq: int
    op: str
    old: _Call | None
    new: _Call | None


def keys_written_otherwise(engine: Engine, compiled: CompiledTable) -> list[Mistake]:
    """The first change in the view that calls a row by another text than it has."""
    types = {column.name: column for column in compiled.feed_columns}
    key = [types[name] for name in compiled.key]
    if not any(map(_several, key)):
        return []
    view = named_rows(compiled.changes_view)
    texts: exp.Query = union(*(_called(view, side, key) for side in _SIDES), distinct=True)
    held = None
    if engine.exists(compiled.target):
        target = exp.maybe_parse(
            engine.table_sql(compiled.target), into=exp.Table, dialect=engine.dialect
        )
        held = _called(target, "", key)
        texts = union(texts, _among(held, _values(texts, key), key), distinct=True)
    more = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.convert(1))
    repeated = _values(texts, key).having(more)
    values = {tuple(map(str, row)) for row in engine.rows(repeated.sql(engine.dialect))}
    if not values:
        return []
    known = {} if held is None else _known(engine, _among(held, repeated, key), len(key))
    found = _first(_changes(engine, view, repeated, key), values, known)
    if found is None:
        return []
    (seq, text, instead), name = found, compiled.unique_id
    return [KEY_WRITTEN_OTHERWISE(name=name, seq=seq, key=compiled.key, text=text, instead=instead)]


def _first(
    changes: Iterable[_Change], values: set[Key], known: Mapping[Key, Key]
) -> tuple[int, Key, Key] | None:
    """Goes through the changes in their order; a row that is not known may have any text."""
    has = dict(known)
    for change in changes:
        if change.op == "truncate":
            has.clear()
        for call, stays in ((change.old, False), (change.new, True)):
            if call is None or call.value not in values:
                continue
            text = has.pop(call.value, call.text)
            if text != call.text:
                return change.seq, call.text, text
            if stays:
                has[call.value] = call.text
    return None


def _changes(
    engine: Engine, view: exp.Table, repeated: exp.Select, key: Sequence[FeedColumn]
) -> list[_Change]:
    """The changes that call a row by one of the values, and all TRUNCATEs."""
    sides = [_both(side, key) for side in _SIDES]
    changed = select(named_column("seq"), named_column("op"), *sides[0], *sides[1]).from_(
        view.copy()
    )
    names = [one.alias for side in sides for one in side]
    query = select("seq", "op", *map(named_column, names)).from_(changed.subquery("changed"))
    wanted: list[exp.Expr] = [named_column("op").eq("truncate")]
    for side in _SIDES:
        query = query.join(
            repeated.copy().subquery(f"of_{side}"),
            on=exp.and_(
                *(
                    named_column(f"{side}value_{n}").eq(named_column(f"value_{n}", f"of_{side}"))
                    for n in range(len(key))
                )
            ),
            join_type="left",
        )
        wanted.append(exp.not_(named_column("value_0", f"of_{side}").is_(exp.null())))
    query = query.where(exp.or_(*wanted)).order_by("seq")
    count = len(key)
    return [
        _change(int(str(seq)), str(op), _call(both, 0, count), _call(both, 2 * count, count))
        for seq, op, *both in engine.rows(query.sql(engine.dialect))
    ]


def _change(seq: int, op: str, before: _Call | None, after: _Call | None) -> _Change:
    if op == "update":
        # An old row is left out where its key stays, a new key where it was not sent.
        return _Change(seq, op, before or after, after or before)
    return _Change(seq, op, before if op == "delete" else None, None if op == "delete" else after)


def _call(values: Sequence[object], begin: int, count: int) -> _Call | None:
    if values[begin] is None:
        return None
    found = tuple(map(str, values[begin : begin + 2 * count]))
    return _Call(found[:count], found[count:])


def _known(engine: Engine, held: exp.Select, count: int) -> dict[Key, Key]:
    rows = (tuple(map(str, row)) for row in engine.rows(held.sql(engine.dialect)))
    return {row[count:]: row[:count] for row in rows}


def _several(column: FeedColumn) -> bool:
    return texts_of(column.pg_type) is not Texts.ONE and column.sql_type in _TEXT_TYPES


def _compared(column: FeedColumn, name: str) -> exp.Expr:
    """What equal values have in common."""
    text = named_column(name)
    if not _several(column):
        return text
    match texts_of(column.pg_type):
        case Texts.ZEROS:
            zeros, nothing = exp.convert("[.]?0+$"), exp.convert("")
            shorter = exp.RegexpReplace(this=text.copy(), expression=zeros, replacement=nothing)
            return exp.case().when(text.like("%.%"), shorter).else_(text.copy())
        case Texts.LETTERS:
            return exp.Lower(this=text)
        case _:
            return exp.Trim(this=text, position="TRAILING")


def _both(side: str, key: Sequence[FeedColumn]) -> list[exp.Alias]:
    """The texts of a key, and what is compared of them."""
    names = [f"{side}{column.name}" for column in key]
    compared = (_compared(column, name) for column, name in zip(key, names, strict=True))
    return [
        *(_named(named_column(name), f"{side}text_{n}") for n, name in enumerate(names)),
        *(_named(one, f"{side}value_{n}") for n, one in enumerate(compared)),
    ]


def _called(table: exp.Table, side: str, key: Sequence[FeedColumn]) -> exp.Select:
    """What a side of the changes, or the target, calls its rows: once each."""
    first = named_column(f"{side}{key[0].name}")
    names = [_named(one.this, one.alias.removeprefix(side)) for one in _both(side, key)]
    return select(*names).distinct().from_(table.copy()).where(exp.not_(first.is_(exp.null())))


def _values(texts: exp.Query, key: Sequence[FeedColumn]) -> exp.Select:
    names = [f"value_{n}" for n in range(len(key))]
    values = select(*map(named_column, names)).from_(texts.copy().subquery("texts"))
    return values.group_by(*map(named_column, names))


def _among(calls: exp.Select, values: exp.Select, key: Sequence[FeedColumn]) -> exp.Select:
    """Those that are equal to one of the values."""
    same = (
        named_column(f"value_{n}", "called").eq(named_column(f"value_{n}", "asked"))
        for n in range(len(key))
    )
    names = [f"{what}_{n}" for what in ("text", "value") for n in range(len(key))]
    called = select(*(named_column(name, "called") for name in names)).from_(
        calls.subquery("called")
    )
    return called.join(values.copy().subquery("asked"), on=exp.and_(*same))


def _named(value: exp.Expr, name: str) -> exp.Alias:
    return exp.Alias(this=value, alias=exp.to_identifier(name, quoted=True))
