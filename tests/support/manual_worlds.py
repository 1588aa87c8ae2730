"""Random projects of xDB, pglogical and BDR, with the rows that their manuals promise.

Example
    >>> world = World(random.Random(1))
    >>> world.files["filtersql_project.yml"]                           # doctest: +SKIP
    'name: m\nversion: 1\n…'
    >>> world.expected                                                 # doctest: +SKIP
    {'public.t': [{'id': 1, 'v': 4, 'w': None}]}
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from manual_definitions import ACTIONS, MadeSet, write_sql, write_xdb, write_yaml
from manual_filters import row_filter
from manual_model import Filter, Member, Row, Rules, Stop, Target, combined

__all__ = ["World"]

PROFILES = {
    "xdb": Rules(
        update="target_existence", delete="target_existence", combine="single", missing="insert"
    ),
    "pglogical": Rules(),
    "bdr": Rules(
        null_keeps=True, combine="or_per_action", unfiltered_cancels=True, missing="insert"
    ),
}
#: table -> its DDL and its key; a tree's leaves hold v up to 3, and the others
DDL = {
    "t": ("CREATE TABLE t (id int PRIMARY KEY, v int, w int);", ("id",)),
    "u": ("CREATE TABLE u (id int, v int, w int, PRIMARY KEY (id, v));", ("id", "v")),
    "root": (
        "CREATE TABLE root (id int, v int, w int, PRIMARY KEY (id, v)) PARTITION BY RANGE (v);\n"
        "CREATE TABLE low PARTITION OF root FOR VALUES FROM (MINVALUE) TO (4);\n"
        "CREATE TABLE high PARTITION OF root DEFAULT;",
        ("id", "v"),
    ),
}
LEAVES = ("low", "high")
RELATIONS = ("t", "u", *LEAVES)
#: switch -> the field of Rules, and value -> its value there
SWITCHES: dict[str, tuple[str, dict[str, object]]] = {
    "null_policy": ("null_keeps", {"keep": True, "drop": False}),
    "missing_target": ("missing", {"skip": "skip", "insert": "insert"}),
    "existing_target_on_insert": ("existing", {"error": "error", "upsert": "upsert"}),
    "copy_predicate": ("copy", {"or_all": "or_all", "per_action": "per_action", "none": "none"}),
    "unfiltered_cancels": ("unfiltered_cancels", {"true": True, "false": False}),
    "combine": ("combine", {"and": "and", "or_per_action": "or_per_action"}),
    "update_decision": ("update", {"new_only": "new_only", "target_existence": "target_existence"}),
    "delete_policy": (
        "delete", {"key_only_filter": "key_only_filter", "target_existence": "target_existence"}
    ),
}  # fmt: skip
#: what judges old rows
OLD_ROWS: dict[str, dict[str, object]] = {
    "update_decision": {"old_new": "old_new"},
    "delete_policy": {"old_filter": "old_filter"},
}


@dataclass
class World:
    """Definitions, a source and a feed; and what stands in each target at the end."""

    chance: random.Random
    files: dict[str, str] = field(default_factory=dict)
    #: relation -> rows in any order
    expected: dict[str, list[Row]] = field(default_factory=dict)
    stops: bool = False

    def __post_init__(self) -> None:
        self.profile = self.chance.choice([*PROFILES])
        #: filters read columns of the key alone: then old rows can be judged, too
        self.keys_only = self.chance.random() < 0.25
        self.rules, self.turned = self._rules()
        self.full = self.profile == "xdb"
        #: a group of BDR has a set of all tables, so every partition's root is in a set
        self.group = self.profile == "bdr" and self.chance.random() < 0.3
        self.source: dict[str, list[Row]] = {name: [] for name in RELATIONS}
        self.sets = [self._set(f"s{number}") for number in range(self._number())]
        self.chosen = self.chance.sample(self.sets, self.chance.randint(1, len(self.sets)))
        if self.profile == "xdb":
            self.chosen = self.sets
        self._write()
        self._play()

    def _number(self) -> int:
        return 1 if self.profile == "xdb" else self.chance.choice([1, 2, 2, 3])

    def _rules(self) -> tuple[Rules, dict[str, str]]:
        values = {name: getattr(PROFILES[self.profile], name) for name in Rules.__slots__}
        turned = {}
        if self.chance.random() < 0.5:
            for switch in self.chance.sample([*SWITCHES], self.chance.choice([1, 1, 2, 3])):
                name, known = SWITCHES[switch]
                if self.keys_only or self.profile == "xdb":
                    known = known | OLD_ROWS.get(switch, {})
                word = self.chance.choice([*known])
                if self.profile == "xdb" and switch == "combine":
                    continue
                values[name] = known[word]
                turned[switch] = word
        if "combine" in turned and "unfiltered_cancels" not in turned:
            # In a union an unfiltered set brings every row; of filters that are ANDed none cancels.
            values["unfiltered_cancels"] = turned["combine"] == "or_per_action"
        return Rules(**values), turned

    def _set(self, name: str) -> MadeSet:
        most = self.chance.random() < 0.6
        actions = [one for one in ACTIONS if most or self.chance.random() < 0.7]
        made = MadeSet(name, frozenset(actions))
        if self.profile == "xdb":
            made = MadeSet(name, frozenset(ACTIONS))
        for table in ("t", "u", "root", *LEAVES):
            if self.chance.random() < (0.7 if table in ("t", "u") else 0.35):
                text = filter_ = columns = None
                if self.chance.random() < 0.75:
                    known = [*self._key(table)] if self.keys_only else ["id", "v", "w"]
                    text, filter_ = row_filter(self.chance, known)
                if self.profile == "pglogical" and self.chance.random() < 0.2:
                    columns = (
                        ("id", "v")
                        if table != "t"
                        else self.chance.choice([("id",), ("id", "v"), ("id", "w")])
                    )
                made.tables[table] = (text, filter_, columns)
        if not made.tables:
            made.tables["t"] = (None, None, None)
        return made

    # what is written

    def _write(self) -> None:
        turned = "".join(f", {name}: {value}" for name, value in self.turned.items())
        self.files["filtersql_project.yml"] = (
            f"name: m\nversion: 1\nprofile: m\nsemantics: {{profile: {self.profile}{turned}}}\n"
        )
        self.files["profiles.yml"] = "m: {outputs: {dev: {type: duckdb, path: m.duckdb}}}\n"
        ddl = [one for one, _ in DDL.values()]
        if self.full:
            ddl += [f"ALTER TABLE {name} REPLICA IDENTITY FULL;" for name in (*RELATIONS, "root")]
        self.files["tables/t.sql"] = "\n".join(ddl) + "\n"
        if self.profile == "xdb":
            write_xdb(self.files, self.sets[0], self.chance)
        elif not self.group and self.chance.random() < 0.5:
            write_yaml(self.files, self.sets, self.chosen)
        else:
            write_sql(self.files, self.profile, self.sets, self.chosen, group=self.group)

    # what happens

    def _root_member(self) -> bool:
        return self.group or any("root" in one.tables for one in self.sets)

    def _published_as(self, relation: str) -> str:
        return "root" if relation in LEAVES and self._root_member() else relation

    def _members(self, name: str) -> list[Member]:
        return [
            Member(one.actions, one.tables[name][1]) for one in self.chosen if name in one.tables
        ]

    def _play(self) -> None:
        self.targets: dict[str, Target] = {}
        for name in ("t", "u", "root", *LEAVES):
            if self._members(name) and self._published_as(name) == name:
                key = DDL.get(name, DDL["root"])[1]
                self.targets[name] = Target(self.rules, key, ("id", "v", "w") if self.full else ())
        lines: list[str] = []
        self._changes(lines, 8, live=False)
        lines.clear()
        held: dict[str, list[Row]] = {
            name: [dict(r) for r in rows] for name, rows in self.source.items()
        }
        for name in RELATIONS:
            self.files[f"source/{name}.jsonl"] = _jsonl(held[name])
        self.files["source/root.jsonl"] = _jsonl(held["low"] + held["high"])
        for name, target in self.targets.items():
            rows = held["low"] + held["high"] if name == "root" else held[name]
            target.copy(rows, combined(self.rules, self._members(name), "copy"))
        try:
            self._changes(lines, 25, live=True)
        except Stop:
            self.stops = True
            self._changes(lines, 3, live=False)
        self.files["changes/1.jsonl"] = "".join(
            json.dumps({"seq": number, **json.loads(line)}) + "\n"
            for number, line in enumerate(lines, 1)
        )
        for name, target in self.targets.items():
            columns = self._columns(name)
            self.expected[f"public.{name}"] = [
                {column: row[column] for column in columns} for row in target.rows.values()
            ]

    def _columns(self, name: str) -> tuple[str, ...]:
        lists = [one.tables[name][2] for one in self.chosen if name in one.tables]
        named = {column for each in lists for column in each or ()}
        return tuple(one for one in ("id", "v", "w") if one in named or not named)

    def _changes(self, lines: list[str], number: int, *, live: bool) -> None:
        for _ in range(number):
            kind = self.chance.choices(["insert", "update", "delete", "truncate"], [9, 9, 3, 0.4])[
                0
            ]
            relation = self.chance.choice(RELATIONS)
            if kind == "insert":
                self._insert(lines, relation, self._row(relation), live)
            elif kind == "truncate":
                if live:
                    self._truncate(lines)
            elif self.source[relation]:
                row = self.chance.choice(self.source[relation])
                if kind == "delete":
                    self._delete(lines, relation, row, live)
                else:
                    self._update(lines, relation, row, live)

    def _row(self, relation: str) -> Row:
        low, high = {"low": (1, 3), "high": (4, 7)}.get(relation, (1, 7))
        null = relation == "t" and self.chance.random() < 0.15
        v = None if null else self.chance.randint(low, high)
        w = None if self.chance.random() < 0.2 else self.chance.randint(1, 7)
        return {"id": self.chance.randint(1, 6), "v": v, "w": w}

    def _key(self, relation: str) -> tuple[str, ...]:
        return DDL.get(relation, DDL["root"])[1]

    def _at(self, relation: str, row: Row) -> tuple[int | None, ...]:
        return tuple(row[name] for name in self._key(relation))

    def _logged(self, relation: str, row: Row) -> Row:
        return {n: v for n, v in row.items() if self.full or n in self._key(relation)}

    def _say(self, lines: list[str], relation: str, op: str, **more: object) -> None:
        lines.append(json.dumps({"relation": f"public.{relation}", "op": op, **more}))

    def _sent(self, relation: str, action: str) -> tuple[Target, Filter] | None:
        name = self._published_as(relation)
        target = self.targets.get(name)
        members = self._members(name)
        if target is None or not any(action in one.actions for one in members):
            return None
        return target, combined(self.rules, members, action)

    def _insert(self, lines: list[str], relation: str, row: Row, live: bool) -> None:
        if any(self._at(relation, one) == self._at(relation, row) for one in self.source[relation]):
            return
        self.source[relation].append(row)
        self._say(lines, relation, "insert", after=row)
        if live and (found := self._sent(relation, "insert")):
            found[0].insert(dict(row), found[1])

    def _delete(self, lines: list[str], relation: str, row: Row, live: bool) -> None:
        self.source[relation].remove(row)
        logged = self._logged(relation, row)
        self._say(lines, relation, "delete", before=logged)
        if live and (found := self._sent(relation, "delete")):
            found[0].delete({name: logged.get(name) for name in row}, found[1])

    def _update(self, lines: list[str], relation: str, row: Row, live: bool) -> None:
        new = self._row(relation)
        if self.chance.random() < 0.7:
            new = {**new, **{name: row[name] for name in self._key(relation)}}
        same = self._at(relation, new) == self._at(relation, row)
        others = [self._at(relation, one) for one in self.source[relation] if one is not row]
        if self._at(relation, new) in others:
            return
        self.source[relation][self.source[relation].index(row)] = new
        logged = None if same and not self.full else self._logged(relation, row)
        self._say(lines, relation, "update", before=logged, after=new)
        if live and (found := self._sent(relation, "update")):
            old = None if logged is None else {name: logged.get(name) for name in row}
            found[0].update(old, dict(new), found[1])

    def _truncate(self, lines: list[str]) -> None:
        """A TRUNCATE of one table, of the tree, or of several with CASCADE."""
        named = self.chance.choice([["t"], ["u"], ["root", *LEAVES], ["t", "u"]])
        if "root" in named and not self._root_member() and self.chance.random() < 0.5:
            named = [self.chance.choice(LEAVES)]
        relations = [f"public.{one}" for one in named]
        for relation in named:
            if relation in self.source:
                self.source[relation].clear()
                self._say(lines, relation, "truncate", relations=relations, cascade=len(named) > 1)
        for name in named:
            target = self.targets.get(name)
            if target and any("truncate" in one.actions for one in self._members(name)):
                target.rows.clear()


def _jsonl(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)
