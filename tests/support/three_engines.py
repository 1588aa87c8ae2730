"""One expression, three engines: the values that PostgreSQL, DuckDB and Spark give on nasty rows.

A `Rows` is a table of every combination of nasty values for some argument types. An expression over
its columns c1, c2, … is asked of PostgreSQL, as text with an error caught for each row, and of an
engine as filtersql writes it. What is compared is the value in PostgreSQL's text form, and that a
row which raises in PostgreSQL raises in the engine too.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

import duckdb
import psycopg
import pyarrow
from frames import frame_of
from interpreting import interpreted
from sqlglot import exp

from filtersql.catalog import Column, PgType, Table
from filtersql.filters.model import Filter
from filtersql.filters.resolving import resolve
from filtersql.filters.tree.nodes import NullTest
from filtersql.filters.values import show
from filtersql.filters.write.dispatch import expression as written
from filtersql.filters.write.dispatch import writer_of
from filtersql.names import RelationName
from filtersql.pgtypes import typmod
from filtersql.source import Passage, Source
from filtersql.storage import Engine, stored_as

ERROR = "ERROR"
#: values as PostgreSQL reads them; None is NULL
NASTY: dict[str, list[str | None]] = {
    "bool": ["t", "f", None],
    "int2": ["0", "1", "-1", "2", "3", "-7", "7", "15", "32767", "-32768", None],
    "int4": ["0", "1", "-1", "2", "3", "-7", "7", "31", "32", "2147483647", "-2147483648", None],
    "int8": ["0", "1", "-1", "2", "3", "-7", "7", "9007199254740993", "9223372036854775807",
             "-9223372036854775808", "2147483648", None],
    "float4": ["0", "-0", "1", "1.5", "2.5", "-2.5", "0.1", "3.4e38", "-3.4e38", "1e-45", "NaN",
               "Infinity", "-Infinity", "16777217", "2147483648", None],
    "float8": ["0", "-0", "1", "0.5", "1.5", "2.5", "-2.5", "0.1", "100", "1e308", "-1e308",
               "5e-324", "1e-200", "NaN", "Infinity", "-Infinity", "2147483647.5",
               "9223372036854775807", "4503599627370497.5", None],
    "numeric(12,3)": ["0", "1", "-1", "0.001", "2.5", "-2.5", "3.5", "1.005", "100.125",
                      "999999999.999", "-999999999.999", "7.000", None],
    "numeric": ["0", "0.00", "1", "1.00", "-1", "0.5", "-0.25", "2.5", "-2.5", "10", "9.9999999999",
                "123456789012345678901234567890.123456789", "-123456789012345678901234567890",
                "0.000000000000000000000000000000000000000001", "NaN", "Infinity", "-Infinity",
                "100000000000000000000", "-99.5", "-100", None],
    "numeric(38,0):long": ["12345678901234567890123456789012345678", "1", "-1",
                      "-12345678901234567890123456789012345678",
                      "6172839450617283945061728394506172839",
                      "99999999999999999999999999999999999999", None],
    "numeric:long": ["12345678901234567890123456789012345678", "0", "9" * 40, "9" * 39 + "8",
                      "-1234567890123456789.0123456789012345678", "NaN", None],
    "numeric(38,10)": ["0", "-1.5", "0.0000000001", "-0.0000000001",
                       "1234567890123456789012345678.1234567891", "9e27",
                       "-98765432109876543210987654.3210987651",
                       "-9999999999999999999999999999.9999999999", None],
    # values that fit where a numeric without declared digits is computed with
    "numeric:fits": ["0", "0.00", "1", "1.00", "-1", "0.5", "-0.25", "2.5", "-2.5", "10", "7.125",
                     "999999999999999999", "-0.0000000001", "9.9999999999", "-100", None],
    "numeric:factors": ["0", "0.00", "1", "-1.00", "0.5", "-0.25", "2.5", "2.236068",
                        "999999999999", "-999999999999.999999", "0.000001", None],
    "text:escape": ["\\", "a", "%o", None],
    # patterns that end with the escape
    "text:unended": ["a\\", "%\\", "a%_\\", "_\\", "%b\\", "\\%\\", "x%%_%\\", "%b", "b", None],
    "text": ["", " ", "a", "A", "b", "abc", "abc  ", "  abc", "xabcx", "a%c", "a_c", "a\\c", "a\nb",
             "abc\n", "é", "É", "ab é", "日本語", "ae\u0301",
             "Kelvin \u212a", "ABC", "😀x", "${env:HOME}", "it's", "\t", "%", "aaa",
             "\u00a0x\u00a0", "NaN", "null", None],
    # no letters of which the locale providers may think differently
    "text:ascii": ["", " ", "a", "A", "abc", "abc  ", "a_c", "a\\c", "a\nb", "abc\n", "12", "0x1F",
                   "a1", "555-1234", "\t", "x.y@z.org", "!?", "ABC", "\x7f", "\x01", None],
    "varchar(5)": ["", "a", "abc", "abc  ", "a  ", "é日x", "abcde", None],
    "bpchar(5)": ["", "a", "abc", "abcde", "  a", "é", "a%c", None],
    "bytea": ["", "\\x00", "\\x61", "\\x6162", "\\xff", "\\x7f", "\\x5c78", None],
    "date": ["2000-01-01", "2024-02-29", "1999-12-31", "0001-01-01", "9999-12-31", "1582-10-10",
             "1969-12-31", "infinity", "-infinity", "0044-03-15 BC", None],
    "timestamp": ["2000-01-01 00:00:00", "2024-02-29 23:59:59.999999", "1969-12-31 23:59:59.5",
                  "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "1582-10-10 12:00:00",
                  "2024-03-31 02:30:00", "infinity", "-infinity", None],
    # values whose fields and differences are finite
    "date:finite": ["2000-01-01", "2024-02-29", "1999-12-31", "0001-01-01", "9999-12-31",
                    "1582-10-10", "1969-12-31", "2023-12-31", "2000-12-31", "1900-01-01", None],
    "timestamp:finite": ["2000-01-01 00:00:00", "2024-02-29 23:59:59.999999",
                         "1969-12-31 23:59:59.5", "0001-01-01 00:00:00",
                         "9999-12-31 23:59:59.999999", "1582-10-10 12:00:00",
                         "2024-03-31 02:30:00", "2023-12-31 12:34:56.789", None],
    # where the types of PostgreSQL end
    "date:farthest": ["5874897-12-31", "4713-01-01 BC", "4714-11-24 BC", "2000-01-01", None],
    "timestamp:farthest": ["294246-12-31 23:59:59", "4713-01-01 00:00:00 BC",
                           "0044-03-15 00:00:00 BC", "2000-01-01 00:00:00", None],
    "interval": ["00:00:00", "1 day", "-1 days", "1 mon", "30 days",
                 "1 year 2 mons -3 days +04:05:06.7", "-00:00:00.000001", "178000000 years",
                 "36:00:00", "infinity", "-infinity", "-1 years -2 mons +3 days -04:05:06.7",
                 "23:59:59.999999", None],
    # where its numbers of 32 and 64 bits end
    "interval:farthest": ["-178956970 years -8 mons", "178956970 years 7 mons", "-1 mons",
                          "2562047788:00:54.775807", "-2562047788:00:54.775807", None],
    "timestamptz": ["2000-01-01 00:00:00+00", "2024-02-29 23:59:59.999999+00",
                    "1969-12-31 23:59:59.5+00", "0001-01-01 00:00:00+00", "infinity", "-infinity",
                    "2024-07-01 12:00:00+02", None],
    # moments on both sides of the changes of clocks, in zones and years that all databases know
    "timestamp:zoned": ["1970-01-02 00:00:00", "2024-03-10 01:59:59.999999", "2024-03-10 02:00:00",
                        "2024-03-10 02:30:00", "2024-03-10 03:00:00", "2024-11-03 00:59:59",
                        "2024-11-03 01:00:00", "2024-11-03 01:30:00", "2024-11-03 02:00:00",
                        "2024-04-07 01:29:59", "2024-04-07 01:45:00", "2024-10-06 02:15:00",
                        "2024-10-27 02:30:00", "2024-03-31 02:30:00", "2100-07-01 12:00:00",
                        "9998-12-31 23:59:59.999999", None],
    "timestamptz:zoned": ["1970-01-02 00:00:00+00", "2024-03-10 06:59:59.999999+00",
                          "2024-03-10 07:00:00+00", "2024-11-03 05:30:00+00",
                          "2024-11-03 06:30:00+00", "2024-04-06 14:30:00+00",
                          "2024-10-27 00:59:59+00", "2024-10-27 01:00:00+00",
                          "2100-07-01 12:00:00+00", "9998-12-31 23:59:59.999999+00", None],
    "_int4": ["{}", "{1}", "{1,2,NULL}", "{NULL}", "{{1,2},{3,-4}}", "[2:3]={7,1}",
              "{2147483647,-2147483648}", "{2,1}", None],
    "_int4:flat": ["{}", "{1}", "{1,2,NULL}", "{NULL}", "{2,1}", None],
    "_text": ["{}", "{a}", "{a,b,NULL}", '{"NULL"}', '{"a b","","a\\\\c"}', '{"a\\"b","x,a,y"}',
              '{{a,"{b}"},{"é\n","\\\\\\""}}', "[0:1]={b,a}", "{NULL}", None],
    "_uuid": ["{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,NULL}", "{}", None],
    "_bool": ["{t}", "{f,NULL}", "{}", None],
    "jsonb": ["{}", "[]", '{"a": "x", "b": 1}', '{"a": null}', '{"a": 1.50}', '{"a": 1.5}',
              '{"a": true, "c d": {"e": "q\\"1\\\\"}}', '{"a": 100000000000000000000000000001.10}',
              '{"b": 1.0, "a1": 2, "c d": {"e": -0.000001}}', '"a"', "5", "null", '["a", "1", 1]',
              '{"a": "1.50"}', '{"a": "true"}', '{"a": "é\\n\\u0001日", "c d": "{\\"e\\": 1}"}',
              '{"c d": {"e": null, "f": "2020-01-01"}}', '{"": 1, "A": "x"}',
             '{"a": [1, 2], "tags": ["a", "b"]}', '{"a": [{"b": 1.0, "c": null}, "x", []]}',
             '[[1], {"a": 1}, 2]', '[1, 2]', '[{"a": "x"}, {"b": [2, "n1"]}]', '{"c d": {"e": 1}}',
             '{"a": {"y": [1.20, "\\u001f\\\\u001F,:"], "zz": 1.0}, "bb": 1}', "true", '"1"',
             "-0.50",
             '{"0": "k", "a": {"b": {"c": "x"}}}', '{"a": "\\u001f\\\\u001F", "b": "n5"}',
             '{"a": 0.00, "b": -12}', '{"a": 5, "b": 2147483648}', '[null, true, 2.50]',
             '{"a": {"x": "😀\\n"}, "b": "😀"}', None],
    "json": ["{}", "[]", ' { "a" : "x" , "b":1 } ', '{"a": null}', '{"a": 1.50}', '{"a": 1e2}',
             '{"a": 1, "b": 2, "a": "x"}', '{"a": true, "c d": {"e": "q\\"1\\\\"}}', '"a"', " 5 ",
             "null", '["a", "1", 1]', '{"c d": {"e": "x", "e": "y"}}', '{"a": ["x", null]}',
             '{"a": "\\ud83d\\ude00\\uD83D\\uDE00x", "b": "\\\\ud83d"}',
             '{"a": "\\u00e9\\/\\n"}', '[{"a": "x"}, 2]', '{"a": -0}', '[[1], 2]', '{"": 1}',
             '{"a":{"b":"x"},"a":["y"]}', '{"a": {"b": [1, 2], "c": {"d": -0.10}}}',
             '{"a":{"b":[1,2],"c":"x, y: z"}}', None],
    "timetz": ["00:00:00+00", "12:30:00.5+02", "12:30:00-05:30", "23:59:59.999999+14",
               "24:00:00-15:59", "14:30:00+02", "12:30:00+00", "10:30:00-02", None],
    "varchar(20)": ["", "a", "abc", "abc  ", "é日x", "A", "a,b", "b", None],
    "_int2": ["{}", "{1}", "{1,2,NULL}", "{2,1}", None],
    "_int8": ["{}", "{1}", "{1,2,NULL}", "{9223372036854775807}", "{{1,2},{3,4}}", None],
    "_varchar": ["{}", "{a}", "{a,b,NULL}", '{"a ",""}', None],
    "_bpchar": ["{}", "{a}", '{"a ",b,NULL}', None],
    "_numeric": ["{}", "{1.5}", "{1.50,2}", "{NaN,NULL}", "{1.5,2.00}", "{Infinity,0.00,-0.5}",
                 "{{1,2},{3,1.5}}", "{123456789012345678901234567890.5}", None],
    "_float8": ["{}", "{1.5}", "{1.5,2}", "{NaN,NULL}", "{-0,0}", "{Infinity,-Infinity}",
                "{1e-05,1e+300}", "{{1,1.5}}", None],
    "_date": ["{}", "{2024-01-01}", "{2024-02-29,NULL}", "{2024-01-01,2000-01-01}",
              "{infinity,-infinity}", '{"0044-03-15 BC"}', None],
    "_timestamp": ["{}", '{"2024-01-01 00:00:00"}', '{"2024-02-29 23:59:59.999999",NULL}',
                   "{infinity}", None],
    "_timestamptz": ["{}", '{"2024-01-01 00:00:00+00"}', None],
    "_jsonb": ["{}", '{"{\\"a\\": 1}"}', None],
    "int4range": ["empty", "[1,5)", "[1,2)", "[5,10)", "(,5)", "[5,)", "(,)", "[-7,100)", "[2,3)",
                  "[10,20)", "[2147483646,2147483647)", None],
    "int8range": ["empty", "[1,5)", "[5,10)", "(,)", "[9223372036854775806,)", None],
    "numrange": ["empty", "[1.5,2.5)", "[1.50,2.5)", "(1.5,2.5]", "[2.5,5]", "(,2.5]", "[0.00,)",
                 "(,)", "[-1,123456789012345678901234567890.5)", "[2,2]", "[NaN,NaN]",
                 "[1,Infinity)", "[100,200]", "(0,100)", None],
    "daterange": ["empty", "[2024-01-01,2024-02-01)", "[2024-02-01,2024-03-01)", "(,2024-01-01)",
                  "[2024-01-01,)", "(,)", "[2000-01-01,infinity)", "[2024-02-29,2024-03-01)", None],
    "tsrange": ["empty", '["2024-01-01 00:00:00","2024-02-01 00:00:00")',
                '("2024-01-01 00:00:00","2024-02-01 00:00:00"]', '(,"2024-01-01 00:00:00"]',
                '["2024-01-31 12:00:00.5",)', "(,)", '["2000-01-01 00:00:00",infinity]', None],
    "tstzrange": ["empty", '["2024-01-01 00:00:00+00","2024-02-01 00:00:00+00")',
                  '(,"2024-01-01 12:00:00+00"]', '["2024-01-31 12:00:00.5+00",)', "(,)", None],
    "int4multirange": ["{}", "{[1,5)}", "{[1,3),[7,10)}", "{(,1),[100,)}", "{(,)}", None],
    "inet": ["192.168.1.1", "192.168.1.0/24", "10.0.0.1", "10.0.0.0/8", "0.0.0.0/0", "10.0.0.2",
             "255.255.255.255", "::1", "::", "2001:db8::1", "2001:db8::/32", "::ffff:10.0.0.1",
             "fe80::1:0:0:1/64", "192.168.1.1/24", "::/0", "2001:db8:1:2:3:4:5:6", None],
    "cidr": ["10.0.0.0/8", "192.168.1.0/24", "10.0.0.1/32", "0.0.0.0/0", "2001:db8::/32", "::/0",
             "::1/128", None],
    "macaddr": ["08:00:2b:01:02:03", "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "08:00:2b:00:00:00",
                None],
    "money": ["$5.00", "$0.00", "-$5.00", "$1,234.56", "$100.00", "-$1,000,000.01", "$2.50",
              "$92,233,720,368,547,758.07", "-$92,233,720,368,547,758.08", "$0.01", None],
    "bit(8)": ["10101010", "00000000", "11111111", "00000001", "10000000", "00000101", None],
    "varbit": ["", "1", "0", "101", "1011", "10101010101010101", "00000000", None],
    "time": ["00:00:00", "12:30:00.5", "23:59:59.999999", "24:00:00", "12:30:00", None],
    "uuid": ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000000",
             "ffffffff-ffff-ffff-ffff-ffffffffffff", None],
    # of versions that hold a moment, and nearly so
    "uuid:timed": ["c232ab00-9414-11ec-b3c8-9f6bdeced846", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
                   "ffffffff-ffff-7fff-bfff-ffffffffffff", "00000000-0000-1000-8000-000000000000",
                   "017f22e2-79b0-7cc3-18c4-dc0c0c07398f", "017f22e2-79b0-6cc3-98c4-dc0c0c07398f",
                   None],
}  # fmt: skip
#: values that a type of the engine cannot hold: a run stops on them, no filter sees them
NOT_IN_SPARK = {"infinity", "-infinity", "0044-03-15 BC", "5874897-12-31", "4713-01-01 BC",
                "4714-11-24 BC", "294246-12-31 23:59:59", "4713-01-01 00:00:00 BC",
                "0044-03-15 00:00:00 BC"}  # fmt: skip
_MOST_ROWS = 700
_NUMBERS = itertools.count()
_YEAR = re.compile(r"([+-]?\d+)(?=-\d\d-)")


def pg_type(name: str) -> PgType:
    """`numeric(12,3)` as the catalogs hold it."""
    bare, _, rest = name.partition(":")[0].partition("(")
    values = [int(part) for part in rest.rstrip(")").split(",")] if rest else []
    return PgType(bare, typmod(bare, values, None) if values else -1)


@dataclass(frozen=True)
class Rows:
    """All combinations of nasty values for some types, as a table r(id, c1, c2, …)."""

    types: tuple[str, ...]
    #: of the columns; c1, c2, … where none are given
    given: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.given or tuple(f"c{place}" for place in range(1, len(self.types) + 1))

    @cached_property
    def table(self) -> Table:
        """The table as filtersql knows it."""
        span = Source("test", "r").span(0, 1)
        columns = tuple(
            Column(name, pg_type(kind), span)
            for name, kind in zip(self.names, self.types, strict=True)
        )
        return Table(RelationName("public", "r"), columns, span)

    @cached_property
    def values(self) -> list[tuple[str | None, ...]]:
        """The rows; with three columns or more, fewer values of each type."""
        lists = [NASTY[name] for name in self.types]
        if len(lists) > 2:
            few = round(_MOST_ROWS ** (1 / len(lists)))
            lists = [_thinned(items, few) for items in lists]
        return list(itertools.product(*lists))

    def fits(self, row: tuple[str | None, ...], engine: Engine) -> bool:
        """Whether the engine's types hold the row."""
        return engine == "duckdb" or not any(
            value in NOT_IN_SPARK and name.partition(":")[0] in ("date", "timestamp", "timestamptz")
            for value, name in zip(row, self.types, strict=True)
        )

    def resolved(self, expression: str) -> Filter:
        """The expression resolved; what is not boolean is found under an IS NULL."""
        return _resolved(self, expression)

    def written(self, expression: str, engine: Engine) -> str:
        """The expression as filtersql writes it for an engine."""
        found = self.resolved(expression)
        assert isinstance(found.tree, NullTest)
        writer = writer_of(engine, lambda name: exp.column(name, quoted=True), found.text)
        return written(writer, found.tree.arg).sql(engine)

    def result_type(self, expression: str) -> str:
        """The internal name of the expression's type."""
        tree = self.resolved(expression).tree
        assert isinstance(tree, NullTest)
        return tree.arg.type


@lru_cache(4096)
def _resolved(rows: Rows, expression: str) -> Filter:
    """Resolved once for its type and for all engines."""
    source = Source("test", f"({expression}) IS NULL")
    return resolve(Passage(source.text, source), rows.table)


def _thinned(items: list[str | None], few: int) -> list[str | None]:
    return list(dict.fromkeys([*items[:: max(len(items) // few, 1)][: few - 1], *items[-2:]]))


class Postgres:
    """Asks a server for the value of each row, errors caught one by one."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self._made: dict[Rows, str] = {}
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(
            """CREATE OR REPLACE FUNCTION pg_temp.ask(sql text, n int) RETURNS text[] AS $$
            DECLARE result text[]; one text;
            BEGIN
              FOR i IN 0 .. n - 1 LOOP
                BEGIN
                  EXECUTE sql INTO one USING i;
                  result[i] := one;
                EXCEPTION WHEN OTHERS THEN
                  result[i] := 'ERROR';
                END;
              END LOOP;
              RETURN result;
            END $$ LANGUAGE plpgsql"""
        )

    def ask(self, rows: Rows, expression: str) -> list[str | None]:
        """The value of each row as text, ERROR where it raises."""
        name = self._table(rows)
        if rows.types:
            # from the last row: what raises does so sooner
            query = f"SELECT array_agg(({expression})::text ORDER BY id DESC) FROM {name} r"
            with contextlib.suppress(psycopg.Error), self.connection.transaction():
                return list(reversed(self._one(query)))
        sql = f"SELECT ({expression})::text FROM {name} r WHERE id = $1"
        return list(self._one("SELECT pg_temp.ask(%s, %s)", sql, len(rows.values)))

    def _one(self, query: str, *args: object) -> Any:
        row = self.connection.execute(query, args or None).fetchone()
        assert row is not None
        return row[0]

    def _table(self, rows: Rows) -> str:
        if rows not in self._made:
            name = f"r{next(_NUMBERS)}"
            columns = ", ".join(
                f'"{column}" {kind.partition(":")[0]}'
                for column, kind in zip(rows.names, rows.types, strict=True)
            )
            self.connection.execute(
                f"CREATE TEMP TABLE {name} (id int PRIMARY KEY, {columns})".replace(", )", ")")
            )
            with self.connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for place, row in enumerate(rows.values):
                    copy.write_row((place, *row))
            self._made[rows] = name
        return self._made[rows]


def _duckdb_text(value: str | None, kind: PgType) -> str | None:
    """A value as DuckDB reads it."""
    if value is not None and kind.name == "bpchar" and kind.length:
        return value.ljust(kind.length)
    return re.sub(r"^(\S+)(.*) BC$", r"\1 (BC)\2", value) if value is not None else None


def _of_text(name: str, kind: PgType) -> str:
    if kind.name == "bytea":
        return f"unhex(substring({name}, 3))"
    return f"CAST({name} AS {stored_as(kind, 'duckdb').sql})"


def shown(value: object, type_name: str) -> str | None:
    """An engine's value as PostgreSQL prints it; numerics without trailing zeros."""
    if value is None:
        return None
    if type_name == "bool":
        assert value in (True, False), value
        return "true" if value else "false"
    if type_name in ("float4", "float8"):
        assert isinstance(value, float)
        return show(type_name, value)
    if type_name == "bytea":
        assert isinstance(value, (bytes, bytearray))
        return "\\x" + bytes(value).hex()
    if type_name == "numeric":
        return plain_number(str(value))
    if type_name in ("date", "timestamp", "timestamptz") and (year := _YEAR.match(str(value))):
        number = -int(year[1]) + 1 if "(BC)" in str(value) else int(year[1])
        rest = str(value)[year.end() :].replace(" (BC)", "").removesuffix("+00")
        rest += "+00" * (type_name == "timestamptz") + " BC" * (number < 1)
        return f"{number if number > 0 else 1 - number:04d}{rest}"
    return str(value)


def plain_number(text: str) -> str:
    """One text for each numeric value."""
    plain = format(Decimal(text), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def same(expected: str | None, found: str | None, type_name: str) -> bool:
    """Whether an engine's value is PostgreSQL's."""
    if expected is None or found is None:
        return expected is None and found is None
    if type_name == "numeric" and expected != ERROR:
        expected = plain_number(expected)
    if type_name in ("float4", "float8") and ERROR not in (expected, found):
        # PostgreSQL's shortest digits are sometimes one longer than they need to be.
        pair = float(expected), float(found)
        return pair[0] == pair[1] or all(map(math.isnan, pair))
    if type_name == "bpchar":
        return expected.rstrip(" ") == found.rstrip(" ")
    return expected == found


def as_text(sql: str, type_name: str, engine: Engine) -> str:
    """The expression, cast to text where Python's value of it would lose something."""
    if type_name in ("date", "timestamp", "timestamptz", "numeric"):
        return f"CAST({sql} AS {'STRING' if engine == 'spark' else 'VARCHAR'})"
    return sql


class Duck:
    """DuckDB with the nasty rows."""

    def __init__(self) -> None:
        self.connection = duckdb.connect(config={"disabled_optimizers": "expression_rewriter"})
        self.connection.execute("SET TimeZone = 'UTC'")
        self._made: dict[Rows, str] = {}

    def ask(self, rows: Rows, sql: str, ids: Sequence[int]) -> dict[int, object]:
        """The value of each row of `ids`; raises what DuckDB raises."""
        chosen = ", ".join(map(str, ids))
        rows_asked = f"(SELECT * FROM {self._table(rows)} WHERE id IN ({chosen})) r"
        return dict(self.connection.execute(f"SELECT id, {sql} FROM {rows_asked}").fetchall())

    def _table(self, rows: Rows) -> str:
        if rows not in self._made:
            name = f"r{len(self._made)}"
            kinds = [pg_type(kind) for kind in rows.types]
            texts = {"id": pyarrow.array(range(len(rows.values)), pyarrow.int32())}
            for place, kind in enumerate(kinds):
                values = [_duckdb_text(row[place], kind) for row in rows.values]
                texts[f"c{place}"] = pyarrow.array(values, pyarrow.string())
            self.connection.register(f"t{name}", pyarrow.table(texts))
            columns = [
                f'{_of_text(f"c{place}", kind)} AS "{column}"'
                for place, (column, kind) in enumerate(zip(rows.names, kinds, strict=True))
            ]
            chosen = ", ".join(["id", *columns])
            self.connection.execute(f"CREATE TABLE {name} AS SELECT {chosen} FROM t{name}")
            self._made[rows] = name
        return self._made[rows]


class Sparks:
    """Spark with the nasty rows, one query for many expressions."""

    def __init__(self, session: Any) -> None:
        self.session = session
        for name, value in (
            ("spark.sql.ansi.enabled", "true"),
            ("spark.sql.session.timeZone", "UTC"),
            ("spark.sql.variable.substitute", "false"),
            ("spark.sql.caseSensitive", "true"),
            ("spark.sql.shuffle.partitions", "1"),
        ):
            session.conf.set(name, value)
        self._made: dict[Rows, str] = {}

    def ask(
        self, rows: Rows, questions: Sequence[tuple[str, Sequence[int]]]
    ) -> list[dict[int, object]]:
        """For each (expression, ids): the value of each row; raises what Spark raises."""
        name = self._table(rows)
        parts = [
            f"CASE WHEN id NOT IN ({', '.join(map(str, skipped))}) THEN {sql} END AS v{place}"
            if (skipped := sorted(set(range(len(rows.values))) - set(ids)))
            else f"{sql} AS v{place}"
            for place, (sql, ids) in enumerate(questions)
        ]
        found = self.session.sql(f"SELECT id, {', '.join(parts)} FROM {name} r").collect()
        by_id = {row[0]: row for row in found}
        return [{id: by_id[id][place] for id in ids} for place, (_, ids) in enumerate(questions, 1)]

    def ask_of_one(self, rows: Rows, sql: str, place: int) -> object:
        """The value of one row, without Java written for it; raises what Spark raises."""
        query = f"SELECT {sql} FROM {self._table(rows)} r WHERE id = {place}"
        with interpreted(self.session):
            return self.session.sql(query).collect()[0][0]

    def _table(self, rows: Rows) -> str:
        if rows not in self._made:
            name = f"r{len(self._made)}_{'_'.join(map(str, map(len, rows.types)))}"
            kinds = [pg_type(kind) for kind in rows.types]
            columns = [_read_back(name, kind) for name, kind in zip(rows.names, kinds, strict=True)]
            texts = [
                (place, *(_spark_text(value, kind) for value, kind in zip(row, kinds, strict=True)))
                for place, row in enumerate(rows.values)
                if rows.fits(row, "spark")
            ]
            schema = ", ".join(["id int", *(f"`{name}` string" for name in rows.names)])
            frame = frame_of(self.session, texts, schema)
            frame.selectExpr("id", *columns).coalesce(1).createOrReplaceTempView(name + "_v")
            self.session.sql(f"CACHE LAZY TABLE {name} AS SELECT * FROM {name}_v")
            self._made[rows] = name
        return self._made[rows]


def _spark_text(value: str | None, kind: PgType) -> str | None:
    length = (kind.length or 0) if kind.name == "bpchar" else 0
    return None if value is None else value.ljust(length)


def _read_back(name: str, kind: PgType) -> str:
    if kind.name == "bytea":
        return f"unhex(substring(`{name}`, 3)) AS `{name}`"
    return f"CAST(`{name}` AS {stored_as(kind, 'spark').sql}) AS `{name}`"
