"""Random publications, subscriptions and transactions for a publisher and live subscribers.

A partition tree of three levels, a table with a key, one without; now and then with a generated
column, stored or virtual. Filters of updates and deletes read what old rows carry, and column lists
hold it. Everything is what PostgreSQL `version` accepts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

__all__ = ["TREE", "World", "kin"]

#: leaf -> the k of its rows
LEAVES = {"leaf1": 1, "leaf2": 2, "leaf3": 3}
KEYED = (*LEAVES, "plain")
#: partitioned tables, from the top, and what is below them
TREE = {"root": ("leaf1", "mid"), "mid": ("leaf2", "leaf3")}
_COLUMNS = ("k", "id", "b", "c")
#: what a generated column is made of
_GENERATED = {"stored": "b * 2", "virtual": "c + 1"}
_SINCE_GENERATED = 18
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
    version: int = 18
    #: whether some columns are generated, and some left out by a column list
    columns_vary: bool = True
    #: the generated columns of the tree, of plain and of keyless: `stored`, `virtual`
    generated: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: whether every publication has publish_generated_columns = stored
    sends_stored: bool = False
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
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
        self._generate()
        for number in range(self.random.randint(2, 5)):
            self.publications[f"p{number}"] = self._publication(f"p{number}")
        for number in range(subscriptions):
            count = min(len(self.publications), self.random.choice([1, 1, 2, 3]))
            chosen = tuple(self.random.sample(list(self.publications), count))
            self.subscriptions[f"s{number}"] = chosen
        return self

    def _generate(self) -> None:
        """Generated columns; PostgreSQL 18 wants those of a whole old row to be published."""
        current = self.version >= _SINCE_GENERATED
        for table, identity in (("root", "leaf1"), ("plain", "plain"), ("keyless", "keyless")):
            if not self.columns_vary:
                self.generated[table] = ()
                continue
            kinds = ["stored"] if self.random.random() < 0.4 else []
            if current and self.identities[identity] != "FULL" and self.random.random() < 0.3:
                kinds.append("virtual")
            self.generated[table] = tuple(kinds)
        whole = [self.generated[name] for name in self.generated if self._is_full(name)]
        self.sends_stored = current and any("stored" in kinds for kinds in whole)

    def _is_full(self, table: str) -> bool:
        return self.identities.get(table, self.identities["leaf1"]) == "FULL"

    def _kinds(self, table: str) -> tuple[str, ...]:
        return self.generated.get(table, self.generated["root"])

    @property
    def tables(self) -> str:
        """The DDL of the publisher's tables."""
        return self._tables(
            lambda kind: f"int GENERATED ALWAYS AS ({_GENERATED[kind]}) {kind.upper()}"
        )

    @property
    def subscriber_tables(self) -> str:
        """The same, where what is generated is sent, or is nobody's."""
        return self._tables(lambda kind: "int")

    def _tables(self, generated: Callable[[str], str]) -> str:
        identities = "".join(
            f"ALTER TABLE {name} REPLICA IDENTITY {identity};\n"
            for name, identity in self.identities.items()
        )
        columns = {
            table: ", ".join(
                [
                    "k int NOT NULL, id int NOT NULL, b int, c int",
                    *(f"{kind} {generated(kind)}" for kind in kinds),
                ]
            )
            for table, kinds in self.generated.items()
        }
        return (
            f"CREATE TABLE root ({columns['root']}, PRIMARY KEY (k, id)) PARTITION BY LIST (k);\n"
            "CREATE TABLE leaf1 PARTITION OF root FOR VALUES IN (1);\n"
            "CREATE TABLE mid PARTITION OF root FOR VALUES IN (2, 3) PARTITION BY LIST (k);\n"
            "CREATE TABLE leaf2 PARTITION OF mid FOR VALUES IN (2);\n"
            "CREATE TABLE leaf3 PARTITION OF mid FOR VALUES IN (3);\n"
            f"CREATE TABLE plain ({columns['plain']}, PRIMARY KEY (k, id));\n"
            f"CREATE TABLE keyless ({columns['keyless']});\n"
        ) + identities

    def _publication(self, name: str) -> str:
        via_root = self.random.random() < 0.5
        publish = self.random.choice(_ACTIONS)
        stored = self.sends_stored or self.random.random() < 0.4
        options = f"WITH (publish = '{publish}', publish_via_partition_root = {via_root}" + (
            f", publish_generated_columns = {'stored' if stored else 'none'})"
            if self.version >= _SINCE_GENERATED
            else ")"
        )
        kind = self.random.choices(["tables", "schema", "all"], [8, 1, 1])[0]
        if kind != "tables":
            what = "TABLES IN SCHEMA public" if kind == "schema" else "ALL TABLES"
            return f"CREATE PUBLICATION {name} FOR {what} {options};\n"
        every = ["root", "mid", *LEAVES, "plain", "plain", "keyless"]
        listed = dict.fromkeys(self.random.choices(every, k=self.random.randint(1, 3)))
        entries = []
        for table in listed:
            own = via_root or table not in TREE
            columns = self._list(table, publish) if own else ""
            entries.append(table + columns + self._where(table, publish, filters=own))
        return f"CREATE PUBLICATION {name} FOR TABLE {', '.join(entries)} {options};\n"

    def _list(self, table: str, publish: str) -> str:
        """A column list, often the table's only one: different ones are refused."""
        changing = "update" in publish or "delete" in publish
        rare = not self.columns_vary or self.random.random() < 0.6
        if rare or (changing and self._is_full(table)):
            return ""
        more = ["b", "c"]
        if self.version >= _SINCE_GENERATED and "stored" in self._kinds(table):
            more.append("stored")
        chosen = self.random.sample(more, self.random.randint(0, len(more)))
        columns = tuple(self.random.sample(["k", "id", *chosen], 2 + len(chosen)))
        if self.random.random() < 0.8:
            columns = self.lists.setdefault(table, columns)
        return f" ({', '.join(columns)})"

    def _where(self, table: str, publish: str, *, filters: bool) -> str:
        if not filters or self.random.random() < 0.3:
            return ""
        identity = self.identities.get(table, self.identities["leaf1"])
        columns = ["k", "id"]
        if identity == "FULL" or ("update" not in publish and "delete" not in publish):
            columns += ["b", "c", "b", "c"]
            if self.version >= _SINCE_GENERATED:  # no feed of an older server has their values
                columns += self._kinds(table)
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


def kin(relation: str) -> Iterator[str]:
    """The tables whose rows a subscriber keeps in this one: PostgreSQL 15 copies both."""
    name = relation.removeprefix("public.")
    below = [*TREE.get(name, ())]
    above = [root for root, children in TREE.items() if name in children]
    for each in (*below, *(leaf for mid in below for leaf in TREE.get(mid, ()))):
        yield f"public.{each}"
    for each in above:
        yield f"public.{each}"
        yield from (f"public.{root}" for root, children in TREE.items() if each in children)
