"""What the macros print of one column: its names, and its value where a change left it out."""

from __future__ import annotations

from functools import lru_cache

from filtersql.rendering import sql_fragments, sql_of_changes
from filtersql.rendering.layout import laid_out
from filtersql.rendering.plan_records import PlannedColumn
from filtersql.storage import Engine

__all__ = ["BRANCH", "INCOMPLETE", "NARROW", "planned_column"]

#: what is left of a line where the macros print an expression deep inside
NARROW = 48
#: the same, in a branch of a MERGE
BRANCH = 60
_UNSENT = "filtersql: an unchanged value is not known"
INCOMPLETE = "filtersql: an incomplete UPDATE found no row in the target"


@lru_cache(maxsize=65536)
def planned_column(
    name: str, tail: str, keepable: bool, unique: bool, moves: bool, engine: Engine
) -> PlannedColumn:
    """`moves`: a change of a key is two events, of which one may lack the column."""
    keeps, known = f"keeps_{name}{tail}", f"known_{name}{tail}"
    checked = (f"effect{tail}", _UNSENT) if moves else ()
    sent = sql_fragments.column(name, "s", engine)

    def lines(text: str) -> tuple[str, ...]:
        return laid_out(text, engine, BRANCH)

    return PlannedColumn(
        plain=name,
        name=sql_fragments.named(name, engine),
        before=sql_fragments.named(f"before_{name}", engine),
        after=sql_fragments.named(f"after_{name}", engine),
        old=sql_fragments.named(f"old_{name}", engine),
        new=sql_fragments.named(f"new_{name}", engine),
        is_unchanged=sql_fragments.is_unchanged(name, engine),
        keeps=sql_fragments.named(keeps, engine),
        known=sql_fragments.named(known, engine),
        last_known=laid_out(
            sql_of_changes.last_known(name, keeps, engine, *checked),
            engine,
            NARROW if moves else BRANCH,
        )
        if keepable
        else (),
        last_seen=lines(
            sql_of_changes.last_seen(name, keeps, f"effect{tail}", f"change_seq{tail}", engine)
        )
        if keepable
        else (),
        left_behind=sql_fragments.named(f"left_behind_{name}{tail}", engine),
        held=sql_fragments.column(name, "present", engine)
        if keepable or unique
        else sql_fragments.null_as(name, engine),
        updated=lines(sql_fragments.kept_or_sent(name, keeps, engine)) if keepable else (sent,),
        inserted=lines(sql_fragments.inserted(name, keeps, INCOMPLETE, engine))
        if keepable
        else (sent,),
    )
