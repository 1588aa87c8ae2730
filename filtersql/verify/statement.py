"""A compiled file as it stands on disk, made ready to be tried on many cases at once.

Example
    statement = read_statement(path, shown, node, filters, "spark", kind=Kind.MERGE)
    statement.sql(layout, engine)        one MERGE for all cases, in the engine's dialect

On the engine of the file a filter stays as it is written. On DuckDB the filters of a file for Spark
are exchanged for their DuckDB twins: each filter of a verdict (`rendering.verdicts`) has to be one
of the definitions, over the old or the new row of a change or over a row of the source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from filtersql.artifacts import read_compiled
from filtersql.compile import Node
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.proving import (
    COMPILED_FOR_ANOTHER,
    FILTER_NOT_DEFINED,
    FILTERS_NOT_FOUND,
    NO_STATEMENT,
    NOT_TRANSPILED,
    VALUE_COMPUTED,
    WRITES_ELSEWHERE,
)
from filtersql.filter_cache import FilterCache
from filtersql.rendering import SETTINGS
from filtersql.rendering.layout import squeezed
from filtersql.rendering.verdicts import filters_in
from filtersql.source import Source
from filtersql.storage import Engine as Dialect
from filtersql.targets.model import Engine
from filtersql.verify.batch_cases import lifted, lifted_delete, lifted_insert
from filtersql.verify.computed import computed
from filtersql.verify.filter_twins import criteria_count, twins_of
from filtersql.verify.kinds import Kind, statements
from filtersql.verify.layout import Layout, value_names
from filtersql.verify.lifted_queries import Lifting, lift_query
from filtersql.verify.loading import CASES, FEED, SOURCE, TARGET
from filtersql.verify.matched_twice import stop_if_matched_twice
from filtersql.verify.recursion_limit import limit_recursion
from filtersql.verify.statement_outlines import Outline, Outlines, outlined
from filtersql.verify.statement_parsing import parsed, stops_of_duckdb, target_of

__all__ = ["Statement", "change_kinds", "read_statement"]

_TWIN = "filtersql_twin_{}"
_BUILDS = re.compile(r"^CREATE\b", re.MULTILINE)
_ENGINES: Mapping[Dialect, str] = {"spark": "Spark", "duckdb": "DuckDB"}
_OTHER: Mapping[Dialect, Dialect] = {"spark": "duckdb", "duckdb": "spark"}


class Statement(Struct, frozen=True):
    """The statement of a file, with a placeholder for each filter."""

    kind: Kind
    #: the file, as a person names it
    shown: str
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
            feed=exp.to_table(_view(self.kind)),
            target=exp.to_table(engine.table_sql(TARGET), dialect=engine.dialect),
        )
        tree, first = outline.take(), []
        if isinstance(tree, exp.Merge):
            lifted(tree, lifting)
        elif isinstance(tree, exp.Insert):
            lifted_insert(tree, lifting)
        elif isinstance(tree, exp.Delete):
            lifted_delete(tree, lifting)
        elif isinstance(tree, exp.Query):
            lift_query(tree, lifting)
        if engine.dialect != self.dialect:
            stops_of_duckdb(tree)
        if engine.dialect == "duckdb":
            limit_recursion(tree)
        if isinstance(tree, exp.Merge) and engine.dialect == "duckdb":
            first = [stop_if_matched_twice(tree)]
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
            raise Mistakes([NOT_TRANSPILED(path=self.shown, reason=reason)]) from None


def read_statement(
    path: Path,
    shown: str,
    node: Node,
    filters: FilterCache,
    dialect: Dialect,
    outlines: Outlines | None = None,
    kind: Kind = Kind.MERGE,
) -> Statement:
    """The statement in a file. Raises Mistakes where it is not what a proof can begin with."""
    if not path.is_file():
        raise Mistakes([NO_STATEMENT(path=shown)])
    # Of a change there is no text that is expected.
    text = read_compiled(path, statements(node).get(kind, ""))
    if any(f"--   {name}=" in text for name in SETTINGS[_OTHER[dialect]]):
        here, there = _ENGINES[dialect], _ENGINES[_OTHER[dialect]]
        raise Mistakes([COMPILED_FOR_ANOTHER(path=shown, written=there, wanted=here)])
    places = filters_in(text, dialect)
    flat = _with_placeholders(text, places, dialect)
    outline = _outline(flat, shown, node, dialect, kind, outlines or Outlines())
    wanted = criteria_count(node, kind)
    # Behind those of a changed definition stand the filters that were in force.
    earlier = places[2 * wanted :] if _compares(places, wanted, kind) else []
    if len(places) != (2 * wanted + len(earlier) if earlier else wanted):
        raise Mistakes([FILTERS_NOT_FOUND(path=shown, wanted=wanted, found=len(places))])
    own: dict[str, str] = {}
    twins: dict[str, str] = {}
    known = twins_of(node, filters, dialect, kind)
    strange: list[Mistake] = []
    for number, (begin, end) in enumerate(places, 1):
        placeholder, written = _TWIN.format(number), text[begin:end]
        own[placeholder] = written
        if (begin, end) in earlier:
            # What was in force is not the project's any more: with each answer the rest is right.
            own[placeholder] = twins[placeholder] = "NULL" if kind is Kind.ENTERING else "TRUE"
        elif dialect == "duckdb":
            twins[placeholder] = written
        elif (flat := squeezed(written, dialect)) in known:
            twins[placeholder] = known[flat]
        else:
            strange.append(FILTER_NOT_DEFINED(Source(shown, text).span(begin, end)))
    if strange:
        raise Mistakes(strange)
    into = outline.into
    elsewhere = not isinstance(into, exp.Table) or not _same(into, outline.target)
    if into is not None and elsewhere:
        raise Mistakes([WRITES_ELSEWHERE(path=shown, target=node.compiled.target_sql)])
    if outline.computed is not None:
        raise Mistakes([VALUE_COMPUTED(path=shown, expression=outline.computed)])
    return Statement(kind, shown, node, dialect, outline, {"duckdb": twins, dialect: own})


def _outline(
    text: str, shown: str, node: Node, dialect: Dialect, kind: Kind, outlines: Outlines
) -> Outline:
    """The file's tree, which files that differ in names alone have in common."""
    compiled, fixed = node.compiled, (".".join(TARGET), _view(kind))
    names = compiled.target_sql, compiled.changes_view if kind.merges else compiled.source_view
    flat = outlined(text, dict(zip(names, fixed, strict=True)), dialect)
    if flat is None:
        flat = text
    else:
        names = fixed
    outline = outlines.get(dialect, kind, flat)
    if outline is None:
        target = exp.to_table(names[0], dialect=dialect)
        parse = partial(parsed, flat, shown, dialect, kind)
        tree = parse()
        into = target_of(tree)
        # Of a column with one of these names a change's own cannot be told apart.
        met = computed(tree, {*value_names(compiled)} - {"op", "seq", "tx", "unchanged"})
        shows = met.sql(dialect, comments=False) if met else None
        outline = Outline(flat, into and into.copy(), tree, parse, target, names[1], shows)
        outlines.keep(dialect, kind, outline)
    return outline


def _view(kind: Kind) -> str:
    """What stands in place of the view that a statement reads."""
    return FEED if kind.merges else SOURCE


def change_kinds(path: Path, node: Node, dialect: Dialect) -> tuple[Kind, ...]:
    """As what a change.sql is tried; none where there is none, or it builds the table anew."""
    if not path.is_file():
        return ()
    text = read_compiled(path, "")
    if _BUILDS.search(text):
        return ()
    if node.compiled.source_view not in text:
        return (Kind.LEAVING,)
    compares = _compares(
        filters_in(text, dialect), criteria_count(node, Kind.CHANGE), Kind.ENTERING
    )
    return (Kind.ENTERING, Kind.LEAVING) if compares else (Kind.CHANGE,)


def _compares(places: list[tuple[int, int]], criteria: int, kind: Kind) -> bool:
    """Whether a change.sql holds the filters that were in force, too."""
    return kind in (Kind.ENTERING, Kind.LEAVING) and len(places) > 2 * criteria


def _with_placeholders(text: str, places: list[tuple[int, int]], dialect: Dialect) -> str:
    pieces, behind = [], 0
    for number, (begin, end) in enumerate(places, 1):
        column = exp.to_identifier(_TWIN.format(number), quoted=True).sql(dialect)
        pieces += [text[behind:begin], column]
        behind = end
    return "".join([*pieces, text[behind:]])


def _same(one: exp.Table, other: exp.Table) -> bool:
    return (one.name, one.db, one.catalog) == (other.name, other.db, other.catalog)
