"""Random publications, subscriptions and transactions for a publisher and live subscribers.

The tables are always the same, their replica identities are not: a partition tree of three levels,
a table with a key, one without. Filters of updates and deletes read what old rows carry.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["TREE", "World"]

#: leaf -> the k of its rows
LEAVES = {"leaf1": 1, "leaf2": 2, "leaf3": 3}
KEYED = (*LEAVES, "plain")
#: partitioned tables, from the top, and what is below them
TREE = {"root": ("leaf1", "mid"), "mid": ("leaf2", "leaf3")}
_COLUMNS = "k int NOT NULL, id int NOT NULL, b int, c int"
_ACTIONS = (
    *["insert, update, delete, truncate"] * 6,
    "insert",
    "insert, truncate",
    "insert, delete",
    "update, delete",
)


@dataclass
class World:
    """One random project, from a seed."""

    random: random.Random
    identities: dict[str, str] = field(default_factory=dict)
    publications: dict[str, str] = field(default_factory=dict)
    subscriptions: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def build(self, subscriptions: int) -> World:
        """Choose identities, publications and who subscribes to what."""
        tree = self.random.choice(["DEFAULT", "FULL"])
        self.identities = dict.fromkeys(LEAVES, tree) | {
            "plain": self.random.choice(["DEFAULT", "FULL"]),
            "keyless": "FULL",
        }
        for number in range(self.random.randint(2, 5)):
            self.publications[f"p{number}"] = self._publication(f"p{number}")
        for number in range(subscriptions):
            count = min(len(self.publications), self.random.choice([1, 1, 2, 3]))
            chosen = tuple(self.random.sample(list(self.publications), count))
            self.subscriptions[f"s{number}"] = chosen
        return self

    @property
    def tables(self) -> str:
        """The DDL of the tables."""
        identities = "".join(
            f"ALTER TABLE {name} REPLICA IDENTITY {identity};\n"
            for name, identity in self.identities.items()
        )
        return (
            f"CREATE TABLE root ({_COLUMNS}, PRIMARY KEY (k, id)) PARTITION BY LIST (k);\n"
            "CREATE TABLE leaf1 PARTITION OF root FOR VALUES IN (1);\n"
            "CREATE TABLE mid PARTITION OF root FOR VALUES IN (2, 3) PARTITION BY LIST (k);\n"
            "CREATE TABLE leaf2 PARTITION OF mid FOR VALUES IN (2);\n"
            "CREATE TABLE leaf3 PARTITION OF mid FOR VALUES IN (3);\n"
            f"CREATE TABLE plain ({_COLUMNS}, PRIMARY KEY (k, id));\n"
            f"CREATE TABLE keyless ({_COLUMNS});\n"
        ) + identities

    def _publication(self, name: str) -> str:
        via_root = self.random.random() < 0.5
        publish = self.random.choice(_ACTIONS)
        options = f"WITH (publish = '{publish}', publish_via_partition_root = {via_root})"
        kind = self.random.choices(["tables", "schema", "all"], [8, 1, 1])[0]
        if kind != "tables":
            what = "TABLES IN SCHEMA public" if kind == "schema" else "ALL TABLES"
            return f"CREATE PUBLICATION {name} FOR {what} {options};\n"
        every = ["root", "mid", *LEAVES, "plain", "plain", "keyless"]
        listed = dict.fromkeys(self.random.choices(every, k=self.random.randint(1, 3)))
        entries = [
            table + self._where(table, publish, filters=via_root or table not in TREE)
            for table in listed
        ]
        return f"CREATE PUBLICATION {name} FOR TABLE {', '.join(entries)} {options};\n"

    def _where(self, table: str, publish: str, *, filters: bool) -> str:
        if not filters or self.random.random() < 0.3:
            return ""
        identity = self.identities.get(table, self.identities["leaf1"])
        columns = ["k", "id"]
        if identity == "FULL" or ("update" not in publish and "delete" not in publish):
            columns += ["b", "c", "b", "c"]
        conditions = [self._condition(self.random.choice(columns)) for _ in range(2)]
        joined = self.random.choice(
            [conditions[0], " AND ".join(conditions), " OR ".join(conditions)]
        )
        return f" WHERE ({joined})"

    def _condition(self, column: str) -> str:
        number = self.random.randint(1, 5)
        return self.random.choice(
            [
                f"{column} > {number}",
                f"{column} < {number}",
                f"{column} <> {number}",
                f"{column} % 2 = 0",
                f"{column} IN ({number}, {number + 1})",
                f"NOT ({column} = {number})",
                f"{column} IS DISTINCT FROM {number}",
            ]
        )

    def initial(self) -> Iterator[str]:
        """Rows that are there before anybody subscribes."""
        for table, k in (*LEAVES.items(), ("plain", 1), ("keyless", 1)):
            for number in self.random.sample(range(1, 9), self.random.randint(0, 5)):
                yield f"INSERT INTO {table} VALUES ({self._row(k, number)})"

    def transactions(self, number: int) -> Iterator[list[str]]:
        """Transactions of a few statements; some statements are refused by a key."""
        for _ in range(number):
            yield [self._statement() for _ in range(self.random.randint(1, 3))]

    def _statement(self) -> str:
        table = self.random.choice([*KEYED, "plain", "root", "keyless"])
        number = self.random.randint(1, 8)
        match self.random.choices(
            ["insert", "update", "key", "delete", "many", "truncate"], [8, 9, 4, 4, 2, 0.7]
        )[0]:
            case "insert":
                k = LEAVES.get(table, self.random.randint(1, 3))
                return f"INSERT INTO {table} VALUES ({self._row(k, number)})"
            case "update":
                column = self.random.choice(["b", "c"])
                return f"UPDATE {table} SET {column} = {self._value()} WHERE id = {number}"
            case "key":
                column = "k" if table in ("root", "plain") and self.random.random() < 0.5 else "id"
                value = self.random.randint(1, 3 if column == "k" else 8)
                return (
                    f"UPDATE {table} SET {column} = {value}, b = {self._value()}"
                    f" WHERE id = {number} AND k = {self.random.randint(1, 3)}"
                )
            case "delete":
                return f"DELETE FROM {table} WHERE id = {number}"
            case "many":
                return f"UPDATE {table} SET b = {self._value()} WHERE id % 3 = {number % 3}"
            case _:
                return f"TRUNCATE {self.random.choice([table, *TREE])}"

    def _row(self, k: int, number: int) -> str:
        return f"{k}, {number}, {self._value()}, {self._value()}"

    def _value(self) -> str:
        return self.random.choice(["NULL", *map(str, range(1, 7))])
