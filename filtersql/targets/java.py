"""Whether a Java that Spark runs on can be found, and what to say when not.

Example
    JAVA_HOME names a folder without bin/java; `java` is on no PATH; `java` is version 11.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from filtersql.errors import Mistakes
from filtersql.errors.targets import JAVA_MISSING, JAVA_TOO_OLD

__all__ = ["check_java"]

_OLDEST = 17


def check_java() -> str:
    """The version of the Java that Spark will start. Raises JAVA_MISSING, JAVA_TOO_OLD."""
    path = _java()
    try:
        answer = subprocess.run(
            [path, "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Mistakes([JAVA_MISSING(reason=f"{path} could not be started: {error}")]) from None
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    if found is None:
        raise Mistakes([JAVA_MISSING(reason=f"{path} -version does not tell its version")])
    if int(found[1]) < _OLDEST:
        raise Mistakes([JAVA_TOO_OLD(version=found[1], path=path)])
    return found[1]


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    if home:
        path = Path(home) / "bin" / ("java.exe" if os.name == "nt" else "java")
        if not path.is_file():
            raise Mistakes([JAVA_MISSING(reason=f"JAVA_HOME is {home}, where no bin/java stands")])
        return str(path)
    found = shutil.which("java")
    if found is None:
        raise Mistakes(
            [
                JAVA_MISSING(
                    reason="No Java was found: JAVA_HOME is not set, nor is java on the PATH"
                )
            ]
        )
    return found
