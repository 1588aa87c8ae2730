"""A project on disk: the only reader of its files.

Example
    `load(Path("shop/tables"))` finds shop/filtersql_project.yml above it, reads the profile and
    every file of tables/, publications/, subscriptions/ and tests/ in the order of their names, and
    gives one frozen `Project`, or raises all mistakes of all files together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from filtersql.definitions.catalog_builder import Refuse
from filtersql.definitions.model import Definitions
from filtersql.definitions.yaml_document import Document
from filtersql.errors import Mistake, Mistakes, in_order
from filtersql.errors.concealing import forget
from filtersql.errors.live import unknown_source
from filtersql.errors.project import NO_PROFILES_FILE, NO_PROJECT
from filtersql.project.files import DefinitionFiles, read_text, rendered
from filtersql.project.live_sources import LiveSource, read_sources
from filtersql.project.output_keys import PROFILE_KEYS
from filtersql.project.outputs import Output
from filtersql.project.profiles import find_profiles, profile_of, read_profiles
from filtersql.project.secrets import is_secret
from filtersql.project.settings import Settings, read_settings
from filtersql.project.template_functions import template_functions
from filtersql.project.templates import Templates
from filtersql.rendering.render import forget_own
from filtersql.semantics import Semantics

__all__ = [
    "PROJECT_FILE",
    "LiveSource",
    "Output",
    "Project",
    "SourceOfProject",
    "find_root",
    "find_source",
    "load",
    "package_folder",
]

PROJECT_FILE = "filtersql_project.yml"


class Project(Struct, frozen=True, eq=False):
    """Everything that the files of a project say."""

    root: Path
    name: str
    profile: str
    semantics: Semantics
    postgres_version: int
    #: the collation of the source's database, as `filters.tree.locales` names it
    database_locale: str
    publish_via_partition_root: bool
    identity_check: Literal["compile", "run"]
    variables: Mapping[str, object]
    definitions: Definitions
    output: Output | None
    #: the live databases of the profile, by name
    sources: Mapping[str, LiveSource]
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
    #: reads the definitions again, asking of each statement whether it is refused: the project
    #: without what is in doubt, and the mistakes
    again: Callable[[Refuse], tuple[Project, list[Mistake]]] | None = None


class SourceOfProject(Struct, frozen=True):
    """A live source, its profile, and the settings of its project, where there is one."""

    source: LiveSource
    profile: str
    settings: Settings | None


def load(
    start: Path,
    *,
    profiles_dir: Path | None = None,
    target: str | None = None,
    variables: Mapping[str, object] | None = None,
    need_output: bool = True,
    judge: Callable[[Project], Iterable[Mistake]] | None = None,
    read: Callable[[DefinitionFiles, list[Mistake]], Definitions] = DefinitionFiles.read,
) -> Project:
    """The project around `start`; raises `Mistakes` with everything that is wrong in its files.

    Without `need_output` a missing profiles.yml or profile is no mistake. `judge` is asked for all
    that is wrong where there are mistakes: of the project without what is in doubt. `read` gives
    the definitions.
    """
    root, given = find_root(start), dict(variables or {})
    mistakes: list[Mistake] = []
    secrets, asked = set[str](), set[str]()
    forget()
    forget_own()
    templates = Templates(template_functions(given, secrets, asked), variables=given)
    text = rendered(read_text(root / PROJECT_FILE, root, mistakes), templates, mistakes)
    if mistakes:
        # Without this file neither the profile nor a variable is known.
        raise Mistakes(mistakes)
    settings = read_settings(Document(text, mistakes))
    unsettled = bool(mistakes)
    given = {**settings.variables, **given}
    look_up = template_functions(given, secrets, asked)
    output, sources = profile_of(
        root, settings, profiles_dir, target, look_up, given, need_output, mistakes, secrets
    )
    functions = {**look_up, "target": _target(output)}
    files, before = DefinitionFiles.of(root, settings, functions, given, sources), list(mistakes)
    found = Project(
        root=root,
        name=settings.name,
        profile=settings.profile or "",
        semantics=settings.semantics,
        postgres_version=settings.postgres_version,
        database_locale=settings.database_locale,
        publish_via_partition_root=settings.publish_via_partition_root,
        silence=settings.silence,
        identity_check="run" if settings.identity_check == "run" else "compile",
        variables=given,
        definitions=read(files, mistakes),
        output=output,
        sources=sources or {},
        compiled_path=root / settings.compiled_path,
        macro_paths=(root / "macros", package_folder("macros")),
        files=files.shown,
        environment=frozenset(asked),
    )
    found = replace(found, again=partial(_again, found, files, before))
    if mistakes and judge is not None and not unsettled:
        mistakes = [*judge(found)]
    if mistakes:
        raise Mistakes(in_order(mistakes, found.files))
    return found


def _again(
    project: Project, files: DefinitionFiles, before: Iterable[Mistake], refuse: Refuse
) -> tuple[Project, list[Mistake]]:
    told = list(before)
    return replace(project, definitions=files.read(told, refuse)), told


def find_source(
    root: Path,
    name: str,
    *,
    profiles_dir: Path | None = None,
    variables: Mapping[str, object] | None = None,
) -> SourceOfProject:
    """A live source by its name, also for a folder in which a project is to begin.

    Raises Mistakes where it is not there, or where something is wrong in the project's own file or
    in a profile's sources.
    """
    mistakes: list[Mistake] = []
    forget()
    given, settings = dict(variables or {}), None
    look_up = template_functions(given, set(), set())
    if (root / PROJECT_FILE).is_file():
        templates = Templates(look_up, variables=given)
        text = rendered(read_text(root / PROJECT_FILE, root, mistakes), templates, mistakes)
        settings = read_settings(Document(text, mistakes))
        given = {**settings.variables, **given}
        look_up = template_functions(given, set(), set())
    path, searched = find_profiles(root, profiles_dir)
    if path is None:
        hint = f"{{{root.name}: {{sources: {{{name}: {{type: postgres, dsn: service={name}}}}}}}}}"
        raise Mistakes([*mistakes, NO_PROFILES_FILE(searched=searched, hint=f"Write {hint}")])
    document = read_profiles(path, root, look_up, given, mistakes)
    known: dict[str, dict[str, LiveSource]] = {}
    for key, node in document.mapping(document.root(), "profiles.yml", None).items():
        if settings is None or key == settings.profile:
            entry = document.mapping(node, f'profile "{key}"', PROFILE_KEYS)
            known[key] = read_sources(document, entry.get("sources"))
    if mistakes:
        raise Mistakes(mistakes)
    holders = [profile for profile, sources in known.items() if name in sources]
    if not holders:
        raise Mistakes([unknown_source(name, {each for found in known.values() for each in found})])
    # Several profiles may have one of that name: a project is mostly named like its profile.
    profile = root.name if root.name in holders else holders[0]
    return SourceOfProject(known[profile][name], profile, settings)


def find_root(start: Path) -> Path:
    """The nearest folder from `start` upwards that holds filtersql_project.yml."""
    folder = start.absolute()
    for candidate in (folder, *folder.parents):
        if (candidate / PROJECT_FILE).is_file():
            return candidate
    raise NO_PROJECT(start=start)


def package_folder(name: str) -> Path:
    """`macros` or `project_template`: inside the wheel, or beside the package in its repository."""
    package = Path(__file__).parent.parent
    inside = package / f"_{name}"
    return inside if inside.is_dir() else package.parent / name


def _target(output: Output | None) -> dict[str, object]:
    """What a template may know of the output: no secret."""
    if output is None:
        return dict.fromkeys(("name", "type", "method", "format", "schema", "catalog"))
    kept = {key: value for key, value in output.settings.items() if not is_secret(key)}
    named = ("name", "type", "method", "format", "schema", "catalog", "threads")
    return {**kept, **{key: getattr(output, key) for key in named}}
