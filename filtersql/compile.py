"""From definitions to statements: the table of contents of the program.

    definitions -> publications.resolve -> filters.resolve -> changes -> rendering

A mistake in one table hides none in another: all are raised together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from filtersql import publications
from filtersql.catalog import Table
from filtersql.changes import Judgements, by_target, judgements, one_table, untold
from filtersql.definitions.model import Action, Earlier, Publication, ReplicationSet
from filtersql.errors import Collector, Mistake, Mistakes, Notice, heard
from filtersql.filters import identity, outcomes, supersets
from filtersql.filters import resolve as resolve_filter
from filtersql.filters import write as write_filter
from filtersql.filters.alike import Alike
from filtersql.filters.identity import check_identity, check_unsubscribed, unjudgeable
from filtersql.filters.model import PREFIX_MARK, Filter
from filtersql.filters.restrictions import restrictions
from filtersql.names import RelationName
from filtersql.project import Project
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.rendering import Destination, compiled_table
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.keywords import is_plain
from filtersql.rendering.landing import one_writer
from filtersql.rendering.lookups import check_lookups
from filtersql.source import Passage
from filtersql.storage import Engine

__all__ = [
    "Compilation",
    "FilterShelf",
    "Node",
    "compile_project",
    "destination",
    "mistakes_in",
    "rules",
]


@dataclass(frozen=True, slots=True)
class Node:
    """One target: what decides its rows, the filters that were resolved for it, its statements.

    `judged` are the filters by what they judge.
    """

    resolved: ResolvedTable
    filters: dict[Contribution, Filter]
    judged: Judgements
    compiled: CompiledTable


@dataclass(frozen=True, slots=True)
class Compilation:
    """All targets of a project, subscription by subscription in the order of their names."""

    nodes: tuple[Node, ...]
    notices: tuple[Notice, ...]


def compile_project(project: Project, *, via_partition_root: bool | None = None) -> Compilation:
    """Compiles every subscription; `via_partition_root` is the command line's flag.

    Raises `Mistakes` with everything that is wrong in the project.
    """
    mistakes = Collector()
    notices: dict[Notice, None] = dict.fromkeys(project.definitions.notices)
    settings = rules(project, via_partition_root)
    check: Any = {"identity_check": project.identity_check}
    shelf = FilterShelf(project)
    with mistakes:
        notices |= dict.fromkeys(publications.check(project.definitions, **settings, **check))
    for written in (project.definitions.publications, project.definitions.replication_sets):
        for publication in written.values():
            _resolve_all(publication, project, shelf, mistakes, notices)
    for one in project.definitions.earlier:
        _judge_then(one, shelf, mistakes)
    notices |= dict.fromkeys(check_unsubscribed(project.definitions, shelf.filter, **settings))
    nodes: list[Node] = []
    goal = destination(project)
    for name in sorted(project.definitions.subscriptions):
        subscription = project.definitions.subscriptions[name]
        targets: dict[RelationName, Node] = {}
        with mistakes:
            for resolved in publications.resolve(
                subscription, project.definitions, **settings, **check
            ):
                with mistakes:
                    node = _node(resolved, shelf, goal, project, notices)
                    nodes.append(node)
                    targets[resolved.table.name] = node
        with mistakes:
            check_lookups(
                {name: (one.resolved, one.filters, one.compiled) for name, one in targets.items()}
            )
        with mistakes:
            one_table(subscription, [node.resolved for node in nodes])
    notices |= dict.fromkeys(_not_supersets(project, nodes))
    with mistakes:
        one_writer(
            [(node.compiled, node.resolved.subscription) for node in nodes],
            project.output.state_schema if project.output else "filtersql",
        )
    mistakes.raise_all(project.files)
    return Compilation(tuple(nodes), tuple(heard(notices, project.silence)))


def mistakes_in(project: Project, via_partition_root: bool | None = None) -> Iterable[Mistake]:
    """What is wrong with a project, for those who do not need what it compiles to."""
    try:
        compile_project(project, via_partition_root=via_partition_root)
    except Mistakes as mistakes:
        return mistakes.mistakes
    return ()


def rules(project: Project, via_partition_root: bool | None) -> dict[str, Any]:
    """The keywords that `publications` asks for, from the project and the flag."""
    return {
        "semantics": project.semantics,
        "postgres_version": project.postgres_version,
        "default_via_partition_root": project.publish_via_partition_root,
        "via_partition_root_flag": via_partition_root,
    }


def destination(project: Project) -> Destination:
    """Where the project's statements will run; Spark when no profile says otherwise."""
    output = project.output
    engine: Engine = output.engine if output else "spark"
    catalog = output.catalog if output else None
    return Destination(
        engine=engine,
        catalog=catalog,
        schema=output.schema if output else None,
        session_catalog=engine == "spark" and catalog in (None, "spark_catalog"),
        macro_folders=project.macro_paths,
    )


class FilterShelf:
    """Resolved filters, each resolved and written once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._resolved: dict[tuple[int, RelationName], Filter | Exception] = {}
        self._alike = Alike()
        self._written: dict[tuple[int, Engine], tuple[object, str]] = {}
        self._passages: list[Passage] = []
        #: filters of sets that were made before their columns got other types
        self._known_types = {
            id(entry.where): entry.known_types
            for one in project.definitions.replication_sets.values()
            for entry in one.tables
            if entry.known_types
        }

    def filter(self, where: Passage, table: Table, publication: str) -> Filter:
        """The filter of a publication on a table; raises what is wrong with it, each time."""
        key = (id(where), table.name)
        if key not in self._resolved:
            self._passages.append(where)  # keeps its id from being given to another one
            self._resolved[key] = self._resolve(where, table, publication)
        found = self._resolved[key]
        if isinstance(found, Exception):
            raise found
        return found

    def _resolve(self, where: Passage, table: Table, publication: str) -> Filter | Exception:
        definitions = self.project.definitions
        written = definitions.publications.get(publication)
        if id(where) in self._known_types:
            table = table.with_types(dict(self._known_types[id(where)]))
        try:
            found = resolve_filter(
                where,
                table,
                created=written.created if written else None,
                postgres_version=self.project.postgres_version,
                made=definitions.catalog.made,
                semantics=self.project.semantics,
                database_locale=self.project.database_locale,
                tables=definitions.catalog.tables,
                alike=self._alike,
            )
            refused = tuple(restrictions(found, table, self.project.semantics))
            return Mistakes(refused) if refused else found
        except (Mistake, Mistakes) as mistake:
            return mistake

    def judge(self, where: Passage, table: Table, publication: str) -> None:
        """Raises what was wrong with a filter when its table was another one."""
        found = self._resolve(where, table, publication)
        if isinstance(found, Exception):
            raise found

    def deparse(self, where: Passage, relation: RelationName, publication: str) -> str:
        """The filter as PostgreSQL stores and prints it."""
        table = self.project.definitions.catalog.tables[relation]
        return self.filter(where, table, publication).deparsed

    def writer(self, engine: Engine) -> Callable[[Filter, str], str]:
        """Writes a filter over the columns `<prefix><name>`.

        A tree is printed once, with a mark in each column's name in place of the prefix.
        """

        def write(row_filter: Filter, prefix: str) -> str:
            if PREFIX_MARK in row_filter.text.text or not all(map(is_plain, row_filter.columns)):
                return _printed(row_filter, prefix, engine)
            key = (id(row_filter.tree), engine)
            if key not in self._written:
                # with the tree, which keeps its id from being given to another one
                printed = _printed(row_filter, PREFIX_MARK, engine)
                self._written[key] = row_filter.tree, printed
            return self._written[key][1].replace(PREFIX_MARK, prefix)

        return write


def _printed(row_filter: Filter, prefix: str, engine: Engine) -> str:
    from sqlglot import exp

    def column(name: str) -> exp.Column:
        # With the mark they are plain: a filter with other names is printed for each prefix.
        plain = prefix == PREFIX_MARK or is_plain(f"{prefix}{name}")
        return exp.column(exp.to_identifier(f"{prefix}{name}", quoted=not plain))

    return write_filter(row_filter, engine, column).sql(engine, copy=False)


def _resolve_all(
    publication: Publication | ReplicationSet,
    project: Project,
    shelf: FilterShelf,
    mistakes: Collector,
    notices: dict[Notice, None],
) -> None:
    """Every filter is checked, also one that no subscription uses."""
    catalog = project.definitions.catalog
    tables = catalog.tables
    if isinstance(publication, Publication):
        tables = {**catalog.unpublishable, **tables} if catalog.unpublishable else tables
    for published in publication.tables:
        table = tables.get(published.name)
        for where in (published.where, *published.filters.values()):
            if where is not None and table is not None:
                with mistakes:
                    found = shelf.filter(where, table, publication.name)
                    told = (one for one in found.notices if one.name == "mutable-filter")
                    notices |= dict.fromkeys(told)


def _judge_then(earlier: Earlier, shelf: FilterShelf, mistakes: Collector) -> None:
    """The filters of a statement, by the tables as it found them."""
    for entry in earlier.said.tables:
        table = earlier.tables.get(entry.name)
        if entry.where is not None and table is not None:
            with mistakes:
                shelf.judge(entry.where, table, earlier.said.name)


def _node(
    resolved: ResolvedTable,
    shelf: FilterShelf,
    goal: Destination,
    project: Project,
    notices: dict[Notice, None],
) -> Node:
    filters = {
        part: shelf.filter(part.where, resolved.table, part.publication)
        for part in _filtering(resolved)
        if part.where is not None
    }
    by_action = {
        action: tuple(filters[part] for part in parts) for action, parts in resolved.filters.items()
    }
    notices |= dict.fromkeys(
        check_identity(
            resolved,
            by_action,
            catalog=project.definitions.catalog,
            identity_check=project.identity_check,
            semantics=project.semantics,
            filter_of=shelf.filter,
        )
    )
    read = {column for one in filters.values() for column in one.columns}
    if mistakes := list(untold(resolved, read, project.definitions.catalog)):
        raise Mistakes(mistakes)
    known = project.definitions.catalog, project.semantics, shelf.filter
    stops = unjudgeable(resolved, by_action, *known) if project.identity_check == "run" else ()
    resolved = replace(resolved, unjudged=tuple(stops))
    notices |= dict.fromkeys(resolved.notices)
    notices |= dict.fromkeys(
        identity.lints(resolved, by_action, project.definitions.catalog, shelf.filter)
    )
    for row_filter in filters.values():
        notices |= dict.fromkeys((*row_filter.notices, *outcomes.lints(row_filter, resolved.table)))
    resolved = by_target(resolved)
    judged = judgements(resolved, filters.__getitem__)
    compiled = compiled_table(resolved, judged, shelf.writer(goal.engine), goal)
    return Node(resolved, filters, judged, compiled)


def _filtering(resolved: ResolvedTable) -> Iterable[Contribution]:
    parts = [
        part
        for action in (Action.INSERT, Action.UPDATE, Action.DELETE)
        for part in resolved.filters.get(action, ())
    ]
    return dict.fromkeys((*parts, *resolved.copy_filters))


def _not_supersets(project: Project, nodes: Iterable[Node]) -> Iterator[Notice]:
    held: dict[str, dict[RelationName, list[Filter]]] = {}
    for node in nodes:
        found = [node.filters[part] for part in node.resolved.copy_filters if part.where]
        held.setdefault(node.compiled.subscription, {})[node.resolved.table.name] = found
    for subscription in project.definitions.subscriptions.values():
        yield from supersets.lints(subscription, held)
