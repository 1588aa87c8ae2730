"""Defaults, CHECK constraints, indexes, partition keys and domains that call functions.

Example
    With `CREATE TABLE t (a int DEFAULT f(1))`, DROP FUNCTION f is refused: default value for column
    a of table t depends on function f(integer). A CHECK goes with the columns that it reads, so it
    holds none of them, but it holds the function.

PostgreSQL
    heap.c: StoreAttrDefault(), StoreRelCheck(), StorePartitionKey(); index.c: index_create();
    typecmds.c: DefineDomain(); tablecmds.c: MergeAttributes()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from filtersql.definitions.drafts import Drafts, DraftTable, Reader
from filtersql.definitions.expressions import column_refs
from filtersql.definitions.keys import object_name
from filtersql.definitions.kinds import SYSTEM_COLUMNS
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_views import found_functions
from filtersql.definitions.view_queries import read_code
from filtersql.errors.definitions import UnknownInTable
from filtersql.errors.relations import SystemColumn
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "alter_domain",
    "copy_code",
    "inherit_code",
    "keep_code",
    "keep_defaults",
    "keep_domain",
    "keep_index",
    "keep_partition_key",
    "rename_code",
    "set_default",
]

#: CREATE_TABLE_LIKE_CONSTRAINTS, CREATE_TABLE_LIKE_DEFAULTS
_LIKE = {"constraint": 4, "default": 8}


def keep_code(
    script: Script, kind: str, of: RelationName, name: str, nodes: Iterable[Node]
) -> None:
    """Keeps what calls a function of the files, in place of what had its name."""
    span = script.drafts.places[of] if kind == "domain default" else script.span(script.at)
    drafts, nodes = script.drafts, [*nodes]
    drafts.readers.pop((kind, of, name), None)
    if not drafts.functions:
        return
    columns = {
        ref.fields[-1].string.sval
        for node in nodes
        for ref in column_refs(node)
        if ref.fields[-1].WhichOneof("node") == "string"
    }
    part = found_functions(script, read_code(nodes, lambda _: None, (of, columns)))
    if any(len(one) > 1 and RelationName(*one[-2:]) in drafts.functions for one in part.functions):
        drafts.readers[kind, of, name] = Reader(kind, of, name, span, (part,))


def keep_defaults(script: Script, table: DraftTable, node: Node) -> None:
    """The default of a column's definition."""
    for wrapped in node.constraints:
        if enum_name(wrapped.constraint, "contype") == "CONSTR_DEFAULT":
            nodes = (wrapped.constraint.raw_expr,)
            keep_code(script, "default", table.name, node.colname, nodes)


def set_default(
    script: Script, table: DraftTable, command: Node, place: Callable[[], Span]
) -> None:
    """ALTER COLUMN … SET DEFAULT and DROP DEFAULT; a view's column may have one, too."""
    if table.view or table.columns is None:
        return
    if command.name in SYSTEM_COLUMNS:
        raise SystemColumn("alter", command.name, place())
    if command.name not in table.columns:
        raise UnknownInTable("column", command.name, table.name.name, place(), table.columns)
    definition = getattr(command, "def")
    nodes = (definition,) if definition.WhichOneof("node") else ()
    keep_code(script, "default", table.name, command.name, nodes)


def keep_index(script: Script, table: DraftTable, name: str, node: Node) -> None:
    """The expressions and the predicate of CREATE INDEX."""
    nodes = [*node.index_params, *([node.where_clause] if node.HasField("where_clause") else [])]
    keep_code(script, "index", table.name, name, nodes)


def keep_partition_key(script: Script, table: DraftTable, node: Node) -> None:
    """The expressions of PARTITION BY: the table goes with what they call."""
    keep_code(script, "partition key", table.name, "", node.part_params)


def rename_code(
    drafts: Drafts, kinds: Iterable[str], table: RelationName, old: str, new: str
) -> None:
    """A constraint or index under its new name; its place among others stays."""
    readers = [*drafts.readers.values()]
    drafts.readers.clear()
    for one in readers:
        own = one.kind in kinds and (one.of, one.name) == (table, old)
        name = new if own else one.name
        drafts.readers[one.kind, one.of, name] = replace(one, name=name)


def inherit_code(script: Script, table: DraftTable) -> None:
    """The defaults and CHECKs that a new partition or heir has from its parents, in that order."""
    parents = [*([table.partition_of] if table.partition_of else ())]
    parents += (name for name, _ in table.inherits)
    for parent in parents:
        _copy(script, table, parent, ("default", "constraint"))


def copy_code(script: Script, table: DraftTable, parent: RelationName, options: int) -> None:
    """LIKE … INCLUDING DEFAULTS and CONSTRAINTS."""
    _copy(script, table, parent, [kind for kind, bit in _LIKE.items() if options & bit])


def _copy(script: Script, table: DraftTable, parent: RelationName, kinds: Iterable[str]) -> None:
    readers = script.drafts.readers
    for kind in kinds:
        there = [one for one in readers.values() if (one.kind, one.of) == (kind, parent)]
        for one in sorted(there, key=lambda one: one.name):
            parts = tuple(
                replace(part, columns=frozenset((table.name, name) for _, name in part.columns))
                for part in one.parts
            )
            made = replace(one, of=table.name, parts=parts, span=table.span)
            readers.setdefault((kind, table.name, one.name), made)


def keep_domain(script: Script, statement: Statement, name: RelationName) -> None:
    """CREATE DOMAIN: a domain goes with what its default calls, a CHECK goes alone."""
    for wrapped in statement.node.constraints:
        one, kind = wrapped.constraint, enum_name(wrapped.constraint, "contype")
        if kind == "CONSTR_DEFAULT":
            keep_code(script, "domain default", name, "", (one.raw_expr,))
        elif kind == "CONSTR_CHECK":
            _keep_domain_check(script, name, one)


def alter_domain(script: Script, statement: Statement) -> None:
    """ALTER DOMAIN: SET and DROP DEFAULT, ADD and DROP CONSTRAINT."""
    node = statement.node
    parts = [one.string.sval for one in node.type_name]
    schemas = [parts[-2]] if len(parts) > 1 else script.path
    named = (RelationName(schema, parts[-1]) for schema in schemas)
    name = next((one for one in named if one in script.drafts.types), None)
    if name is None:
        return
    definition = getattr(node, "def")
    match node.subtype:
        case "T":
            nodes = (definition,) if definition.WhichOneof("node") else ()
            keep_code(script, "domain default", name, "", nodes)
        case "C" if definition.constraint.HasField("raw_expr"):
            _keep_domain_check(script, name, definition.constraint)
        case "X":
            script.drafts.readers.pop(("domain constraint", name, node.name), None)


def _keep_domain_check(script: Script, name: RelationName, node: Node) -> None:
    label, number = node.conname, 0
    while not label or ("domain constraint", name, label) in script.drafts.readers:
        label = object_name(name.name, "", f"check{number or ''}")
        number += 1
    keep_code(script, "domain constraint", name, label, (node.raw_expr,))
