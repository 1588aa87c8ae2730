"""Every type: what is copied, what is captured and what the server prints are one text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from live_projects import LiveProject
from servers import Server

pytestmark = pytest.mark.postgres
_BEFORE = """
CREATE TYPE mood AS ENUM ('ok', 'so "so"');
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TYPE pair AS (a int, b text);
"""
#: a column's type, and values that hurt
VALUES: dict[str, tuple[str, ...]] = {
    "smallint": ("'-32768'", "'32767'"),
    "int": ("'-2147483648'", "0"),
    "bigint": ("'-9223372036854775808'", "9007199254740993"),
    "numeric": ("'NaN'", "'-Infinity'", "'1.500'", "'1e40'", "'-0.00000000000000000001'"),
    "numeric(10,2)": ("1.5", "'-99999999.99'"),
    "real": ("'NaN'", "'-0'", "'1.17549435e-38'", "'3.4e38'", "0.1"),
    "double precision": ("'Infinity'", "'5e-324'", "0.1", "'1e23'"),
    "boolean": ("true", "false"),
    "text": (
        "''", "'NULL'", r"'\N'", "'null'", """E'"\\\\'""", r"E'\t\n\r\b\f\x0b\x01\x02\x7f'",
        "'é€\U0001f600'", r"E'\\n'", r"'\x'", "repeat('x', 3000)", "'  '", r"E'\\\\'",
    ),
    "varchar(5)": ("'a  '", "'é\"\\'"),
    "char(5)": ("'a'", "''"),
    "name": ("'a\"b'",),
    '"char"': ("'a'", r"'\'"),
    "bytea": (r"'\x'", r"'\x00ff5c22'"),
    "date": ("'infinity'", "'0044-03-15 BC'", "'9999-12-31'"),
    "time": ("'24:00'", "'00:00:00.000001'"),
    "time with time zone": ("'12:00+05:30'", "'24:00-15:59:59'"),
    "timestamp": ("'-infinity'", "'0001-01-01 BC'", "'2026-11-27 08:40:00.123456'"),
    "timestamp with time zone": ("'2026-11-27 08:40:00.1+05:30'", "'infinity'"),
    "interval": ("'1 year -2 mons +3 days -04:05:06.789'", "'0'"),
    "uuid": ("'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",),
    "json": ("""'{"a": "\\"\\\\", "b": [1.50]}'""", "'null'", """E'[1,\\n 2]'"""),
    "jsonb": ("""'{"b": 1, "a": "\\u00e9\\n"}'""", "'null'"),
    "inet": ("'10.0.0.1'", "'::1/64'"),
    "cidr": ("'10.0.0.0/8'",),
    "macaddr": ("'08:00:2b:01:02:03'",),
    "money": ("'-1234.56'", "'99999999.99'"),
    "bit(3)": ("B'101'",),
    "bit varying": ("B''", "B'1'"),
    "int4range": ("'[1,5)'", "'empty'", "'(,)'"),
    "tstzrange": ("""'["2026-01-01 00:00+02",)'""",),
    "nummultirange": ("'{[1.5,2),(3,)}'",),
    "int[]": ("'{}'", "'{1,NULL,-3}'", "'[0:1]={1,2}'", "'{{1,2},{3,4}}'"),
    "text[]": (r"""E'{"a,b","\\"q\\"",NULL,"NULL","\\\\n",""}'""",),
    "boolean[]": ("'{t,f,NULL}'",),
    "mood": ("""'so "so"'""", "'ok'"),
    "mood[]": ("""ARRAY['so "so"', NULL]::mood[]""",),
    "positive": ("1",),
    "pair": ("""ROW(1, '"(,)')::pair""", "ROW(NULL, NULL)::pair"),
    "point": ("'(1.5,-0)'",),
    "tsvector": ("""'''a b'':1A "c"'""",),
    "pg_lsn": ("'16/B374D848'",),
    "oid": ("4294967295",),
    "line": ("'{1,-2.5,3}'",),
    "lseg": ("'[(0,0),(1.5,-1)]'",),
    "box": ("'(1,1),(0,0)'",),
    "path": ("'((0,0),(1,1))'", "'[(0,0),(1,1)]'"),
    "polygon": ("'((0,0),(1,1),(1,0))'",),
    "circle": ("'<(0,0),1.5>'",),
    "macaddr8": ("'08:00:2b:01:02:03:04:05'",),
    "tsquery": ("""'''a b'':A & !"c" <-> d'""",),
    "xml": ("""'<a b="1">&lt;\\</a>'""",),
    "jsonpath": ("""'strict $."a"[*] ? (@ > 1.5)'""",),
    "numrange": ("'[1.50,)'",),
    "int8range": ("'[1,9223372036854775807)'",),
    "daterange": ("'[2026-01-01,infinity)'",),
    "tsrange": ("""'["2026-01-01 00:00:00.5",)'""",),
    "int4multirange": ("'{[1,3),[5,7)}'",),
    "int8multirange": ("'{}'",),
    "datemultirange": ("'{[2026-01-01,2026-01-02)}'",),
    "tsmultirange": ("""'{(,"2026-01-01 00:00:00")}'""",),
    "tstzmultirange": ("""'{["2026-01-01 00:00:00+02",)}'""",),
    "pg_snapshot": ("'10:20:10,14'",),
    "txid_snapshot": ("'10:20:10,14'",),
    "xid8": ("'18446744073709551615'",),
    "xid": ("'4294967295'",),
    "cid": ("'1'",),
    "tid": ("'(1,2)'",),
    "refcursor": ("""'a "b"'""",),
    "aclitem": ("'postgres=arw*/postgres'",),
    "regclass": ("'pg_class'", "'information_schema.tables'"),
    "regcollation": ("""'"C"'""",),
    "regconfig": ("'english'",),
    "regdictionary": ("'simple'",),
    "regnamespace": ("'pg_catalog'",),
    "regoper": ("'||/'",),
    "regoperator": ("'+(integer,integer)'",),
    "regproc": ("'now'",),
    "regprocedure": ("'abs(integer)'",),
    "regrole": ("'postgres'",),
    "regtype": ("'integer'", "'information_schema.sql_identifier'"),
}  # fmt: skip
#: what the server computes for itself: no value of these can be written
_INTERNAL = (
    "gtsvector pg_brin_bloom_summary pg_brin_minmax_multi_summary pg_dependencies pg_mcv_list"
    " pg_ndistinct pg_node_tree"
)
_TYPES = """
SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace
    AND typtype IN ('b', 'r', 'm') AND typcategory <> 'A' AND oid <> ALL (%s::regtype[])
ORDER BY typname
"""
COLUMNS = {f"c{number}": kind for number, kind in enumerate(VALUES)}
DDL = f"""{_BEFORE}
CREATE TABLE every (id int PRIMARY KEY, {", ".join(f"{n} {kind}" for n, kind in COLUMNS.items())});
"""


@pytest.fixture
def project(tmp_path: Path, postgres: Server) -> Iterator[LiveProject]:
    made = LiveProject.made(tmp_path, postgres, DDL)
    made.write("publications/p.yml", "publications: [{name: p, tables: [every]}]")
    made.write(
        "subscriptions/s.yml",
        "subscriptions: [{name: s, publications: [p], source: {postgres: erp},"
        " changes: {postgres: erp}}]",
    )
    yield made
    made.drop()


def inserted() -> list[str]:
    """A row for each value, one with all that are first, and one of nulls."""
    rows = ["INSERT INTO every VALUES (%d)"]
    first = ", ".join(values[0] for values in VALUES.values())
    rows.append(f"INSERT INTO every VALUES (%d, {first})")
    rows += [
        f"INSERT INTO every (id, {column}) VALUES (%d, {value})"
        for (column, _), values in zip(COLUMNS.items(), VALUES.values(), strict=True)
        for value in values
    ]
    return [row.replace("%d", str(number), 1) for number, row in enumerate(rows)]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_rows_and_changes_are_what_the_server_prints(project: LiveProject) -> None:
    """Whatever the settings of role and server are; integers and booleans are JSON's own."""
    project.sql(
        f"ALTER DATABASE {project.database} SET datestyle = 'SQL, DMY'",
        f"ALTER DATABASE {project.database} SET intervalstyle = 'iso_8601'",
        f"ALTER DATABASE {project.database} SET timezone = 'Asia/Kolkata'",
        f"ALTER DATABASE {project.database} SET bytea_output = 'escape'",
        f"ALTER DATABASE {project.database} SET extra_float_digits = -3",
        *inserted(),
    )
    project.capture("--create")
    project.sql("UPDATE every SET id = id + 1000")
    project.capture()
    project.sql(f"ALTER DATABASE {project.database} RESET ALL")

    (rows,) = (project.folder / "captured/erp/rows").glob("*/*/*.jsonl")
    copied = {row["id"]: row for row in read(rows)}
    changed = {
        each["after"]["id"] - 1000: {**each["after"], "id": each["after"]["id"] - 1000}
        for each in read(project.changes[-1])
        if each["op"] == "update"
    }
    printed = ", ".join(
        f"format('%s', {column}), {column} IS NOT DISTINCT FROM NULL" for column in COLUMNS
    )
    for number, *texts in project.rows(f"SELECT id - 1000, {printed} FROM every"):
        values = {
            column: None if is_null else text
            for column, text, is_null in zip(COLUMNS, texts[::2], texts[1::2], strict=True)
        }
        said = {name: value for name, value in copied[number].items() if name != "id"}
        assert {name: text_of(value) for name, value in said.items()} == values
    assert copied == changed
    assert len(copied) == len(inserted())


def text_of(value: object) -> object:
    """PostgreSQL's text of a JSON value."""
    if isinstance(value, bool):
        return "t" if value else "f"
    return str(value) if isinstance(value, int) else value


def test_no_type_is_left_out(postgres: Server) -> None:
    """PostgreSQL has no type of its own but those above, and those whose input it refuses."""
    own = [kind for kind in VALUES if kind not in ("mood", "mood[]", "positive", "pair")]
    with postgres.connect() as connection:
        others = [name for (name,) in connection.execute(_TYPES, [own])]
        assert others == _INTERNAL.split()
        for name in others:
            with pytest.raises(psycopg.errors.FeatureNotSupported):
                connection.execute(f"SELECT ''::{name}".encode())


def test_every_type_arrives(project: LiveProject) -> None:
    """The target says the same of the rows as the files."""
    project.sql(*inserted())
    project.capture("--create")
    project.goes("run")
    project.sql("UPDATE every SET id = id + 1000", *inserted())
    project.capture()
    project.goes("run")
    assert "WRONG=0" in project.goes("audit")
