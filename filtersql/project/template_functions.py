"""What a template may call: `var` and `env_var`.

Example
    functions = template_functions({"state": "NSW"}, secrets, asked)
    functions["var"]("state")            NSW
    functions["env_var"]("PGPASSWORD")   its value, which is a secret from now on
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from filtersql.definitions.yaml_document import Document, Node
from filtersql.errors.concealing import conceal
from filtersql.errors.project import UNSET_ENVIRONMENT
from filtersql.project.secrets import is_secret
from filtersql.project.templates import Unset
from filtersql.source import Passage

__all__ = ["check_environment", "lenient", "template_functions"]

_NO_VALUE = object()
_UNSET = re.compile("\ue000([A-Za-z0-9_]+)\ue001")


def template_functions(
    variables: Mapping[str, object], secrets: set[str], asked: set[str]
) -> dict[str, object]:
    """Both; a value that is a secret is added to `secrets`, each name that is asked to `asked`."""

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


def lenient(env_var: object) -> object:
    """env_var in profiles.yml, where other outputs than the chosen one may need more."""
    assert callable(env_var)

    def asked(name: str, *default: object) -> object:
        try:
            return env_var(name, *default)
        except Unset:
            return _unset_mark(str(name))

    return asked


def _unset_mark(name: str) -> str:
    """What stands for an unset environment variable until its output is chosen."""
    return f"\ue000{name}\ue001"


def check_environment(document: Document, node: Node) -> None:
    """Unset environment variables are mistakes in the chosen output only."""
    if isinstance(node.value, str):
        passage: Passage = document.scalar(node)
        for found in _UNSET.finditer(passage.text):
            at = passage.span(found.start(), found.end())
            document.mistakes.append(UNSET_ENVIRONMENT(at, name=found[1]))
        return
    for child in node.value:
        for one in child if isinstance(child, tuple) else (child,):
            check_environment(document, one)
