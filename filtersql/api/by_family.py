"""`compile` by families: what is written as before is not worked out again.

The one rule
    Definitions that belong together are a family (`definitions.families`): mostly a table, the
    entries of publications that list it, and who subscribes to these. A family is compiled alone
    and sees no other. So its answer (statements, entries of the manifest, warnings) hangs on
    three things: the texts of the family, which its key is the hash of; the project's settings,
    macros and flags; and the program. `Memory.settings` covers the last two. An answer is kept
    below the family's key, and holds as long as the family has that key.

What families have in common is looked at each time: that each target has one writer, the order of
targets and warnings. Where anything is wrong, there is no answer by families: the project is then
compiled as a whole, which says what.

Kept are checksums, warnings and places: the texts stand under target/ already. An entry is cut out
of the earlier manifest.json, and a file of statements is left alone, only where they are what
their checksums say; else the family is compiled again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from filtersql.api.loading import check_target_types, load_project
from filtersql.api.notices import RememberedNotice, notices_of
from filtersql.api.remembered import Memory
from filtersql.api.reporter import Reporter
from filtersql.api.written import is_written
from filtersql.artifacts import files as artifacts
from filtersql.artifacts.manifest import Entries, checksums, framed, statements_of
from filtersql.artifacts.source_map import SourceMaps
from filtersql.compile import Node, compile_project
from filtersql.definitions.families import Family, families
from filtersql.definitions.model import Definitions
from filtersql.definitions.outlines import FileOutline
from filtersql.definitions.restricting import Restricting
from filtersql.errors import Mistake, Mistakes
from filtersql.exclusive import alone
from filtersql.filter_cache import FilterCache
from filtersql.project import Project
from filtersql.project.files import DefinitionFiles, OutlinedFiles
from filtersql.rendering.target_uniqueness import Writer, are_apart
from filtersql.review.listing import target_traits
from filtersql.selection import Traits, select

__all__ = ["Done", "Target", "compiled_by_family"]

_Reader = Callable[[DefinitionFiles, list[Mistake]], Definitions]


class Target(Struct, frozen=True):
    """A target as it was compiled."""

    unique_id: str
    subscription: str
    relation: tuple[str, ...]
    path: str
    traits: Traits
    checksums: dict[str, str]
    writer: Writer


class _Answer(Struct, frozen=True):
    """What became of a family."""

    targets: tuple[Target, ...]
    notices: tuple[RememberedNotice, ...]


class _Kept(Struct, frozen=True):
    """What is kept of a project: outlines by file, answers by the keys of families.

    `places` are those of the targets' entries in the manifest, of which a checksum is kept.
    """

    outlines: dict[str, FileOutline] = field(default_factory=dict)
    answers: dict[str, _Answer] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    manifest: str = ""


class Done(Struct, frozen=True):
    """A compiled project: all targets, and the chosen ones."""

    project: Project
    targets: tuple[Target, ...]
    chosen: tuple[Target, ...]
    notices: tuple[RememberedNotice, ...]
    manifest: str


def compiled_by_family(reporter: Reporter, memory: Memory) -> Done | None:
    """Compiles and writes the project; None where something is wrong, and nothing was written."""
    try:
        return _Work(reporter, memory.settings).done()
    except (Mistake, Mistakes):
        return None


class _Work:
    """One compile: what is known of the project's families, and what is found out."""

    def __init__(self, reporter: Reporter, memory: Memory) -> None:
        self._reporter, self._memory = reporter, memory
        kept = memory.get("families", _Kept) or _Kept()
        self._files: OutlinedFiles
        self._project = load_project(reporter, read=self._outlined(kept))
        self._before = _content(self._project.root / "target" / "manifest.json")
        if sha256(self._before).hexdigest() != kept.manifest:
            kept = _Kept()
        self._families = families(self._files.outlines)
        self._answers, self._places = kept.answers, kept.places
        self._texts: dict[str, dict[str, str]] = {}
        self._entries: dict[str, bytes] = {}
        self._filters = FilterCache(self._project)
        self._printing = Entries(self._project.macro_paths)

    def done(self) -> Done | None:
        """Compiles what is not known, and writes."""
        if self._families is None:
            return None
        known = self._answers
        self._answers = {each.key: known[each.key] for each in self._families if each.key in known}
        self._compile([each for each in self._families if each.key not in known])
        output = self._project.output
        state_schema = output.state_schema if output else "filtersql"
        while True:
            targets = self._targets()
            if not are_apart([each.writer for each in targets], state_schema):
                return None
            options = self._reporter.options
            chosen = select(targets, options.select, options.exclude)
            target = self._project.root / "target"
            target.mkdir(exist_ok=True)
            with alone(target):
                lost = {each.unique_id for each in chosen if not self._is_written(each)}
                if not lost:
                    return self._written(targets, chosen)
            self._compile([each for each in self._families if self._has(each, lost)])

    def _outlined(self, kept: _Kept) -> _Reader:
        def read(files: DefinitionFiles, mistakes: list[Mistake]) -> Definitions:
            if not mistakes:
                self._files = OutlinedFiles(files, kept.outlines)
            return Definitions()

        return read

    def _compile(self, missing: Sequence[Family]) -> None:
        """Compiles some families, each alone."""
        if not missing:
            return
        whole = replace(self._project, definitions=self._files.definitions(missing), again=None)
        check_target_types(whole)
        restricting, maps = Restricting(whole.definitions), SourceMaps(whole.definitions)
        flag = self._reporter.options.publish_via_partition_root
        for family in missing:
            project = replace(whole, definitions=restricting.of(family))
            found = compile_project(project, via_partition_root=flag, beside=self._filters)
            targets = tuple(self._target(node, project.definitions, maps) for node in found.nodes)
            self._answers[family.key] = _Answer(targets, notices_of(found.notices))

    def _target(self, node: Node, definitions: Definitions, maps: SourceMaps) -> Target:
        compiled, path = node.compiled, artifacts.compiled_path(node)
        sums = checksums(node)
        self._texts[path] = statements_of(node)
        self._entries[compiled.unique_id] = self._printing.of(node, maps, sums)
        return Target(
            compiled.unique_id,
            compiled.subscription,
            tuple(compiled.relation),
            path,
            target_traits(node.resolved, definitions),
            sums,
            Writer.of(compiled, node.resolved.subscription),
        )

    def _targets(self) -> tuple[Target, ...]:
        """All targets: by subscription, and in the order in which their tables are defined."""
        found = [each for answer in self._answers.values() for each in answer.targets]
        if any(family.whole for family in self._families or ()):
            return tuple(found)
        outlines = (each for file in self._files.outlines.values() for each in file.outlines)
        places = {each.name: place for place, each in enumerate(outlines)}
        found.sort(key=lambda each: (each.subscription, places["tables", *each.relation]))
        return tuple(found)

    def _is_written(self, target: Target) -> bool:
        """Whether its files are there, or are about to be written."""
        folder = f"{self._project.compiled_path}/{target.path}"
        return target.path in self._texts or is_written(folder, target.checksums)

    def _has(self, family: Family, targets: Collection[str]) -> bool:
        answer = self._answers[family.key]
        return any(each.unique_id in targets for each in answer.targets)

    def _written(self, targets: Sequence[Target], chosen: tuple[Target, ...]) -> Done:
        project = self._project
        texts = {each.path: self._texts[each.path] for each in chosen if each.path in self._texts}
        paths = [each.path for each in targets]
        artifacts.write_statements(project.compiled_path, texts, paths)
        notices = self._notices()
        warnings = ((each.name, each.message, each.place) for each in notices)
        entries = [self._entry(each) for each in targets]
        parts = list(framed(project, warnings, entries))
        manifest = artifacts.write_manifest(project, parts)
        names = (each.unique_id for each in targets)
        places = dict(zip(names, _placed(entries, len(parts[0])), strict=True))
        kept = _Kept(self._files.outlines, self._answers, places, manifest)
        self._memory.put("families", kept, project)
        return Done(project, tuple(targets), chosen, notices, manifest)

    def _entry(self, target: Target) -> bytes:
        fresh = self._entries.get(target.unique_id)
        return self._before[slice(*self._places[target.unique_id])] if fresh is None else fresh

    def _notices(self) -> tuple[RememberedNotice, ...]:
        """The warnings of all families, in the order of `errors.in_order`."""
        places = {path: place for place, path in enumerate(self._project.files)}

        def place(each: RememberedNotice) -> tuple[int, int, int, str, str]:
            if each.place is None:
                return -1, 0, 0, each.name, each.message
            path, line, column = each.place.rsplit(":", 2)
            return places.get(path, -1), int(line), int(column), each.name, each.message

        told = (each for answer in self._answers.values() for each in answer.notices)
        return tuple(sorted(dict.fromkeys(told), key=place))


def _placed(entries: Iterable[bytes], begin: int) -> Iterator[tuple[int, int]]:
    """From where to where each entry stands, the first of which begins at `begin`."""
    for entry in entries:
        yield begin, begin + len(entry)
        begin += len(entry) + 1  # a comma


def _content(path: Path) -> bytes:
    """What stands in a file; nothing where there is none."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
