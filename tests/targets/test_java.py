"""The Java that Spark will start: which one it is, and what to do where there is none."""

from __future__ import annotations

import pytest

from filtersql.errors import Mistakes
from filtersql.targets import java


def test_without_java_the_message_says_what_to_do(tmp_path, monkeypatch) -> None:
    """JAVA_HOME that holds none, no java on the PATH, a Java that is too old."""

    def refused() -> str:
        with pytest.raises(Mistakes) as found:
            java.check_java()
        assert found.value.exit_code == 2
        assert "JDK 17" in str(found.value)
        return str(found.value)

    monkeypatch.setattr(java, "_PLACES", ())
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "where no bin/java stands" in refused()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "No Java was found" in refused()
    old = tmp_path / "java"
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019' >&2\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert "is Java 11" in refused()
    old.write_text("#!/bin/sh\necho 'java version \"1.8.0_301\"' >&2\n")
    assert "is Java 8" in refused()
