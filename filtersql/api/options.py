"""The flags that every command takes."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

__all__ = ["Options", "WrongUsage", "check_switches"]


class WrongUsage(ValueError):
    """Flags or arguments that cannot be meant so."""


def check_switches(**said: object) -> None:
    """Raises WrongUsage where an argument is neither true nor false: a text would turn it on."""
    for name, value in said.items():
        if not isinstance(value, bool):
            raise WrongUsage(f"{name} is True or False, not {value!r}.")


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

    def __post_init__(self) -> None:
        check_switches(fail_fast=self.fail_fast)
        if self.publish_via_partition_root is not None:
            check_switches(publish_via_partition_root=self.publish_via_partition_root)

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
