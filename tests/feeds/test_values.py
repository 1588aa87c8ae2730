"""A value in a feed becomes what PostgreSQL itself prints for it, or exactly the stored number."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal

import pytest
from running import pg_type

from filtersql.catalog import PgType
from filtersql.errors.feeds import UnstorableType
from filtersql.feeds.records import Number
from filtersql.feeds.values import canonical_text, codec

#: type -> texts that a feed may hold; PostgreSQL says what it prints for each
TEXTS = {
    "numeric": ["1.50", "1E5", "-0.00", "0", "007", ".5", "5.", "1.50e1", "1e-3", "NaN", "-inf",
                "Infinity", "12345678901234567890123456789.10", " 1 ", "-1e-7", "1.5e-1", "0e5"],
    "numeric(10,2)": ["1.5", "1", "99999999.99", "-0", "NaN", "1.500", "1e2"],
    "numeric(3,-2)": ["100", "99900", "-1200", "0"],
    "numeric(3,5)": ["0.00123", "-0.001"],
    "int2": ["7", "-32768", " 7 ", "+5"],
    "int4": ["2147483647", "-0"],
    "int8": ["-9223372036854775808", "9223372036854775807"],
    "bool": ["t", "true", "F", "no", "on", "of", "1", "0", " yes "],
    "float8": ["1e15", "1e14", "123456789012345", "1e-5", "0.0001", "-0", "NaN", "Infinity", "1.5",
               "2.2250738585072014e-308", "5e-324", "0.1", "1e22", "9007199254740993", "1e100"],
    "float4": ["1e6", "123456", "1234567", "0.1", "3.4e38", "1e-45", "16777217", "-0.00001",
               "1.000000059604644775390626", "1.000000059604644775390625",
               "2.10194769648722561e-45"],
    "bytea": ["\\x00ff", "abc", "a\\\\b", "\\001x", "\\x"],
    "bpchar(3)": ["ab", "abc", "ab   ", "ä"],
    "varchar(3)": ["ab", "abc  "],
    "time": ["12:30", "12:30:00.500", "24:00:00", "00:00:00.000001"],
    "timetz": ["12:30:00Z", "12:30:00-03:30", "12:30:00.50+05", "01:00:00+15:59:59"],
    "interval": ["1 year 2 mons 3 days 04:05:06", "-1 days +02:03:00", "00:00:00", "-1 mons",
                 "36:00:00.5", "25 mons", "P1Y2M-3DT4H", "1 day ago", "infinity",
                 "18 mons -18 days 54785872434 microseconds"],
    "uuid": ["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "{a0eebc999c0b4ef8bb6d6bb9bd380a11}",
             "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11"],
    "json": ['{"a":  1.0}', "[1,2]", "null", '"\\u0000"', '"\\ud800"', "1e999999"],
    "jsonb": ['{"bb":1.0,"a":[1e2,null,true],"a":"x","c":"\\u00e9\\n\\u0001"}', "[]", "{}", '"x"',
              "-0.0", "-0", "1E-3", '{"b": {"z": 1, "y": 2}, "": 0}', '"\\ud83d\\ude00"',
              "1" * 5000, "-1e131071", "1e-16383"],
    "_int4": ["{1,NULL,3}", "{ 1 , null }", "{{1,2},{3,4}}", "{}", "[0:1]={1,2}"],
    "_text": ['{a,"b c","",NULL,"NULL","x\\"y","a\\\\b","{"}', '{ü}'],
    "_numeric": ["{1.50,1e2}"],
    "_bool": ["{true,f}"],
    "_float8": ["{1e15,0.1}"],
    "_bpchar(3)": ["{ab}"],
    "_uuid": ["{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}"],
    "inet": ["10.0.0.1", "10.0.0.1/32", "10.0.0.0/8", "2001:DB8::1/64", "::ffff:10.0.0.1", "::1:2",
             "1:0:0:2:0:0:0:3", "::", "fe80::1:0:0:1", "0:0:0:1::"],
    "cidr": ["10.0.0.0/8", "10.0.0.1", "2001:db8::/32", "::1"],
    "macaddr": ["08-00-2B-01-02-03", "08002b:010203", "0800.2b01.0203", "8:0:2b:1:2:3"],
    "money": ["$1,234.56", "-$5", "(7.005)", "12", "-$92,233,720,368,547,758.08"],
    "varbit": ["101", "", "b11", "x1F"],
    "int4range": ["[1,4]", "(1,2)", "empty", "(,5)", "[3,3]", " ( 1 , 5 ] "],
    "numrange": ["[1.50,2)", "(,)", "[1,1)", "[NaN,NaN]"],
    "daterange": ["(,2024-01-31]", "[2024-01-01,infinity]", "(2024-01-01,2024-01-02)"],
    "tsrange": ['["2024-01-01 00:00:00",2024-02-01 12:00)'],
    "tstzrange": ['["2024-01-01 01:00:00+01",)'],
    "_inet": ["{10.0.0.1,::1/64}"],
    "int4multirange": ["{[1,4]}", "{[7,9], [1,3),empty,[3,4]}", "{ }", "{(,)}"],
    "nummultirange": ["{[1.50,2),(2,3.0]}", "{[1,2),[2,3]}"],
    "datemultirange": ["{(,2024-01-31],[2024-02-02,infinity]}"],
    "tsmultirange": ['{["2024-01-01 00:00:00",2024-02-01 12:00)}'],
    "tstzmultirange": ['{["2024-01-01 01:00:00+01",)}'],
    "_int4range": ['{"[1,4]",empty}'],
    "_int4multirange": ['{"{[1,4]}","{}",NULL}'],
}  # fmt: skip
CASES = [(name, text) for name, texts in TEXTS.items() for text in texts]
#: the first and the last values, what lies beyond them, and fields that no clock or calendar has
EDGES = {
    "date": ["4714-11-24 BC", "4714-11-23 BC", "9999-01-01 BC", "4714-11-1 BC", "5874897-12-31",
             "5874898-01-01", "5881580-07-11", "9999999-01-01", "10000000-01-01", "0000-01-01",
             "2024-02-30", "2024-13-01"],
    "timestamp": ["4714-11-24 00:00:00 BC", "4714-11-23 23:59:59.999999 BC",
                  "4714-11-23 24:00:00 BC", "4714-11-23 BC", "294277-01-01 00:00:00",
                  "294276-12-31 24:00:00", "2024-01-01 24:00:00", "2024-01-01 24:00:00.1",
                  "2024-01-01 23:59:60", "2024-01-01 23:59:60.5", "2024-01-01 23:60:00"],
    "timestamptz": ["4714-11-23 23:00:00-01 BC", "4714-11-23 22:59:59-01 BC",
                    "4714-11-24 00:00:00+01 BC", "294277-01-01 00:00:00+00",
                    "294276-12-31 23:59:59-01", "2024-01-01 00:00:00+15:59:59",
                    "2024-01-01 00:00:00+16", "2024-01-01 23:59:60+00"],
    "time": ["24:00:00", "24:00:00.000001", "23:59:60", "12:00:60", "12:00:61", "23:60:00"],
    "timetz": ["24:00:00-15:59:59", "24:00:01+00", "00:00:00+16", "00:00:00+15:60"],
    "interval": ["178956970 years 7 mons", "-178956970 years -8 mons", "2147483647 days",
                 "2147483648 days", "-2147483648 days", "-2147483649 days", "2147483648 mons",
                 "2562047788:00:54.775807", "2562047788:00:54.775808", "-2562047788:00:54.775808",
                 "178956970 years 7 mons 2147483647 days 2562047788:00:54.775807", "00:60:00"],
    "_date": ["{4714-11-24 BC,infinity}", "{4714-11-23 BC}", "{2024-1-1,20240102}", "{x}"],
    "_timestamp": ['{"4714-11-24 00:00:00 BC",-infinity}', '{"4714-11-23 23:00:00 BC"}'],
    "_timestamptz": ['{"2024-01-01T00:00:00Z"}', '{"294277-01-01 00:00:00+00"}'],
    "_interval": ["{25 mons}", "{2147483648 days}"],
    "_box": ["{(3,3),(2,2);(1,1),(0,0)}", "{ NULL ; (3,3),(2,2)}", "{{(3,3),(2,2)};{NULL}}"],
    "_point": ['{"(3,3)","(2,2)"}'],
}  # fmt: skip


@pytest.fixture(scope="module")
def printed(postgres) -> dict[tuple[str, str], str]:
    """What a real PostgreSQL prints."""
    with postgres.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return {(name, text): _ask(connection, name, text) for name, text in CASES}


def _ask(connection, name: str, text: str) -> str:
    # format() calls the type's output function, which no cast to text does for every type.
    query = f"SELECT format('%%s', %s::{_sql(name)})"
    return connection.execute(query, (text,)).fetchone()[0]


def _sql(name: str) -> str:
    if name.startswith("_"):
        return _sql(name[1:]) + "[]"
    return name.replace("bpchar(", "char(")


@pytest.mark.postgres
@pytest.mark.parametrize(("name", "text"), CASES)
def test_a_text_is_printed_as_postgresql_prints_it(printed, name: str, text: str) -> None:
    """The canonical text is PostgreSQL's own output."""
    assert canonical_text(_type(name), text) == printed[name, text]


@pytest.mark.postgres
@pytest.mark.parametrize("name", EDGES)
def test_a_type_ends_where_postgresql_ends_it(postgres, name: str) -> None:
    """The same values, and the same words for what is none."""
    with postgres.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for text in EDGES[name]:
            query = "SELECT (pg_input_error_info(%s, %s)).message"
            said = connection.execute(query, (text, _sql(name))).fetchone()[0]
            code = codec(_type(name), "VARCHAR", "duckdb")
            if said is None:
                printed = canonical_text(_type(name), text)
                if name == "timestamptz":  # printed with the offset that it came with
                    printed = _ask(connection, name, printed)
                assert printed == _ask(connection, name, text)
            elif name.startswith("_"):
                with pytest.raises(ValueError, match=r"out of range: |invalid input syntax"):
                    code.value(text)
            else:
                said = said.replace("type time:", "type time without time zone:")
                with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
                    code.value(text)


@pytest.mark.postgres
def test_digits_and_blanks_of_other_scripts_are_none(postgres) -> None:
    """PostgreSQL reads those of ASCII, and keeps the others where a text may hold them."""
    arabic = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
    with postgres.connect() as connection:
        for name, text in CASES:
            for other in (text.translate(arabic), f"{text}\u00a0", f"\u2003{text}"):
                query = "SELECT pg_input_is_valid(%s, %s)"
                if connection.execute(query, (other, _sql(name))).fetchone()[0]:
                    assert canonical_text(_type(name), other) == _ask(connection, name, other)
                else:
                    with pytest.raises((ValueError, OverflowError)):
                        canonical_text(_type(name), other)


def _type(name: str) -> PgType:
    if name == "_bpchar(3)":
        return PgType("_bpchar", 3 + 4)
    return pg_type(name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("int2", "32768"), ("int4", "1.0"), ("int4", "x"), ("int8", "9223372036854775808"),
        ("numeric(10,2)", "1.505"), ("numeric(10,2)", "123456789.00"), ("numeric", "1x"),
        ("numeric(3,5)", "0.01"), ("numeric(3,-2)", "101"), ("numeric(4,2)", "Infinity"),
        ("float8", "1e400"), ("float4", "1e39"), ("float8", "1e-400"), ("bool", "o"),
        ("uuid", "a0eebc99"), ("date", "2023-02-29"), ("date", "2024-13-01"),
        ("date", "0000-01-01"), ("bool", "2"),
        ("timestamp", "2024-01-01 25:00:00"), ("timestamp", "2024-01-01 00:00:00+02"),
        ("timestamptz", "2024-01-01 00:00:00"), ("time", "24:00:01"), ("jsonb", "{a:1}"),
        ("jsonb", "NaN"), ("_int4", "{1,2"), ("_int4", "{1,{2}}"), ("_int4", "{1,}"),
        ("text", "a\0b"),
        ("varchar(3)", "abcd"), ("bpchar(3)", "abcd"), ("bytea", "\\xzz"), ("bytea", "a\\b"),
        ("interval", "3 fortnights"), ("interval", ""), ("date", "01/02/2024"),
        ("date", "2024-2-30"), ("timestamp", "2024-1-1 25:00"), ("timestamp", "today"),
        ("timestamp(3)", "2024-01-01 00:00:00.0001"), ("time(0)", "10:00:00.5"), ("bit(3)", "10"),
        ("varbit(2)", "101"), ("json", "{a:1}"), ("json", "NaN"),
        # read one way or another, by the settings of whoever printed them
        ("interval", "-1 2:00:00"), ("_interval", '{"-1 2:00:00"}'), ("money", "1,50"),
        ("daterange", "[01/02/2024,)"), ("tstzrange", "[2024-01-01,)"),
        ("datemultirange", "{[01/02/2024,)}"), ("tstzmultirange", "{[2024-01-01,)}"),
        ("int4multirange", "{[2,1)}"), ("int4multirange", "[1,2)"),
    ],
)  # fmt: skip
def test_a_text_that_does_not_fit_is_refused(name: str, text: str) -> None:
    """What PostgreSQL's type cannot hold stops."""
    target = _STORED.get(name.split("(")[0], "STRING")
    with pytest.raises(ValueError, match=r"."):
        codec(pg_type(name), target, "spark").value(text)


_STORED = {"date": "DATE", "timestamp": "TIMESTAMP_NTZ", "timestamptz": "TIMESTAMP"}
UTC = datetime.UTC


@pytest.mark.parametrize(
    ("name", "sql", "engine", "written", "stored"),
    [
        ("int4", "INT", "spark", 7, 7),
        ("int4", "INT", "spark", "-70000", -70000),
        ("int8", "BIGINT", "spark", 2**63 - 1, 2**63 - 1),
        ("int8", "DECIMAL(38, 0)", "spark", 12, Decimal(12)),
        ("numeric(10,2)", "DECIMAL(10, 2)", "duckdb", Number("1.5"), Decimal("1.50")),
        ("numeric(38,10)", "DECIMAL(38, 10)", "spark", Number("1234567890123456789012345678.1"),
         Decimal("1234567890123456789012345678.1000000000")),
        ("numeric", "VARCHAR", "duckdb", Number("1.50"), "1.50"),
        ("numeric", "VARCHAR", "duckdb", 12345678901234567890123, "12345678901234567890123"),
        ("bool", "BOOLEAN", "spark", False, False),
        ("bool", "BOOLEAN", "spark", "t", True),
        ("float8", "DOUBLE", "spark", Number("0.1"), 0.1),
        ("float8", "DOUBLE", "spark", 9007199254740993, 9007199254740992.0),
        ("bytea", "BINARY", "spark", "\\x00ff", b"\x00\xff"),
        ("text", "STRING", "spark", 5, "5"),
        ("text", "STRING", "spark", Number("1.50"), "1.50"),
        ("_int4", "STRING", "spark", [1, None, 3], "{1,NULL,3}"),
        ("_text", "STRING", "spark", ["a", "b,c", ""], '{a,"b,c",""}'),
        ("jsonb", "STRING", "spark", [1, Number("1.0"), {"b": 1, "a": None}],
         '[1, 1.0, {"a": null, "b": 1}]'),
        ("date", "DATE", "spark", "1500-03-01", datetime.date(1500, 3, 1)),
        ("timestamp", "TIMESTAMP_NTZ", "spark", "2024-02-29 12:00:00.000001",
         datetime.datetime(2024, 2, 29, 12, 0, 0, 1)),
        ("date", "DATE", "spark", "2024-2-1", datetime.date(2024, 2, 1)),
        ("timestamp", "TIMESTAMP_NTZ", "spark", "2024-02-29", datetime.datetime(2024, 2, 29)),
        ("timestamp(3)", "TIMESTAMP_NTZ", "spark", "20240229T1200",
         datetime.datetime(2024, 2, 29, 12)),
        ("timestamptz", "TIMESTAMP", "spark", "2024-01-01 00:00:00+05:30",
         datetime.datetime(2023, 12, 31, 18, 30, tzinfo=UTC)),
        ("timestamptz", "TIMESTAMPTZ", "duckdb", "2024-01-01T00:00:00Z",
         datetime.datetime(2024, 1, 1, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_a_value_is_stored_exactly(name, sql, engine, written, stored) -> None:
    """What Arrow holds is the value that was written, whatever JSON form it had."""
    array = codec(pg_type(name), sql, engine).array([written, None])
    assert array.to_pylist() == [stored, None]


def test_a_moment_that_no_engine_counts_to_is_no_mistake_of_syntax() -> None:
    """PostgreSQL goes on for 29 years behind the end of 64 bits of microseconds since 1970."""
    code = codec(_type("timestamptz"), "TIMESTAMPTZ", "duckdb")
    with pytest.raises(ValueError, match="is out of range for type timestamp with time zone"):
        code.value("294276-12-31 23:59:59.999999+00")
    code = codec(_type("timestamp"), "TIMESTAMP", "duckdb")
    for text in ("294276-12-31 23:59:59", "294276-12-31"):
        with pytest.raises(ValueError, match="is out of range for type timestamp without"):
            code.array([text])


@pytest.mark.parametrize(
    ("name", "sql", "written"),
    [
        ("numeric(10,2)", "DECIMAL(10, 2)", "NaN"),
        ("date", "DATE", "infinity"),
        ("date", "DATE", "10000-01-01"),
        ("date", "DATE", "0044-03-15 BC"),
        ("timestamp", "TIMESTAMP_NTZ", "-infinity"),
        ("timestamptz", "TIMESTAMP", "9999-12-31 23:59:59-01"),
        ("numeric", "DECIMAL(5, 2)", "1.234"),
        ("int8", "INT", 2**31),
        ("float8", "FLOAT", "0.1"),
    ],
)
def test_a_value_that_the_stored_type_cannot_hold_stops(name, sql, written) -> None:
    """NaN in a DECIMAL, infinity in Spark's DATE and a digit too many are never changed."""
    with pytest.raises(ValueError, match=r"cannot be held|does not fit"):
        codec(pg_type(name), sql, "spark").value(written)


def test_duckdb_holds_infinity_and_years_before_christ() -> None:
    """DuckDB's DATE and TIMESTAMP have infinity, as PostgreSQL's."""
    import duckdb
    import pyarrow

    dates = codec(pg_type("date"), "DATE", "duckdb").array(
        ["infinity", "-infinity", "0044-03-15 BC"]
    )
    stamps = codec(pg_type("timestamp"), "TIMESTAMP", "duckdb").array(
        ["infinity", "-infinity", "0044-03-15 00:00:00 BC"]
    )
    held = pyarrow.table({"d": dates, "t": stamps})
    assert duckdb.from_arrow(held).query(
        "held", "SELECT d::text, t::text FROM held"
    ).fetchall() == [
        ("infinity", "infinity"),
        ("-infinity", "-infinity"),
        ("0044-03-15 (BC)", "0044-03-15 (BC) 00:00:00"),
    ]


def test_a_type_that_cannot_hold_the_values_is_refused() -> None:
    """A target_type without an exact way into it is a mistake of the project."""
    with pytest.raises(UnstorableType, match="values of type boolean cannot be stored as INT"):
        codec(pg_type("bool"), "INT", "spark")
    with pytest.raises(UnstorableType, match="cannot be stored as decimal"):
        codec(pg_type("numeric"), "decimal", "spark")
