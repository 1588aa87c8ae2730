"""What a module offers is what its `__all__` says, and nobody reaches for more."""

from __future__ import annotations

import ast
import importlib
from functools import cache

import pytest
from test_layers import modules

import filtersql


def offered(tree: ast.Module) -> list[str] | None:
    """The names in a module's `__all__`; None where it has none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = ast.literal_eval(node.value)
            return [str(name) for name in names]
    return None


def dotted(module: str) -> str:
    """`filtersql.names` for `names`, `filtersql.errors` for `errors.__init__`."""
    return ".".join(["filtersql", *(part for part in module.split(".") if part != "__init__")])


#: they need packages of their own, with which their tests import them
INTEGRATIONS = "filtersql.integrations."
IMPORTABLE = [
    name
    for name in sorted(map(dotted, modules()))
    if name != "filtersql.__main__" and not name.startswith(INTEGRATIONS)
]


@cache
def trees() -> dict[str, ast.Module]:
    """The package's modules, parsed."""
    return {dotted(name): ast.parse(path.read_text()) for name, path in modules().items()}


@pytest.mark.parametrize("module", IMPORTABLE)
def test_names_in_all_exist(module: str) -> None:
    """Every name in `__all__` is there."""
    names = offered(trees()[module]) or []
    loaded = importlib.import_module(module)

    assert [name for name in names if not hasattr(loaded, name)] == []


def refused(name: str, source: str) -> bool:
    """Whether a module of the package may not be asked for this name."""
    if name == "__version__" or f"{source}.{name}" in trees():
        return False
    known = offered(trees()[source])
    return name.startswith("_") or (known is not None and name not in known)


def test_only_offered_names_are_imported() -> None:
    """A module imports from another one of the package what that one offers."""
    wrong = [
        f"{module} imports {alias.name} from {node.module}"
        for module, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in trees()
        for alias in node.names
        if refused(alias.name, node.module)
    ]

    assert not wrong, "\n".join(wrong)


def test_package_has_a_version() -> None:
    """`filtersql.__version__` is the version of the distribution."""
    from importlib.metadata import version

    assert filtersql.__version__ == version("filtersql")
