"""Java's classes, kept once in a file: a Spark that starts later maps them.

Example
    ~/.cache/filtersql/java/6b1f03c2a9d84e57.jsa     190 MB, made once, in half a minute

    A Spark that starts finds, checks and links some 15,000 classes; from the file it takes them as
    they are: each run is 3 s shorter. Java takes no file that another Java or other jars made.

Java
    JEP 350, Dynamic CDS Archives: the file is written when Java ends.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from filtersql.targets.jars import COORDINATES, cache_folder
from filtersql.targets.java import java_path

__all__ = ["archive_file", "keep_classes", "keep_later", "mapping"]

_LONGEST_WAIT = 300
_COMMAND = (sys.executable, "-m", "filtersql.targets.java_training")


def archive_file() -> Path:
    """The file for this Java, this Spark and these jars, whether it is there or not."""
    java = Path(java_path()).resolve()
    spark = _spark_home()
    facts = (
        str(java),
        _text(java.parents[1] / "release"),
        str(spark),
        str(_changed(spark / "jars")),
        *COORDINATES,
    )
    key = sha256("\n".join(facts).encode()).hexdigest()[:16]
    return cache_folder().with_name("java") / f"{key}.jsa"


def mapping() -> str:
    """Options of a Java that maps the file; one that the file does not fit says nothing."""
    file = archive_file()
    there = f'"-XX:SharedArchiveFile={file}" -Xshare:auto -Xlog:disable'
    return there if file.exists() else ""


def keep_later() -> None:
    """Make the file in the background when this process ends: once, and not at the first start.

    A container that runs once and is thrown away makes none.
    """
    file = archive_file()
    started, tried = file.with_suffix(".started"), file.with_suffix(".tried")
    if file.exists() or tried.exists():
        return
    with suppress(OSError):  # a cache that cannot be written keeps nothing
        if started.exists():
            atexit.register(_begin, started, tried)
        else:
            started.parent.mkdir(parents=True, exist_ok=True)
            started.touch()


def keep_classes() -> str:
    """Make the file now where it is missing; says what is there."""
    file = archive_file()
    if not file.exists():
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(_COMMAND, timeout=_LONGEST_WAIT, check=False, capture_output=True)
    if not file.exists():
        return "its classes could not be kept: Spark starts as without that"
    return f"its classes are kept for faster starts ({file.stat().st_size // 10**6} MB)"


def _begin(started: Path, tried: Path) -> None:
    nowhere = subprocess.DEVNULL
    with suppress(OSError):
        # Of several processes that end at once, one can do this.
        started.replace(tried)
        maker = subprocess.Popen(
            [*_COMMAND, "--nice"],
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            start_new_session=True,
        )
        maker.returncode = 0  # it outlives this process: nobody waits for it


def _spark_home() -> Path:
    if home := os.environ.get("SPARK_HOME"):
        return Path(home)
    found = find_spec("pyspark")
    return Path(found.origin or "").parent if found else Path()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _changed(folder: Path) -> int:
    return folder.stat().st_mtime_ns if folder.is_dir() else 0
