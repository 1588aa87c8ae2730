"""Functions that the grammar has a syntax for, such as EXTRACT, AT TIME ZONE and TRIM.

Example
    `extract(year FROM d)`, `t AT TIME ZONE 'UTC'` and `trim(a)` are calls of extract(), timezone()
    and btrim(), shown as `EXTRACT(year FROM d)`, `(t AT TIME ZONE 'UTC'::text)` and
    `TRIM(BOTH FROM a)`.

PostgreSQL
    ruleutils.c: get_func_sql_syntax().
"""

from __future__ import annotations

from collections.abc import Callable

from filtersql.filters.tree.nodes import Const, Func, Node

__all__ = ["joined", "sql_syntax"]


def sql_syntax(node: Func, shown: Callable[[Node], str]) -> str:
    """What is shown of a call in place of name(arguments); nothing: that is what is shown."""
    args = node.args

    def of(place: int) -> str:
        return shown(args[place])

    match node.function.name, len(args):
        case "timezone", 2:
            return joined("(", of(1), " AT TIME ZONE ", of(0), ")")
        case "extract", 2:
            field = args[0]
            assert isinstance(field, Const)
            return joined(f"EXTRACT({field.value} FROM ", of(1), ")")
        case "is_normalized", count:
            form = f" {args[1].value}" if count == 2 else ""  # type: ignore[attr-defined]
            return f"({of(0)} IS{form} NORMALIZED)"
        case "normalize", count:
            form = f", {args[1].value}" if count == 2 else ""  # type: ignore[attr-defined]
            return f"NORMALIZE({of(0)}{form})"
        case "overlaps", 4:
            return joined("((", of(0), ", ", of(1), ") OVERLAPS (", of(2), ", ", of(3), "))")
        case "overlay", count:
            rest = (" FOR ", of(3)) if count == 4 else ()
            first = of(0), " PLACING ", of(1), " FROM ", of(2)
            return joined("OVERLAY(", *first, *rest, ")")
        case "position", 2:
            return f"POSITION(({of(1)}) IN ({of(0)}))"
        case "substring", count:
            if node.function.args[1:2] == ("text",):
                if count == 2:
                    return ""
                return joined("SUBSTRING(", of(0), " SIMILAR ", of(1), " ESCAPE ", of(2), ")")
            rest = (" FOR ", of(2)) if count == 3 else ()
            return joined("SUBSTRING(", of(0), " FROM ", of(1), *rest, ")")
        case ("btrim" | "ltrim" | "rtrim") as name, count:
            side = {"btrim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}[name]
            what = (" ", of(1)) if count == 2 else ()
            return joined(f"TRIM({side}", *what, " FROM ", of(0), ")")
    return ""


def joined(*parts: str) -> str:
    """The parts; a CASE begins with a new line, which swallows the blanks before it."""
    text = ""
    for part in parts:
        text = (text.rstrip(" ") if part.startswith("\n") else text) + part
    return text
