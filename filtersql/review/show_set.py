"""`show set`: the replication sets, their actions, and the tables with their filters.

Example
    ::

                   Replication set emea
     Inserts | Updates | Deletes | Truncates | Autoadd
    ---------+---------+---------+-----------+---------
     t       | f       | t       | t         | f
    Tables:
        "public.t1" (id, b) WHERE (id > 0)

    What the views pglogical.tables and bdr.tables hold: one line for each membership.
"""

from __future__ import annotations

from filtersql.definitions.model import (
    Action,
    DdlFilter,
    Definitions,
    PublishedTable,
    ReplicationSet,
)
from filtersql.definitions.predefined_sets import predefined_set
from filtersql.errors import Mistakes
from filtersql.errors.reviewing import NOT_DEFINED
from filtersql.errors.wording import meant
from filtersql.publications.foreign_keys import OpenKey, open_keys
from filtersql.publications.lineage import Lineage
from filtersql.publications.replication_sets import set_membership
from filtersql.review.show_publication import Deparse, TableShown, clauses
from filtersql.review.text_table import aligned
from filtersql.source import Source

__all__ = ["set_json", "set_text"]

#: the place of a set that exists without being made
_NOWHERE = Source("pglogical", "").span(0, 0)

_COLUMNS = {
    Action.INSERT: "Inserts",
    Action.UPDATE: "Updates",
    Action.DELETE: "Deletes",
    Action.TRUNCATE: "Truncates",
}


def set_text(name: str, definitions: Definitions, deparse: Deparse, *, needs_key: bool) -> str:
    """One replication set as text. `needs_key`: what it adds by itself has a key."""
    replication_set = _facts(name, definitions)
    row = {title: _flag(action in replication_set.replicate) for action, title in _COLUMNS.items()}
    autoadd = replication_set.autoadd_tables
    row["Autoadd"] = _flag(autoadd) if isinstance(autoadd, bool) else ", ".join(autoadd)
    held = _held(replication_set, definitions, needs_key)
    footers = ["Tables:"] if held else []
    for each in held:
        table = _shown(each, name, deparse)
        footers.append(f'    "{table.name.schema}.{table.name.name}"{clauses(table)}')
    outside = _open_keys(replication_set, definitions, needs_key)
    footers += ["Foreign keys to tables outside the set:"] if outside else []
    footers += [f'    "{key.conname}" of "{key.nspname}.{key.relname}"' for key in outside]
    footers += ["DDL filters:"] if replication_set.ddl_filters else []
    footers += [f"    {_ddl(each)}" for each in replication_set.ddl_filters]
    return aligned(f"Replication set {name}", list(row), [list(row.values())], footers)


def set_json(
    name: str, definitions: Definitions, deparse: Deparse, *, needs_key: bool
) -> dict[str, object]:
    """The same as JSON values."""
    replication_set = _facts(name, definitions)
    autoadd = replication_set.autoadd_tables
    tables = (
        _shown(each, name, deparse) for each in _held(replication_set, definitions, needs_key)
    )
    return {
        "set_name": name,
        "description": replication_set.description,
        **{f"replicate_{action}": action in replication_set.replicate for action in Action},
        "autoadd_tables": autoadd if isinstance(autoadd, bool) else list(autoadd),
        "foreign_keys_outside": [
            key._asdict() for key in _open_keys(replication_set, definitions, needs_key)
        ],
        "ddl_filters": [
            {
                "set_ddl_name": each.name,
                "set_ddl_tag": each.command_tag,
                "set_ddl_role": each.role_name,
                "set_name": name,
            }
            for each in replication_set.ddl_filters
        ],
        "tables": [
            {
                "nspname": each.name.schema,
                "relname": each.name.name,
                "set_name": name,
                "columns": None if each.columns is None else list(each.columns),
                "row_filter": each.where,
            }
            for each in tables
        ],
    }


def _open_keys(
    replication_set: ReplicationSet, definitions: Definitions, needs_key: bool
) -> list[OpenKey]:
    """What the manual of BDR finds with a query: foreign keys that the set does not close."""
    held = set_membership(
        replication_set, Lineage.of(definitions.catalog), needs_key=needs_key
    ).entries
    return list(open_keys(held, definitions.catalog.tables, replication_set.name))


def _held(
    replication_set: ReplicationSet, definitions: Definitions, needs_key: bool
) -> list[PublishedTable]:
    """Its tables, also those that it adds by itself."""
    member = set_membership(replication_set, Lineage.of(definitions.catalog), needs_key=needs_key)
    held = {each.name: each for each in replication_set.tables} | {**member.entries}
    return sorted(held.values(), key=lambda each: each.name)


def _ddl(each: DdlFilter) -> str:
    tag = "every command" if each.command_tag is None else f"commands like {each.command_tag}"
    role = "" if each.role_name is None else f" of roles like {each.role_name}"
    return f'"{each.name}": {tag}{role}'


def _facts(name: str, definitions: Definitions) -> ReplicationSet:
    replication_set = definitions.replication_sets.get(name) or predefined_set(name, _NOWHERE)
    if replication_set is None:
        raise Mistakes(
            [
                NOT_DEFINED(
                    kind="replication set",
                    name=name,
                    hint=meant(name, definitions.replication_sets),
                )
            ]
        )
    return replication_set


def _shown(each: PublishedTable, name: str, deparse: Deparse) -> TableShown:
    where = deparse(each.where, each.name, name) if each.where else None
    return TableShown(each.name, each.columns, where)


def _flag(value: bool) -> str:
    return "t" if value else "f"
