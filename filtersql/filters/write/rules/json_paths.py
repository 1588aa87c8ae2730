"""jsonpath: `@?`, `@@`, and the functions jsonb_path_….

Example
    ================================= ====================================================
    filter                            written as
    ================================= ====================================================
    `j @? '$.a'`                      the list of documents at a is not empty
    `j @? '$.tags[*] ? (@ == "x")'`   the list of tags, filtered, is not empty
    `j @@ '$.a > 1'`                  one document at a is a number above 1; else unknown if
                                      one cannot be compared
    ================================= ====================================================

    A path is a list of documents, from step to step; a predicate has three values, as in SQL. In
    the strict mode the list is NULL where a step fails.

PostgreSQL
    jsonpath_exec.c: executeItemOptUnwrapTarget(), executePredicate(), compareItems().
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from sqlglot import exp

from filtersql.filters.engines import constants
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.values import jsonpaths
from filtersql.filters.values.jsonpath_trees import Path, Whole, with_values
from filtersql.filters.write.rules.document_constants import loaded
from filtersql.filters.write.rules.document_values import document
from filtersql.filters.write.rules.json_walks import Walker
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "found"]


def _call(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """Whether the path finds anything, or what its condition says."""
    name = node.function.name
    whole = _tree(writer, node, args)
    if whole is None:
        return writer.typed(None, "bool")
    tree = whole.tree
    source = document(writer, args[0], plain=True)
    walker = Walker(writer, node, source, whole.strict)
    if name in ("jsonb_path_match", "jsonb_path_match_opr"):
        if isinstance(tree, Path):
            # What a strict path found before it failed counts.
            if name == "jsonb_path_match" or whole.strict:
                raise writer.refused(node, "Only a condition has a form here.")
            return writer.piece(".path_truth", walker.path(tree, None, 1))
        test = walker.condition(tree, None, 1)
    elif isinstance(tree, Path):
        items = walker.path(tree, None, 1)
        test = writer.piece(".list_filled", items)
        if name == "jsonb_path_exists" and whole.strict and not _silent(args):
            broken = writer.raised("the path does not lead through this document", "BOOLEAN")
            test = writer.case([(writer.is_null(test), broken)], test)
    else:
        # a condition is one item, whatever its value
        test = constants.boolean(True)
    return writer.case([(writer.is_not_null(source), test)], None)


def found(writer: Writer, node: Op | Func, plain: bool) -> exp.Expr:
    """jsonb_path_query_first() and jsonb_path_query_array(): a document."""
    whole = _tree(writer, node, node.args)
    if whole is None:
        return writer.piece(".no_document")
    tree = whole.tree
    if whole.strict:
        raise writer.refused(node, "A strict path has no form here.")
    if not isinstance(tree, Path) or tree.base == "=":
        raise writer.refused(node, "Only a path to a value has a form here.")
    if not plain and _filtered(tree):
        raise writer.refused(node, "Only a path without conditions has a form here.")
    if any(step.kind == "levels" for step in tree.steps):
        raise writer.refused(node, "The items of all levels have no order here.")
    source = document(writer, node.args[0], plain=plain)
    items = Walker(writer, node, source).path(tree, None, 1)
    if node.function.name != "jsonb_path_query_array":
        return writer.piece(".list_item", items, 1)
    item = writer.piece(".list_document", items)
    return writer.case([(writer.is_not_null(source), item)], None)


def _filtered(path: Path) -> bool:
    return any(step.kind == "filter" for step in path.steps)


def _silent(args: Sequence[Node]) -> bool:
    known = fold(args[3]) if len(args) > 3 else None
    return known is not None and known.value is True


def _tree(writer: Writer, node: Node, args: Sequence[Node]) -> Whole | None:
    known = [fold(arg) for arg in args[1:]]
    if None in known:
        raise writer.refused(node, "The path must be a constant.")
    constants = [item.value for item in known if item is not None]
    if None in constants:
        return None
    given = loaded(str(constants[1])) if len(constants) > 1 else {}
    whole = jsonpaths.parsed(str(constants[0]))
    if not isinstance(given, dict):
        raise writer.refused(node, "The variables are no object.")
    scalars = {name: value for name, value in given.items() if not isinstance(value, (dict, list))}
    try:
        return replace(whole, tree=with_values(whole.tree, scalars))
    except KeyError as missing:
        reason = f"The path's variable {missing} has no value, or one that is no scalar."
        raise writer.refused(node, reason) from None


RULES: dict[str, Rule] = dict.fromkeys(
    ("jsonb_path_exists_opr", "jsonb_path_match_opr", "jsonb_path_exists", "jsonb_path_match"),
    _call,
)
