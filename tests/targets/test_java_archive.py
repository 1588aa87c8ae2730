"""Java's classes are kept once, from the second start on; a Spark that starts later maps them."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from filtersql.targets import java_archive
from filtersql.targets.jars import jars

_SPARK = """
import json, sys
from pathlib import Path
from filtersql.targets.embedded import own_session
spark = own_session(1, json.loads(sys.argv[1]), ())
pid = spark._jvm.java.lang.ProcessHandle.current().pid()
print(".jsa" in "".join(l for l in Path(f"/proc/{pid}/maps").open() if "classes" not in l))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, with the jars of this machine; its name has a blank."""
    found = jars({})
    cache = tmp_path / "a cache"
    (cache / "jars").mkdir(parents=True)
    for path in found:
        (cache / "jars" / path.name).symlink_to(path)
    monkeypatch.setenv("FILTERSQL_CACHE_DIR", str(cache))
    monkeypatch.delenv("SPARK_SUBMIT_OPTS", raising=False)
    return cache / "java"


def maps_an_archive(conf: str = "{}") -> bool:
    """Whether the Java of a new process maps one."""
    found = subprocess.run(
        [sys.executable, "-c", _SPARK, conf], capture_output=True, text=True, check=True
    )
    assert found.stderr == ""
    return {"True\n": True, "False\n": False}[found.stdout]


def waited_for(condition, seconds: float = 20) -> bool:
    """Whether it came true in this time."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return bool(condition())


def test_one_process_makes_it_and_not_after_the_first_start(folder, monkeypatch) -> None:
    """Two that ended at once; what failed is not tried again and again."""
    later: list = []
    monkeypatch.setattr(atexit, "register", lambda *call: later.append(call))
    note = folder.parent / "made"
    text = "__import__('os').environ['FILTERSQL_CACHE_DIR']"
    command = [sys.executable, "-c", f"open({str(note)!r}, 'a').write({text})"]
    monkeypatch.chdir(folder.parents[1])
    monkeypatch.setenv("FILTERSQL_CACHE_DIR", folder.parent.name)
    monkeypatch.setattr(java_archive, "_COMMAND", command)
    java_archive.keep_later()
    assert not later
    java_archive.keep_later()
    java_archive.keep_later()
    assert len(later) == 2
    for work, *arguments in later:
        work(*arguments)
    assert waited_for(note.exists)
    time.sleep(0.5)
    assert note.read_text() == str(folder.parent)
    java_archive.keep_later()
    assert len(later) == 2
    assert java_archive.mapping() == ""


def test_a_cache_that_cannot_be_written_keeps_nothing(tmp_path, monkeypatch) -> None:
    """And no run fails of it."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("FILTERSQL_CACHE_DIR", str(tmp_path / "file"))
    java_archive.keep_later()
    assert java_archive.mapping() == ""


def test_without_the_jars_nothing_is_made(tmp_path, monkeypatch) -> None:
    """The training asks no repository; nor does it where Java is another program's."""
    monkeypatch.setenv("FILTERSQL_CACHE_DIR", str(tmp_path))
    java_archive.keep_later()
    assert "could not be kept" in java_archive.keep_classes()
    assert list(tmp_path.iterdir()) == []


def test_beside_another_programs_java_nothing_is_made(folder: Path, monkeypatch) -> None:
    """spark-submit starts it: a training would talk to that one."""
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    java_archive.keep_later()
    assert not folder.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into any folder")
def test_a_folder_that_may_not_be_looked_into_keeps_nothing(folder: Path) -> None:
    """A cache that is shared, in which another user made it."""
    folder.mkdir(mode=0)
    java_archive.keep_later()
    assert java_archive.mapping() == ""
    assert "could not be kept" in java_archive.keep_classes()


def test_another_java_and_another_spark_have_files_of_their_own(tmp_path, monkeypatch) -> None:
    """By their places, and what they say of themselves."""
    mine = java_archive.archive_file()
    assert mine == java_archive.archive_file()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    others = {mine, java_archive.archive_file()}
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin/java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"21.0.1\"'")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    others.add(java_archive.archive_file())
    (tmp_path / "jars").mkdir()
    others.add(java_archive.archive_file())
    assert len(others) == 4


@pytest.mark.spark
@pytest.mark.long
def test_a_file_that_java_cannot_use_is_passed_over(folder: Path) -> None:
    """It holds zeros: Spark starts, and says nothing."""
    folder.mkdir()
    java_archive.archive_file().write_bytes(b"\0" * 5000)
    assert java_archive.mapping() != ""
    assert not maps_an_archive()


@pytest.mark.spark
@pytest.mark.long
def test_a_file_that_was_cut_off_is_removed(folder: Path, tmp_path, monkeypatch) -> None:
    """Java breaks off where it reads behind its end: Spark starts all the same, and once more."""
    monkeypatch.chdir(tmp_path)  # Java writes there why it broke off
    with monkeypatch.context() as patch:
        patch.delenv("FILTERSQL_CACHE_DIR")
        whole = java_archive.archive_file()
        if not whole.exists():
            java_archive.keep_classes()
    folder.mkdir()
    file = java_archive.archive_file()
    with whole.open("rb") as good:
        file.write_bytes(good.read(100_000_000))
    assert not maps_an_archive()
    assert not file.exists()


@pytest.mark.long
def test_a_training_that_does_not_end_well_leaves_nothing(folder: Path) -> None:
    """What Java wrote until it was killed is not taken."""
    folder.mkdir()
    command = [sys.executable, "-m", "filtersql.targets.java_training"]
    training = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    new = f"*.{training.pid}.new"
    assert waited_for(lambda: list(folder.glob(new)), 120)
    java = subprocess.run(
        ["pgrep", "-s", str(training.pid), "java"], capture_output=True, text=True, check=True
    )
    os.kill(int(java.stdout), signal.SIGKILL)
    assert training.wait(60) != 0
    assert [one.suffix for one in folder.iterdir()] == [".tried"]


@pytest.mark.spark
@pytest.mark.long
def test_the_second_start_keeps_them_and_the_third_maps_them(folder: Path) -> None:
    """Whoever sets Java's options sets all of them."""
    assert [maps_an_archive(), [one.suffix for one in folder.iterdir()]] == [False, [".started"]]
    assert not maps_an_archive()
    assert waited_for(java_archive.archive_file().exists, 180)
    assert maps_an_archive()
    assert not maps_an_archive('{"spark.driver.extraJavaOptions": "-XX:+UseSerialGC"}')
    for number in range(4):
        (folder / f"{number}.jsa").touch()
        os.utime(folder / f"{number}.jsa", (number, number))
    java_archive.archive_file().rename(folder / "mine")
    assert "MB" in java_archive.keep_classes()
    assert len(list(folder.glob("*.jsa"))) == 3
    assert maps_an_archive()
