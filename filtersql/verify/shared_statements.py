"""The statements of files with one outline, as one statement that is tried on the cases of all.

Example
    Their cases get numbers one after another, and where a filter stands, the case's number says
    which file's it is: (CASE WHEN n < 1212 THEN (old_a > 5) WHEN n < 2424 THEN (old_a < 7) END).
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import Mistakes
from filtersql.rendering.sql_fragments import quoted
from filtersql.verify.check import Bench, Cases
from filtersql.verify.layout import Case
from filtersql.verify.lifted_queries import NotLifted
from filtersql.verify.statement import Statement

__all__ = ["all_right"]


def all_right(files: Sequence[Sequence[Statement]], cases: Sequence[Cases], bench: Bench) -> bool:
    """Whether all cases of all files end as they should; False where that is not certain.

    Of each file the statements, and its cases.
    """
    return all(_right(statements, cases, bench) for statements in zip(*files, strict=True))


def _right(statements: Sequence[Statement], cases: Sequence[Cases], bench: Bench) -> bool:
    engine, layout, kind = bench.engine.engine, cases[0].layout, statements[0].kind
    ends: list[int] = []
    numbered: dict[int, Case] = {}
    for one in cases:
        numbered.update(enumerate(one.shared[kind].together, len(numbered)))
        ends.append(len(numbered))
    written = [statement.filters[engine.dialect] for statement in statements]
    column = quoted(layout.number, engine.dialect)
    filters = {name: _each([texts[name] for texts in written], ends, column) for name in written[0]}
    try:
        sql = statements[0].sql(layout, engine, filters)
        bench.engine.load(layout, numbered, kind)
        stopped = bench.engine.carry_out(layout, sql, kind)
        return stopped is None and not bench.engine.differing(layout, kind)
    except (Mistakes, NotLifted):
        return False


def _each(texts: Sequence[str], ends: Sequence[int], column: str) -> str:
    """The filter of the file that a case belongs to."""
    if len(set(texts)) == 1:
        return texts[0]
    arms = [f"WHEN {column} < {end} THEN {text}" for text, end in zip(texts, ends, strict=True)]
    return f"(CASE {' '.join(arms)} END)"
