"""Every written filter of the corpus: no number was rounded, and no operator lost its operands."""

from __future__ import annotations

from contextlib import suppress
from decimal import Inexact, Rounded, localcontext

import pytest
from filter_corpus import ENGINES, families, table
from sqlglot import exp

from filtersql.errors import Mistake
from filtersql.filters import resolve
from filtersql.filters.write.dispatch import write
from filtersql.source import Passage, Source
from filtersql.storage import Engine

#: what binds less than it, and so needs parentheses below it
_WEAKER = {
    exp.And: (exp.Or,),
    exp.Not: (exp.Or, exp.And),
    exp.Predicate: (exp.Or, exp.And, exp.Not),
    exp.Add: (exp.Or, exp.And, exp.Not, exp.Predicate),
    exp.Sub: (exp.Or, exp.And, exp.Not, exp.Predicate),
    exp.Mul: (exp.Or, exp.And, exp.Not, exp.Predicate, exp.Add, exp.Sub),
    exp.Neg: (exp.Or, exp.And, exp.Not, exp.Predicate, exp.Add, exp.Sub, exp.Mul),
}


@pytest.fixture(scope="module")
def written() -> list[tuple[Engine, str, exp.Expr]]:
    """Every third filter; Python's own context keeps two digits and raises where it loses one."""
    known, found = table(), []
    lines = [line for some in families().values() for line in some][::3]
    with localcontext(prec=2) as context:
        context.traps[Inexact] = context.traps[Rounded] = True
        for text in lines:
            try:
                one = resolve(Passage(text, Source("f", text)), known)
            except Mistake:
                continue
            for engine in ENGINES:
                with suppress(Mistake):
                    tree = write(one, engine, lambda name: exp.column(name, quoted=True))
                    found.append((engine, text, tree))
    return found


def test_python_rounds_no_number(written: list[tuple[Engine, str, exp.Expr]]) -> None:
    """`nu * 99…9 = 99…80…01` was another number's filter: Python's context has 28 digits."""
    assert len(written) > 2_400


def test_operators_keep_their_operands(written: list[tuple[Engine, str, exp.Expr]]) -> None:
    """A tree is printed as it is: NOT over AND without parentheses is another condition."""
    for engine, text, tree in written:
        for node in tree.walk():
            if isinstance(node, exp.Func) or _is_not_null(node):
                continue
            below = [node.args.get(key) for key in ("this", "expression")]
            for kind, weaker in _WEAKER.items():
                if isinstance(node, kind):
                    assert not any(isinstance(one, weaker) for one in below), (engine, text, node)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_branch_that_is_always_taken_keeps_its_parentheses(engine: Engine) -> None:
    """CASE WHEN true THEN … was replaced by what stands in it."""
    text = "NOT (CASE WHEN true THEN nu < 1 OR nu > 2 END)"
    one = resolve(Passage(text, Source("f", text)), table())
    tree = write(one, engine, lambda name: exp.column(name, quoted=True))
    found = tree.find(exp.Not)
    assert found is not None
    assert isinstance(found.this, exp.Paren), tree.sql(engine)


def _is_not_null(node: exp.Expr) -> bool:
    """IS NOT NULL, of which NOT is a part."""
    return isinstance(node, exp.Is) and node.expression == exp.Not(this=exp.Null())
