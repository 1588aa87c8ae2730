"""Mistakes in a project's files as files: found, readable, rendered, and the profile."""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.errors import Mistake, nearest
from filtersql.source import Span

__all__ = [
    "BeyondSemantics",
    "DataInTarget",
    "FolderNotEmpty",
    "NeedsTls",
    "NoProfile",
    "NoProfilesFile",
    "NoProject",
    "NotAHost",
    "NotOfKind",
    "NotText",
    "TemplateMistake",
    "UndefinedName",
    "UnknownTarget",
    "UnsetEnvironment",
    "UnsetVariable",
]


def _meant(name: str, known: Iterable[str]) -> str | None:
    close = nearest(name, known)
    return f'Perhaps "{close}" was meant.' if close else None


class NoProject(Mistake):
    """No folder from here up holds a project."""

    def __init__(self, start: str) -> None:
        super().__init__(
            f"no filtersql_project.yml in {start} or any folder above it",
            hint='"filtersql init NAME" starts a project; --project-dir names its folder.',
        )


class FolderNotEmpty(Mistake):
    """`init` would write over files."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f'folder "{name}" exists and is not empty',
            hint="Choose another name, or empty the folder.",
        )


class DataInTarget(Mistake):
    """Rows that `clean` would remove, with everything that can be generated again."""

    def __init__(self, path: str, span: Span | None = None) -> None:
        super().__init__(
            f'"{path}" is under target/, which clean removes',
            span=span,
            hint="Keep databases and warehouses beside it.",
        )


class NeedsTls(Mistake):
    """A key of TLS in an output that does not ask for TLS."""

    def __init__(self, key: str, span: Span) -> None:
        super().__init__(
            f'"{key}" does nothing without "use_ssl: true"',
            span=span,
            hint="The connection would not be encrypted.",
        )


class NotAHost(Mistake):
    """A host that is an address with more than a server's name in it, perhaps a password."""

    def __init__(self, span: Span) -> None:
        super().__init__(
            "host is more than the name or address of a server",
            span=span,
            hint="User, password, port and http_path are keys of their own.",
        )


class NotOfKind(Mistake):
    """A key of a connection with a value of another kind, which may be a secret gone astray."""

    def __init__(self, key: str, where: str, kind: str, meant: str | None, span: Span) -> None:
        super().__init__(
            f"{key} of {where} must be {kind}",
            span=span,
            detail="What is written is not shown, because it may be a secret.",
            hint=f'Perhaps "{meant}" was meant.' if meant else None,
        )


class NotText(Mistake):
    """A file that is no UTF-8 text, or cannot be read."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: cannot be read: {problem}")


class NoProfilesFile(Mistake):
    """There is no profiles.yml where one is looked for."""

    def __init__(self, searched: Iterable[str], span: Span | None) -> None:
        super().__init__(
            "no profiles.yml",
            span=span,
            detail=f"Searched in {', '.join(searched)}.",
            hint="It names where the rows go; --profiles-dir names its folder.",
        )


class NoProfile(Mistake):
    """The project's profile is not in profiles.yml."""

    def __init__(self, name: str, path: str, known: Iterable[str], span: Span | None) -> None:
        names = list(known)
        super().__init__(
            f'profile "{name}" is not in {path}',
            span=span,
            detail=f"It holds {', '.join(names)}." if names else "It holds no profile.",
            hint=_meant(name, names),
        )


class UnknownTarget(Mistake):
    """The profile has no output of that name."""

    def __init__(self, name: str, profile: str, known: Iterable[str], span: Span | None) -> None:
        names = list(known)
        super().__init__(
            f'profile "{profile}" has no target "{name}"',
            span=span,
            detail=f"Its targets are {', '.join(names)}." if names else None,
            hint=_meant(name, names),
        )


class BeyondSemantics(Mistake):
    """A project says of itself what its source system does not have."""

    def __init__(self, version: int, span: Span) -> None:
        super().__init__(
            f"PostgreSQL {version} is not supported",
            span=span,
            detail="Row filters exist since PostgreSQL 15; supported are 15 to 18.",
        )


class TemplateMistake(Mistake):
    """Jinja does not accept a template; the words are Jinja's."""

    def __init__(self, problem: str, span: Span | None, hint: str | None = None) -> None:
        super().__init__(f"template error: {problem}", span=span, hint=hint)


class UndefinedName(Mistake):
    """A template uses a name that nothing defines."""

    def __init__(self, name: str, known: Iterable[str], span: Span | None) -> None:
        super().__init__(
            f'"{name}" is not defined in this template', span=span, hint=_meant(name, known)
        )


class UnsetVariable(Mistake):
    """var('x') without a value or default."""

    def __init__(self, name: str, known: Iterable[str], span: Span | None) -> None:
        names = list(known)
        hint = _meant(name, names) or "Set it under vars in filtersql_project.yml, or with --vars."
        super().__init__(f'variable "{name}" is not set', span=span, hint=hint)


class UnsetEnvironment(Mistake):
    """env_var('X') without a value or default."""

    def __init__(self, name: str, span: Span | None) -> None:
        super().__init__(
            f'environment variable "{name}" is not set',
            span=span,
            hint=f"Set it, or give a default: env_var('{name}', '…').",
        )
