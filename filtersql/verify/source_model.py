"""What a source brings, what an audit finds and what a changed filter leaves: slowly, row by row.

Example
    copied(model, [{"a": "6", "b": "x"}, {"a": "5", "b": "x"}])         # (("6", "x"),)
    audited(model, [{"a": "6", "b": "x"}], [("7", "x")])                # (("6", "missing"),
                                                                        #  ("7", "leaked"))
    left(model, [("7", "x"), ("5", "x")])                               # (("7", "x"),)

PostgreSQL
    tablesync.c, copy_table(): the published columns of the rows that any row filter takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from filtersql.verify.model import Image, Model, Row

__all__ = ["audited", "copied", "entered", "left"]


def copied(model: Model, source: Sequence[Image]) -> tuple[Row, ...]:
    """The rows of a new target."""
    return tuple(
        tuple([image[name] for name in model.columns]) for image in source if model.copies(image)
    )


def audited(model: Model, source: Sequence[Image], target: Sequence[Row]) -> tuple[Row, ...]:
    """The findings: the key and a word; without a key the row, a word and how many copies."""
    expected = copied(model, source)
    return _keyed(model, expected, target) if model.key else _counted(expected, target)


def left(model: Model, target: Sequence[Row]) -> tuple[Row, ...]:
    """The rows of a target that stay; it has all columns of the filters."""
    return tuple(row for row in target if model.copies(dict(zip(model.columns, row, strict=True))))


def entered(model: Model, source: Sequence[Image], target: Sequence[Row]) -> tuple[Row, ...]:
    """Those, and the rows of the source in place of what has their keys.

    Raises LookupError where a row would leave and another one come under its key.
    """
    come = {model.key_of(row): row for row in copied(model, source)}
    stay = left(model, target)
    if come.keys() & {model.key_of(row) for row in target if row not in stay}:
        raise LookupError
    return (*(row for row in stay if model.key_of(row) not in come), *come.values())


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
