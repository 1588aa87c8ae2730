"""Definitions of one world in each of the ways in which a user can write them.

Example
    >>> write_yaml(files, sets, chosen=sets[:1])                       # doctest: +SKIP
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from manual_model import Filter

__all__ = ["ACTIONS", "MadeSet", "write_sql", "write_xdb", "write_yaml"]

ACTIONS = ("insert", "update", "delete", "truncate")


@dataclass
class MadeSet:
    """A replication set, or an xDB publication; tables with filter and column list."""

    name: str
    actions: frozenset[str]
    tables: dict[str, tuple[str | None, Filter | None, tuple[str, ...] | None]] = field(
        default_factory=dict
    )


def _subscription(more: str) -> str:
    return (
        f"subscriptions:\n  - {{name: s, {more}, source: {{path: 'source/{{table}}.jsonl'}},"
        " changes: {path: 'changes/*.jsonl'}}\n"
    )


def write_xdb(files: dict[str, str], one: MadeSet, chance: random.Random) -> None:
    """A publication with named rules, of which a subscription enables some; `one` is told which."""
    tables, enabled = [], []
    for table, (text, _, _) in one.tables.items():
        rules = f'f: "{text}", ' if text is not None else ""
        rules += 'never: "id = 77"'
        tables.append(f"{{name: {table}, filters: {{{rules}}}}}")
        if text is not None and chance.random() < 0.85:
            enabled.append(f"{table}: f")
        else:
            one.tables[table] = (None, None, None)
    files["publications/p.yml"] = f"publications: [{{name: s0, tables: [{', '.join(tables)}]}}]\n"
    files["subscriptions/s.yml"] = _subscription(
        f"publications: [s0], filters: {{{', '.join(enabled)}}}"
    )


def write_yaml(files: dict[str, str], sets: list[MadeSet], chosen: list[MadeSet]) -> None:
    """Replication sets and a subscription to some of them."""
    said = []
    for one in sets:
        flags = "".join(f", replicate_{name}: false" for name in ACTIONS if name not in one.actions)
        tables = []
        for table, (text, _, columns) in one.tables.items():
            where = "" if text is None else f', row_filter: "{text}"'
            list_ = "" if columns is None else f", columns: [{', '.join(columns)}]"
            tables.append(f"{{name: {table}{where}{list_}}}")
        said.append(f"  - {{name: {one.name}{flags}, tables: [{', '.join(tables)}]}}\n")
    files["publications/p.yml"] = "replication_sets:\n" + "".join(said)
    names = ", ".join(one.name for one in chosen)
    files["subscriptions/s.yml"] = _subscription(f"replication_sets: [{names}]")


def write_sql(
    files: dict[str, str],
    profile: str,
    sets: list[MadeSet],
    chosen: list[MadeSet],
    *,
    group: bool,
) -> None:
    """The same by calls of the system's functions."""
    system, said = profile, []
    if group:
        said.append("SELECT bdr.create_node_group('g');")
    for one in sets:
        flags = "".join(
            f", replicate_{name} := false" for name in ACTIONS if name not in one.actions
        )
        said.append(f"SELECT {system}.create_replication_set('{one.name}'{flags});")
        for table, (text, _, columns) in one.tables.items():
            order = f"'{one.name}', '{table}'" if system != "bdr" else f"'{table}', '{one.name}'"
            if columns is not None:
                order += f", columns := '{{{','.join(columns)}}}'"
            if text is not None:
                order += f", row_filter := $FILTER$ {text} $FILTER$"
            said.append(f"SELECT {system}.replication_set_add_table({order});")
    files["publications/p.sql"] = "\n".join(said) + "\n"
    names = ", ".join(one.name for one in chosen)
    files["subscriptions/s.yml"] = _subscription(f"replication_sets: [{names}]")
