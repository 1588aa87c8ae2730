"""Java's classes, kept once in a file: a Spark that starts later maps them.

Example
    ~/.cache/filtersql/java/6b1f03c2a9d84e57.jsa     220 MB, made once, in half a minute

    A Spark that starts finds, checks and links some 15,000 classes; from the file it takes them as
    they are: each run is some 3 s shorter. Java passes over a file that another Java or other jars
    made; one that it cannot read to its end is removed (`embedded.own_session`).

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

from filtersql.targets.jars import COORDINATES, are_cached, cache_folder
from filtersql.targets.java import java_path, java_version

__all__ = ["JAVA_OPTIONS", "archive_file", "forget", "keep_classes", "keep_later", "mapping"]

#: who sets this in `spark_conf` sets all of Java's options: no file is mapped or made
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
_LONGEST_WAIT = 300
_COMMAND = (sys.executable, "-m", "filtersql.targets.java_training")
#: the process talks to a Java that is another program's, spark-submit's
_FOREIGN = "PYSPARK_GATEWAY_PORT"


def archive_file() -> Path:
    """The file for this Java, this Spark and these jars, whether it is there or not."""
    spark = _spark_home()
    facts = (java_path(), java_version(), str(spark), str(_changed(spark / "jars")), *COORDINATES)
    key = sha256("\n".join(facts).encode()).hexdigest()[:16]
    return cache_folder().with_name("java") / f"{key}.jsa"


def mapping() -> str:
    """The option of a Java that maps the file; one that the file does not fit says nothing."""
    file = archive_file()
    if not os.path.exists(file):
        return ""
    with suppress(OSError):
        os.utime(file)  # the files that were used last are kept
    return f'"-XX:SharedArchiveFile={file.as_posix()}" "-Xlog:cds*=off"'


def forget() -> None:
    """Remove the file, at which Java breaks off; another one is made as the first was."""
    file = archive_file()
    with suppress(OSError):
        file.unlink()
        file.with_suffix(".tried").unlink(missing_ok=True)


def keep_later() -> None:
    """Make the file in the background when this process ends: once, and not at the first start.

    A container that runs once and is thrown away makes none.
    """
    file = archive_file()
    started, tried = file.with_suffix(".started"), file.with_suffix(".tried")
    if not are_cached() or _FOREIGN in os.environ:
        return
    with suppress(OSError):  # a cache that cannot be written keeps nothing
        if file.exists() or tried.exists():
            return
        if started.exists():
            atexit.register(_begin, started, tried)
        else:
            started.parent.mkdir(parents=True, exist_ok=True)
            started.touch()


def keep_classes() -> str:
    """Make the file now where it is missing; says what is there."""
    file = archive_file()
    with suppress(OSError, subprocess.TimeoutExpired):
        if not file.exists() and are_cached():
            file.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(
                _COMMAND,
                cwd=file.parent,
                env=_environment(),
                timeout=_LONGEST_WAIT,
                check=False,
                capture_output=True,
            )
    if not os.path.exists(file):
        return "its classes could not be kept: Spark starts as without that"
    return f"its classes are kept for faster starts ({file.stat().st_size // 10**6} MB)"


def _begin(started: Path, tried: Path) -> None:
    nowhere = subprocess.DEVNULL
    with suppress(OSError):
        # Of several processes that end at once, one can do this.
        started.replace(tried)
        maker = subprocess.Popen(
            [*_COMMAND, "--nice"],
            cwd=tried.parent,
            env=_environment(),
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            start_new_session=True,
        )
        maker.returncode = 0  # it outlives this process: nobody waits for it


def _environment() -> dict[str, str]:
    """That of the training, which works in another folder: a path from here leads nowhere there."""
    return {**os.environ, "FILTERSQL_CACHE_DIR": str(cache_folder().parent.resolve())}


def _spark_home() -> Path:
    if home := os.environ.get("SPARK_HOME"):
        return Path(home)
    found = find_spec("pyspark")
    return Path(found.origin or "").parent if found else Path()


def _changed(folder: Path) -> int:
    return folder.stat().st_mtime_ns if folder.is_dir() else 0
