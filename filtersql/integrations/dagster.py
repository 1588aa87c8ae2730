"""The targets of a project as assets of Dagster, with `audit` as a check of each.

Example
    from dagster import Definitions

    shop = filtersql_assets(Project.load("demo"))
    definitions = Definitions(assets=[shop])

Loading opens no engine. A step runs the selected targets in one run and compares those whose check
is selected.
"""

# Dagster looks at the step's annotations: they cannot be texts.
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import dagster
from msgspec.structs import replace

from filtersql.api.answering import Failed, listened, several
from filtersql.api.compiling import compiled
from filtersql.api.listener import Event
from filtersql.api.project import Project
from filtersql.rendering.compiled import CompiledTable

__all__ = ["filtersql_assets"]

#: the metadata that names an asset's target, whatever key the asset is given
_TARGET = "filtersql/target"
_CHECK = "audit"
_DIFFERENCES = ("leaked", "missing", "differing", "position", "sample")
_COUNTS = (
    "rows_inserted", "rows_updated", "rows_deleted", "quarantined", "position", "execution_time",
)  # fmt: skip


def filtersql_assets(
    project: Project,
    *,
    select: Iterable[str] = (),
    exclude: Iterable[str] = (),
    name: str = "filtersql",
    **multi_asset: object,
) -> dagster.AssetsDefinition:
    """One asset for each target, downstream of its source tables; `name` is that of the step.

    A key is the target's schema and name. Further arguments are those of `dagster.multi_asset`,
    such as `pool` and `retry_policy`. Raises Mistakes where the project does not compile.

    A target that fails fails the step, when those that succeeded are materialised.
    """
    specs = _specs(project, select, exclude)
    checks = [
        dagster.AssetCheckSpec(
            _CHECK, asset=spec.key, description="The target holds what the filter takes."
        )
        for spec in specs
    ]

    def step(context: dagster.AssetExecutionContext) -> Iterator[object]:
        yield from _results(project, context)

    return dagster.multi_asset(
        name=name, specs=specs, check_specs=checks, can_subset=True, **multi_asset
    )(step)


def _specs(
    project: Project, select: Iterable[str], exclude: Iterable[str]
) -> list[dagster.AssetSpec]:
    """The assets of the selected targets. Raises Mistakes."""
    options = replace(project.options, select=several(select), exclude=several(exclude))
    _, (loaded, _, nodes) = listened(options, None, compiled)
    assert loaded.output is not None  # compiled asked for one
    kinds = {kind for kind in (loaded.output.type, loaded.output.format) if kind}
    return [_spec(node.compiled, kinds) for node in nodes]


def _spec(compiled: CompiledTable, kinds: set[str]) -> dagster.AssetSpec:
    definition = compiled.definition
    columns = [
        dagster.TableColumn(
            each.name, each.stored,
            constraints=dagster.TableColumnConstraints(nullable=not each.not_null),
        )
        for each in definition.columns
    ]  # fmt: skip
    return dagster.AssetSpec(
        dagster.AssetKey(compiled.target),
        deps=[dagster.AssetKey([each.schema, each.name]) for each in compiled.sources],
        description=compiled.description,
        kinds=kinds,
        code_version=definition.hash,
        metadata={
            _TARGET: compiled.unique_id,
            "filtersql/filter": definition.condition or "true",
            "filtersql/actions": ", ".join(definition.actions),
            "dagster/column_schema": dagster.TableSchema(columns),
            "dagster/table_name": ".".join(compiled.target),
        },
    )


def _results(project: Project, context: dagster.AssetExecutionContext) -> Iterator[object]:
    """What a step yields: materialisations, then results of checks. Raises Failure at the end."""
    targets = {spec.key: spec.metadata[_TARGET] for spec in context.assets_def.specs}
    keys = {target: key for key, target in targets.items()}
    to_run = [targets[key] for key in context.selected_asset_keys]
    to_audit = [targets[each.asset_key] for each in context.selected_asset_check_keys]

    def on_event(event: Event) -> None:
        context.log.log(event.level.upper(), event.message)

    failed = None
    if to_run:
        done, failed = _ended(lambda: project.run(select=to_run, on_event=on_event))
        for each in done.results:
            if each.status == "success":
                counts = {name: getattr(each, name) for name in _COUNTS}
                yield dagster.MaterializeResult(keys[each.unique_id], metadata=counts)
            elif each.unique_id in to_audit:
                to_audit.remove(each.unique_id)
    if to_audit:
        audits, _ = _ended(lambda: project.audit(select=to_audit, on_event=on_event))
        for audit in audits.audits:
            yield dagster.AssetCheckResult(
                passed=audit.status == "ok",
                asset_key=keys[audit.unique_id],
                check_name=_CHECK,
                description=audit.message,
                metadata={name: getattr(audit, name) for name in _DIFFERENCES},
            )
    if failed is not None:
        raise dagster.Failure(str(failed)) from failed


def _ended(work: Callable[[], Any]) -> tuple[Any, Failed | None]:
    """What a method came to, and what went wrong with some targets."""
    try:
        return work(), None
    except Failed as failed:
        return failed.record, failed
