"""Triggers, rules, policies and functions: what their code reads is not dropped without them.

Example
    With `CREATE TRIGGER tr BEFORE UPDATE OF b ON t …`, DROP COLUMN b is refused: trigger tr on
    table t depends on column b of table t. A function holds what its BEGIN ATOMIC reads, and the
    types of its arguments; of one whose body is a text PostgreSQL knows nothing else.

PostgreSQL
    trigger.c: CreateTriggerFiringOn(); rewriteDefine.c: InsertRule(); policy.c: CreatePolicy();
    pg_proc.c: ProcedureCreate(), each with recordDependencyOnExpr()
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from filtersql.definitions.drafts import Reader
from filtersql.definitions.partitions import settle
from filtersql.definitions.sql_names import Script, place_of, referenced
from filtersql.definitions.sql_views import found_functions, relation_read
from filtersql.definitions.types import read_type
from filtersql.definitions.view_queries import ViewQuery, read_code
from filtersql.errors import Mistake
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName

__all__ = [
    "READERS",
    "alter_policy",
    "create_policy",
    "create_rule",
    "create_trigger",
    "drop_reader",
    "note_function",
    "rename_reader",
]

#: the kinds that belong to a table, as DROP and ALTER call them
READERS = {"OBJECT_TRIGGER": "trigger", "OBJECT_RULE": "rule", "OBJECT_POLICY": "policy"}
_VIEW_RULE = "_RETURN"


def create_trigger(script: Script, statement: Statement) -> None:
    """CREATE TRIGGER: the columns of UPDATE OF, what WHEN reads, and the function."""
    node = statement.node
    name = referenced(script, node.relation)
    read = _read(script, (node.when_clause,), name)
    named = {(name, one.string.sval) for one in node.columns}
    function = tuple(one.string.sval for one in node.funcname)
    part = replace(read, columns=read.columns | named, functions=read.functions | {function})
    _keep(script, statement, "trigger", name, node.trigname, (part,))


def create_rule(script: Script, statement: Statement) -> None:
    """CREATE RULE: what its condition and its actions read and write."""
    node = statement.node
    if node.rulename != _VIEW_RULE:
        name = referenced(script, node.relation)
        part = _read(script, (node.where_clause, *node.actions), name)
        _keep(script, statement, "rule", name, node.rulename, (part,))


def create_policy(script: Script, statement: Statement) -> None:
    """CREATE POLICY: what USING and WITH CHECK read."""
    node = statement.node
    name = referenced(script, node.table)
    parts = tuple(_read(script, (one,), name) for one in (node.qual, node.with_check))
    _keep(script, statement, "policy", name, node.policy_name, parts)


def alter_policy(script: Script, statement: Statement) -> None:
    """ALTER POLICY: an expression that is not said stays."""
    node, readers = statement.node, script.drafts.readers
    name = referenced(script, node.table)
    found = readers.get(("policy", name, node.policy_name))
    if found is not None:
        parts = tuple(
            _read(script, (getattr(node, word),), name) if node.HasField(word) else part
            for word, part in zip(("qual", "with_check"), found.parts, strict=True)
        )
        readers["policy", name, node.policy_name] = replace(found, parts=parts)


def note_function(script: Script, statement: Statement, name: RelationName, signature: str) -> None:
    """CREATE FUNCTION and PROCEDURE: what an SQL-standard body reads, and its types."""
    node = statement.node
    parameters = [one.function_parameter for one in node.parameters]
    defaults = (one.defexpr for one in parameters if one.HasField("defexpr"))
    bodies = (node.sql_body,) if node.HasField("sql_body") else ()
    relations = lambda relation: relation_read(script, relation)  # noqa: E731
    part = read_code((*bodies, *defaults), relations, None)
    types = [one.arg_type for one in parameters]
    types += [node.return_type] if node.HasField("return_type") else []
    _keep(script, statement, "function", name, signature, (part,), _own_types(script, types))


def drop_reader(script: Script, statement: Statement, item: Node) -> None:
    """DROP TRIGGER, RULE, POLICY … ON a table."""
    kind = READERS[enum_name(statement.node, "remove_type")]
    *table, name = (part.string.sval for part in item.list.items)
    for schema in table[:-1] or script.path:
        script.drafts.readers.pop((kind, RelationName(schema, table[-1]), name), None)


def rename_reader(script: Script, node: Node) -> None:
    """ALTER TRIGGER, RULE, POLICY … RENAME TO."""
    kind = READERS[enum_name(node, "rename_type")]
    table = referenced(script, node.relation)
    found = script.drafts.readers.pop((kind, table, node.subname), None)
    if found is not None:
        script.drafts.readers[kind, table, node.newname] = replace(found, name=node.newname)


def _read(script: Script, nodes: Iterable[Node], name: RelationName) -> ViewQuery:
    """What code of a table reads; OLD and NEW are rows of it."""
    drafts = script.drafts
    table, view = drafts.tables.get(name), drafts.views.get(name)
    if table is not None and table.columns is None:
        settle(drafts, table)
    columns = view.query.outputs if view is not None else (table.columns if table else None)
    relations = lambda relation: relation_read(script, relation)  # noqa: E731
    return read_code(nodes, relations, (name, columns or ()))


def _keep(
    script: Script,
    statement: Statement,
    kind: str,
    of: RelationName,
    name: str,
    parts: tuple[ViewQuery, ...],
    types: frozenset[RelationName] = frozenset(),
) -> None:
    """OR REPLACE leaves its age as it was."""
    readers = script.drafts.readers
    parts = tuple(found_functions(script, part) for part in parts)
    there = readers.get((kind, of, name))
    span = there.span if there else place_of(script, statement, name)
    readers[kind, of, name] = Reader(kind, of, name, span, parts, types)


def _own_types(script: Script, nodes: Iterable[Node]) -> frozenset[RelationName]:
    found = set()
    for node in nodes:
        one = type(node)()
        one.CopyFrom(node)
        one.setof = False
        try:
            read = read_type(one, "", script.text, *script.drafts.typed)
        except Mistake:
            continue  # a pseudo-type, or one of an extension
        if read.schema is not None:
            found.add(RelationName(read.schema, read.name))
    return frozenset(found)
