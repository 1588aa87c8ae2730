"""`review`: what a person reads before the statements run, and that person's approval."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from filtersql import artifacts
from filtersql.api import approving
from filtersql.api.approving import approve
from filtersql.api.loading import loaded_compilation
from filtersql.api.planned import planned_moves
from filtersql.api.selecting import selected, states
from filtersql.artifacts import SourceMaps, checksums, read_manifest
from filtersql.commands.console import Console, echo
from filtersql.commands.pages import write_page
from filtersql.commands.shared import subcommand
from filtersql.compile import destination
from filtersql.errors.wording import counted
from filtersql.filters import resolve
from filtersql.review.approvals import standing
from filtersql.review.changed_meaning import changes_of_meaning
from filtersql.review.markdown import markdown
from filtersql.review.page import html
from filtersql.review.review import Review, review_target
from filtersql.review.row_trials import Trials
from filtersql.source import Source
from filtersql.targets.duckdb_file import connect

if TYPE_CHECKING:
    from filtersql.artifacts import EarlierFilter
    from filtersql.catalog import Table
    from filtersql.compile import Compilation, Node
    from filtersql.filters import Filter
    from filtersql.project import Project
    from filtersql.review.changed_meaning import TargetChange
    from filtersql.targets.model import Engine

__all__ = ["command"]


@subcommand("review", formats=("text", "json", "markdown"))
@click.option("--approve", metavar="SELECTION", help="Approve the statements of these targets.")
@click.option("--by", metavar="NAME", help="Who approves.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The page to write. Default: target/review.html.",
)
def command(console: Console, *, approve: str | None, by: str | None, output: Path | None) -> int:
    """Write one page on which a person reviews the generated SQL: target/review.html.

    It needs no network and no engine. With --state DIR it says what changed in meaning since an
    earlier manifest.json; behind filtersql plan also what apply would move. With --format markdown
    the review is printed for a pull request. With --approve SELECTION --by NAME the statements are
    approved in approvals.yml.
    """
    if (approve is None) != (by is None):
        raise click.UsageError("--approve SELECTION and --by NAME belong together.")
    if by is not None and not by.strip():
        raise click.UsageError("--by is empty: an approval has a name.")
    project, compilation = loaded_compilation(console)
    if approve is not None and by is not None:
        return _approve(console, project, compilation, approve, by.strip())
    nodes = selected(project, compilation, console.options)
    review = _review(console, project, compilation, nodes)
    if console.options.format == "markdown":
        echo(markdown(review), nl=False)
        return 0
    place = output or project.root / "target" / "review.html"
    write_page(place, html(review))
    shown = place.relative_to(project.root) if place.is_relative_to(project.root) else place
    if console.options.json:
        console.document(_document(review, str(shown)))
    console.message(f"Wrote the review of {counted(len(nodes), 'target')} to {shown}")
    return 0


def _approve(
    console: Console, project: Project, compilation: Compilation, selection: str, by: str
) -> int:
    options = replace(console.options, select=(*console.options.select, selection))
    nodes = selected(project, compilation, options)
    artifacts.write(project, compilation, nodes)
    approve(project, nodes, by)
    names = [f"{node.compiled.subscription}.{node.compiled.relation}" for node in nodes]
    for name in names:
        console.result(f"approved {name}")
    said = f"Approved {counted(len(names), 'target')} in approvals.yml"
    console.message(f"{said}, which belongs to the project")
    if console.options.json:
        console.document({"approved": names, "by": by})
    return 0


def _review(
    console: Console, project: Project, compilation: Compilation, nodes: Sequence[Node]
) -> Review:
    approvals = approving.load(project)
    maps = SourceMaps(project.definitions)
    name = approving.output_name(project)
    engine = connect(None)
    # Hundreds of tiny queries: handing each to several threads costs more than it gives.
    engine.execute("SET threads = 1")
    try:
        targets = tuple(
            review_target(
                key,
                node,
                Trials(engine, node.resolved.table),
                maps.of,
                standing(approvals, key, name, checksums(node)) if approvals else None,
            )
            for key, node in ((_key(node), node) for node in nodes)
        )
        changes = _changes(console, project, compilation, nodes, engine)
    finally:
        engine.close()
    return Review(
        project.name,
        name,
        destination(project).engine.replace("spark", "Spark").replace("duckdb", "DuckDB"),
        project.semantics.name,
        targets,
        compilation.notices,
        changes,
        str(console.options.state or ""),
        planned_moves(project, nodes),
    )


def _changes(
    console: Console,
    project: Project,
    compilation: Compilation,
    nodes: Sequence[Node],
    engine: Engine,
) -> tuple[TargetChange, ...] | None:
    """The changes of the selected targets; with no selector also those that are gone."""
    options = console.options
    if options.state is None:
        return None
    earlier = read_manifest(options.state, project.name)
    states_by_key = states(project, compilation, options)
    chosen = {_key(node) for node in nodes}
    changes = changes_of_meaning(
        earlier,
        {_key(node): node for node in compilation.nodes},
        lambda key: key in chosen and "modified" in states_by_key[key],
        lambda node: Trials(engine, node.resolved.table),
        lambda each, table: _earlier_filter(project, earlier.path, each, table),
    )
    whole = not options.select and not options.exclude
    return tuple(
        each for each in changes if each.key in chosen or (whole and each.kind == "removed")
    )


def _earlier_filter(project: Project, path: str, each: EarlierFilter, table: Table) -> Filter:
    """The filter of an earlier manifest, on the table as it is now."""
    written = project.definitions.publications.get(each.publication)
    return resolve(
        Source(path, each.where).passage(),
        table,
        created=written.created if written else None,
        postgres_version=project.postgres_version,
        made=project.definitions.catalog.made,
        semantics=project.semantics,
    )


def _document(review: Review, path: str) -> dict[str, object]:
    return {
        "path": path,
        "targets": [target.key for target in review.targets],
        "changes": [
            {
                "target": change.key,
                "kind": change.kind,
                "filters": [
                    {
                        "actions": list(each.actions),
                        "before": each.before,
                        "now": each.now,
                        "verdict": each.verdict,
                        "reason": each.reason,
                        "gained": dict(each.gained) if each.gained is not None else None,
                        "lost": dict(each.lost) if each.lost is not None else None,
                    }
                    for each in change.meanings
                ],
                "others": [list(each) for each in change.others],
            }
            for change in review.changes or ()
        ],
        "moves": [
            {"target": f"{move.subscription}.{move.relation}", "change": move.change}
            | dict(move.counts)
            for move in review.moves or ()
        ],
        "warnings": [notice.message for notice in review.notices],
    }


def _key(node: Node) -> str:
    return f"{node.compiled.subscription}.{node.compiled.relation}"
