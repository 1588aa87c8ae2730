"""The jars of Delta and Iceberg: resolved once, kept in a cache, then passed as files.

Example
    The first session asks the repositories that Spark is set up for (about 60 MB); later ones find
    the files and ask nobody. FILTERSQL_CACHE_DIR names another cache folder. Files that were put
    there by hand count too.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from filtersql.errors import Mistakes
from filtersql.errors.reaching import JARS_MISSING
from filtersql.exclusive import alone

__all__ = ["COORDINATES", "are_cached", "cache_folder", "jars"]

#: delta-spark needs delta-storage; the Iceberg runtime needs nothing. All else Spark has itself.
COORDINATES = (
    "io.delta:delta-spark_4.1_2.13:4.4.0",
    "io.delta:delta-storage:4.4.0",
    "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
)
#: what these jars ask for beyond that, and Spark has already or the embedded session never uses
_NOT_NEEDED = (
    "io.delta:delta-kernel-*",
    "io.unitycatalog:*",
    "org.apache.hadoop:*",
    "org.apache.logging.log4j:*",
    "com.fasterxml.jackson.*:*",
    "com.github.luben:*",
    "io.airlift:*",
    "javax.annotation:*",
    "org.scala-lang:*",
)
_RESOLVE = """
import json, sys
from pyspark.sql import SparkSession
settings = json.load(sys.stdin)
builder = SparkSession.builder.master("local[1]")
for name, value in settings.items():
    builder = builder.config(name, value)
context = builder.getOrCreate().sparkContext
files = context._jsc.sc().listJars()
home = context._jvm.java.lang.System.getProperty("user.home")
print("JARS " + json.dumps([home, *(files.apply(index) for index in range(files.size()))]))
"""
_LONGEST_WAIT = 900


def cache_folder() -> Path:
    """The folder of cached jars."""
    if chosen := os.environ.get("FILTERSQL_CACHE_DIR"):
        return Path(chosen) / "jars"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "filtersql" / "jars"


def are_cached() -> bool:
    """Whether nobody has to be asked for any of them."""
    return _all_cached(cache_folder(), COORDINATES) is not None


def jars(spark_conf: Mapping[str, str], given: Sequence[Path] = ()) -> tuple[Path, ...]:
    """The cached files; resolved by Spark's own resolver where one is missing.

    A jar that the user gave, of whatever version, is not among them.
    """
    folder = cache_folder()
    wanted = [each for each in COORDINATES if not _is_given(each, given)]
    found = _all_cached(folder, wanted)
    if found is not None:
        return found
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _missing(folder, str(error)) from None
    # Two processes that resolve at once spoil each other's downloads in Ivy's folder.
    with alone(folder):
        if _all_cached(folder, wanted) is None:
            _resolve(folder, spark_conf, wanted)
    return _all_cached(folder, wanted) or ()


def _is_given(coordinate: str, given: Sequence[Path]) -> bool:
    group, artifact, _ = coordinate.split(":")
    # delta-storage-s3-dynamodb is another artifact than delta-storage.
    name = re.compile(rf"({re.escape(group)}_)?{re.escape(artifact)}-[0-9]")
    return any(name.match(path.name) for path in given)


def _all_cached(folder: Path, wanted: Sequence[str]) -> tuple[Path, ...] | None:
    """The files of these coordinates, or none."""
    paths = [_cached(folder, coordinate) for coordinate in wanted]
    found = tuple(path for path in paths if path is not None)
    return found if len(found) == len(wanted) else None


def _cached(folder: Path, coordinate: str) -> Path | None:
    group, artifact, version = coordinate.split(":")
    names = (f"{artifact}-{version}.jar", f"{group}_{artifact}-{version}.jar")
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _missing(folder: Path, reason: str) -> Mistakes:
    wanted = ",".join(COORDINATES)
    return Mistakes([JARS_MISSING(coordinates=wanted, cache=str(folder), reason=reason)])


def _resolve(folder: Path, spark_conf: Mapping[str, str], wanted: Sequence[str]) -> None:
    settings = {
        "spark.jars.packages": ",".join(wanted),
        "spark.jars.excludes": ",".join(_NOT_NEEDED),
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        # where Ivy keeps and asks, as the output says: spark.jars.ivy, .ivySettings, .repositories
        **{name: value for name, value in spark_conf.items() if name.startswith("spark.jars.")},
    }
    try:
        # Spark resolves packages only while it starts, and a process starts Spark once.
        answer = subprocess.run(
            [sys.executable, "-c", _RESOLVE],
            input=json.dumps(settings),
            capture_output=True,
            text=True,
            timeout=_LONGEST_WAIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _missing(folder, str(error)) from None
    line = next((line for line in answer.stdout.splitlines() if line.startswith("JARS ")), None)
    home, *found = json.loads(line[5:]) if line else [""]
    files = {name.rsplit("/", 1)[-1]: name for name in found}
    for coordinate in wanted:
        group, artifact, version = coordinate.split(":")
        name = f"{group}_{artifact}-{version}.jar"
        path = _resolved(files.get(name), name, spark_conf, Path(home))
        if path is None:
            raise _missing(folder, _why(answer.stderr))
        _keep(path, folder / f"{artifact}-{version}.jar")


def _resolved(url: str | None, name: str, spark_conf: Mapping[str, str], home: Path) -> Path | None:
    """Spark lists a jar by the address that it serves it at; the file is in Ivy's folder.

    That is below Java's `home`, whatever HOME says.
    """
    if url is None:
        return None
    if url.startswith("file:"):
        return Path(url.removeprefix("file:"))
    chosen = spark_conf.get("spark.jars.ivy")
    folders = [Path(chosen)] if chosen else sorted(home.glob(".ivy2*"), reverse=True)
    return next((f / "jars" / name for f in folders if (f / "jars" / name).is_file()), None)


def _keep(source: Path, path: Path) -> None:
    """Copy beside the final name first: a cached file is always complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    shutil.copyfile(source, partial)
    partial.replace(path)


def _why(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    told = [line for line in lines if "unresolved dependency" in line or "not found" in line]
    raised = [line for line in lines if "Exception" in line]
    return (told or raised or lines or ["Spark did not say why"])[-1]
