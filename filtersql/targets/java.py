"""Whether a Java that Spark runs on can be found, and what to say when not.

Example
    JAVA_HOME names a folder without bin/java; `java` is on no PATH; `java` is version 11.
    A JDK that is installed is proposed: export JAVA_HOME=…; else the command that installs one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import lru_cache
from glob import glob
from pathlib import Path

from filtersql.errors import Mistakes
from filtersql.errors.reaching import JAVA_MISSING, JAVA_TOO_OLD

__all__ = ["check_java", "java_path", "java_version", "remedy"]

_OLDEST = 17
#: where systems keep JDKs
_PLACES = ("/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home")
#: what installs one, by the program that does
_INSTALL = {
    "apt-get": "apt-get install default-jdk-headless",
    "dnf": "dnf install java-21-openjdk-headless",
    "brew": "brew install --cask temurin@21",
    "winget": "winget install EclipseAdoptium.Temurin.21.JDK",
}


def check_java() -> str:
    """The version of the Java that Spark will start. Raises JAVA_MISSING, JAVA_TOO_OLD."""
    said, path = java_version(), java_path()
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    if found is None:
        raise _missing(f"{path} -version does not tell its version")
    if int(found[1]) < _OLDEST:
        raise Mistakes([JAVA_TOO_OLD(version=found[1], path=path, remedy=remedy())])
    return found[1]


def java_version() -> str:
    """What it says of itself. Raises JAVA_MISSING."""
    path = Path(java_path())
    return _version_of(str(path), path.stat().st_mtime_ns)


@lru_cache
def _version_of(path: str, _changed: int) -> str:
    try:
        answer = subprocess.run(
            [path, "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _missing(f"{path} could not be started: {error}") from None
    return answer.stderr + answer.stdout


def java_path() -> str:
    """The program that Spark will start. Raises JAVA_MISSING."""
    home = os.environ.get("JAVA_HOME")
    if home:
        path = Path(home) / "bin" / ("java.exe" if os.name == "nt" else "java")
        if not path.is_file():
            raise _missing(f"JAVA_HOME is {home}, where no bin/java stands")
        return str(path)
    found = shutil.which("java")
    if found is None:
        raise _missing("No Java was found: JAVA_HOME is not set, nor is java on the PATH")
    return found


def remedy() -> str:
    """What to do where Spark finds no Java of its own: the command."""
    if found := min(_installed(), default=None):
        version, home = found
        return f"Java {version} is installed; let Spark find it: export JAVA_HOME={home}"
    command = next((f": {line}" for name, line in _INSTALL.items() if shutil.which(name)), "")
    return f"Install a JDK 17 or newer{command}. Let JAVA_HOME name its folder, if need be."


def _installed() -> list[tuple[int, str]]:
    """The whole JDKs that are new enough, as their own files say."""
    found = []
    for home in (home for place in _PLACES for home in sorted(glob(place))):
        release = Path(home, "release")
        said = release.read_text(encoding="utf-8") if release.is_file() else ""
        version = re.search(r'^JAVA_VERSION="(\d+)', said, re.MULTILINE)
        if version and int(version[1]) >= _OLDEST and Path(home, "bin", "java").is_file():
            found.append((int(version[1]), home))
    return found


def _missing(reason: str) -> Mistakes:
    return Mistakes([JAVA_MISSING(reason=reason, remedy=remedy())])
