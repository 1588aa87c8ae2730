"""Random tables of many types, their publications, and random transactions over them.

    shapes = Shapes(random.Random(7)).build(tables=8)
    shapes.tables[0].ddl(subscriber=False), shapes.publication(shapes.tables[0])
    shapes.transactions(25)             # lists of statements

Values are those that PostgreSQL holds to be equal and prints differently (1.0 and 1.00, -0 and 0,
24 hours and a day), and those at the ends of a type. Keys and replica identities are any columns.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Shape", "Shapes"]

#: type -> literals of values, and conditions with {} for the column
_KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "int": (
        ("1", "2", "3", "4", "5", "-7"),
        ("{} > 2", "{} % 2 = 0", "{} IN (1, 2, 5)", "{} <> 3"),
    ),
    "bigint": (
        ("1", "9007199254740993", "9007199254740992", "-9223372036854775808"),
        ("{} > 9007199254740992", "{} <> 1", "{} = 9007199254740993"),
    ),
    "smallint": (("1", "-1", "32767", "0"), ("{} > 0", "{} BETWEEN -1 AND 1")),
    "numeric": (
        (
            "1.0",
            "1.00",
            "1",
            "-1.50",
            "-1.5",
            "0",
            "0.000",
            "'NaN'",
            "1e20",
            "12345678901234567890.1",
        ),
        ("{} = 1", "{} > 0.5", "{} <> 1.00", "{} < 1e10", "{} IS DISTINCT FROM 0"),
    ),
    "numeric(10,2)": (("1", "1.10", "-2.5", "0", "99999999.99"), ("{} > 1", "{} = 1.1", "{} <= 0")),
    "text": (
        (
            "'a'",
            "'A'",
            "'a '",
            "''",
            "'é'",
            "E'e\\u0301'",
            "'it''s'",
            "E'x\\ny'",
            "'NULL'",
            "'ß\\'",
        ),
        ("{} = 'a'", "{} LIKE 'a%'", "{} <> ''", "length({}) > 1", "{} > 'a' COLLATE \"C\""),
    ),
    "varchar(5)": (
        ("'a'", "'a  '", "'abcde'", "''"),
        ("{} = 'a'", "{} <> 'abcde'", "{} LIKE '% '"),
    ),
    "char(4)": (("'a'", "'a   '", "'ab'", "''", "'abcd'"), ("{} = 'a'", "{} <> ''", "{} = 'ab '")),
    "double precision": (
        ("0", "'-0'", "1.5", "'NaN'", "'Infinity'", "'-Infinity'", "1e300", "5e-324", "0.1"),
        ("{} = 0", "{} > 1", "{} <> 'NaN'", "{} < 'Infinity'"),
    ),
    "real": (("0", "'-0'", "1.5", "'NaN'", "3.4e38", "0.1"), ("{} >= 0", "{} <> 1.5")),
    "boolean": (("true", "false"), ("{}", "NOT {}", "{} IS NOT TRUE")),
    "date": (
        ("'2024-02-29'", "'0001-01-01'", "'1969-12-31'", "'9999-12-31'"),
        ("{} > '2000-01-01'", "{} <> '2024-02-29'"),
    ),
    "timestamp": (
        ("'2024-02-29 12:00:00.000001'", "'1969-12-31 23:59:59.5'", "'2024-02-29 12:00'"),
        ("{} > '2000-01-01'", "{} < '2024-02-29 12:00:00.000001'"),
    ),
    "timestamptz": (
        ("'2024-03-31 02:30+02'", "'2024-03-31 00:30+00'", "'1900-01-01 00:00:00+00:19:32'"),
        ("{} > '2000-01-01 00:00+00'", "{} = '2024-03-31 00:30:00+00'"),
    ),
    "time": (("'00:00'", "'24:00'", "'12:34:56.789'"), ("{} > '01:00'",)),
    "interval": (
        ("'1 day'", "'24:00:00'", "'1 mon'", "'30 days'", "'-1 day'", "'0'"),
        ("{} > '0'", "{} = '1 day'"),
    ),
    "uuid": (
        ("'00000000-0000-0000-0000-000000000001'", "'FFFFFFFF-0000-0000-0000-00000000000A'"),
        ("{} = '00000000-0000-0000-0000-000000000001'",),
    ),
    "bytea": (("'\\x'", "'\\x00ff'", "'\\x61'"), ("{} <> '\\x'", "{} = '\\x61'")),
    "jsonb": (
        ("'{\"a\": 1}'", "'{\"a\": 1.0}'", "'null'", "'[]'", '\'{"b": "x", "a": 1}\''),
        ("{} ->> 'a' = '1'", "{} <> 'null'", "{} = '{{\"a\": 1}}'"),
    ),
    "int[]": (("'{}'", "'{1,2}'", "'{NULL}'", "'{{1},{2}}'"), ("{} <> '{{}}'", "{} @> '{{1}}'")),
    "text[]": (("'{}'", "'{a,\"NULL\",NULL}'", "'{\"\"}'"), ("{} <> '{{}}'",)),
    "inet": (("'10.0.0.1'", "'10.0.0.1/32'", "'10.0.0.1/8'", "'::1'"), ("{} = '10.0.0.1'",)),
    "mood": (("'sad'", "'ok'", "'so, so'"), ()),
    "bit(3)": (("'101'", "'000'"), ("{} = '101'",)),
    "money": (("1.5", "'-2'"), ()),
}


@dataclass
class Shape:
    """A table: its columns with their types, what finds its rows, and what is published of it."""

    name: str
    columns: dict[str, str]
    key: tuple[str, ...]
    identity: str
    index: tuple[str, ...]
    where: str = ""
    generated: str = ""
    big: str = ""
    partitions: int = 0
    #: the column list, where there is one
    listed: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are published."""
        return self.listed or self.every

    @property
    def every(self) -> tuple[str, ...]:
        """All columns: a filter may read those that are not published."""
        return (*self.columns, *(["g"] if self.generated else []))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Their types."""
        return tuple(self.columns.get(name, "int") for name in self.names)

    @property
    def logged(self) -> tuple[str, ...]:
        """The columns of an old row."""
        match self.identity:
            case "FULL":
                return tuple(self.columns)
            case "NOTHING":
                return ()
            case "INDEX":
                return self.index
            case _:
                return self.key

    def ddl(self, *, subscriber: bool) -> str:
        """CREATE TABLE and its identity; a generated column is a plain one at a subscriber."""
        filled = {*self.key, *self.index}
        parts = [
            f"{name} {kind}{' NOT NULL' if name in filled else ''}"
            for name, kind in self.columns.items()
        ]
        if self.generated:
            parts.append(
                "g int" + ("" if subscriber else f" GENERATED ALWAYS AS ({self.generated}) STORED")
            )
        if self.key:
            parts.append(f"PRIMARY KEY ({', '.join(self.key)})")
        tail = f" PARTITION BY LIST ({self.key[0]})" if self.partitions else ""
        made = f"CREATE TABLE {self.name} ({', '.join(parts)}){tail};\n"
        leaves = [self.name]
        if self.partitions:
            values = _KINDS[self.columns[self.key[0]]][0]
            first = ", ".join(values[:2])
            made += (
                f"CREATE TABLE {self.name}_1 PARTITION OF {self.name} FOR VALUES IN ({first});\n"
            )
            made += f"CREATE TABLE {self.name}_2 PARTITION OF {self.name} DEFAULT;\n"
            leaves = [f"{self.name}_1", f"{self.name}_2"]
        if self.index:
            made += f"CREATE UNIQUE INDEX {self.name}_i ON {self.name} ({', '.join(self.index)});\n"
        identity = f"USING INDEX {self.name}_i" if self.identity == "INDEX" else self.identity
        for leaf in (self.name, *leaves) if self.partitions else leaves:
            made += f"ALTER TABLE {leaf} REPLICA IDENTITY {identity};\n"
        if self.big:
            for leaf in leaves:
                made += f"ALTER TABLE {leaf} ALTER COLUMN {self.big} SET STORAGE EXTERNAL;\n"
        return made


@dataclass
class Shapes:
    """One random schema, from a seed."""

    random: random.Random
    tables: list[Shape] = field(default_factory=list)

    def build(self, tables: int) -> Shapes:
        """Choose the tables."""
        for number in range(tables):
            self.tables.append(self._shape(f"t{number}"))
        return self

    @property
    def types(self) -> str:
        """The types of the columns that are not PostgreSQL's own."""
        return "CREATE TYPE mood AS ENUM ('sad', 'ok', 'so, so');\n"

    def publication(self, shape: Shape) -> str:
        """What is published of a table."""
        options = [
            *(["publish = 'insert, truncate'"] if shape.identity == "NOTHING" else []),
            f"publish_generated_columns = {'stored' if shape.generated else 'none'}",
            *(["publish_via_partition_root = true"] if shape.partitions else []),
        ]
        where = f" WHERE ({shape.where})" if shape.where else ""
        columns = f" ({', '.join(shape.listed)})" if shape.listed else ""
        return (
            f"CREATE PUBLICATION p_{shape.name} FOR TABLE {shape.name}{columns}{where}"
            f" WITH ({', '.join(options)});\n"
        )

    def _shape(self, name: str) -> Shape:
        pick = self.random
        kinds = [pick.choice(list(_KINDS)) for _ in range(pick.randint(2, 5))]
        columns = {f"c{at}": kind for at, kind in enumerate(kinds)}
        key: tuple[str, ...] = ()
        index: tuple[str, ...] = ()
        names = list(columns)
        if pick.random() < 0.7:
            key = tuple(pick.sample(names, min(len(names), pick.choice((1, 1, 2)))))
        identity = (
            pick.choice(("DEFAULT", "FULL", "FULL", "INDEX", "NOTHING"))
            if key
            else pick.choice(("FULL", "FULL", "FULL", "INDEX", "NOTHING"))
        )
        if identity == "INDEX":
            index = tuple(pick.sample(names, min(len(names), pick.choice((1, 1, 2)))))
        shape = Shape(name, columns, key, identity, index)
        if pick.random() < 0.15 and identity != "INDEX":
            shape.columns["big"] = "text"
            shape.big = "big"
        if key and not index and pick.random() < 0.2:
            shape.partitions = 2
        ints = [name for name in names if columns[name] == "int"]
        if ints and pick.random() < 0.5 and not shape.big:
            shape.generated = f"{ints[0]} * 2"
        seen = [
            one
            for one in (shape.logged or names if identity == "NOTHING" else shape.logged)
            if _KINDS[shape.columns[one]][1] and one != "big"
        ]
        if seen and pick.random() < 0.8:
            shape.where = self._where(shape, seen)
        if identity != "FULL" and pick.random() < 0.4:
            shape.listed = self._list(shape)
        return shape

    def _list(self, shape: Shape) -> tuple[str, ...]:
        """Every column that cannot be empty, and some of the others, in any order."""
        filled = {*shape.key, *shape.index}
        others = [name for name in shape.names if name not in filled]
        chosen = self.random.sample(others, self.random.randint(0, len(others)))
        names = sorted({*filled, *chosen}) or [next(iter(shape.columns))]
        return tuple(self.random.sample(names, len(names)))

    def _where(self, shape: Shape, seen: list[str]) -> str:
        parts = []
        for _ in range(self.random.choice((1, 1, 2, 3))):
            name = self.random.choice(seen)
            if self.random.random() < 0.15:
                part = f"{name} IS {self.random.choice(('', 'NOT '))}NULL"
            else:
                part = self.random.choice(_KINDS[shape.columns[name]][1]).format(name)
            parts.append(f"NOT ({part})" if self.random.random() < 0.15 else f"({part})")
        return self.random.choice((" AND ", " OR ")).join(parts)

    def initial(self) -> Iterator[str]:
        """Rows that are there before anybody subscribes."""
        for shape in self.tables:
            for _ in range(self.random.randrange(5)):
                yield self._insert(shape)

    def transactions(self, number: int) -> Iterator[list[str]]:
        """Transactions of a few statements; some are refused by a key."""
        for _ in range(number):
            yield [
                statement
                for _ in range(self.random.choice((1, 1, 2, 3, 6)))
                for statement in self._statements(self.random.choice(self.tables))
            ]

    def _statements(self, shape: Shape) -> list[str]:
        name = shape.name
        kind = self.random.choices(
            ["insert", "update", "key", "delete", "touch", "swap", "again", "truncate", "wipe"],
            [9, 8, 5, 4, 1, 2, 2, 0.5, 0.3],
        )[0]
        if shape.identity == "NOTHING" and kind not in ("insert", "truncate"):
            kind = "insert"
        match kind:
            case "insert":
                return [self._insert(shape) for _ in range(self.random.choice((1, 1, 2)))]
            case "update":
                return [
                    f"UPDATE {name} SET {self._sets(shape, list(shape.columns))}"
                    f" WHERE {self._some(shape)}"
                ]
            case "key":
                names = list(shape.logged or shape.columns)
                return [f"UPDATE {name} SET {self._sets(shape, names)} WHERE {self._some(shape)}"]
            case "delete":
                return [f"DELETE FROM {name} WHERE {self._some(shape)}"]
            case "touch":
                first = next(iter(shape.columns))
                return [f"UPDATE {name} SET {first} = {first}"]
            case "swap":
                return self._swap(shape)
            case "again":
                some = self._some(shape)
                return [f"DELETE FROM {name} WHERE {some}", self._insert(shape)]
            case "wipe":
                return [f"DELETE FROM {name}", self._insert(shape), self._insert(shape)]
            case _:
                other = self.random.choice(self.tables).name
                both = name if other == name or self.random.random() < 0.7 else f"{name}, {other}"
                return [
                    f"TRUNCATE {both}",
                    *(self._insert(shape) for _ in range(self.random.randrange(3))),
                ]

    def _swap(self, shape: Shape) -> list[str]:
        """Two rows exchange the value of a key column, by way of a third one."""
        names = shape.key or shape.index or tuple(shape.columns)
        column = self.random.choice(names)
        values = _KINDS[shape.columns[column]][0] if column != "big" else ("'b'", "'c'", "'d'")
        chosen = self.random.sample(values, min(3, len(values)))
        if len(chosen) < 3:
            return [f"UPDATE {shape.name} SET {column} = {chosen[0]} WHERE {self._some(shape)}"]
        a, b, c = chosen
        return [
            f"UPDATE {shape.name} SET {column} = {c} WHERE {column} = {a}",
            f"UPDATE {shape.name} SET {column} = {a} WHERE {column} = {b}",
            f"UPDATE {shape.name} SET {column} = {b} WHERE {column} = {c}",
        ]

    def _insert(self, shape: Shape) -> str:
        names = list(shape.columns)
        values = ", ".join(self._value(shape, name) for name in names)
        return f"INSERT INTO {shape.name} ({', '.join(names)}) VALUES ({values})"

    def _sets(self, shape: Shape, names: list[str]) -> str:
        chosen = self.random.sample(names, self.random.randint(1, min(2, len(names))))
        return ", ".join(f"{name} = {self._value(shape, name)}" for name in chosen)

    def _some(self, shape: Shape) -> str:
        """Which rows a statement is about."""
        chance = self.random.random()
        if chance < 0.05:
            return "true"
        if chance < 0.3:
            return (
                f"ctid IN (SELECT ctid FROM {shape.name} LIMIT 1)"
                if not shape.partitions
                else "random() < 0.3"
            )
        name = self.random.choice([*(shape.key or shape.columns)])
        return f"{name} IS NOT DISTINCT FROM {self._value(shape, name)}"

    def _value(self, shape: Shape, name: str) -> str:
        kind = shape.columns[name]
        if name not in shape.key and name not in shape.index and self.random.random() < 0.15:
            return "NULL"
        if name == "big":
            return self.random.choice(("'s'", "repeat('x', 3000)", "repeat('y', 5000)"))
        value = self.random.choice(_KINDS[kind][0])
        return f"{value}::{kind}"
