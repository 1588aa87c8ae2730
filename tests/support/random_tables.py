"""Random statements about tables, partitions, keys and everything else that is no publication."""

from __future__ import annotations

from dataclasses import dataclass

from random_names import Names

__all__ = ["Tables"]

_TYPES = (
    "int", "int", "int", "text", "bigint", "smallint", "numeric(8,2)", "varchar(9)", "date",
    "boolean", "timestamptz", "uuid", "jsonb", "char(3)", "int[]",
)  # fmt: skip
_COLUMNS = ("a", "b", "c", "d", "e")


@dataclass
class Tables(Names):
    """CREATE, ALTER and DROP of everything that publications depend on."""

    def create_table(self) -> str:
        columns = self.random.sample(_COLUMNS, self.random.randint(1, 4))
        columns.sort()
        parts = []
        for number, name in enumerate(columns):
            text = f"{name} {self.random.choice(_TYPES) if number else 'int'}"
            if number and self.chance(0.12):
                how = self.pick("STORED", "STORED", "VIRTUAL") if self.version >= 18 else "STORED"
                text = f"{name} int GENERATED ALWAYS AS ({columns[0]} * 2) {how}"
            elif self.chance(0.35):
                text += " NOT NULL"
            if self.chance(0.05):
                text += " UNIQUE"
            parts.append(text)
        if self.chance(0.6):
            keys = columns[:1] if self.chance(0.7) else columns[:2]
            parts.append(f"PRIMARY KEY ({', '.join(keys)})")
        if self.chance(0.08):
            parts.append(f"UNIQUE ({', '.join(columns[-2:])})")
        if self.chance(0.06) and self.tables():
            parts.append(f"FOREIGN KEY (a) REFERENCES {self.table()}")
        head = self.random.choices(["TABLE", "UNLOGGED TABLE", "TEMP TABLE"], [30, 1.5, 0.5])[0]
        name = self.new_name()
        if head == "TEMP TABLE":
            name = name.rsplit(".", 1)[-1]
        return f"CREATE {head} {name} ({', '.join(parts)})"

    def create_partitioned(self) -> str:
        name, how = self.new_name(), self.pick("LIST", "LIST", "RANGE", "HASH")
        key = "a" if self.chance(0.95) else self.pick("zz", "a, b")
        rest = self.pick("b int", "b text", "b int NOT NULL, c int", "b int, c varchar(9)")
        primary = self.pick(
            "", ", PRIMARY KEY (a)", ", PRIMARY KEY (a, b)", ", UNIQUE (a, b)", ", PRIMARY KEY (b)"
        )
        return f"CREATE TABLE {name} (a int, {rest}{primary}) PARTITION BY {how} ({key})"

    def bounds(self) -> str:
        if self.chance(0.08):
            return "DEFAULT"
        number = self.random.randint(0, 5)
        return "FOR VALUES " + str(
            self.pick(
                f"IN ({number})",
                f"IN ({number}, {number + 1})",
                f"FROM ({number * 10}) TO ({number * 10 + 10})",
                f"FROM ({number}) TO ({self.random.randint(0, 9)})",
                f"WITH (MODULUS 4, REMAINDER {number})",
                "IN (NULL)",
                "FROM (MINVALUE) TO (0)",
            )
        )

    def fitting_bounds(self, parent: str) -> str:
        """Bounds of the parent's strategy, most of the time."""
        row = self.connection.execute(
            "SELECT partstrat::text FROM pg_partitioned_table WHERE partrelid = to_regclass(%s)",
            (parent,),
        ).fetchone()
        number = self.random.randint(0, 9)
        if row is None or self.chance(0.06):
            return self.bounds()
        if self.chance(0.08):
            return "DEFAULT"
        return {
            "l": f"FOR VALUES IN ({number})",
            "r": f"FOR VALUES FROM ({number * 10}) TO ({number * 10 + 10})",
            "h": f"FOR VALUES WITH (MODULUS 4, REMAINDER {number % 4})",
        }[row[0]]

    def create_partition(self) -> str:
        parent = self.table("p")
        again = f" PARTITION BY {self.pick('LIST', 'RANGE')} (a)" if self.chance(0.25) else ""
        return (
            f"CREATE TABLE {self.new_name()} PARTITION OF {parent}"
            f" {self.fitting_bounds(parent)}{again}"
        )

    def create_heir(self) -> str:
        parent = self.table("r")
        own = self.pick("", "", "h int", f"{self.column(parent)} int", "PRIMARY KEY (a)")
        second = f", {self.table('r')}" if self.chance(0.15) else ""
        return f"CREATE TABLE {self.new_name()} ({own}) INHERITS ({parent}{second})"

    def attach(self) -> str | tuple[str, str]:
        parent = self.table("p")
        if self.chance(0.4):
            rows = self.connection.execute(
                "SELECT inhrelid::regclass::text FROM pg_inherits"
                " WHERE inhparent = to_regclass(%s)",
                (parent,),
            ).fetchall()
            child = self.random.choice(rows)[0] if rows and self.chance(0.9) else self.table()
            return f"ALTER TABLE {parent} DETACH PARTITION {child}"
        if self.chance(0.5):  # one that fits
            columns = ", ".join(f"{name} {kind}" for name, kind in self.columns.get(parent, ()))
            name = self.new_name()
            return (
                f"CREATE TABLE {name} ({columns})",
                f"ALTER TABLE {parent} ATTACH PARTITION {name} {self.fitting_bounds(parent)}",
            )
        return f"ALTER TABLE {parent} ATTACH PARTITION {self.table()} {self.fitting_bounds(parent)}"

    def inherit(self) -> str:
        child = self.table("r")
        if self.chance(0.6):
            return f"ALTER TABLE {child} {self.pick('INHERIT', 'NO INHERIT')} {self.table('r')}"
        rows = self.connection.execute(
            "SELECT inhrelid::regclass::text, inhparent::regclass::text FROM pg_inherits"
        ).fetchall()
        if not rows:
            return f"ALTER TABLE {child} INHERIT {self.table('r')}"
        heir, parent = self.random.choice(rows)
        return f"ALTER TABLE {heir} NO INHERIT {parent}"

    def identity(self) -> str:
        table = self.table()
        kind = self.pick("FULL", "DEFAULT", "NOTHING", "USING INDEX")
        if kind != "USING INDEX":
            return f"ALTER TABLE {table} REPLICA IDENTITY {kind}"
        rows = self.connection.execute(
            "SELECT quote_ident(relname) FROM pg_index JOIN pg_class c ON c.oid = indexrelid"
            " WHERE (indrelid = to_regclass(%s) OR random() < 0.02)"
            " AND relnamespace::regnamespace::text NOT LIKE 'pg\\_%%'",
            (table,),
        ).fetchall()
        name = self.random.choice(rows)[0] if rows and self.chance(0.95) else "nope"
        return f"ALTER TABLE {table} REPLICA IDENTITY USING INDEX {name}"

    def rename(self) -> str:
        kind = self.random.choices(
            ["table", "column", "publication", "schema", "index"], [4, 5, 2, 1, 1]
        )[0]
        table = self.table("rpv" if self.chance(0.1) else "rp")
        self.made += 1
        bare = f"r{self.made}" if self.chance(0.9) else self.pick("a", "b", "t", "s", "p")
        if kind == "table":
            return f"ALTER TABLE {table} RENAME TO {bare}"
        if kind == "column":
            only = "ONLY " if self.chance(0.1) else ""
            return f"ALTER TABLE {only}{table} RENAME COLUMN {self.column(table)} TO {bare}"
        if kind == "publication":
            to = self.publication() if self.chance(0.1) else f"q{self.made}"
            return f"ALTER PUBLICATION {self.publication()} RENAME TO {to}"
        if kind == "index":
            return f"ALTER INDEX {self.table('iI')} RENAME TO {bare}"
        return f"ALTER SCHEMA {self.schema()} RENAME TO {self.pick(bare, 'public', 's')}"

    def column_change(self) -> str:
        table = self.table()
        column = self.column(table)
        only = "ONLY " if self.chance(0.12) else ""
        cascade = " CASCADE" if self.chance(0.3) else ""
        self.made += 1
        change = self.random.choices(
            [
                f"ADD COLUMN {self.pick(f'n{self.made}', column)} {self.random.choice(_TYPES)}",
                f"DROP COLUMN {'IF EXISTS ' if self.chance(0.1) else ''}{column}{cascade}",
                f"ALTER COLUMN {column} TYPE {self.pick('bigint', 'text', 'int', 'varchar(20)')}",
                f"ALTER COLUMN {column} {self.pick('SET', 'DROP')} NOT NULL",
                f"ALTER COLUMN {column} DROP EXPRESSION",
                f"ALTER COLUMN {column} SET EXPRESSION AS (a * 3)",
            ],
            [3, 5, 3, 4, 0.6, 0.6 if self.version >= 17 else 0],
        )[0]
        return f"ALTER TABLE {only}{table} {change}"

    def key_change(self) -> str:
        table = self.table()
        kind = self.random.choices(
            ["pk", "unique", "drop", "index", "unique index"], [3, 2, 3, 1, 2]
        )[0]
        columns = ", ".join(dict.fromkeys([self.column(table) for _ in range(self.pick(1, 1, 2))]))
        self.made += 1
        if kind == "pk":
            return f"ALTER TABLE {table} ADD PRIMARY KEY ({columns})"
        if kind == "unique":
            return f"ALTER TABLE {table} ADD CONSTRAINT k{self.made} UNIQUE ({columns})"
        if kind == "drop":
            rows = self.connection.execute(
                "SELECT quote_ident(conname) FROM pg_constraint WHERE conrelid = to_regclass(%s)",
                (table,),
            ).fetchall()
            name = self.random.choice(rows)[0] if rows and self.chance(0.93) else "nope"
            cascade = " CASCADE" if self.chance(0.3) else ""
            return f"ALTER TABLE {table} DROP CONSTRAINT {name}{cascade}"
        unique = "UNIQUE " if kind == "unique index" else ""
        tail = f" WHERE ({columns.split(',')[0]} IS NOT NULL)" if self.chance(0.2) else ""
        return f"CREATE {unique}INDEX i{self.made} ON {table} ({columns}){tail}"

    def persistence(self) -> str:
        return f"ALTER TABLE {self.table()} SET {self.pick('LOGGED', 'UNLOGGED')}"

    def other_object(self) -> str:
        name, kind = self.new_name(), self.pick("VIEW", "MATERIALIZED VIEW", "SEQUENCE", "SCHEMA")
        if kind == "SCHEMA":
            return f"CREATE SCHEMA {self.pick('s', 's2', 's3')}"
        if kind == "SEQUENCE":
            return f"CREATE SEQUENCE {name}"
        if not self.tables("rpv"):
            return "CREATE SCHEMA s4"
        table = self.random.choice(self.tables("rpv"))
        known = [name for name, _ in self.columns[table]] or ["1 AS a"]
        columns = ", ".join(self.random.sample(known, 1))
        where = (
            f" WHERE {self.random.choice(known).split()[0]} IS NOT NULL" if self.chance(0.4) else ""
        )
        return f"CREATE {kind} {name} AS SELECT {columns} FROM {table}{where}"

    def reader(self) -> str:
        """A trigger, rule, policy or function, which holds what its code reads."""
        self.made += 1
        kind = self.pick("trigger", "rule", "policy", "function", "function", "typed")
        table = self.random.choice(self.tables("rpvm" if kind == "function" else "rp"))
        columns = [name for name, _ in self.columns[table]] or ["NULL"]
        column, other = self.random.choice(columns), self.random.choice(columns)
        within = self.random.choice(self.schemas)
        if kind == "function":
            body = self.pick(
                f"SELECT count({column}) FROM {table}",
                f"SELECT 1 FROM {table} x WHERE {column} IS NULL",
                f"SELECT count(*) FROM {table}",
            )
            head = f"CREATE FUNCTION {within}.f{self.made}() RETURNS bigint LANGUAGE sql"
            return f"{head} BEGIN ATOMIC {body}; END"
        if kind == "typed":
            of = self.pick(table, f"{table}[]")
            head = f"CREATE FUNCTION {within}.f{self.made}() RETURNS SETOF {of} LANGUAGE sql"
            return f"{head} AS 'SELECT NULL::{of}'"
        if kind == "rule":
            action = self.pick(
                "NOTHING", f"DELETE FROM {table}", f"INSERT INTO {table} DEFAULT VALUES"
            )
            when = f" WHERE {column} IS NULL".replace(" WHERE ", " WHERE NEW.")
            when = "" if column == "NULL" or self.chance(0.4) else when
            return f"CREATE RULE r{self.made} AS ON UPDATE TO {table}{when} DO ALSO {action}"
        if kind == "policy":
            check = f" WITH CHECK ({other} IS NULL)" if self.chance(0.4) else ""
            return f"CREATE POLICY p{self.made} ON {table} USING ({column} IS NOT NULL){check}"
        of = "" if column == "NULL" else f" OF {column}"
        when = "" if column == "NULL" or self.chance(0.5) else f" WHEN (OLD.{other} IS NULL)"
        return (
            f"CREATE TRIGGER g{self.made} AFTER UPDATE{of} ON {table} FOR EACH ROW{when}"
            " EXECUTE FUNCTION suppress_redundant_updates_trigger()"
        )

    def drop(self) -> str:
        cascade = " CASCADE" if self.chance(0.4) else self.pick("", "", " RESTRICT")
        exists = "IF EXISTS " if self.chance(0.1) else ""
        kind = self.random.choices(
            ["TABLE", "PUBLICATION", "VIEW", "SCHEMA", "INDEX", "MATERIALIZED VIEW"],
            [5, 3, 1, 0.7, 1.5, 0.5],
        )[0]
        if kind == "PUBLICATION":
            return f"DROP PUBLICATION {exists}{self.publication()}"
        if kind == "SCHEMA":
            return f"DROP SCHEMA {exists}{self.schema()}{cascade}"
        of = {"TABLE": "rp", "VIEW": "v", "INDEX": "iI", "MATERIALIZED VIEW": "m"}[kind]
        name = self.table(of) if self.chance(0.97) else self.table("rpvmiIS")
        return f"DROP {kind} {exists}{name}{cascade}"
