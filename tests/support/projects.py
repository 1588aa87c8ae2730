"""Small projects for tests: written into a folder, loaded, or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from filtersql.errors import Mistake, Mistakes
from filtersql.project import Project, load

PROJECT = "name: shop\nversion: 1\n"
PROFILES = "shop: {outputs: {dev: {type: duckdb, path: shop.duckdb}}}\n"
TABLES = "tables: [{name: t1, columns: {a: int not null, c: text}, primary_key: [a]}]\n"

Make = Callable[..., Path]


def maker(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Writes a project's files, far from any home or environment of the machine."""
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.delenv("FILTERSQL_PROFILES_DIR", raising=False)

    def write(files: Mapping[str, str | bytes | None] = {}) -> Path:
        root = folder / "shop"
        every = {"filtersql_project.yml": PROJECT, "profiles.yml": PROFILES, **files}
        for name, text in every.items():
            if text is None:
                continue
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return root

    return write


def refused(start: Path, **arguments: object) -> str:
    """What is said when a project cannot be loaded."""
    with pytest.raises((Mistake, Mistakes)) as caught:
        load(start, **arguments)  # type: ignore[arg-type]
    return str(caught.value)


def filters(project: Project) -> dict[str, str]:
    """Each publication's first filter."""
    found = {}
    for name, publication in project.definitions.publications.items():
        where = publication.tables[0].where
        found[name] = "" if where is None else where.text
    return found
