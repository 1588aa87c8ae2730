"""A compiled file's text as one tree, and what a proof on DuckDB writes otherwise in it.

Example
    parsed("MERGE INTO t USING …", "s1/t/merge.sql", "spark", Kind.MERGE)
"""

from __future__ import annotations

import logging

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.proving import NOT_THE_STATEMENT
from filtersql.storage import Engine
from filtersql.verify.kinds import Kind

__all__ = ["parsed", "stops_of_duckdb", "target_of"]

_TREES: dict[str, tuple[type[exp.Expr], ...]] = {
    "MERGE": (exp.Merge,),
    "MERGE or DELETE": (exp.Merge, exp.Delete),
    "INSERT": (exp.Insert,),
    "SELECT": (exp.Select,),
}


def parsed(text: str, shown: str, dialect: Engine, kind: Kind) -> exp.Expr:
    """The tree of a statement of a kind. Raises Mistakes where the text is not one."""
    logger = logging.getLogger("sqlglot")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # it warns of what is refused here
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect=dialect) if tree is not None]
    except ParseError as error:
        reason = str(error.errors[0].get("description")) if error.errors else str(error)
        raise Mistakes([_not_one(shown, kind, reason)]) from None
    except SqlglotError as error:
        raise Mistakes([_not_one(shown, kind, str(error).splitlines()[0])]) from None
    finally:
        logger.setLevel(level)
    if len(trees) != 1 or not isinstance(trees[0], _TREES[kind.word]):
        raise Mistakes([_not_one(shown, kind, None)])
    (tree,) = trees
    merge = isinstance(tree, exp.Merge)
    if merge and (tree.args.get("on") is None or tree.args.get("whens") is None):
        raise Mistakes([_not_one(shown, kind, "it has no ON, or no WHEN")])
    return tree


def target_of(tree: exp.Expr) -> exp.Expr | None:
    """What a statement writes into; None: it is a query."""
    if isinstance(tree, exp.Select):
        return None
    into: exp.Expr = tree.this
    return into.this if isinstance(into, exp.Schema) else into


def stops_of_duckdb(tree: exp.Expr) -> None:
    """What stops a statement has another name in DuckDB, which sqlglot does not know.

    And DuckDB works out the values of an INSERT for matched rows, too: they stop in its condition.
    """
    for call in tree.find_all(exp.Anonymous):
        if call.name.lower() == "raise_error":
            call.set("this", "error")
    for when in tree.args["whens"].expressions if isinstance(tree, exp.Merge) else ():
        then = when.args.get("then")
        if isinstance(then, exp.Insert) and isinstance(then.expression, exp.Tuple):
            _stop_before(when, [one for one in then.expression.expressions if _stops(one)])


def _stop_before(when: exp.When, values: list[exp.Expr]) -> None:
    if not values:
        return
    # Always true, once the value is known.
    known = [exp.not_(exp.paren(one.is_(exp.null())).is_(exp.null())) for one in values]
    condition = when.args.get("condition") or exp.true()
    when.set("condition", exp.case().when(condition, exp.and_(*known)).else_(exp.false()))
    for value in values:
        for call in [one for one in value.find_all(exp.Anonymous) if _stops(one)]:
            call.replace(exp.null())


def _stops(value: exp.Expr) -> bool:
    return any(call.name.lower() == "error" for call in value.find_all(exp.Anonymous))


def _not_one(shown: str, kind: Kind, reason: str | None) -> Mistake:
    return NOT_THE_STATEMENT(path=shown, word=kind.word, reason=reason)
