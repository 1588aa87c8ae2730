"""Which columns, tables and functions a query reads, and the names of the columns that it gives.

Example
    `SELECT a, t.b AS x FROM t WHERE c > 1` reads a, b and c of t and gives a and x. `count(*)` and
    a whole row read the table and none of its columns. What a rule or a function writes it reads.

PostgreSQL
    parse_relation.c: colNameToVar(), expandNSItemAttrs()
    parse_clause.c: findTargetlistEntrySQL92(); dependency.c: find_expr_references_walker()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName

__all__ = ["Relations", "ViewQuery", "output_name", "read_code", "read_query"]

#: a relation's name and its columns; None where it is none that is defined
Relations = Callable[[Node], tuple[RelationName, tuple[str, ...]] | None]


@dataclass(frozen=True, slots=True)
class ViewQuery:
    """What a query reads and gives."""

    outputs: tuple[str, ...]
    tables: frozenset[RelationName]
    columns: frozenset[tuple[RelationName, str]]
    #: what is called, as it is written
    functions: frozenset[tuple[str, ...]] = frozenset()


@dataclass(frozen=True, slots=True)
class _Item:
    """Something in FROM: the names of its columns, and what of which table each of them is."""

    name: str
    columns: Mapping[str, frozenset[tuple[RelationName, str]]]
    schema: str = ""


@dataclass(slots=True)
class _Reading:
    relations: Relations
    tables: set[RelationName] = field(default_factory=set)
    columns: set[tuple[RelationName, str]] = field(default_factory=set)
    functions: set[tuple[str, ...]] = field(default_factory=set)

    def found(self, outputs: tuple[str, ...] = ()) -> ViewQuery:
        """All that was noted."""
        reads = frozenset(self.tables), frozenset(self.columns), frozenset(self.functions)
        return ViewQuery(outputs, *reads)


@dataclass(frozen=True, slots=True)
class _Scope:
    """What names mean at one level of the query, and around it."""

    reading: _Reading
    items: tuple[_Item, ...] = ()
    queries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    outer: _Scope | None = None


def read_query(node: Node, relations: Relations) -> ViewQuery:
    """What the query of CREATE VIEW reads; `node` is its select_stmt."""
    reading = _Reading(relations)
    return reading.found(_select(node, _Scope(reading)))


def read_code(
    nodes: Iterable[Node], relations: Relations, table: tuple[RelationName, Iterable[str]] | None
) -> ViewQuery:
    """What statements or expressions read; of a table, whose rows are also old and new ones."""
    reading = _Reading(relations)
    items: tuple[_Item, ...] = ()
    if table is not None:
        name, columns = table
        known = {column: frozenset({(name, column)}) for column in columns}
        items = tuple(_Item(each, known) for each in (name.name, "old", "new"))
    scope = _Scope(reading, items)
    # A name alone is the table's own column, which three items have.
    _walk(nodes, _Scope(reading, items[:1], {}, scope))
    return reading.found()


def _select(node: Node, scope: _Scope) -> tuple[str, ...]:
    """Note what a SELECT reads; the names of its columns."""
    scope = _with_queries(node, scope)
    if enum_name(node, "op") != "SETOP_NONE":
        outputs = _select(node.larg, scope)
        _select(node.rarg, scope)
        _walk((node.limit_count, node.limit_offset), scope)
        return outputs
    inner = _Scope(scope.reading, (), scope.queries, scope)
    items: list[_Item] = []
    for wrapped in node.from_clause:
        items += _from(wrapped, inner, items)
        inner = _Scope(scope.reading, tuple(items), scope.queries, scope)
    outputs = _targets(node, inner)
    _walk((node.where_clause, node.having_clause, node.limit_count, node.limit_offset), inner)
    _walk((*node.group_clause, *node.window_clause, *node.values_lists), inner)
    for clause in (*node.sort_clause, *node.distinct_clause):
        kind = clause.WhichOneof("node")
        expression = clause.sort_by.node if kind == "sort_by" else clause
        if _plain_name(expression) not in outputs:  # an output's name comes first there
            _walk((clause,), inner)
    return outputs


def _with_queries(node: Node, scope: _Scope) -> _Scope:
    queries = dict(scope.queries)
    for wrapped in node.with_clause.ctes:
        query = wrapped.common_table_expr
        renamed = [name.string.sval for name in query.aliascolnames]
        if node.with_clause.recursive:
            queries[query.ctename] = tuple(renamed)
        inner = _Scope(scope.reading, scope.items, queries, scope.outer)
        if query.ctequery.WhichOneof("node") != "select_stmt":
            _walk((query.ctequery,), inner)
        else:
            outputs = _select(query.ctequery.select_stmt, inner)
            queries[query.ctename] = (*renamed, *outputs[len(renamed) :])
    return _Scope(scope.reading, scope.items, queries, scope.outer)


def _from(wrapped: Node, scope: _Scope, before: Sequence[_Item]) -> list[_Item]:
    """The items of one entry of FROM; LATERAL sees those before it."""
    kind = wrapped.WhichOneof("node")
    node = getattr(wrapped, kind)
    if kind == "range_var":
        return [_renamed(_relation(node, scope), node.alias)]
    if kind == "range_subselect":
        inner = scope if node.lateral else scope.outer or scope
        outputs = _select(node.subquery.select_stmt, inner)
        return [_renamed(_Item("", dict.fromkeys(outputs, frozenset())), node.alias)]
    if kind == "join_expr":
        left = _from(node.larg, scope, before)
        right = _from(
            node.rarg, _Scope(scope.reading, (*before, *left), scope.queries, scope), left
        )
        inner = _Scope(scope.reading, (*left, *right), scope.queries, scope)
        _walk((node.quals,), inner)
        shared = [name.string.sval for name in node.using_clause]
        if node.is_natural:
            other = {name for item in right for name in item.columns}
            shared = [name for item in left for name in item.columns if name in other]
        for name in shared:
            _note(inner.reading, _found(inner.items, name))
        if node.HasField("alias"):
            every = {name: one for item in (*right, *left) for name, one in item.columns.items()}
            return [_renamed(_Item("", every), node.alias)]
        return [*left, *right]
    if kind == "range_function":
        _walk(node.functions, scope)
        return [_renamed(_Item("", {}), node.alias, scalar=True)]
    _walk((wrapped,), scope)
    return [_Item("", {})]


def _relation(node: Node, scope: _Scope) -> _Item:
    query = scope.queries.get(node.relname) if not node.schemaname else None
    if query is not None:
        return _Item(node.relname, dict.fromkeys(query, frozenset()))
    found = scope.reading.relations(node)
    if found is None:
        return _Item(node.relname, {})
    name, columns = found
    scope.reading.tables.add(name)
    return _Item(node.relname, {each: frozenset({(name, each)}) for each in columns}, name.schema)


def _renamed(item: _Item, alias: Node, *, scalar: bool = False) -> _Item:
    """An item under its alias, whose list renames the first columns."""
    if not alias.aliasname:
        return item
    names = [name.string.sval for name in alias.colnames]
    if scalar:
        return _Item(alias.aliasname, dict.fromkeys(names or [alias.aliasname], frozenset()))
    known = [*item.columns]
    pairs = zip([*names, *known[len(names) :]], item.columns.values(), strict=False)
    return _Item(alias.aliasname, dict(pairs))


def _targets(node: Node, scope: _Scope) -> tuple[str, ...]:
    outputs: list[str] = []
    for wrapped in node.target_list:
        target = wrapped.res_target
        value = target.val
        reference = value.column_ref if value.WhichOneof("node") == "column_ref" else None
        if reference is not None and reference.fields[-1].WhichOneof("node") == "a_star":
            for item in _starred(reference, scope):
                outputs += item.columns
                for found in item.columns.values():
                    _note(scope.reading, found)
            continue
        outputs.append(target.name or output_name(value))
        _walk((value,), scope)
    if not node.target_list:
        width = max((len(row.list.items) for row in node.values_lists), default=0)
        outputs += [f"column{number + 1}" for number in range(width)]
    return tuple(outputs)


def _starred(reference: Node, scope: _Scope) -> Iterator[_Item]:
    names = [part.string.sval for part in reference.fields[:-1]]
    return (item for item in scope.items if not names or _is_named(item, names))


def _is_named(item: _Item, names: Sequence[str]) -> bool:
    return item.name == names[-1] and (len(names) < 2 or names[-2] == item.schema)


def output_name(value: Node) -> str:
    """The name that PostgreSQL gives a column without AS."""
    kind = value.WhichOneof("node")
    if kind == "column_ref":
        return str(value.column_ref.fields[-1].string.sval)
    if kind == "func_call":
        return str(value.func_call.funcname[-1].string.sval)
    if kind == "type_cast":
        inner = output_name(value.type_cast.arg)
        return (
            inner if inner != "?column?" else str(value.type_cast.type_name.names[-1].string.sval)
        )
    return {"case_expr": "case", "coalesce_expr": "coalesce"}.get(kind, "?column?")


def _plain_name(node: Node) -> str | None:
    if node.WhichOneof("node") != "column_ref" or len(node.column_ref.fields) != 1:
        return None
    return str(node.column_ref.fields[0].string.sval)


def _walk(nodes: Iterable[Node], scope: _Scope) -> None:
    """Note every name below some nodes; a query among them has names of its own."""
    for node in nodes:
        name = node.DESCRIPTOR.name
        if name == "ColumnRef":
            _reference(node, scope)
        elif name == "SelectStmt":
            _select(node, scope)
        elif name in _WRITING:
            _writing(node, scope)
        else:
            if name == "FuncCall":
                scope.reading.functions.add(tuple(part.string.sval for part in node.funcname))
            _walk_below(node, scope)


def _walk_below(node: Node, scope: _Scope, left_out: Sequence[str] = ()) -> None:
    for kind, value in node.ListFields():
        if kind.message_type is not None and kind.name not in left_out:
            _walk(value if kind.is_repeated else (value,), scope)


def _writing(node: Node, scope: _Scope) -> None:
    """INSERT, UPDATE, DELETE: what is read and set; of MERGE, as PostgreSQL does, what is read."""
    scope = _with_queries(node, scope)
    items = [_renamed(_relation(node.relation, scope), node.relation.alias)]
    into = items[0].columns
    kind = node.DESCRIPTOR.name
    if kind == "InsertStmt":
        select = node.select_stmt.select_stmt
        outputs = _select(select, scope) if node.HasField("select_stmt") else ()
        names = [one.res_target.name for one in node.cols]
        if node.on_conflict_clause.target_list:
            names = [*into]  # every one of them can be excluded
        for name in names or [*into][: len(outputs)]:
            _note(scope.reading, into.get(name, frozenset()))
        items.append(_Item("excluded", into))
    sources = {"UpdateStmt": "from_clause", "DeleteStmt": "using_clause"}.get(kind)
    for wrapped in getattr(node, sources) if sources else ():
        items += _from(wrapped, _Scope(scope.reading, tuple(items), scope.queries, scope), items)
    if kind == "MergeStmt":
        items += _from(node.source_relation, scope, items)
    for one in node.target_list if kind == "UpdateStmt" else ():
        _note(scope.reading, into.get(one.res_target.name, frozenset()))
    inner = _Scope(scope.reading, tuple(items), scope.queries, scope)
    _walk_below(node, inner, _OWN)


def _reference(node: Node, scope: _Scope) -> None:
    parts = [part.string.sval for part in node.fields]
    if node.fields[-1].WhichOneof("node") == "a_star":
        return  # a whole row
    level: _Scope | None = scope
    while level is not None:
        *table, name = parts
        items = [item for item in level.items if not table or _is_named(item, table)]
        if any(name in item.columns for item in items):
            _note(scope.reading, _found(items, name))
            return
        level = level.outer


def _found(items: Iterable[_Item], name: str) -> frozenset[tuple[RelationName, str]]:
    return frozenset[tuple[RelationName, str]]().union(
        *(item.columns.get(name, frozenset()) for item in items)
    )


def _note(reading: _Reading, found: frozenset[tuple[RelationName, str]]) -> None:
    reading.columns |= found


_WRITING = ("InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt")
#: parts of those statements that are read already, or name what is written
_OWN = ("relation", "cols", "select_stmt", "with_clause", "from_clause", "using_clause")
