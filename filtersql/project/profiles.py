"""profiles.yml: where it is, and what it says of a project.

Example
    With `shop: {target: dev, outputs: {dev: {type: duckdb, path: shop.duckdb}}}` and
    `profile: shop` in the project file, the output is dev; `--target` names another one. Only the
    chosen output must be complete: an `env_var` that another one needs may be unset.

A password or token is kept out of every text that is shown: its place in the file shows asterisks,
and its value is in `Output.secrets`, which printers remove from what they print.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from filtersql.definitions.yaml_document import Document, Node
from filtersql.errors import Mistake
from filtersql.errors.project import NO_PROFILES_FILE, UNKNOWN_TARGET, NoProfile
from filtersql.errors.wording import meant
from filtersql.project.files import read_text, rendered, shown
from filtersql.project.live_sources import LiveSource, read_sources
from filtersql.project.output_keys import PROFILE_KEYS
from filtersql.project.outputs import Output, output_of
from filtersql.project.secrets import hide_secrets
from filtersql.project.settings import Settings
from filtersql.project.template_functions import lenient
from filtersql.project.templates import Templates
from filtersql.source import Passage

__all__ = ["find_profiles", "profile_of", "read_profiles"]

#: a profile's node, and its entries by key
_Profile = tuple[Node, Mapping[str, Node]]


def _read_profile(document: Document, settings: Settings) -> _Profile | None:
    """The project's profile and its entries; what is wrong is added to the document's mistakes."""
    root = document.root()
    if settings.profile is None or (root is None and document.mistakes):
        return None
    profiles = document.mapping(root, "profiles.yml", None)
    if settings.profile not in profiles:
        path = document.passage.source.path
        document.mistakes.append(NoProfile(settings.profile, path, profiles, settings.profile_span))
        return None
    node = profiles[settings.profile]
    return node, document.mapping(node, f'profile "{settings.profile}"', PROFILE_KEYS)


def _read_output(
    document: Document, settings: Settings, profile: _Profile, target: str | None, secrets: set[str]
) -> Output | None:
    """The chosen output; what is wrong with it is added to the document's mistakes."""
    (node, entry), where = profile, f'profile "{settings.profile}"'
    if "outputs" not in entry:
        document.missing("outputs", where, node)
        return None
    pairs = document.pairs(entry["outputs"], "outputs")
    outputs = {key.value: (key, value) for key, value in pairs}
    chosen, span = target, None
    if chosen is None and "target" in entry:
        chosen, span = document.string(entry["target"], "target"), document.span(entry["target"])
    if chosen is None and len(outputs) == 1:
        chosen = next(iter(outputs))
    if chosen is None:
        document.missing("target", where, node)
        return None
    if chosen not in outputs:
        hint, names = meant(chosen, outputs), list(outputs) or None
        document.mistakes.append(
            UNKNOWN_TARGET(span, profile=settings.profile, name=chosen, targets=names, hint=hint)
        )
        return None
    key, node = outputs[chosen]
    return output_of(document, key, node, secrets)


def profile_of(
    root: Path,
    settings: Settings,
    profiles_dir: Path | None,
    target: str | None,
    look_up: Mapping[str, object],
    variables: Mapping[str, object],
    need_output: bool,
    mistakes: list[Mistake],
    secrets: set[str],
) -> tuple[Output | None, Mapping[str, LiveSource] | None]:
    """The chosen output, and the live sources; None where no profile is found."""
    path, searched = find_profiles(root, profiles_dir)
    if path is None:
        if need_output and settings.profile is not None:
            mistakes.append(NO_PROFILES_FILE(settings.profile_span, searched=searched))
        return None, None
    own: list[Mistake] = []
    document = read_profiles(path, root, look_up, variables, own)
    profile = _read_profile(document, settings)
    output, sources = None, None
    if profile is not None:
        output = _read_output(document, settings, profile, target, secrets)
        # They are judged also where no output is needed.
        sources = read_sources(Document(document.passage, mistakes), profile[1].get("sources"))
    if need_output or target is not None:
        mistakes += own
    return output, sources


def find_profiles(root: Path, profiles_dir: Path | None) -> tuple[Path | None, list[str]]:
    """profiles.yml, and the folders that were searched."""
    chosen = os.environ.get("FILTERSQL_PROFILES_DIR")
    folders = [root, Path.home() / ".filtersql"]
    if profiles_dir is not None:
        folders = [profiles_dir]
    elif chosen:
        folders.insert(0, Path(chosen))
    path = next((one / "profiles.yml" for one in folders if (one / "profiles.yml").is_file()), None)
    return path, [shown(folder, root) for folder in folders]


def read_profiles(
    path: Path,
    root: Path,
    look_up: Mapping[str, object],
    variables: Mapping[str, object],
    mistakes: list[Mistake],
) -> Document:
    """profiles.yml with its templates filled in; what is shown of it holds no secret."""
    functions = {**look_up, "env_var": lenient(look_up["env_var"])}
    source = read_text(path, root, mistakes)
    text = rendered(source, Templates(functions, variables=variables), mistakes)
    hidden = Passage(text.text, hide_secrets(source), text.starts, text.offsets, text.widths)
    return Document(hidden, mistakes)
