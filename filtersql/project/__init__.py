"""A project on disk: the only reader of its files.

Example
    `load(Path("shop/tables"))` finds shop/filtersql_project.yml above it, reads the profile and
    every file of tables/, publications/, subscriptions/ and tests/ in the order of their names, and
    gives one frozen `Project`, or raises all mistakes of all files together.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from filtersql.definitions.drafts import Drafts
from filtersql.definitions.finish import finish
from filtersql.definitions.model import Definitions
from filtersql.definitions.sql_file import read_sql
from filtersql.definitions.sql_text import without_secrets
from filtersql.definitions.types import ADVANCED_SERVER
from filtersql.definitions.undoubted import undoubted
from filtersql.definitions.yaml_document import Document
from filtersql.definitions.yaml_file import read_yaml
from filtersql.errors import Mistake, Mistakes, in_order
from filtersql.errors.concealing import conceal, forget
from filtersql.errors.project import NoProfilesFile, NoProject, NotText
from filtersql.filters.generations import check_generations
from filtersql.project.profiles import (
    Output,
    hide_secrets,
    is_secret,
    read_output,
    unset_mark,
)
from filtersql.project.settings import Settings, read_settings
from filtersql.project.templates import Templates, Unset, is_raw
from filtersql.semantics import Semantics
from filtersql.source import Passage, Source

__all__ = ["Output", "Project", "find_root", "load", "package_folder"]

PROJECT_FILE = "filtersql_project.yml"
_FOLDERS = ("tables", "publications", "subscriptions", "tests")
_NO_VALUE = object()


@dataclass(frozen=True, slots=True)
class Project:
    """Everything that the files of a project say."""

    root: Path
    name: str
    profile: str
    semantics: Semantics
    postgres_version: int
    #: the collation of the source's database, as `filters.locales` names it
    database_locale: str
    publish_via_partition_root: bool
    identity_check: Literal["compile", "run"]
    variables: Mapping[str, object]
    definitions: Definitions
    output: Output | None
    #: where compiled statements are written
    compiled_path: Path
    #: where a macro is looked for: the project's folder, then the package's
    macro_paths: tuple[Path, ...]
    #: the definition files, by the path that messages show
    files: tuple[str, ...] = ()
    #: names of warnings that are not shown
    silence: tuple[str, ...] = ()
    #: the environment variables that a file asked for, also those that were not set
    environment: frozenset[str] = frozenset()


def load(
    start: Path,
    *,
    profiles_dir: Path | None = None,
    target: str | None = None,
    variables: Mapping[str, object] | None = None,
    need_output: bool = True,
    judge: Callable[[Project], Iterable[Mistake]] = lambda project: (),
) -> Project:
    """The project around `start`; raises `Mistakes` with everything that is wrong in its files.

    Without `need_output` a missing profiles.yml or profile is no mistake. `judge` is asked what
    else is wrong where there are mistakes: of the project without all that is in doubt.
    """
    root = find_root(start)
    mistakes: list[Mistake] = []
    secrets: set[str] = set()
    forget()
    asked: set[str] = set()
    given = dict(variables or {})
    project_file = _read(root / PROJECT_FILE, root, mistakes)
    templates = Templates(_functions(given, secrets, asked), variables=given)
    rendered = _rendered(project_file, templates, mistakes)
    if mistakes:
        # Without this file neither the profile nor a variable is known.
        raise Mistakes(mistakes)
    settings = read_settings(Document(rendered, mistakes))
    unsettled = bool(mistakes)
    given = {**settings.variables, **given}
    look_up = _functions(given, secrets, asked)
    output = _output(
        root, settings, profiles_dir, target, look_up, given, need_output, mistakes, secrets
    )
    functions = {**look_up, "target": _target(output)}
    templates = Templates(functions, lambda: _macros(root, mistakes), given)
    files = list(_files(root))
    found = Project(
        root=root,
        name=settings.name,
        profile=settings.profile,
        semantics=settings.semantics,
        postgres_version=settings.postgres_version,
        database_locale=settings.database_locale,
        publish_via_partition_root=settings.publish_via_partition_root,
        silence=settings.silence,
        identity_check="run" if settings.identity_check == "run" else "compile",
        variables=given,
        definitions=_definitions(root, files, templates, settings, mistakes),
        output=output,
        compiled_path=root / settings.compiled_path,
        macro_paths=(root / "macros", package_folder("macros")),
        files=tuple(_shown(path, root) for path in files),
        environment=frozenset(asked),
    )
    if mistakes and not unsettled:
        mistakes += judge(found)
    if mistakes:
        raise Mistakes(in_order(mistakes, found.files))
    return found


def find_root(start: Path) -> Path:
    """The nearest folder from `start` upwards that holds filtersql_project.yml."""
    folder = start.absolute()
    for candidate in (folder, *folder.parents):
        if (candidate / PROJECT_FILE).is_file():
            return candidate
    raise NoProject(str(start))


def package_folder(name: str) -> Path:
    """`macros` or `project_template`: inside the wheel, or beside the package in its repository."""
    package = Path(__file__).parent.parent
    inside = package / f"_{name}"
    return inside if inside.is_dir() else package.parent / name


def _definitions(
    root: Path,
    files: Iterable[Path],
    templates: Templates,
    settings: Settings,
    mistakes: list[Mistake],
) -> Definitions:
    """What all files say; where something of it is wrong, without what is in doubt."""
    aimless = bool(mistakes)
    drafts = Drafts(
        mistakes=mistakes,
        defaults=dict(settings.defaults),
        postgres_version=settings.postgres_version,
        type_aliases={} if settings.semantics.binary_filters else ADVANCED_SERVER,
    )
    for path in files:
        _read_definitions(path, root, templates, drafts)
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
    source = _read(path, root, drafts.mistakes)
    reader = read_sql if path.suffix == ".sql" else read_yaml
    # A connection string's password stands in no message: nothing behind this line has it.
    if reader is read_sql:
        source = Source(source.path, without_secrets(source.text))
    raw = reader is read_sql and is_raw(source)
    text = source.passage() if raw else _rendered(source, templates, drafts.mistakes)
    if len(drafts.mistakes) > before:
        drafts.incomplete = True
        drafts.doubts.append(("relations", source.text))
    reader(text, drafts)


def _rendered(source: Source, templates: Templates, mistakes: list[Mistake]) -> Passage:
    """The rendered file; an empty one when its template is wrong, which is noted."""
    try:
        return templates.render(source)
    except Mistake as mistake:
        mistakes.append(mistake)
        return Passage("", source)


def _read(path: Path, root: Path, mistakes: list[Mistake]) -> Source:
    shown = _shown(path, root)
    try:
        return Source(shown, path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} is not UTF-8"
    except OSError as error:
        problem = (error.strerror or "not readable").lower()
    mistakes.append(NotText(shown, problem))
    return Source(shown, "")


def _shown(path: Path, root: Path) -> str:
    """The path as a user would type it: within the project, else from home, else whole."""
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def _functions(
    variables: Mapping[str, object], secrets: set[str], asked: set[str]
) -> dict[str, object]:
    def var(name: str, default: object = _NO_VALUE) -> object:
        if name in variables:
            return variables[name]
        if default is _NO_VALUE:
            raise Unset("var", str(name))
        return default

    def env_var(name: str, default: object = _NO_VALUE) -> object:
        asked.add(name)
        if name in os.environ:
            if is_secret(name) and os.environ[name]:
                secrets.add(os.environ[name])
                conceal(os.environ[name])
            return os.environ[name]
        if default is _NO_VALUE:
            raise Unset("env_var", str(name))
        return default

    return {"var": var, "env_var": env_var}


def _target(output: Output | None) -> dict[str, object]:
    """What a template may know of the output: no secret."""
    if output is None:
        return dict.fromkeys(("name", "type", "method", "format", "schema", "catalog"))
    kept = {key: value for key, value in output.settings.items() if not is_secret(key)}
    named = ("name", "type", "method", "format", "schema", "catalog", "threads")
    return {**kept, **{key: getattr(output, key) for key in named}}


def _macros(root: Path, mistakes: list[Mistake]) -> list[Source]:
    return [_read(path, root, mistakes) for path in sorted((root / "macros").rglob("*.sql"))]


def _output(
    root: Path,
    settings: Settings,
    profiles_dir: Path | None,
    target: str | None,
    look_up: Mapping[str, object],
    variables: Mapping[str, object],
    need_output: bool,
    mistakes: list[Mistake],
    secrets: set[str],
) -> Output | None:
    chosen = os.environ.get("FILTERSQL_PROFILES_DIR")
    folders = [root, Path.home() / ".filtersql"]
    if profiles_dir is not None:
        folders = [profiles_dir]
    elif chosen:
        folders.insert(0, Path(chosen))
    path = next((one / "profiles.yml" for one in folders if (one / "profiles.yml").is_file()), None)
    if path is None:
        if need_output:
            searched = [_shown(folder, root) for folder in folders]
            mistakes.append(NoProfilesFile(searched, settings.profile_span))
        return None
    functions = {**look_up, "env_var": _lenient(look_up["env_var"])}
    own: list[Mistake] = []
    source = _read(path, root, own)
    rendered = _rendered(source, Templates(functions, variables=variables), own)
    shown = Passage(
        rendered.text, hide_secrets(source), rendered.starts, rendered.offsets, rendered.widths
    )
    output = read_output(Document(shown, own), settings, target, secrets)
    if need_output or target is not None:
        mistakes += own
    return output


def _lenient(env_var: object) -> object:
    """env_var in profiles.yml, where other outputs than the chosen one may need more."""
    assert callable(env_var)

    def asked(name: str, *default: object) -> object:
        try:
            return env_var(name, *default)
        except Unset:
            return unset_mark(str(name))

    return asked
