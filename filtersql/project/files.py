"""The files of a project: which there are, and what their definitions say.

Example
    `DefinitionFiles.of(root, settings, functions, variables).read(mistakes)` reads the files of
    tables/, publications/, subscriptions/ and tests/ in the order of their names, rendered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from filtersql.definitions.catalog_builder import Drafts, Refuse
from filtersql.definitions.error_recovery import undoubted
from filtersql.definitions.families import Family
from filtersql.definitions.finish import finish
from filtersql.definitions.model import Definitions
from filtersql.definitions.outlines import FileOutline, checksum, counted, outlined
from filtersql.definitions.restricting import keep_only
from filtersql.definitions.sql_text import without_secrets
from filtersql.definitions.types import ADVANCED_SERVER
from filtersql.definitions.yaml_file import read_yaml
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.project import NOT_TEXT
from filtersql.filters.check.generated_columns import check_generations
from filtersql.names import RelationName
from filtersql.project.captured import with_captured
from filtersql.project.settings import Settings
from filtersql.project.templates import Templates, is_raw
from filtersql.source import Passage, Source

__all__ = ["DefinitionFiles", "OutlinedFiles", "read_text", "rendered", "shown"]

_FOLDERS = ("tables", "publications", "subscriptions", "tests")


class DefinitionFiles(Struct, frozen=True):
    """The definition files of a project, and what their templates may ask for."""

    root: Path
    settings: Settings
    functions: Mapping[str, object]
    variables: Mapping[str, object]
    paths: tuple[Path, ...]
    #: the live sources of the profile, where that is known
    sources: Collection[str] | None = None

    @classmethod
    def of(
        cls,
        root: Path,
        settings: Settings,
        functions: Mapping[str, object],
        variables: Mapping[str, object],
        sources: Collection[str] | None = None,
    ) -> DefinitionFiles:
        """Folder by folder in the order of their names."""
        return cls(root, settings, functions, variables, tuple(_files(root)), sources)

    @property
    def shown(self) -> tuple[str, ...]:
        """The paths as messages show them."""
        return tuple(shown(path, self.root) for path in self.paths)

    def read(self, mistakes: list[Mistake], refuse: Refuse | None = None) -> Definitions:
        """What all files say; where something of it is wrong, without what is in doubt."""
        aimless = bool(mistakes)
        templates, drafts = self.templates(mistakes), self.drafts(mistakes, refuse)
        for path in self.paths:
            _read_definitions(path, self.root, templates, drafts)
        found = self.finished(drafts)
        if mistakes:
            found = undoubted(found, drafts)
        # Without a profile it is not known which engine's limits hold for what is subscribed to.
        return replace(found, subscriptions={}) if aimless else found

    def finished(self, drafts: Drafts) -> Definitions:
        """What drafts amount to; what is wrong with it is added to their mistakes."""
        found = finish(drafts)
        drafts.mistakes += check_generations(found.catalog, self.settings.postgres_version)
        return with_captured(found, self.root, self.sources, drafts.mistakes)

    def templates(self, mistakes: list[Mistake]) -> Templates:
        """What renders them."""
        return Templates(self.functions, lambda: _macros(self.root, mistakes), self.variables)

    def drafts(self, mistakes: list[Mistake], refuse: Refuse | None = None) -> Drafts:
        """What they are read into."""
        settings = self.settings
        return Drafts(
            mistakes=mistakes,
            refuse=refuse,
            defaults=dict(settings.defaults),
            postgres_version=settings.postgres_version,
            database_locale=settings.database_locale,
            type_aliases={} if settings.semantics.binary_filters else ADVANCED_SERVER,
        )


class OutlinedFiles:
    """The definition files of a project, of which those are read that are asked for.

    `known` are outlines of earlier files: of one that is as it was then, nothing is read. Raises
    Mistakes where a file that is read has some.
    """

    def __init__(self, files: DefinitionFiles, known: Mapping[str, FileOutline]) -> None:
        self._files = files
        self._mistakes: list[Mistake] = []
        templates, drafts = files.templates(self._mistakes), self._drafts()
        self._texts = {
            place: _text(path, files.root, templates, self._mistakes)
            for place, path in zip(files.shown, files.paths, strict=True)
        }
        self.outlines: dict[str, FileOutline] = {}
        unread = 0
        for place, text in self._texts.items():
            outline = known.get(place)
            if outline is not None and outline.checksum == checksum(text):
                unread += 1
            else:
                outline = self._read(place, drafts)
            self.outlines[place] = outline
        #: what was read, where that is everything
        self._everything = None if unread else drafts
        self._raise()

    def definitions(self, families: Collection[Family]) -> Definitions:
        """What some families say, in files that may say more."""
        drafts, self._everything = self._everything, None
        whole = any(family.whole for family in families)
        if drafts is None:
            drafts, paths = self._drafts(), {path for family in families for path in family.paths}
            for place in self._texts if whole else filter(paths.__contains__, self._texts):
                self._read(place, drafts)
        if not whole:
            names = (name for family in families for name in family.tables)
            keep_only(drafts, {RelationName(*name[1:]) for name in names})
        found = self._files.finished(drafts)
        self._raise()
        return found

    def _drafts(self) -> Drafts:
        return self._files.drafts(self._mistakes)

    def _read(self, place: str, drafts: Drafts) -> FileOutline:
        text, before = self._texts[place], counted(drafts)
        if place.endswith(".sql"):
            _read_sql(text, drafts)
            return FileOutline(checksum(text), binds_all=True)
        root = read_yaml(text, drafts)
        self._raise()
        return outlined(text, root, drafts, before)

    def _raise(self) -> None:
        if self._mistakes:
            raise Mistakes(self._mistakes)


def _files(root: Path) -> Iterator[Path]:
    """The definition files, folder by folder in the order of their names."""
    for folder in _FOLDERS:
        suffixes = (".yml", ".yaml") if folder == "tests" else (".yml", ".yaml", ".sql")
        found = (path for path in (root / folder).rglob("*") if path.suffix in suffixes)
        yield from sorted(
            (path for path in found if not path.name.startswith(".") and path.is_file()),
            key=lambda path: path.relative_to(root).parts,
        )


def _read_definitions(path: Path, root: Path, templates: Templates, drafts: Drafts) -> None:
    before = len(drafts.mistakes)
    text = _text(path, root, templates, drafts.mistakes)
    if len(drafts.mistakes) > before:
        drafts.incomplete = True
        drafts.doubts.append(("relations", text.source.text))
    reader = _read_sql if path.suffix == ".sql" else read_yaml
    reader(text, drafts)


def _read_sql(text: Passage, drafts: Drafts) -> None:
    # Fifty modules, of which a project in YAML needs none.
    from filtersql.definitions.sql_file import read_sql

    read_sql(text, drafts)


def _text(path: Path, root: Path, templates: Templates, mistakes: list[Mistake]) -> Passage:
    """A file, rendered where it is a template."""
    source = read_text(path, root, mistakes)
    if path.suffix != ".sql":
        return rendered(source, templates, mistakes)
    # A connection string's password stands in no message: nothing behind this line has it.
    source = Source(source.path, without_secrets(source.text))
    return source.passage() if is_raw(source) else rendered(source, templates, mistakes)


def _macros(root: Path, mistakes: list[Mistake]) -> list[Source]:
    return [read_text(path, root, mistakes) for path in sorted((root / "macros").rglob("*.sql"))]


def rendered(source: Source, templates: Templates, mistakes: list[Mistake]) -> Passage:
    """The rendered file; an empty one when its template is wrong, which is noted."""
    try:
        return templates.render(source)
    except Mistake as mistake:
        mistakes.append(mistake)
        return Passage("", source)


def read_text(path: Path, root: Path, mistakes: list[Mistake]) -> Source:
    """A file's text; none where it is not readable, which is noted."""
    place = shown(path, root)
    try:
        return Source(place, path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} is not UTF-8"
    except OSError as error:
        problem = (error.strerror or "not readable").lower()
    mistakes.append(NOT_TEXT(path=place, problem=problem))
    return Source(place, "")


def shown(path: Path, root: Path) -> str:
    """The path as a user would type it: within the project, else from home, else whole."""
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)
