"""The statements that keep an unfiltered copy of a published table: what an audit filters anew.

Example
    source_copy(node, project)      merge.sql of the same table, as if every row were published

What is not published is not applied to the copy: with `publish = 'insert'` its rows stay as they
were inserted, as those of the target do.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from msgspec.structs import replace

from filtersql.changes import judgements
from filtersql.compile import Node, destination
from filtersql.filters import Filter
from filtersql.project import Project
from filtersql.publications.model import Contribution
from filtersql.rendering import compiled_table
from filtersql.rendering.compiled import CompiledTable
from filtersql.semantics import POSTGRES

__all__ = ["delayed_copies", "source_copy"]

_NAME = "audit_copy"


def delayed_copies(nodes: Iterable[Node], project: Project) -> dict[str, CompiledTable]:
    """What a run needs of the targets that rows enter as time passes, by their unique ids."""
    return {
        node.compiled.unique_id: source_copy(node, project)
        for node in nodes
        if node.compiled.delays
    }


def source_copy(node: Node, project: Project) -> CompiledTable:
    """A target of every row and every column that is judged, in the state's schema."""
    resolved = node.resolved
    read = {column.name for column in node.compiled.feed_columns}
    schema = project.output.state_schema if project.output else "filtersql"
    everything = replace(
        resolved,
        subscription=replace(resolved.subscription, on_conflict="apply"),
        columns=tuple(column for column in resolved.table.columns if column.name in read),
        filters=dict.fromkeys(resolved.filters, ()),
        copy_filters=(),
        contributions=(),
        why=(),
        # Two audits of a lake, or an audit beside a run, must not write the same table.
        alias=f"{schema}.{_NAME}_{secrets.token_hex(4)}",
        unjudged=(),
        semantics=POSTGRES,
    )
    judged = judgements(everything, _no_filter)
    return compiled_table(everything, judged, _not_written, destination(project))


def _no_filter(contribution: Contribution) -> Filter:
    raise AssertionError(contribution.publication)


def _not_written(row_filter: Filter, prefix: str) -> str:
    raise AssertionError(f"{prefix}{row_filter.deparsed}")
