"""Reads what a PostgreSQL server knows of its types, casts, operators and functions.

    python tests/recorders/catalog_facts.py "host=127.0.0.1 user=postgres dbname=postgres"

writes `filtersql/filters/catalog_facts/postgresql-<major>.json`: one line for each name, so that a
difference between two versions can be read. Composite and user-defined objects stay out: only what
initdb makes is asked for.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import psycopg

import filtersql

FOLDER = Path(filtersql.__file__).parent / "filters" / "catalog_facts"

# Types: oid, typtype, category, preferred, element, array, collation, has typmods, range's subtype
TYPES = """
SELECT t.typname, t.oid::int, t.typtype::text, t.typcategory::text, t.typispreferred,
       CASE WHEN t.typsubscript = 'array_subscript_handler'::regproc THEN e.typname ELSE '' END,
       coalesce(a.typname, ''), coalesce(c.collname, ''), t.typmodin <> 0,
       coalesce(s.typname, m.typname, '')
FROM pg_type t
LEFT JOIN pg_type e ON e.oid = t.typelem
LEFT JOIN pg_type a ON a.oid = t.typarray
LEFT JOIN pg_collation c ON c.oid = t.typcollation
LEFT JOIN pg_range r ON r.rngtypid = t.oid LEFT JOIN pg_type s ON s.oid = r.rngsubtype
LEFT JOIN pg_range n ON n.rngmultitypid = t.oid LEFT JOIN pg_type m ON m.oid = n.rngtypid
WHERE t.oid < 16384 AND t.typtype <> 'c' AND t.typnamespace = 'pg_catalog'::regnamespace
  AND NOT (t.typelem <> 0 AND e.typtype = 'c')
ORDER BY 1
"""

# Casts: function's oid (0: none), context (i, a, e), method (f, b, i)
CASTS = """
SELECT s.typname, t.typname, c.castfunc::int, c.castcontext::text, c.castmethod::text
FROM pg_cast c JOIN pg_type s ON s.oid = c.castsource JOIN pg_type t ON t.oid = c.casttarget
WHERE c.oid < 16384 ORDER BY 1, 2
"""

# Operators: oid, left ('' for a prefix one), right, result, function's oid, negator, commutator
OPERATORS = """
SELECT o.oprname, o.oid::int, coalesce(l.typname, ''), r.typname, coalesce(x.typname, ''),
       o.oprcode::oid::int, o.oprnegate::int, o.oprcom::int
FROM pg_operator o
LEFT JOIN pg_type l ON l.oid = o.oprleft
JOIN pg_type r ON r.oid = o.oprright
LEFT JOIN pg_type x ON x.oid = o.oprresult
WHERE o.oid < 16384 AND o.oprcode <> 0 ORDER BY 1, 2
"""

# Functions: oid, arguments, result, kind + volatility + strictness + set-returning, the variadic
# element ('' for none), number of defaults, names of the input arguments
FUNCTIONS = """
SELECT p.proname, p.oid::int,
       (SELECT coalesce(string_agg(t.typname, ' ' ORDER BY a.n), '')
        FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a(oid, n)
        JOIN pg_type t ON t.oid = a.oid),
       r.typname,
       p.prokind::text || p.provolatile::text || CASE WHEN p.proisstrict THEN 's' ELSE '-' END
       || CASE WHEN p.proretset THEN 'r' ELSE '-' END,
       coalesce(v.typname, ''), p.pronargdefaults::int
FROM pg_proc p
JOIN pg_type r ON r.oid = p.prorettype
LEFT JOIN pg_type v ON v.oid = p.provariadic
WHERE p.oid < 16384 AND p.pronamespace = 'pg_catalog'::regnamespace
ORDER BY 1, 2
"""

# B-tree: which operator is which strategy of which family; the default family of a type
STRATEGIES = """
SELECT o.amopopr::int, o.amopfamily::int, o.amopstrategy::int
FROM pg_amop o JOIN pg_am m ON m.oid = o.amopmethod
WHERE m.amname = 'btree' AND o.amopopr < 16384 AND o.amoppurpose = 's' ORDER BY 1, 2, 3
"""
FAMILIES = """
SELECT t.typname, c.opcfamily::int
FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod JOIN pg_type t ON t.oid = c.opcintype
WHERE m.amname = 'btree' AND c.opcdefault AND c.oid < 16384 ORDER BY 1
"""

# Collations: oid, provider, deterministic, locale
COLLATIONS = """
SELECT collname, oid::int, collprovider::text, collisdeterministic,
       coalesce(colllocale, collcollate, '')
FROM pg_collation
WHERE oid < 16384 AND collencoding IN (-1, 6) ORDER BY 1, collencoding
"""

# Abbreviations of time zones: seconds east of UTC, or null where that has changed over the years
ABBREVIATIONS = """
SELECT lower(abbrev),
       CASE WHEN (SELECT count(DISTINCT (day || ' 12:00 ' || abbrev)::timestamptz
                                        - (day || ' 12:00 UTC')::timestamptz)
                  FROM unnest('{1900-01-15,1945-06-01,1970-01-01,1985-07-01,1992-02-01,2005-01-01,
                                2012-07-01,2024-01-01}'::text[]) day) = 1
       THEN extract(epoch FROM utc_offset)::int END
FROM pg_timezone_abbrevs
ORDER BY 1
"""


def record(conninfo: str) -> None:
    """Asks the server and writes the file of its major version."""
    with psycopg.connect(conninfo) as connection:
        version = connection.execute("SHOW server_version").fetchone()[0]  # type: ignore[index]

        def rows(query: str) -> list[tuple[Any, ...]]:
            return connection.execute(query).fetchall()  # type: ignore[arg-type]

        facts: dict[str, Any] = {
            "version": version,
            "types": {name: list(rest) for name, *rest in rows(TYPES)},
            "casts": _grouped(rows(CASTS)),
            "operators": _grouped(rows(OPERATORS)),
            "functions": _grouped(rows(FUNCTIONS)),
            "strategies": _grouped([(str(row[0]), *row[1:]) for row in rows(STRATEGIES)]),
            "families": dict(rows(FAMILIES)),
            "abbreviations": dict(rows(ABBREVIATIONS)),
            "collations": {name: list(rest) for name, *rest in rows(COLLATIONS)},
        }
    path = FOLDER / f"postgresql-{version.split('.')[0]}.json"
    path.write_text(_lines(facts), encoding="utf-8")
    sizes = ", ".join(
        f"{len(part)} {name}" for name, part in facts.items() if isinstance(part, dict)
    )
    print(f"{path.name}: PostgreSQL {version}: {sizes}; {path.stat().st_size // 1024} kB")


def _grouped(rows: list[tuple[Any, ...]]) -> dict[str, list[list[Any]]]:
    groups: dict[str, list[list[Any]]] = {}
    for name, *rest in rows:
        groups.setdefault(name, []).append(rest)
    return groups


def _lines(facts: dict[str, Any]) -> str:
    """JSON with one line for each name."""
    parts = []
    for part, entries in facts.items():
        if isinstance(entries, dict):
            body = ",\n".join(f"{_text(name)}: {_text(entry)}" for name, entry in entries.items())
            parts.append(f"{_text(part)}: {{\n{body}\n}}")
        else:
            parts.append(f"{_text(part)}: {_text(entries)}")
    return "{" + ",\n".join(parts) + "}\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    record(sys.argv[1])
