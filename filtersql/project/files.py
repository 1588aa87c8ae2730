"""The files of a project: which there are, and what their definitions say.

Example
    `DefinitionFiles.of(root, settings, functions, variables).read(mistakes)` reads the files of
    tables/, publications/, subscriptions/ and tests/ in the order of their names, rendered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from filtersql.definitions.catalog_builder import Drafts, Refuse
from filtersql.definitions.error_recovery import undoubted
from filtersql.definitions.finish import finish
from filtersql.definitions.model import Definitions
from filtersql.definitions.sql_file import read_sql
from filtersql.definitions.sql_text import without_secrets
from filtersql.definitions.types import ADVANCED_SERVER
from filtersql.definitions.yaml_file import read_yaml
from filtersql.errors import Mistake
from filtersql.errors.project import NOT_TEXT
from filtersql.filters.check.generated_columns import check_generations
from filtersql.project.settings import Settings
from filtersql.project.templates import Templates, is_raw
from filtersql.source import Passage, Source

__all__ = ["DefinitionFiles", "read_text", "rendered", "shown"]

_FOLDERS = ("tables", "publications", "subscriptions", "tests")


@dataclass(frozen=True, slots=True)
class DefinitionFiles:
    """The definition files of a project, and what their templates may ask for."""

    root: Path
    settings: Settings
    functions: Mapping[str, object]
    variables: Mapping[str, object]
    paths: tuple[Path, ...]

    @classmethod
    def of(
        cls,
        root: Path,
        settings: Settings,
        functions: Mapping[str, object],
        variables: Mapping[str, object],
    ) -> DefinitionFiles:
        """Folder by folder in the order of their names."""
        return cls(root, settings, functions, variables, tuple(_files(root)))

    @property
    def shown(self) -> tuple[str, ...]:
        """The paths as messages show them."""
        return tuple(shown(path, self.root) for path in self.paths)

    def read(self, mistakes: list[Mistake], refuse: Refuse | None = None) -> Definitions:
        """What all files say; where something of it is wrong, without what is in doubt."""
        aimless, settings = bool(mistakes), self.settings
        templates = Templates(self.functions, lambda: _macros(self.root, mistakes), self.variables)
        drafts = Drafts(
            mistakes=mistakes,
            refuse=refuse,
            defaults=dict(settings.defaults),
            postgres_version=settings.postgres_version,
            database_locale=settings.database_locale,
            type_aliases={} if settings.semantics.binary_filters else ADVANCED_SERVER,
        )
        for path in self.paths:
            _read_definitions(path, self.root, templates, drafts)
        found = finish(drafts)
        mistakes += check_generations(found.catalog, settings.postgres_version)
        if mistakes:
            found = undoubted(found, drafts)
        # Without a profile it is not known which engine's limits hold for what is subscribed to.
        return replace(found, subscriptions={}) if aimless else found


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
    source = read_text(path, root, drafts.mistakes)
    reader = read_sql if path.suffix == ".sql" else read_yaml
    # A connection string's password stands in no message: nothing behind this line has it.
    if reader is read_sql:
        source = Source(source.path, without_secrets(source.text))
    raw = reader is read_sql and is_raw(source)
    text = source.passage() if raw else rendered(source, templates, drafts.mistakes)
    if len(drafts.mistakes) > before:
        drafts.incomplete = True
        drafts.doubts.append(("relations", source.text))
    reader(text, drafts)


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
