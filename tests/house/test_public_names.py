"""What a module offers is what its `__all__` says, and nobody reaches for more."""

from __future__ import annotations

import ast
import importlib
import re
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


#: `filters.tree.locales`, `errors.in_order`: a module below a room, or what one holds
_IN_A_ROOM = re.compile(r"`(\w+\.[\w.]+)(?:\(\))?`")
#: members of Debezium's `source`
_OTHERS = frozenset({"source.sequence"})


def there_is(said: str) -> bool:
    """Whether a dotted name is a module of the package, or a name in one."""
    module, _, name = f"filtersql.{said}".rpartition(".")
    if f"{module}.{name}" in trees():
        return True
    return module in trees() and hasattr(importlib.import_module(module), name)


def test_modules_that_texts_name_exist() -> None:
    """Docstrings and comments name modules as they are called now."""
    rooms = {name.partition(".")[0] for name in modules()}
    wrong = [
        f"{path.name}: {said}"
        for path in modules().values()
        for said in _IN_A_ROOM.findall(path.read_text(encoding="utf-8"))
        if said.partition(".")[0] in rooms
        and not said.endswith((".py", ".pyi"))
        and said not in _OTHERS
        if not there_is(said)
    ]

    assert not wrong, "\n".join(wrong)


def test_package_has_a_version() -> None:
    """`filtersql.__version__` is the version of the distribution."""
    from importlib.metadata import version

    assert filtersql.__version__ == version("filtersql")
