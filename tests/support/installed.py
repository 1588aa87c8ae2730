"""Tools that other projects make, in environments of their own: they ask for other versions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["installed"]


def installed(home: Path, *packages: str, python: str = sys.executable) -> Path:
    """The folder of the programs of a new environment that holds these packages."""
    subprocess.run([python, "-m", "venv", "--without-pip", home], check=True)
    # Of a gigabyte a test imports little: that is compiled when it is imported.
    pip = [sys.executable, "-m", "pip", "--python", home / "bin" / "python"]
    subprocess.run([*pip, "install", "-q", "--no-compile", *packages], check=True)
    return home / "bin"
