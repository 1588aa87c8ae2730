"""Views, triggers, rules, policies and functions: what their text names is not changed under them.

Example
    With `CREATE VIEW v AS SELECT b FROM t`, DROP COLUMN b of t is refused, and so are DROP TABLE t
    and ALTER COLUMN b TYPE: PostgreSQL may refuse them, or drop the view with CASCADE. Only the
    words of the statement are known, not what they mean there.

    A function stays known after `DROP FUNCTION f(int)`: another one of its name may be left. A
    filter may not use one, a generated column may.

PostgreSQL
    dependency.c: recordDependencyOnExpr(), performMultipleDeletions(); functioncmds.c:
    CreateFunction()
"""

from __future__ import annotations

from collections.abc import Iterator

from filtersql.definitions.catalog_builder import Code, Drafts
from filtersql.definitions.identifiers import fold
from filtersql.definitions.sql_names import Script, created_name, place_of, referenced
from filtersql.definitions.sql_text import lexemes
from filtersql.definitions.types import read_type
from filtersql.errors import Mistake
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.pgtypes import format_type

__all__ = ["FUNCTIONS", "check_code", "create_function", "keep_code", "keep_names"]

#: what belongs to a table, as DROP and ALTER call it
_READERS = {"OBJECT_TRIGGER": "trigger", "OBJECT_RULE": "rule", "OBJECT_POLICY": "policy"}
_FUNCTIONS = ("OBJECT_FUNCTION", "OBJECT_PROCEDURE", "OBJECT_ROUTINE", "OBJECT_AGGREGATE")
_TYPES = ("OBJECT_TYPE", "OBJECT_DOMAIN")
_CHANGED = ("AT_DropColumn", "AT_AlterColumnType")
#: the kinds of objects that CREATE FUNCTION, PROCEDURE and OPERATOR make
FUNCTIONS = ("OBJECT_FUNCTION", "OBJECT_PROCEDURE", "OBJECT_ROUTINE", "OBJECT_OPERATOR")
_RETURNED = ("FUNC_PARAM_OUT", "FUNC_PARAM_TABLE")


def keep_code(script: Script, statement: Statement, kind: str, of: RelationName, name: str) -> None:
    """What a statement makes, in place of what had its name; a function's body is a text."""
    body = statement.kind != "create_function_stmt" or statement.node.HasField("sql_body")
    words = _words_of(script, statement, strings=statement.kind != "create_function_stmt")
    script.drafts.code[kind, of, name] = Code(kind, of, name, words, body)


def keep_names(script: Script, statement: Statement) -> None:
    """The functions of the files that a table, index or domain may call."""
    drafts = script.drafts
    if drafts.functions:
        known = {name.name for name in drafts.functions}
        drafts.called |= known & _words_of(script, statement, strings=False)


def check_code(script: Script, statement: Statement) -> None:
    """Raises where a statement changes what code may read; notes new names."""
    if not script.drafts.code and not script.drafts.called:
        return
    match statement.kind:
        case "drop_stmt":
            _check_drop(script, statement)
        case "alter_table_stmt":
            _check_columns(script, statement)


def _words_of(script: Script, statement: Statement, *, strings: bool) -> frozenset[str]:
    """The names in a statement, and marks; what strings hold, too."""
    text, words = script.text.text, set[str]()
    for lexeme in lexemes(text[: statement.end], statement.start):
        written = text[lexeme.start : lexeme.end]
        if lexeme.kind == "name" and written[0] in "uU":
            construct = "a name with U& in code"
            raise UnsupportedStatement.dumped(construct, place_of(script, statement, ""))
        if lexeme.kind == "string" and strings:
            words |= {*written.strip("'").replace(".", " ").replace('"', " ").split()}
        elif lexeme.kind == "name":
            words.add(written[1:-1].replace('""', '"'))
        elif lexeme.kind in ("word", "mark"):
            words.add(fold(written))
    return frozenset(words)


def _check_drop(script: Script, statement: Statement) -> None:
    node, drafts = statement.node, script.drafts
    kind, gone = enum_name(node, "remove_type"), set[RelationName]()
    cascades = enum_name(node, "behavior") == "DROP_CASCADE"
    if kind in _READERS:
        for item in node.objects:
            *table, name = (part.string.sval for part in item.list.items)
            for schema in table[:-1] or script.path:
                drafts.code.pop((_READERS[kind], RelationName(schema, table[-1]), name), None)
        return
    names = [*_dropped(node, kind)]
    if kind in _FUNCTIONS:
        gone = {function for function in drafts.functions if function.name in names}
        if called := drafts.called & {*names}:
            _refuse(script, statement, f"DROP FUNCTION {min(called)}() that is called")
    elif kind == "OBJECT_SCHEMA":
        inside = [code for code in drafts.code.values() if code.of.schema in names]
        if inside or (cascades and drafts.code):
            _refuse(script, statement, f"DROP SCHEMA {names[0]} beside views or code")
        return
    elif kind in _TYPES:
        if cascades and drafts.code:
            _refuse(script, statement, f"DROP TYPE {names[0]} CASCADE beside views or code")
    else:
        named = {relation for relation in _relations(drafts) if relation.name in names}
        gone = named | {each.name for relation in named for each in drafts.below(relation)}
        names += [relation.name for relation in gone]
    if kind == "OBJECT_OPERATOR" and drafts.code:
        _refuse(script, statement, "DROP OPERATOR beside views or code")
    for one in drafts.code.values():
        if one.of not in gone and not one.words.isdisjoint(names):
            construct = f"DROP of {min(one.words & {*names})}, which {one.kind} {one.label} names,"
            _refuse(script, statement, construct)


def _relations(drafts: Drafts) -> Iterator[RelationName]:
    yield from drafts.tables
    yield from drafts.others


def _dropped(node: Node, kind: str) -> Iterator[str]:
    """The last words of the names of DROP."""
    for item in node.objects:
        match item.WhichOneof("node"):
            case "object_with_args":
                yield item.object_with_args.objname[-1].string.sval
            case "type_name" if kind in _TYPES:
                yield item.type_name.names[-1].string.sval
            case "list":
                last = item.list.items[-1]
                yield last.string.sval
            case "string" if kind == "OBJECT_SCHEMA":
                yield item.string.sval


def _check_columns(script: Script, statement: Statement) -> None:
    """ALTER TABLE … DROP COLUMN and ALTER COLUMN … TYPE."""
    drafts = script.drafts
    table = referenced(script, statement.node.relation)
    names = {table.name, *(partition.name.name for partition in drafts.below(table))}
    for wrapped in statement.node.cmds:
        command = wrapped.alter_table_cmd
        if enum_name(command, "subtype") not in _CHANGED:
            continue
        for code in drafts.code.values():
            # A query may name columns by place, or all of them by the table's name.
            whole = code.kind != "trigger" and not code.words.isdisjoint(names)
            if code.columns and (command.name in code.words or whole):
                construct = (
                    f"a change of column {command.name}, which {code.kind} {code.label} may read,"
                )
                _refuse(script, statement, construct)


def _refuse(script: Script, statement: Statement, construct: str) -> None:
    raise UnsupportedStatement.dumped(construct, place_of(script, statement, ""))


def create_function(script: Script, statement: Statement) -> None:
    """CREATE FUNCTION: a name with the types of its arguments, as PostgreSQL prints them."""
    node = statement.node
    wrapped = (wrapped_parameter.function_parameter for wrapped_parameter in node.parameters)
    parameters = [
        parameter for parameter in wrapped if enum_name(parameter, "mode") not in _RETURNED
    ]
    types = [_type(script, parameter.arg_type) for parameter in parameters]
    name, signature = created_name(script, node.funcname), ", ".join(types)
    script.drafts.functions.add(name)
    for option in node.options:
        if option.def_elem.defname == "as":
            texts = option.def_elem.arg.list.items
            if len(texts) == 1:  # of one in C it is a file and a symbol
                script.drafts.bodies[*name, signature] = texts[0].string.sval
    keep_code(script, statement, "function", name, signature)


def _type(script: Script, node: Node) -> str:
    """A type as format_type() prints it; a pseudo-type under its own name."""
    try:
        return format_type(read_type(node, "", script.text, script.drafts))
    except Mistake:
        return str(node.names[-1].string.sval)
