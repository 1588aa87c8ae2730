"""SQL is built as trees or printed by macros: no f-string holds words of SQL."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import filtersql

PACKAGE = Path(filtersql.__file__).parent
#: filters/ prints PostgreSQL's own SQL, and templates; the others quote its words in messages
ELSEWHERE = ("filters", "definitions", "errors", "publications", "review", "_macros")
_WORDS = re.compile(
    r"\b(SELECT|FROM|WHERE|MERGE INTO|INSERT INTO|DELETE|UPDATE|CREATE|DROP|ALTER|CASE WHEN|CAST\(|"
    r"SET|DESCRIBE|SHOW|UNION ALL|LOAD|USE)\b"
)


def sql_in(text: str) -> list[int]:
    """The lines of f-strings that hold words of SQL."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.JoinedStr)
        and any(
            isinstance(part, ast.Constant) and _WORDS.search(str(part.value))
            for part in node.values
        )
    ]


def test_no_f_string_holds_sql() -> None:
    """A statement is a tree, also where sqlglot has none but its Command."""
    found = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in ELSEWHERE
        for line in sql_in(path.read_text())
    ]

    assert found == []


def test_sql_in_an_f_string_is_found() -> None:
    """The test above sees what it is there for, and no other text."""
    assert sql_in('a = f"SELECT {b}"\nc = f"see {d}"\ne = "SELECT 1"') == [1]
