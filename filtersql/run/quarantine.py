"""`on_filter_error: quarantine`: changes put aside beside their target, `<target>__quarantine`.

Example
    ==== === ====== ========= ============ ===================== ==================================
    seq  tx  op     relation  before       after                 error
    ==== === ====== ========= ============ ===================== ==================================
    612  71  update public.t  {"a": "5"}   {"a": "5", "b": "0"}  division by zero
    640  80  delete public.t  {"a": "5"}                         held back: change 612 of its row …
    ==== === ====== ========= ============ ===================== ==================================

    A key whose change was put aside keeps its last good row: later changes of it are put aside,
    too, and of every key that such a change brings a row to, until `run --release` applies them
    all in their order. A TRUNCATE is applied; those before it are not applied any more.

    Rows are written before the MERGE and none comes twice: a run that was killed between finds
    the rest of its changes under the same seq.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct
from sqlglot import exp, select

from filtersql.feeds.records import Record, relation_of
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.sql_fragments import text_type
from filtersql.rendering.target_uniqueness import QUARANTINE
from filtersql.run import counts
from filtersql.run.holding import Holder, guarded
from filtersql.targets.model import Engine
from filtersql.targets.statements import insert_values, named_column, quoted, table

__all__ = ["Held", "append", "count", "drop", "exists", "mark_released", "read", "remove_released"]

_COLUMNS = ("seq", "tx", "op", "relation", "before", "after", "error")
#: stands before the error of a change while a release applies it
_RELEASED = "released: "
_BATCH = 1_000

_images = msgspec.json.Decoder(dict[str, Any])


class Held(Struct, frozen=True):
    """A change in quarantine. A TRUNCATE stands there too: it was applied."""

    record: Record
    error: str

    @property
    def seq(self) -> int:
        """Its number in the feed."""
        return self.record.seq

    @property
    def place(self) -> tuple[int, RelationName | None]:
        """Its number and its table: leaves of one root may have changes with one number."""
        return self.record.seq, relation_of(self.record)


def exists(engine: Engine, compiled: CompiledTable) -> bool:
    """Whether the target has a quarantine."""
    return engine.exists(_parts(compiled))


def read(engine: Engine, compiled: CompiledTable) -> tuple[Held, ...]:
    """All changes in a target's quarantine, in the order of the feed."""
    if not exists(engine, compiled):
        return ()
    query = select(*map(named_column, _COLUMNS)).from_(_table(engine, compiled))
    rows = engine.rows(query.sql(engine.dialect))
    # One that a server put aside twice, whose client was gone, is one.
    found = {held.place: held for held in (_held(row, compiled) for row in rows)}
    return tuple(sorted(found.values(), key=attrgetter("seq")))


def count(engine: Engine, compiled: CompiledTable) -> int:
    """How many changes are in quarantine."""
    if not exists(engine, compiled):
        return 0
    held = (
        select(named_column("seq"), named_column("relation"))
        .distinct()
        .from_(_table(engine, compiled))
    )
    not_truncate = exp.NEQ(this=named_column("op"), expression=exp.convert("truncate"))
    return counts.count(engine, select("*").from_(held.where(not_truncate).subquery("held")))


def append(context: Holder, compiled: CompiledTable, held: Sequence[Held]) -> None:
    """Put changes aside; none of them may be there already."""
    engine = context.engine
    if not held:
        return
    if not exists(engine, compiled):
        guarded(context, engine).create(_parts(compiled), _definitions(engine), {})
    into = engine.table_sql(_parts(compiled))
    for begin in range(0, len(held), _BATCH):
        rows = [_row(one) for one in held[begin : begin + _BATCH]]
        guarded(context, engine).execute(insert_values(into, _COLUMNS, rows, engine.dialect))


def drop(context: Holder, engine: Engine, compiled: CompiledTable) -> None:
    """Forget all: the target is copied again."""
    guarded(context, engine).drop(_parts(compiled))


def mark_released(context: Holder, compiled: CompiledTable, seqs: Sequence[int]) -> None:
    """Say which changes are about to be applied; a release that was killed said so, too."""
    engine = context.engine

    def write(error: exp.Expr, condition: exp.Expr) -> None:
        update = exp.Update(
            this=_table(engine, compiled),
            expressions=[exp.EQ(this=named_column("error"), expression=error)],
            where=exp.Where(this=condition),
        )
        guarded(context, engine).execute(update.sql(engine.dialect))

    begin = exp.convert(len(_RELEASED) + 1)
    write(exp.Substring(this=named_column("error"), start=begin), _is_released())
    if seqs:
        said = exp.convert(_RELEASED)
        released = exp.DPipe(this=said, expression=named_column("error"), safe=True)
        write(released, named_column("seq").isin(*seqs))


def remove_released(context: Holder, compiled: CompiledTable) -> None:
    """Forget the changes that were applied."""
    engine = context.engine
    if exists(engine, compiled):
        delete = exp.Delete(this=_table(engine, compiled), where=exp.Where(this=_is_released()))
        guarded(context, engine).execute(delete.sql(engine.dialect))


def _is_released() -> exp.Expr:
    """Whether a release is about to apply a change, or has."""
    return named_column("error").like(f"{_RELEASED}%")


def _parts(compiled: CompiledTable) -> tuple[str, ...]:
    *schema, name = compiled.target
    return (*schema, f"{name}{QUARANTINE}")


def _table(engine: Engine, compiled: CompiledTable) -> exp.Table:
    return table(engine.table_sql(_parts(compiled)), engine.dialect)


def _definitions(engine: Engine) -> str:
    text = text_type(engine.dialect)
    return ",\n  ".join(
        f"{quoted(name, engine.dialect)} {'BIGINT' if name == 'seq' else text}" for name in _COLUMNS
    )


def _row(held: Held) -> list[object]:
    record = held.record
    tx = None if record.tx is None else str(record.tx)
    named = record.relation
    relation = json.dumps(named) if isinstance(named, list) else named
    images = (_json(record.before), _json(record.after))
    return [record.seq, tx, record.op, relation, *images, held.error]


def _json(image: Mapping[str, object] | None) -> str | None:
    return None if image is None else msgspec.json.encode(image, enc_hook=str).decode()


def _held(row: Sequence[object], compiled: CompiledTable) -> Held:
    seq, tx, op, relation, before, after, error = row
    old, new = (None if text is None else _images.decode(str(text)) for text in (before, after))
    unchanged: list[str] = []
    if op == "update" and new is not None:
        unchanged = [name for name in compiled.may_be_unchanged if name not in new]
    record = Record(
        seq=int(str(seq)),
        op=str(op),
        relation=_relation(relation),
        before=old,
        after=new,
        unchanged=unchanged or None,
        tx=None if tx is None else str(tx),
    )
    return Held(record, str(error).removeprefix(_RELEASED))


def _relation(text: object) -> str | list[str] | None:
    if text is None:
        return None
    parts: list[str] = json.loads(str(text)) if str(text).startswith("[") else []
    return parts or str(text)
