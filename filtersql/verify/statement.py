"""A compiled merge.sql as it stands on disk, made ready to be tried on many cases at once.

Example
    statement = read_statement(path, node, writers)
    statement.sql(layout, engine)        one MERGE for all cases, in the engine's dialect

On the engine of the file a marked filter stays as it is written. On DuckDB the filters of a file
for Spark are exchanged for their DuckDB twins: what stands between `/*<1*/` and `/*1>*/` has to be
a filter of the definitions, over the old or the new row.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError

from filtersql.artifacts import read_compiled
from filtersql.changes import stopping
from filtersql.compile import Node
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.proving import (
    COMPILED_FOR_ANOTHER,
    FILTER_NOT_DEFINED,
    MARKS_GONE,
    MERGES_ELSEWHERE,
    NO_STATEMENT,
    NOT_THE_MERGE,
    NOT_TRANSPILED,
)
from filtersql.filter_cache import FilterShelf
from filtersql.rendering import SETTINGS
from filtersql.rendering.layout import squeezed
from filtersql.rendering.sql_fragments import raise_error, true_or_false
from filtersql.source import Source
from filtersql.storage import Engine as Dialect
from filtersql.targets.model import Engine
from filtersql.verify.batch_cases import Lifting, lifted
from filtersql.verify.loading import CASES, FEED, TARGET, Layout
from filtersql.verify.matched_twice import stop_if_matched_twice
from filtersql.verify.statement_outlines import PIECES, Outline, Outlines, outlined

__all__ = ["Statement", "read_statement"]

_MARKS = r"|--[^\n]*|/\*<(?P<begin>\d+)\*/|/\*(?P<end>\d+)>\*/"
_TWIN = "filtersql_twin_{}"
_ENGINES: Mapping[Dialect, str] = {"spark": "Spark", "duckdb": "DuckDB"}
_OTHER: Mapping[Dialect, Dialect] = {"spark": "duckdb", "duckdb": "spark"}


@dataclass(frozen=True, slots=True)
class _Marked:
    """A filter in the file: its number, and where its text begins and ends."""

    number: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """The MERGE of a file, with a placeholder for each marked filter."""

    path: Path
    node: Node
    dialect: Dialect
    outline: Outline
    #: the text that stands in a filter's place, by dialect and placeholder
    filters: Mapping[Dialect, Mapping[str, str]]

    def sql(self, layout: Layout, engine: Engine, filters: Mapping[str, str] | None = None) -> str:
        """The statement for all cases that are loaded. Raises NotLifted.

        `filters` stand in the place of its own.
        """
        made, wanted = self.outline.made, (layout.number, engine.dialect)
        if wanted not in made:
            made[wanted] = self._printed(layout, engine)
        printed = made[wanted]
        for placeholder, written in (filters or self.filters[engine.dialect]).items():
            column = exp.to_identifier(placeholder, quoted=True).sql(engine.dialect)
            printed = printed.replace(column, written)
        return printed

    def _printed(self, layout: Layout, engine: Engine) -> str:
        outline = self.outline
        lifting = Lifting(
            number=layout.number,
            cases=CASES,
            is_feed=lambda table: table.name == outline.feed and not table.db,
            is_target=lambda table: _same(table, outline.target),
            feed=exp.to_table(FEED),
            target=exp.to_table(engine.table_sql(TARGET), dialect=engine.dialect),
        )
        tree = lifted(outline.take(), lifting)
        if engine.dialect != self.dialect:
            _stops_of_duckdb(tree)
        first = [stop_if_matched_twice(tree)] if engine.dialect == "duckdb" else []
        try:
            # Nobody else has these trees.
            return ";\n".join(
                each.sql(
                    engine.dialect, copy=False, comments=False, unsupported_level=ErrorLevel.RAISE
                )
                for each in (*first, tree)
            )
        except SqlglotError as error:
            reason = str(error).splitlines()[0]
            raise Mistakes([NOT_TRANSPILED(path=self.path, reason=reason)]) from None


def read_statement(
    path: Path,
    shown: str,
    node: Node,
    shelf: FilterShelf,
    dialect: Dialect,
    outlines: Outlines | None = None,
) -> Statement:
    """The statement in a file. Raises Mistakes where it is not what a proof can begin with."""
    if not path.is_file():
        raise Mistakes([NO_STATEMENT(path=shown)])
    text = read_compiled(path, node.compiled.merge_sql)
    if any(f"--   {name}=" in text for name in SETTINGS[_OTHER[dialect]]):
        here, there = _ENGINES[dialect], _ENGINES[_OTHER[dialect]]
        raise Mistakes([COMPILED_FOR_ANOTHER(path=shown, written=there, wanted=here)])
    marked = _marked(text, dialect)
    flat = _with_placeholders(text, marked, dialect)
    outline = _outline(flat, shown, node, dialect, Outlines() if outlines is None else outlines)
    wanted = [one.number for one in _marked(node.compiled.merge_sql, dialect)]
    if [one.number for one in marked] != wanted:
        raise Mistakes([MARKS_GONE(path=shown, wanted=len(wanted), found=len(marked))])
    own: dict[str, str] = {}
    twins: dict[str, str] = {}
    known = _twins(node, shelf, dialect)
    strange: list[Mistake] = []
    for one in marked:
        placeholder, written = _TWIN.format(one.number), text[one.begin : one.end].strip()
        own[placeholder] = written
        if dialect == "duckdb":
            twins[placeholder] = written
        elif (flat := squeezed(written, dialect)) in known:
            twins[placeholder] = known[flat]
        else:
            strange.append(FILTER_NOT_DEFINED(Source(shown, text).span(one.begin, one.end)))
    if strange:
        raise Mistakes(strange)
    into = outline.into
    if not isinstance(into, exp.Table) or not _same(into, outline.target):
        raise Mistakes([MERGES_ELSEWHERE(path=shown, target=node.compiled.target_sql)])
    return Statement(path, node, dialect, outline, {"duckdb": twins, dialect: own})


def _outline(text: str, shown: str, node: Node, dialect: Dialect, outlines: Outlines) -> Outline:
    """The file's tree, which files that differ in names alone have in common."""
    names = node.compiled.target_sql, node.compiled.changes_view
    flat = outlined(text, dict(zip(names, (".".join(TARGET), FEED), strict=True)), dialect)
    if flat is None:
        flat = text
    else:
        names = ".".join(TARGET), FEED
    outline = outlines.get(dialect, flat)
    if outline is None:
        target = exp.to_table(names[0], dialect=dialect)
        parse = partial(_parsed, flat, shown, dialect)
        tree = parse()
        outline = Outline(flat, tree.this.copy(), tree, parse, target, names[1])
        outlines.keep(dialect, outline)
    return outline


def _marked(text: str, dialect: Dialect) -> list[_Marked]:
    """The marked filters, in the order of the text; marks in strings and comments are none."""
    found: list[_Marked] = []
    begun: tuple[int, int] | None = None
    for piece in re.finditer(PIECES[dialect] + _MARKS, text, re.DOTALL):
        if piece["begin"] is not None:
            begun = int(piece["begin"]), piece.end()
        elif piece["end"] is not None and begun is not None and begun[0] == int(piece["end"]):
            found.append(_Marked(begun[0], begun[1], piece.start()))
            begun = None
    return found


def _twins(node: Node, shelf: FilterShelf, dialect: Dialect) -> dict[str, str]:
    """What may stand between marks, and the same for DuckDB."""
    if dialect == "duckdb":
        return {}
    own, duckdb = shelf.writer(dialect), shelf.writer("duckdb")
    found = {
        squeezed(f"({own(each, prefix)})", dialect): f"({duckdb(each, prefix)})"
        for each in node.filters.values()
        for prefix in ("old_", "new_")
    }
    for value in (True, False):
        word = true_or_false(value=value, engine=dialect)
        found[f"({word})"] = f"({true_or_false(value=value, engine='duckdb')})"
    for refusal in stopping(node.resolved).values():
        message = f"filtersql: {refusal}"
        stop = squeezed(f"({raise_error(message, dialect)})", dialect)
        found[stop] = f"({raise_error(message, 'duckdb')})"
    return found


def _with_placeholders(text: str, marked: list[_Marked], dialect: Dialect) -> str:
    pieces, end = [], 0
    for one in marked:
        column = exp.to_identifier(_TWIN.format(one.number), quoted=True).sql(dialect)
        pieces += [text[end : one.begin], column]
        end = one.end
    return "".join([*pieces, text[end:]])


def _parsed(text: str, shown: str, dialect: Dialect) -> exp.Merge:
    logger = logging.getLogger("sqlglot")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # it warns of what is refused here
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect=dialect) if tree is not None]
    except ParseError as error:
        reason = str(error.errors[0].get("description")) if error.errors else str(error)
        raise Mistakes([NOT_THE_MERGE(path=shown, reason=reason)]) from None
    except SqlglotError as error:
        reason = str(error).splitlines()[0]
        raise Mistakes([NOT_THE_MERGE(path=shown, reason=reason)]) from None
    finally:
        logger.setLevel(level)
    if len(trees) != 1 or not isinstance(trees[0], exp.Merge):
        raise Mistakes([NOT_THE_MERGE(path=shown, reason=None)])
    if trees[0].args.get("on") is None or trees[0].args.get("whens") is None:
        raise Mistakes([NOT_THE_MERGE(path=shown, reason="it has no ON, or no WHEN")])
    return trees[0]


def _stops_of_duckdb(tree: exp.Merge) -> None:
    """What stops a statement has another name in DuckDB, which sqlglot does not know.

    And DuckDB works out the values of an INSERT for matched rows, too: they stop in its condition.
    """
    for call in tree.find_all(exp.Anonymous):
        if call.name.lower() == "raise_error":
            call.set("this", "error")
    for when in tree.args["whens"].expressions:
        then = when.args.get("then")
        if isinstance(then, exp.Insert) and isinstance(then.expression, exp.Tuple):
            _stop_before(when, [one for one in then.expression.expressions if _stops(one)])


def _stop_before(when: exp.When, values: list[exp.Expr]) -> None:
    if not values:
        return
    # Always true, once the value is known.
    known = [exp.not_(exp.paren(one.is_(exp.null())).is_(exp.null())) for one in values]
    condition = when.args.get("condition") or exp.true()
    when.set("condition", exp.case().when(condition, exp.and_(*known)).else_(exp.false()))
    for value in values:
        for call in [one for one in value.find_all(exp.Anonymous) if _stops(one)]:
            call.replace(exp.null())


def _stops(value: exp.Expr) -> bool:
    return any(call.name.lower() == "error" for call in value.find_all(exp.Anonymous))


def _same(one: exp.Table, other: exp.Table) -> bool:
    return (one.name, one.db, one.catalog) == (other.name, other.db, other.catalog)
