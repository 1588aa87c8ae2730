"""The documentation's site, built as CONTRIBUTING.md says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from places import HOME
from servers import without

__all__ = ["build"]


def build(folder: Path, home: Path = HOME) -> str:
    """Builds the site of a checkout into a folder; what mkdocs has to say of its pages."""
    config = home / ".ci" / "site" / "mkdocs.yml"
    command = [sys.executable, "-m", "mkdocs", "build", "-f", config, "-d", folder]
    environment = without("PYTHONPATH") | {"NO_MKDOCS_2_WARNING": "1"}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    said = [line for line in ended.stderr.splitlines() if not line.startswith("INFO ")]
    assert ended.returncode == bool(said), ended.stderr
    return "\n".join(said)
