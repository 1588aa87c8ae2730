"""No number of a filter is rounded by Python, whose own context keeps 28 digits."""

from __future__ import annotations

from decimal import Inexact, Rounded, localcontext

from filter_corpus import families, table
from sqlglot import exp

from filtersql.errors import Mistake
from filtersql.filters import resolve
from filtersql.filters.writing import write
from filtersql.source import Passage, Source


def test_python_rounds_no_number() -> None:
    """With two digits in its context the same corpus is written, and nothing is lost."""
    known = table()
    written = 0
    with localcontext(prec=2) as context:
        context.traps[Inexact] = context.traps[Rounded] = True
        for text in [line for lines in families().values() for line in lines][::3]:
            try:
                found = resolve(Passage(text, Source("f", text)), known)
                write(found, "spark", lambda name: exp.column(name, quoted=True))
            except Mistake:
                continue
            written += 1
    assert written > 1_200
