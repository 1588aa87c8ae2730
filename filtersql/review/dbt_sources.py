"""The targets as sources of a dbt project: what `ls --format dbt` prints, for models/sources.yml.

Example
    ::

        sources:
          - name: europe
            schema: europe
            tables:
              - name: orders
                description: Rows of public.orders where (region = 'eu'::text).
                columns: [{name: id, data_type: INTEGER, data_tests: [not_null, unique]}]

A source is a schema of targets. A column that is the whole key is `unique`. `dbt source freshness`
asks the ledger when the subscription was last written; a run without changes writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import yaml
from sqlglot import exp, select

from filtersql.compile import Node
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.definition import COPY, DefinedColumn
from filtersql.rendering.target_uniqueness import LEDGER
from filtersql.storage import Engine

__all__ = ["dbt_sources"]

#: when nobody says otherwise; a dbt project overrides it
_WARN_AFTER = {"count": 1, "period": "day"}


def dbt_sources(nodes: Iterable[Node], state_schema: str, engine: Engine) -> str:
    """A file of sources: one for each schema, with the targets in it."""
    schemas: dict[str, list[CompiledTable]] = {}
    for node in nodes:
        schemas.setdefault(".".join(node.compiled.target[:-1]), []).append(node.compiled)
    sources = [
        {
            "name": schema,
            "schema": schema,
            "tables": [_table(each, state_schema, engine) for each in compiled],
        }
        for schema, compiled in schemas.items()
    ]
    content = {"version": 2, "sources": sources}
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
    return text


def _table(compiled: CompiledTable, state_schema: str, engine: Engine) -> dict[str, object]:
    definition = compiled.definition
    return {
        "name": compiled.target[-1],
        "description": _no_jinja(compiled.description),
        "config": {
            "loaded_at_query": _written_at(compiled, state_schema, engine),
            "freshness": {"warn_after": dict(_WARN_AFTER)},
            "meta": {
                "filtersql": {
                    "subscription": compiled.subscription,
                    "relation": str(compiled.relation),
                    "actions": list(definition.actions),
                    "filters": [*map(_no_jinja, definition.filters[COPY])],
                    "key": list(definition.key),
                }
            },
        },
        "columns": [_column(each, definition.key) for each in definition.columns],
    }


def _no_jinja(text: str) -> str:
    """Dbt renders every text of the file: braces in a filter are no expression."""
    return re.sub(r"\{(?=[{%#])", "{ ", text)


def _column(column: DefinedColumn, key: Sequence[str]) -> dict[str, object]:
    tests = ["not_null"] if column.not_null else []
    if tuple(key) == (column.name,):
        tests.append("unique")
    found: dict[str, object] = {"name": column.name, "data_type": column.stored}
    return {**found, "data_tests": tests} if tests else found


def _written_at(compiled: CompiledTable, state_schema: str, engine: Engine) -> str:
    """When the subscription's last run wrote to the ledger."""
    kind = exp.DataType.build("TIMESTAMP", dialect=engine)
    newest = exp.cast(exp.Max(this=exp.column("at", quoted=True)), kind)
    rows = exp.table_(LEDGER, db=state_schema, quoted=True)
    of_it = exp.column("subscription", quoted=True).eq(compiled.subscription)
    return select(newest).from_(rows).where(of_it).sql(engine)
