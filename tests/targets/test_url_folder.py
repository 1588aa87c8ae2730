"""A warehouse that is named by a URL: the same commands, and no folder of this machine."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from demo import started
from installed import installed
from pyspark.sql import SparkSession
from servers import free_port
from transcripts import Shell

from filtersql.targets.delta_folder import LocalFolder
from filtersql.targets.url_folder import UrlFolder

pytestmark = pytest.mark.spark

_OUTPUT = """\
    far:
      type: spark
      method: session
      format: delta
      warehouse: {url}
"""


def _beside(shell: Shell, output: str) -> None:
    """Another output of the profile."""
    profiles = shell.folder / "profiles.yml"
    profiles.write_text(profiles.read_text() + output)


def _played(shell: Shell) -> None:
    """Copied, run again, audited, changed and filled anew."""
    said = shell.run("filtersql run --target far")
    assert said.exit_code == 0, said.both
    assert "PASS=2 ERROR=0" in said.stdout
    assert "every target was up to date" in shell.run("filtersql run --target far").stdout
    assert "RIGHT=2 WRONG=0" in shell.run("filtersql audit --target far").stdout
    said = shell.run("filtersql apply --yes --target far --vars '{region: us}'")
    assert "europe/public.orders: 2 deleted, 3 inserted" in said.stdout
    said = shell.run("filtersql run --target far --full-refresh --vars '{region: us}' --show 9")
    assert "3 inserted" in said.stdout
    assert " 4  | us     | paid   |\n" in said.stdout


def test_a_url_is_no_path_of_the_project(
    tmp_path: Path, spark: SparkSession, own_spark: None
) -> None:
    """Tables stand where the URL says; a later process finds them there by their folders."""
    shell = started(tmp_path, "shop")
    url = (tmp_path / "far away").as_uri()
    _beside(shell, _OUTPUT.format(url=url))
    _played(shell)
    assert not list(shell.folder.glob("file*"))
    assert LocalFolder(tmp_path / "far away" / "europe.db" / "orders").holds_a_table()
