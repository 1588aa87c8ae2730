"""A case on which a compiled statement goes wrong, for people and for programs.

Example
     seq |   op   | before: a | after: a | after: b
    -----+--------+-----------+----------+----------
     10  | update | 6         | 5        | 1
    and below it the target's rows before, the expected ones (-) and those found (+).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from filtersql.review.text_table import aligned
from filtersql.verify.check import Counterexample
from filtersql.verify.model import Change

__all__ = ["counterexample_record", "counterexample_text"]


def counterexample_text(found: Counterexample, columns: Sequence[str]) -> str:
    """The changes, the rows before them and both answers."""
    case = found.case
    parts = [_changes(case.changes)]
    parts.append(_rows("target before", columns, [["", *map(_text, row)] for row in case.before]))
    if case.expected is None:
        parts.append("expected: the statement stops, for a value is not known")
    if found.found is None:
        parts.append(f"found: the statement stops: {found.reason}")
    expected = Counter(tuple(map(_text, row)) for row in case.expected or ())
    held = Counter(tuple(map(_text, row)) for row in found.found or ())
    both = [["", *row] for row in (expected & held).elements()]
    both += [["-", *row] for row in (expected - held).elements()]
    both += [["+", *row] for row in (held - expected).elements()]
    parts.append(_rows("target after: - expected, + found", columns, both))
    return "\n\n".join(parts)


def counterexample_record(found: Counterexample, columns: Sequence[str]) -> dict[str, object]:
    """The same as JSON values."""
    case = found.case

    def named(rows: Sequence[Sequence[object]]) -> list[dict[str, object]]:
        return [dict(zip(columns, row, strict=True)) for row in rows]

    return {
        "changes": [
            {
                "seq": 10 * place,
                "op": change.op,
                "before": change.before,
                "after": change.after,
                "unchanged": list(change.unchanged),
            }
            for place, change in enumerate(case.changes, 1)
        ],
        "before": named(case.before),
        "expected": None if case.expected is None else named(case.expected),
        "found": None if found.found is None else named(found.found),
        "reason": found.reason,
    }


def _changes(changes: Sequence[Change]) -> str:
    old = list(dict.fromkeys(name for change in changes for name in change.before or ()))
    new = list(
        dict.fromkeys(name for each in changes for name in (*(each.after or ()), *each.unchanged))
    )
    headers = ["seq", "op", *(f"before: {name}" for name in old), *(f"after: {n}" for n in new)]
    rows = [
        [
            str(10 * place),
            change.op,
            *(_sent(change.before, name) for name in old),
            *(
                "(unchanged)" if name in change.unchanged else _sent(change.after, name)
                for name in new
            ),
        ]
        for place, change in enumerate(changes, 1)
    ]
    return aligned("changes", headers, rows)


def _rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return aligned(title, ["", *columns], rows, [] if rows else ["(no rows)"])


def _sent(image: object, name: str) -> str:
    return _text(image[name]) if isinstance(image, dict) and name in image else ""


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, bytes | bytearray):
        return f"\\x{value.hex()}"
    return "NULL" if value is None else str(value)
