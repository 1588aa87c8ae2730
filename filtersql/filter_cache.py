"""The filters of a project, each resolved and written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from filtersql.catalog import Made, Table
from filtersql.definitions.model import Earlier, Publication, ReplicationSet
from filtersql.errors import Collector, Mistake, Mistakes, Notice
from filtersql.filters import resolve as resolve_filter
from filtersql.filters import write as write_filter
from filtersql.filters.check.restrictions import restrictions
from filtersql.filters.model import PREFIX_MARK, Filter
from filtersql.filters.resolve.resolution_cache import Alike
from filtersql.filters.resolve.windows import within_window
from filtersql.names import RelationName
from filtersql.project import Project
from filtersql.rendering.keywords import is_plain
from filtersql.source import Passage
from filtersql.storage import Engine

__all__ = ["FilterCache"]

#: by a tree's id and the engine: the tree, which keeps its id, and its text
_Written = dict[tuple[int, Engine], tuple[object, str]]


class FilterCache:
    """Resolved filters, each resolved and written once.

    `beside` holds those of other definitions of one project, whose filters may be alike.
    """

    def __init__(self, project: Project, beside: FilterCache | None = None) -> None:
        self.project = project
        self._resolved: dict[tuple[int, RelationName], Filter | Exception] = {}
        self._alike: Alike = Alike() if beside is None else beside._alike
        self._written: _Written = {} if beside is None else beside._written
        self._passages: list[Passage] = []

    def filter(self, where: Passage, table: Table, publication: str) -> Filter:
        """The filter of a publication on a table; raises what is wrong with it, each time."""
        key = (id(where), table.name)
        if key not in self._resolved:
            self._passages.append(where)  # keeps its id from being given to another one
            self._resolved[key] = self.resolved(where, table, publication)
        found = self._resolved[key]
        if isinstance(found, Exception):
            raise found
        return found

    def resolved(
        self, where: Passage, table: Table, publication: str, made: Made | None = None
    ) -> Filter | Exception:
        """The filter, or what is wrong with it; the table and what is made may be as once."""
        definitions = self.project.definitions
        written = definitions.publications.get(publication)
        try:
            found = resolve_filter(
                where,
                table,
                created=written.created if written else None,
                postgres_version=self.project.postgres_version,
                made=made or definitions.catalog.made,
                semantics=self.project.semantics,
                database_locale=self.project.database_locale,
                tables=definitions.catalog.tables,
                alike=self._alike if made is None else Alike(),
            )
            refused = tuple(restrictions(found, table, self.project.semantics))
            if refused:
                return Mistakes(refused)
            return within_window(found, table, self.project.semantics)
        except (Mistake, Mistakes) as mistake:
            return mistake

    def check_all(
        self,
        publication: Publication | ReplicationSet,
        mistakes: Collector,
        notices: dict[Notice, None],
    ) -> None:
        """Every filter of a publication is checked, also one that no subscription uses."""
        catalog = self.project.definitions.catalog
        tables = catalog.tables
        if isinstance(publication, Publication):
            tables = {**catalog.unpublishable, **tables} if catalog.unpublishable else tables
        for published in publication.tables:
            table = tables.get(published.name)
            for where in (published.where, *published.filters.values()):
                if where is not None and table is not None:
                    with mistakes:
                        found = self.filter(where, table, publication.name)
                        told = (one for one in found.notices if one.name == "mutable-filter")
                        notices |= dict.fromkeys(told)

    def judged_then(self, earlier: Earlier) -> Iterator[Mistake]:
        """What is wrong with the filters of a statement, by the tables as it found them."""
        for entry in earlier.said.tables:
            table = earlier.tables.get(entry.name)
            if entry.name in earlier.others and isinstance(earlier.said, Publication):
                table = self.project.definitions.catalog.unpublishable.get(entry.name)
            if entry.where is not None and table is not None:
                found = self.resolved(entry.where, table, earlier.said.name, earlier.made)
                if isinstance(found, Mistakes):
                    yield from found.mistakes
                elif isinstance(found, Mistake):
                    yield found

    def deparse(self, where: Passage, relation: RelationName, publication: str) -> str:
        """The filter as PostgreSQL stores and prints it."""
        table = self.project.definitions.catalog.tables[relation]
        return self.filter(where, table, publication).deparsed

    def writer(self, engine: Engine) -> Callable[[Filter, str], str]:
        """Writes a filter over the columns `<prefix><name>`, or `t.<name>` for the prefix "t.".

        A tree is printed once, with a mark in each column's name in place of the prefix.
        """

        def write(row_filter: Filter, prefix: str) -> str:
            if PREFIX_MARK in row_filter.text.text or not all(map(is_plain, row_filter.columns)):
                return _printed(row_filter, prefix, engine)
            key = (id(row_filter.tree), engine)
            if key not in self._written:
                # with the tree, which keeps its id from being given to another one
                printed = _printed(row_filter, PREFIX_MARK, engine)
                self._written[key] = row_filter.tree, printed
            return self._written[key][1].replace(PREFIX_MARK, prefix)

        return write


def _printed(row_filter: Filter, prefix: str, engine: Engine) -> str:
    alias, _, begin = prefix.rpartition(".")

    def column(name: str) -> exp.Column:
        # With the mark they are plain: a filter with other names is printed for each prefix.
        plain = prefix == PREFIX_MARK or is_plain(f"{begin}{name}")
        named = exp.Identifier(this=f"{begin}{name}", quoted=not plain)
        return exp.Column(this=named, table=exp.to_identifier(alias) if alias else None)

    return write_filter(row_filter, engine, column).sql(engine, copy=False)
