"""What a compilation leaves under `target/`, and what an earlier one left.

write, stale_files, compiled_path, files_of    statements, all or nothing
manifest                                       what was compiled, from what, and why
Fingerprints, config_of                        what a target means, wherever it lands
read_manifest -> EarlierManifest               an earlier one, for --state
SourceMaps                                     lines of a statement -> places of definitions
"""

from filtersql.artifacts.earlier import EarlierFilter, EarlierManifest, EarlierNode, read_manifest
from filtersql.artifacts.files import (
    CHANGE_FILE,
    compiled_path,
    files_of,
    read_compiled,
    stale_files,
    write,
    write_changes,
    write_file,
)
from filtersql.artifacts.fingerprints import Fingerprints, config_of
from filtersql.artifacts.manifest import MANIFEST_VERSION, checksums, manifest
from filtersql.artifacts.source_map import Mapped, SourceMaps

__all__ = [
    "CHANGE_FILE",
    "MANIFEST_VERSION",
    "EarlierFilter",
    "EarlierManifest",
    "EarlierNode",
    "Fingerprints",
    "Mapped",
    "SourceMaps",
    "checksums",
    "compiled_path",
    "config_of",
    "files_of",
    "manifest",
    "read_compiled",
    "read_manifest",
    "stale_files",
    "write",
    "write_changes",
    "write_file",
]
