"""What `ls` lists, worked out from the project."""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.api.loading import load_project, loaded_compilation
from filtersql.api.options import Options
from filtersql.api.reporter import Reporter
from filtersql.api.selecting import selected, states
from filtersql.compile import compile_project, destination, rules
from filtersql.errors import Collector
from filtersql.project import Project
from filtersql.publications import resolve
from filtersql.publications.model import ResolvedTable
from filtersql.review.dbt_sources import dbt_sources
from filtersql.review.listing import Listed, list_nodes, listing_json

__all__ = ["listed", "listing_json", "sources"]


def sources(reporter: Reporter) -> str:
    """The selected targets as sources of a dbt project. Raises Mistakes."""
    project, compilation = loaded_compilation(reporter)
    nodes = selected(project, compilation, reporter.options)
    assert project.output is not None  # loaded_compilation asked for one
    return dbt_sources(nodes, project.output.state_schema, destination(project).engine)


def listed(reporter: Reporter, *, with_states: bool) -> tuple[Project, tuple[Listed, ...]]:
    """All nodes; with_states tells how they stand to the manifest of --state."""
    options = reporter.options
    project = load_project(reporter, need_output=with_states)
    definitions = project.definitions
    keywords = rules(project, options.publish_via_partition_root)
    resolved: list[ResolvedTable] = []
    mistakes = Collector()
    for subscription in definitions.subscriptions.values():
        with mistakes:
            resolved += resolve(subscription, definitions, **keywords, identity_check="run")
    mistakes.raise_all()
    nodes = list_nodes(definitions, resolved)
    return project, _with_states(nodes, project, options) if with_states else nodes


def _with_states(
    listed: tuple[Listed, ...], project: Project, options: Options
) -> tuple[Listed, ...]:
    """The targets with how they stand to the manifest of --state; what else there is has none."""
    compilation = compile_project(project, via_partition_root=options.publish_via_partition_root)
    states_by_key = states(project, compilation, options)
    return tuple(
        replace(each, traits=replace(each.traits, states=states_by_key.get(each.key, frozenset())))
        for each in listed
    )
