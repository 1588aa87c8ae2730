"""What the initial copy brings of a source, and what an audit finds: slowly, row by row.

Example
    copied(model, [{"a": "6", "b": "x"}, {"a": "5", "b": "x"}])         # (("6", "x"),)
    audited(model, [{"a": "6", "b": "x"}], [("7", "x")])                # (("6", "missing"),
                                                                        #  ("7", "leaked"))

PostgreSQL
    tablesync.c, copy_table(): the published columns of the rows that any row filter takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from filtersql.verify.model import Image, Model, Row

__all__ = ["audited", "copied"]


def copied(model: Model, source: Sequence[Image]) -> tuple[Row, ...]:
    """The rows of a new target."""
    return tuple(
        tuple([image[name] for name in model.columns]) for image in source if model.copies(image)
    )


def audited(model: Model, source: Sequence[Image], target: Sequence[Row]) -> tuple[Row, ...]:
    """The findings: the key and a word; without a key the row, a word and how many copies."""
    expected = copied(model, source)
    return _keyed(model, expected, target) if model.key else _counted(expected, target)


def _keyed(model: Model, expected: Sequence[Row], held: Sequence[Row]) -> tuple[Row, ...]:
    wanted = {model.key_of(row): row for row in expected}
    found = {model.key_of(row): row for row in held}
    findings: list[Row] = []
    for key in dict.fromkeys((*wanted, *found)):
        if key not in wanted:
            findings.append((*key, "leaked"))
        elif key not in found:
            findings.append((*key, "missing"))
        elif wanted[key] != found[key]:
            findings.append((*key, "differs"))
    return tuple(findings)


def _counted(expected: Sequence[Row], held: Sequence[Row]) -> tuple[Row, ...]:
    wanted, found = Counter(expected), Counter(held)
    missing = [(*row, "missing", str(count)) for row, count in (wanted - found).items()]
    leaked = [(*row, "leaked", str(count)) for row, count in (found - wanted).items()]
    return (*missing, *leaked)
