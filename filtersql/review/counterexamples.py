"""A case on which a compiled statement goes wrong, for people and for programs.

Example
     seq |   op   | before: a | after: a | after: b
    -----+--------+-----------+----------+----------
     1   | update | 6         | 5        | 1
    and below it the target's rows before, the expected ones (-) and those found (+). Of the initial
    copy and the audit the source's rows stand in place of the changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from filtersql.errors.wording import value_text
from filtersql.rendering.compiled import CompiledTable
from filtersql.review.text_table import aligned
from filtersql.verify.attempts import Counterexample
from filtersql.verify.kinds import Kind
from filtersql.verify.layout import seq_of
from filtersql.verify.model import Change

__all__ = ["counterexample_record", "counterexample_text"]


def counterexample_text(found: Counterexample, compiled: CompiledTable) -> str:
    """The statement, the changes or the rows of the source, the target's rows, both answers."""
    columns = [column.name for column in compiled.columns]
    parts = [f"{found.kind.file}.sql goes wrong."]
    parts.append(_changes(found.changes) if found.kind.merges else _source(found.changes))
    before = [["", *map(value_text, row)] for row in found.before]
    if found.kind is not Kind.COPY:
        parts.append(
            _rows("target" if found.kind is Kind.AUDIT else "target before", columns, before)
        )
    if found.expected is None:
        parts.append("expected: the statement stops, for a value is not known")
    if found.found is None:
        parts.append(f"found: the statement stops: {found.reason}")
    expected = Counter(tuple(map(value_text, row)) for row in found.expected or ())
    held = Counter(tuple(map(value_text, row)) for row in found.found or ())
    both = [["", *row] for row in (expected & held).elements()]
    both += [["-", *row] for row in (expected - held).elements()]
    both += [["+", *row] for row in (held - expected).elements()]
    title = "findings" if found.kind is Kind.AUDIT else "target after"
    parts.append(_rows(f"{title}: - expected, + found", _ending(found, compiled), both))
    return "\n\n".join(parts)


def counterexample_record(found: Counterexample, compiled: CompiledTable) -> dict[str, object]:
    """The same as JSON values."""
    columns = [column.name for column in compiled.columns]
    ending = _ending(found, compiled)

    def named(rows: Sequence[Sequence[object]], columns: Sequence[str]) -> list[dict[str, object]]:
        return [dict(zip(columns, row, strict=True)) for row in rows]

    return {
        "statement": found.kind.file,
        "changes": [
            {
                "seq": seq_of(place),
                "op": change.op,
                "before": change.before,
                "after": change.after,
                "unchanged": list(change.unchanged),
            }
            for place, change in enumerate(found.changes, 1)
        ],
        "before": named(found.before, columns),
        "expected": None if found.expected is None else named(found.expected, ending),
        "found": None if found.found is None else named(found.found, ending),
        "reason": found.reason,
    }


def _ending(found: Counterexample, compiled: CompiledTable) -> list[str]:
    """The columns of the rows that a case ends with."""
    columns = [column.name for column in compiled.columns]
    if found.kind is not Kind.AUDIT:
        return columns
    if compiled.key:
        return [*compiled.key, compiled.finding_column]
    return [*columns, compiled.finding_column, compiled.copies_column]


def _source(rows: Sequence[Change]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row.after or ()))
    values = [["", *(_sent(row.after, name) for name in names)] for row in rows]
    return _rows("source", names, values)


def _changes(changes: Sequence[Change]) -> str:
    old = list(dict.fromkeys(name for change in changes for name in change.before or ()))
    new = list(
        dict.fromkeys(name for each in changes for name in (*(each.after or ()), *each.unchanged))
    )
    headers = ["seq", "op", *(f"before: {name}" for name in old), *(f"after: {n}" for n in new)]
    rows = [
        [
            str(seq_of(place)),
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
    return value_text(image[name]) if isinstance(image, dict) and name in image else ""
