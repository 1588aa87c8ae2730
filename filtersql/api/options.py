"""The flags that every command takes."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

__all__ = ["Options", "WrongUsage"]


class WrongUsage(ValueError):
    """Flags or arguments that cannot be meant so."""


class Options(Struct, frozen=True):
    """The shared flags of one call. An unset flag has its default."""

    project_dir: Path | None = None
    profiles_dir: Path | None = None
    target: str | None = None
    vars: str | None = None
    select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    state: Path | None = None
    threads: int | None = None
    fail_fast: bool = False
    format: str = "text"
    log_format: str = "text"
    log_path: Path | None = None
    quiet: bool = False
    color: bool | None = None
    debug: bool = False
    publish_via_partition_root: bool | None = None
    #: names of the flags that were given
    given: frozenset[str] = field(default=frozenset())

    @property
    def json(self) -> bool:
        """Whether stdout is to hold one JSON document."""
        return self.format == "json"

    @property
    def annotated(self) -> bool:
        """Whether mistakes and warnings are printed for another tool, with their places."""
        return self.format in ("github", "sarif")

    @property
    def one_document(self) -> bool:
        """Whether nothing else than one document may stand on stdout."""
        return self.format in ("json", "sarif")
