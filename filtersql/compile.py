"""From definitions to statements: the table of contents of the program.

    definitions -> publications.resolve -> filters.resolve -> changes -> rendering

A mistake in one table hides none in another: all are raised together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from filtersql import publications
from filtersql.changes import Judgements, by_target, judgements, one_table, untold
from filtersql.definitions.model import Action, Earlier
from filtersql.errors import Collector, Mistake, Mistakes, Notice, heard, in_order
from filtersql.errors.filters import InvalidExpression
from filtersql.filter_cache import FilterCache
from filtersql.filters.check import identity_lints, outcomes, supersets
from filtersql.filters.check.replica_identity import check_identity, unjudgeable
from filtersql.filters.check.unsubscribed_filters import check_unsubscribed
from filtersql.filters.check.windows import window_mistakes
from filtersql.filters.model import Filter
from filtersql.names import RelationName
from filtersql.project import Project
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.rendering import Destination, compiled_table
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.lookups import check_lookups
from filtersql.rendering.macros import amiss
from filtersql.rendering.render import has_own
from filtersql.rendering.target_uniqueness import one_writer
from filtersql.storage import Engine

__all__ = [
    "Compilation",
    "Node",
    "compile_project",
    "destination",
    "mistakes_in",
    "rules",
]


class Node(Struct, frozen=True):
    """One target: what decides its rows, the filters that were resolved for it, its statements.

    `judged` are the filters by what they judge.
    """

    resolved: ResolvedTable
    filters: dict[Contribution, Filter]
    judged: Judgements
    compiled: CompiledTable


class Compilation(Struct, frozen=True):
    """All targets of a project, subscription by subscription in the order of their names.

    The warnings are in the order of what they show: file by file, from top to bottom.
    """

    nodes: tuple[Node, ...]
    notices: tuple[Notice, ...]


def compile_project(
    project: Project,
    *,
    via_partition_root: bool | None = None,
    beside: FilterCache | None = None,
) -> Compilation:
    """Compiles every subscription; `via_partition_root` is the command line's flag.

    `beside` holds filters of the same project's other definitions. Raises `Mistakes` with
    everything that is wrong in the project.
    """
    try:
        return _compiled(project, via_partition_root, beside)
    except Mistakes:
        if project.again is None:
            raise
        told = mistakes_in(project, via_partition_root)
        raise Mistakes(in_order(told, project.files)) from None


def _compiled(
    project: Project, via_partition_root: bool | None, beside: FilterCache | None = None
) -> Compilation:
    mistakes = Collector()
    notices: dict[Notice, None] = dict.fromkeys(project.definitions.notices)
    settings = rules(project, via_partition_root)
    if has_own(project.macro_paths):
        mistakes.keep(amiss(project.macro_paths[0], project.macro_paths[-1]))
    check: Any = {"identity_check": project.identity_check}
    cache = FilterCache(project, beside)
    with mistakes:
        notices |= dict.fromkeys(publications.check(project.definitions, **settings, **check))
    for written in (project.definitions.publications, project.definitions.replication_sets):
        for publication in written.values():
            cache.check_all(publication, mistakes, notices)
    for one in project.definitions.earlier:
        mistakes.keep(cache.judged_then(one))
    notices |= dict.fromkeys(check_unsubscribed(project.definitions, cache.filter, **settings))
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
                    node = _node(resolved, cache, goal, project, notices)
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
    told = in_order(heard(notices, project.silence), project.files)
    return Compilation(tuple(nodes), tuple(told))


def mistakes_in(project: Project, via_partition_root: bool | None = None) -> Iterable[Mistake]:
    """What is wrong with a project: what is refused when it is said is as if it never was."""
    told: list[Mistake] = []
    if project.again is not None:
        cache, settings = FilterCache(project), rules(project, via_partition_root)
        # Functions of one's own and the like are what publications alone do not take.
        sets = project.semantics.publishes == "replication_sets"
        taken = (InvalidExpression,) if sets else ()

        def refuse(said: Earlier) -> list[Mistake]:
            found: Iterable[Mistake]
            found = publications.judged_then(said, project.definitions, **settings)
            found = (*found, *cache.judged_then(said))
            return [one for one in found if not (one.own or isinstance(one, taken))]

        project, told = project.again(refuse)
    try:
        _compiled(project, via_partition_root)
    except Mistakes as mistakes:
        told += mistakes.mistakes
    return told


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


def _node(
    resolved: ResolvedTable,
    cache: FilterCache,
    goal: Destination,
    project: Project,
    notices: dict[Notice, None],
) -> Node:
    filters = {
        part: cache.filter(part.where, resolved.table, part.publication)
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
            filter_of=cache.filter,
        )
    )
    read = {column for one in filters.values() for column in one.columns}
    untold_here = untold(resolved, read, project.definitions.catalog)
    if mistakes := [*untold_here, *window_mistakes(resolved, filters)]:
        raise Mistakes(mistakes)
    known = project.definitions.catalog, cache.filter
    stops = unjudgeable(resolved, by_action, *known) if project.identity_check == "run" else ()
    resolved = replace(resolved, unjudged=tuple(stops))
    notices |= dict.fromkeys(resolved.notices)
    notices |= dict.fromkeys(
        identity_lints.lints(resolved, by_action, project.definitions, cache.filter)
    )
    for row_filter in filters.values():
        notices |= dict.fromkeys((*row_filter.notices, *outcomes.lints(row_filter, resolved.table)))
    resolved = by_target(resolved)
    judged = judgements(resolved, filters.__getitem__)
    compiled = compiled_table(resolved, judged, cache.writer(goal.engine), goal)
    return Node(resolved, filters, judged, compiled)


def _filtering(resolved: ResolvedTable) -> Iterable[Contribution]:
    parts = [
        part
        for action in (Action.INSERT, Action.UPDATE, Action.DELETE)
        for part in resolved.filters.get(action, ())
    ]
    return dict.fromkeys((*parts, *resolved.copy_filters))


def _not_supersets(project: Project, nodes: Iterable[Node]) -> Iterator[Notice]:
    if not any(each.superset_of for each in project.definitions.subscriptions.values()):
        return
    held: dict[str, dict[RelationName, list[Filter]]] = {}
    for node in nodes:
        found = [node.filters[part] for part in node.resolved.copy_filters if part.where]
        held.setdefault(node.compiled.subscription, {})[node.resolved.table.name] = found
    for subscription in project.definitions.subscriptions.values():
        yield from supersets.lints(subscription, held)
