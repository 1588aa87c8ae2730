"""Which definitions belong together: a target hangs on those of its family, and on no others.

Example
    ================================================= =======================================
    t1; t2, partition of t1; t3                       two families: t1 and t2, and t3
    publication p of t1 and t3                        in both, with the entries of each
    subscription s to p                               in both
    publication q of nothing, subscription to q       one more family, without tables
    a publication FOR ALL TABLES; any SQL file        one family of everything
    subscription s to a publication that is missing   one family of everything
    ================================================= =======================================

A family's `key` is the hash of all that is written of it. Whoever compiles it sees nothing else
(`restricting`), so what it gives depends on the key alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from filtersql.definitions.outlines import FileOutline, Name, Outline

__all__ = ["Family", "families"]


@dataclass(slots=True)
class Family:
    """Names that belong together. `whole`: everything, also what has no outline."""

    whole: bool = False
    tables: list[Name] = field(default_factory=list)
    publications: dict[Name, None] = field(default_factory=dict)
    subscriptions: dict[Name, None] = field(default_factory=dict)
    #: where its definitions stand
    paths: set[str] = field(default_factory=set)
    _digest: blake2b = field(default_factory=lambda: blake2b(digest_size=16), repr=False)

    def take(self, path: str, *parts: bytes | Name) -> None:
        """Adds what is written of it in a file: hashes of texts, names that belong to it."""
        self.paths.add(path)
        self._digest.update(repr(parts).encode("utf-8", "surrogatepass"))

    @property
    def key(self) -> str:
        """The hash of its texts."""
        return self._digest.hexdigest()


def families(files: Mapping[str, FileOutline]) -> list[Family] | None:
    """All families, in the order of their first tables; None where something must be wrong.

    That is a name that is defined twice, or a table or subscription that nobody defines.
    """
    written = [(path, each) for path, file in files.items() for each in file.outlines]
    known = {each.name: each for _, each in written if each.name[0] != "unit_tests"}
    tests = sum(each.name[0] == "unit_tests" for _, each in written)
    if len(known) + tests < len(written) or not _defined(known, written):
        return None
    if any(file.binds_all for file in files.values()) or _named_in_vain(known, written):
        whole = Family(whole=True)
        for path, file in files.items():
            whole.take(path, file.checksum)
        return [whole]
    return [*_Grouping(written, known).families()]


def _defined(known: Mapping[Name, Outline], written: Iterable[tuple[str, Outline]]) -> bool:
    """Whether the tables of publications are defined, and the subscriptions that tests name."""
    listing = ("publications", "replication_sets", "unit_tests")
    listed = (name for _, each in written if each.name[0] in listing for name in each.names)
    return all(name in known for name in listed)


def _named_in_vain(known: Mapping[Name, Outline], written: Iterable[tuple[str, Outline]]) -> bool:
    """Whether a subscription names what nobody defines: who else defines what is told then."""
    named = (name for _, each in written if each.name[0] == "subscriptions" for name in each.names)
    return any(name not in known for name in named)


class _Grouping:
    """Tables by family, and what else is written of each family."""

    def __init__(self, written: list[tuple[str, Outline]], known: Mapping[Name, Outline]) -> None:
        self._written, self._known = written, known
        self._above: dict[Name, Name] = {}
        self._roots: dict[Name, dict[Name, None]] = {}
        for _, each in written:
            if each.name[0] == "tables":
                self._bind([each.name, *each.names])
            elif each.binds_own:
                self._bind([table for name in each.names for table in self._tables(name)])

    def families(self) -> Iterator[Family]:
        """The families, each with its texts in the order in which they are written."""
        found: dict[Name | None, Family] = {}
        for path, each in self._written:
            kind = each.name[0]
            for root, parts in self._parts(each).items():
                family = found.setdefault(root, Family())
                family.take(path, each.digest, *parts)
                if kind == "tables":
                    family.tables.append(each.name)
                elif kind == "subscriptions":
                    family.subscriptions[each.name] = None
                    family.publications |= {name: None for name in parts if isinstance(name, tuple)}
                elif kind != "unit_tests":
                    family.publications[each.name] = None
        yield from found.values()

    def _parts(self, each: Outline) -> Mapping[Name | None, list[Name] | list[bytes]]:
        """The families that it is of: with its entries there, or the names that it names there."""
        if each.name[0] == "tables":
            return {self._root(each.name): []}
        parts: dict[Name | None, Any] = {}
        if each.name[0] == "subscriptions":
            for name in each.names:
                for root in self._roots_of(name) or (None,):
                    parts.setdefault(root, []).append(name)
        elif each.name[0] != "unit_tests":
            for table, entry in zip(each.names, each.entries, strict=True):
                parts.setdefault(self._root(table), []).append(entry)
        return parts or {None: []}

    def _roots_of(self, name: Name) -> Mapping[Name, None]:
        """The families of a publication's tables."""
        if name not in self._roots:
            self._roots[name] = dict.fromkeys(map(self._root, self._tables(name)))
        return self._roots[name]

    def _tables(self, name: Name) -> tuple[Name, ...]:
        return self._known[name].names if name in self._known else ()

    def _root(self, name: Name) -> Name:
        while (above := self._above.get(name, name)) != name:
            name = above
        return name

    def _bind(self, names: Iterable[Name]) -> None:
        roots = [*dict.fromkeys(map(self._root, names))]
        self._above |= dict.fromkeys(roots[1:], *roots[:1])
