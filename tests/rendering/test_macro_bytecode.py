"""The package's macros are compiled once for all processes; what does not fit is not taken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from filtersql.rendering.macro_bytecode import MacroBytecode


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


def printed(folder: Path, text: str, compiled: list[str] | None = None) -> str:
    """What another process would print of a macro; `compiled` is told of what it had to compile."""

    class Told(Environment):
        def compile(self, source, *arguments, **options):
            if compiled is not None:
                compiled.append(source)
            return super().compile(source, *arguments, **options)

    macros = Told(loader=DictLoader({"merge.sql": text}), bytecode_cache=MacroBytecode(folder))
    return macros.get_template("merge.sql").render(name="t")


def test_a_macro_is_compiled_once(folder) -> None:
    """The second process takes what the first one left; a changed text is compiled again."""
    told: list[str] = []
    assert [printed(folder, "MERGE INTO {{ name }}", told) for _ in range(2)] == [
        "MERGE INTO t"
    ] * 2
    assert printed(folder, "DELETE FROM {{ name }}", told) == "DELETE FROM t"
    assert told == ["MERGE INTO {{ name }}", "DELETE FROM {{ name }}"]
    assert [path.suffix for path in folder.iterdir()] == [".pyc"]


def test_what_is_torn_is_not_taken(folder) -> None:
    """Half a file, or another one, costs a compilation and nothing else."""
    printed(folder, "MERGE INTO {{ name }}")
    (kept,) = folder.iterdir()
    whole = kept.read_bytes()
    for torn in (whole[: len(whole) // 2], b"", b"something else"):
        kept.write_bytes(torn)
        told: list[str] = []
        assert printed(folder, "MERGE INTO {{ name }}", told) == "MERGE INTO t"
        assert len(told) == 1
        assert kept.read_bytes() == whole


def test_nothing_is_written_where_python_writes_nothing(tmp_path, monkeypatch) -> None:
    """Neither with PYTHONDONTWRITEBYTECODE nor where the folder is not there."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert printed(tmp_path, "MERGE INTO {{ name }}") == "MERGE INTO t"
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert printed(tmp_path / "nowhere", "MERGE INTO {{ name }}") == "MERGE INTO t"
    assert list(tmp_path.iterdir()) == []
