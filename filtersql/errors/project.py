"""Mistakes in a project's files as files: found, readable, rendered, and the profile."""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording, meant
from filtersql.source import Span

NO_PROJECT = Wording(
    "no filtersql_project.yml in {start} or any folder above it",
    hint='"filtersql init NAME" starts a project; --project-dir names its folder.',
)
# `init` would write over files.
FOLDER_NOT_EMPTY = Wording(
    'folder "{name}" exists and is not empty', hint="Choose another name, or empty the folder."
)
# `init --from-dump` of what only pg_restore reads.
DUMP_NOT_TEXT = Wording(
    '"{path}" is a dump in the custom format',
    hint="Write its definitions as text: pg_restore --schema-only --file schema.sql",
)
# Rows that `clean` would remove, with everything that can be generated again.
DATA_IN_TARGET = Wording(
    '"{path}" is under target/, which clean removes',
    hint="Keep databases and warehouses beside it.",
)
# A setting of DuckDB that is not about memory, threads or files.
NOT_A_RESOURCE = Wording(
    'the DuckDB setting "{name}" is not supported',
    hint="Only {known:listed} can be set: others change what statements mean.",
)
# A key of TLS in an output that does not ask for TLS.
NEEDS_TLS = Wording(
    '"{key}" does nothing without "use_ssl: true"', hint="The connection would not be encrypted."
)
# A host that is an address with more than a server's name in it, perhaps a password.
NOT_A_HOST = Wording(
    "host is more than the name or address of a server",
    hint="User, password, port and http_path are keys of their own.",
)
# A key of a connection with a value of another kind, which may be a secret gone astray.
NOT_OF_KIND = Wording(
    "{key} of {where} must be {kind}",
    detail="What is written is not shown, because it may be a secret.",
    hint='Perhaps "{close}" was meant.',
)
NOT_TEXT = Wording("{path}: cannot be read: {problem}")
# There is no profiles.yml where one is looked for.
NO_PROFILES_FILE = Wording(
    "no profiles.yml",
    detail="Searched in {searched:listed}.",
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
            hint=meant(name, names),
        )


UNKNOWN_TARGET = Wording(
    'profile "{profile}" has no target "{name}"', detail="Its targets are {targets:listed}."
)
# A project says of itself what its source system does not have.
BEYOND_SEMANTICS = Wording(
    "PostgreSQL {version} is not supported",
    detail="Row filters exist since PostgreSQL 15; supported are 15 to 18.",
)
# Jinja does not accept a template; the words are Jinja's.
TEMPLATE_MISTAKE = Wording("template error: {problem}")
UNDEFINED_NAME = Wording('"{name}" is not defined in this template')
UNSET_VARIABLE = Wording(
    'variable "{name}" is not set',
    hint="Set it under vars in filtersql_project.yml, or with --vars.",
)
UNSET_ENVIRONMENT = Wording(
    'environment variable "{name}" is not set',
    hint="Set it, or give a default: env_var('{name}', '…').",
)
