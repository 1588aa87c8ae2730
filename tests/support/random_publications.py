"""Random statements about publications."""

from __future__ import annotations

from dataclasses import dataclass

from random_names import Names

__all__ = ["Publications"]

_SYSTEM = ("pg_catalog", "information_schema")


@dataclass
class Publications(Names):
    """CREATE and ALTER PUBLICATION."""

    def where(self, table: str) -> str:
        column, other = self.column(table), self.column(table)
        kinds = dict(self.columns.get(table, ()))
        number = self.random.randint(0, 9)
        kind = kinds.get(column, "integer")
        if "int" in kind or kind.startswith("numeric"):
            fits = self.pick(
                f"{column} > {number}", f"{column} IN ({number}, 3)", f"{column} <> {number}",
                f"{column} BETWEEN 1 AND {number}", f"{column} % 2 = 0", f"-{column} < {number}",
                f"abs({column}) = {number}", f"{column} IS DISTINCT FROM {number}",
            )  # fmt: skip
        elif kind in ("text", "character varying(9)", "character(3)"):
            fits = self.pick(
                f"{column} = 'x'", f"{column} LIKE 'a%'", f"upper({column}) = 'A'",
                f"length({column}) < {number}", f"{column} || 'x' = 'ax'", f"{column} ~ '^a'",
            )  # fmt: skip
        elif kind == "boolean":
            fits = self.pick(column, f"NOT {column}", f"{column} IS TRUE")
        elif kind == "date":
            fits = self.pick(f"{column} > '2024-01-01'", f"{column} = DATE '2024-02-29'")
        else:
            fits = f"{column} IS NOT NULL"
        if self.chance(0.25):
            more = self.pick(f"{other} IS NULL", f"{other} IS NOT NULL", "true", f"{number} = 1")
            fits = f"{fits} {self.pick('AND', 'OR')} {more}"
        if self.chance(0.1):
            fits = str(
                self.pick(
                    f"{column} > 'x'", "random() > 0.5", f"count({column}) > 1", "a + 1",
                    "(SELECT true)", f"{column} = CURRENT_DATE", "tableoid > 0", "NULL", "zz = 1",
                    f"{table.rsplit('.', 1)[-1]}.{column} IS NULL", "nope.a = 1", "f(a) = 1",
                    "now() > '2020-01-01'",
                    f"{column}::text = 'x'", "a = b", "row_number() OVER () = 1",
                    f"{column} = ANY ('{{1,2}}')", "xmin = '1'", "a = $1", "a > 1 COLLATE \"C\"",
                    "'x'", "1", "generate_series(1, 2) = 1", f"{column} = DEFAULT", "a.b.c.d.e = 1",
                )
            )  # fmt: skip
        return fits

    def entry(self, *, kinds: str = "rp", clauses: bool = True) -> str:
        table = self.table(kinds if self.chance(0.97) else "vmSi")
        text = ("ONLY " if self.chance(0.1) else "") + table
        if self.chance(0.04):
            text += " *" if not text.startswith("ONLY") else ""
        if clauses and self.chance(0.25):
            known = [name for name, _ in self.columns.get(table, ())] or ["a"]
            listed = self.random.sample(known, self.random.randint(1, len(known)))
            if self.chance(0.08):
                listed.append(self.column(table))
            text += f" ({', '.join(listed)})"
        if clauses and self.chance(0.45):
            text += f" WHERE ({self.where(table)})"
        return text

    def objects(self, *, clauses: bool = True) -> str:
        parts = []
        for _ in range(self.random.choices([1, 2, 3], [6, 3, 1])[0]):
            if self.chance(0.18):
                parts.append(f"TABLES IN SCHEMA {self.schema(*_SYSTEM)}")
            else:
                parts.append(f"TABLE {self.entry(clauses=clauses)}")
        if self.chance(0.06):
            parts.append(self.entry(clauses=clauses))
        return ", ".join(parts)

    def parameters(self) -> str:
        given = []
        if self.chance(0.5):
            actions = self.random.sample(
                ["insert", "update", "delete", "truncate"], self.pick(0, 1, 2, 3)
            )
            if self.chance(0.03):
                actions.append(self.pick("insrt", "", "INSERT"))
            given.append(f"publish = '{', '.join(actions)}'")
        if self.chance(0.55):
            value = self.pick("true", "false", "on", "off", "1", "0", "true", "true")
            if self.chance(0.03):
                value = self.pick("maybe", "2", "''")
            given.append(f"publish_via_partition_root = {value}")
        if self.chance(0.2 if self.version >= 18 else 0.03):
            value = self.pick("stored", "none", "stored", "STORED")
            if self.chance(0.05):
                value = self.pick("true", "virtual", "''")
            given.append(f"publish_generated_columns = {value}")
        if self.chance(0.02):
            given.append(self.pick("nope = 1", "publish", *given[:1] or ["publish = insert"]))
        return ", ".join(given)

    def create_publication(self) -> str:
        self.made += 1
        name = f"p{self.made}" if self.chance(0.95) else self.publication()
        what = self.random.choices(["FOR ALL TABLES", f"FOR {self.objects()}", ""], [1, 9, 0.7])[0]
        given = self.parameters()
        tail = f" WITH ({given})" if given and self.chance(0.75) else ""
        return f"CREATE PUBLICATION {name} {what}{tail}"

    def alter_publication(self) -> str:
        name = self.publication()
        kind = self.random.choices(["(", "SET", "ADD", "DROP"], [3, 3, 4, 3])[0]
        if kind == "(":
            return f"ALTER PUBLICATION {name} SET ({self.parameters() or 'publish = insert'})"
        if kind == "DROP" and self.chance(0.8):
            rows = self.connection.execute(
                "SELECT 'TABLE ' || prrelid::regclass FROM pg_publication_rel r JOIN pg_publication"
                " p ON p.oid = prpubid WHERE pubname = %s UNION ALL SELECT 'TABLES IN SCHEMA ' ||"
                " pnnspid::regnamespace FROM pg_publication_namespace n JOIN pg_publication p ON"
                " p.oid = pnpubid WHERE pubname = %s ORDER BY 1",
                (name, name),
            ).fetchall()
            if rows:
                return f"ALTER PUBLICATION {name} DROP {self.random.choice(rows)[0]}"
        clauses = kind != "DROP" or self.chance(0.05)
        return f"ALTER PUBLICATION {name} {kind} {self.objects(clauses=clauses)}"
