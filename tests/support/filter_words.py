"""What PostgreSQL shows of a filter and says of a wrong one, and what filtersql does, at random.

    python tests/support/filter_words.py [--draws 2000] [--seed 1] [--wrong]

Nothing is run: each expression of `filter_grammar` is given to CREATE PUBLICATION, and its stored
form (pg_get_expr) or its refusal (message, detail, hint, place) is compared with filtersql's. With
`--wrong` each expression is first made wrong by `wrong`: other types, names, numbers of arguments,
syntax that no filter may hold (but subqueries, arguments by name and SQL/JSON functions: what is
wrong inside of those is not looked for). FILTERSQL_POSTGRES names the server; without it one is
started.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from typing import Any

import psycopg
from filter_corpus import COLUMNS, connected, table
from filter_grammar import Pick, Piece, expression, shown, smaller

from filtersql.errors import Mistake
from filtersql.errors.filters import FrozenTime, NotTranslated
from filtersql.filters import resolve
from filtersql.filters.facts import facts
from filtersql.source import Passage, Source

_KNOWN = table()
_BEGINNING = "CREATE PUBLICATION p FOR TABLE t WHERE ("
_STORED = "SELECT pg_get_expr(prqual, prrelid) FROM pg_publication_rel"
#: what filtersql says that it does not know
_UNREAD = "in a form that filtersql does not read"
Words = str | tuple[str, str | None, str | None, int]
#: what stands in the place of a part, whose own text is `{}`
_AROUND = [
    "({}).x", "({})[1]", "count({})", "sum({}) OVER ()",
    "row_number() OVER (ORDER BY {})", "ARRAY[{}]", "ROW({}, 1)", "({}, 2)", "NOT {}", "- {}",
    "@ {}", "{} IS TRUE", "{} COLLATE \"C\"", "{} COLLATE \"nope\"", "{} IS DOCUMENT",
    "random() + {}", "now() - {}", "lower({})", "nope({})", "pg_catalog.nope({})", "s.f({})",
    "generate_series(1, {})", "unnest({})", "coalesce({}, 1)", "coalesce({}, 'x')",
    "CASE {} WHEN 1 THEN 2 END", "CASE WHEN {} THEN 1 ELSE 'x' END", "greatest({}, i4)",
    "nullif({}, '1')", "{} AT TIME ZONE 'UTC'", "extract(year FROM {})", "{} IN (1, 'x', i4)",
    "{} = ANY ({})", "{} BETWEEN 1 AND 2", "({} , 1) = (1, 2)", "({}, 1, 2) < (1, 2)",
    "{}::text", "{}::int", "{}::varchar(3)", "{}::numeric(3,5)", "{}::date", "{}::jsonb",
    "{}::nope", "{}::int[]", "{}::bool", "{}::timestamptz(9)", "{}::interval day", "{}::\"char\"",
    "CAST({} AS bit(0))", "{}::regclass", "{}::bytea", "{}::xid", "{}::s.t",
    "overlay({} placing 'x' from 1)", "position({} in s)", "trim({})", "{} LIKE 'a' ESCAPE 'bc'",
    "{} SIMILAR TO 'a'", "{} IS NORMALIZED", "xmlelement(name a, {})", "{} IS JSON OBJECT",
    "jsonb_build_object('a', {})",
    "max({}) FILTER (WHERE a)", "string_agg({}, ',' ORDER BY s)", "{} OPERATOR(pg_catalog.=) 1",
    "{} OPERATOR(s.=) 1", "{} ~~ 1", "substring({} from 1 for 2)", "format('%s', {})",
    "concat({}, 1)", "num_nulls({}, 1)", "num_nulls(VARIADIC {})", "make_date({}, 1, 1)",
    "age({})", "to_char({}, 'x')", "json_agg({})", "{} IS OF (int4)",
    "jsonb_path_exists({}, '$')", "isfinite({})", "int4({})", "text({})", "\"numeric\"({}, 3)",
    "t.nope + {}", "x.i4 = {}", "$1 = {}", "ctid = {}", "t.xmin = {}", "tableoid = {}",
    "t IS NULL OR {}", "t.* IS NULL OR {}", "current_user = {}", "current_date - {}",
    "localtimestamp > {}", "DEFAULT", "grouping({})", "cast({} as text) = 'x'",
]  # fmt: skip
_LEAVES = [
    "NULL", "'x'", "''", "1", "1.5", "'1'", "i44", "\"I4\"", "T.i4", "public.t.i4", "s.t.i4",
    "db.public.t.i4", "nope", "ctid", "oid", "99999999999", "1e400", "0x1F", "1_000", "B'101'",
    "X'1F'", "U&'\\0041'", "E'\\n'", "$$x$$", "'{1,2}'", "'[1,2)'", "ARRAY[]", "ARRAY[1, 'x']",
    "'2024-13-01'::date", "'x'::int", "'{1'::int[]", "'{}'::json", "'{'::jsonb", "interval '1 x'",
    "date 'today'", "'70000'::int2", "timestamp '2024-01-01 25:00'", "row(1, 2)", "user",
    "true", "'maybe'::bool", "'1.2.3.4/33'::inet", "'a b'::uuid", "'abc'::char(2)",
    "'[2,1]'::int4range",
    "'$.a['::jsonpath", "point '(1,2)'", "'a'::xml", "'a & b'::tsquery", "'\\xg'::bytea",
]  # fmt: skip


def stored(connection: psycopg.Connection[Any], text: str) -> Words:
    """What the server keeps of the filter; message, detail, hint and place where it keeps none."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(f"{_BEGINNING}{text})".replace("%", "%%"), ())
            row = connection.execute(_STORED).fetchone()
            return str(row[0]) if row else ""
    except psycopg.Error as error:
        said = error.diag
        place = int(said.statement_position or 1 + len(_BEGINNING)) - len(_BEGINNING) - 1
        return said.message_primary or "", said.message_detail, said.message_hint, place


def own(text: str) -> Words | None:
    """The same of filtersql; None where it says that it does not know."""
    try:
        return resolve(Passage(text, Source("f", text)), _KNOWN).deparsed
    except (NotTranslated, FrozenTime):
        return None
    except Mistake as mistake:
        if _UNREAD in mistake.message:
            return None
        place = mistake.span.start if mistake.span is not None else 0
        return mistake.message, mistake.detail or None, mistake.hint or None, place
    except Exception as error:
        return f"CRASH {type(error).__name__}: {error}"


def wrong(pick: Pick, piece: Piece) -> Piece:
    """The expression with one part, or two, made what need not fit."""
    for _ in range(pick([1, 1, 2])):
        piece = _changed(pick, piece)
    return piece


def _changed(pick: Pick, piece: Piece) -> Piece:
    if piece.parts and pick(range(4)):
        place = pick(range(len(piece.parts)))
        changed = _changed(pick, piece.parts[place])
        return Piece(
            piece.type, piece.text, (*piece.parts[:place], changed, *piece.parts[place + 1 :])
        )
    match pick(["around", "leaf", "column", "name", "count", "operator"]):
        case "around":
            text = pick(_AROUND)
            return Piece(piece.type, text, (piece,) * text.count("{}"))
        case "leaf":
            return Piece(piece.type, pick(_LEAVES))
        case "column":
            return Piece(piece.type, pick(list(COLUMNS)))
        case "name":
            name = pick(_names())
            return Piece(
                piece.type, f'"{name}"({", ".join("{}" for _ in piece.parts)})', piece.parts
            )
        case "count":
            parts = (*piece.parts, piece)[pick([0, 1]) :]
            name = pick(_names())
            return Piece(piece.type, f'"{name}"({", ".join("{}" for _ in parts)})', parts)
        case _:
            return Piece(
                piece.type, f"({{}} {pick(_signs())} {{}})", (piece, *piece.parts, piece)[:2]
            )


def _names() -> list[str]:
    return list(facts().function_names())


def _signs() -> list[str]:
    return list(facts()._raw["operators"])


def shortened(connection: psycopg.Connection[Any], piece: Piece) -> Piece:
    """The smallest expression that this one leads to on which the two do not agree."""
    for other in smaller(piece):
        text = shown(other)
        if len(text) < len(shown(piece)) and differs(connection, text):
            return shortened(connection, other)
    return piece


def differs(connection: psycopg.Connection[Any], text: str) -> str:
    """How the two do not agree; empty where they do."""
    found = own(text)
    if found is None:
        return ""
    expected = stored(connection, text)
    said = "invalid input syntax for type json"
    if found[0] == said and found[::3] == expected[::3]:
        return ""  # PostgreSQL's detail says where its reader stopped
    return "" if found == expected else f"    PostgreSQL {expected}\n    filtersql  {found}"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wrong", action="store_true")
    arguments = parser.parse_args()
    random_ = random.Random(arguments.seed)
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    start = time.monotonic()
    with connected() as connection:
        for _ in range(arguments.draws):
            piece = expression(random_.choice, random_.choice([1, 1, 2, 2, 3, 4]))
            if arguments.wrong:
                piece = wrong(random_.choice, piece)
            _take(connection, piece, counts, kinds)
    said = ", ".join(f"{name} {count}" for name, count in counts.most_common())
    print(f"seed {arguments.seed}, {time.monotonic() - start:.0f} s: {said}")
    print(f"{len(kinds)} kinds of messages")


def _take(
    connection: psycopg.Connection[Any], piece: Piece, counts: Counter[str], kinds: Counter[str]
) -> None:
    text = shown(piece)
    found = own(text)
    if found is None:
        counts["not read"] += 1
        return
    expected = stored(connection, text)
    if found == expected:
        counts["same text" if isinstance(found, str) else "same refusal"] += 1
        if not isinstance(found, str):
            kinds[found[0][:20]] += 1
        return
    counts["DIFFERENT"] += 1
    short = shown(shortened(connection, piece))
    print(f"{short}\n{differs(connection, short)}", flush=True)


if __name__ == "__main__":
    main()
