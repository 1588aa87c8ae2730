"""Runs that begin as a copy of a process whose Spark is warm already; run as a script.

    runner = Warm(["delta", "iceberg"])          # in the place of crashes.Runner

Starting Spark and compiling its code costs many times what a small run costs after it. So one
process starts it and makes some runs, and CRIU (criu.org, version 4.2; as root) writes Python and
Java to files. Each later run is both restored from there, under their old numbers: it is killed as
any other is, Java with it, and nothing of it goes on. FILTERSQL_CRIU says where CRIU is; it calls
`iptables`, which has to be installed.

The numbers have to be free: with `kernel.pid_max` raised they are taken where no other process is.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path

from histories import History, lines, write_files
from killed import carry_out, command, import_all

__all__ = ["Warm"]

_CRIU = os.environ.get("FILTERSQL_CRIU", "criu")
_SUBREAPER = 36
#: what a restored process needs as it was: no file of Java's counters, whose owner looks dead
_JAVA = "-XX:-UsePerfData"
_WARMING = 2


class Warm:
    """Restores a process for each run; what crashes.Runner has, this has."""

    def __init__(self, targets: Sequence[str]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="filtersql-warm-", dir=_memory()))
        self.images, temporary = self.folder / "images", self.folder / "tmp"
        self.images.mkdir()
        temporary.mkdir()
        self.code, self.group = 0, 0
        # What loses its parent is ours to wait for: a number is free only then.
        assert ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0) == 0
        _number_high()
        parent = subprocess.Popen(
            [sys.executable, __file__, str(self.folder), *targets],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "TMPDIR": str(temporary),
                "SPARK_LOCAL_DIRS": str(temporary),
                "JDK_JAVA_OPTIONS": f"{_JAVA} -Djava.io.tmpdir={temporary}",
            },
        )
        while not (self.folder / "ready").exists():
            assert parent.poll() is None, "the warm process ended"
            time.sleep(0.2)
        self.group = parent.pid
        self._criu("dump", "--tree", str(parent.pid), "--tcp-established", "--file-locks")
        parent.wait()
        self._reap()
        # A copy of Java has the numbers of the one before it, and would take its shuffled rows.
        shutil.copytree(self.folder / "tmp", self.folder / "tmp-then", symlinks=True)

    def start(self, **asked: object) -> int:
        """Begin a run; the id of its process group."""
        self.code = -1000
        shutil.rmtree(self.folder / "tmp")
        shutil.copytree(self.folder / "tmp-then", self.folder / "tmp", symlinks=True)
        (self.folder / "request.json").write_text(json.dumps(asked), encoding="utf-8")
        self._criu("restore", "--restore-detached", "--tcp-established", "--file-locks")
        return self.group

    def ended(self, seconds: float) -> bool:
        """Whether the run ended meanwhile."""
        until = time.monotonic() + seconds
        while self.code == -1000:
            with suppress(ChildProcessError):
                found, status = os.waitpid(self.group, os.WNOHANG)
                if found:
                    self.code = self._said(os.waitstatus_to_exitcode(status))
                    break
            if time.monotonic() >= until:
                return False
            time.sleep(0.002)
        return True

    def _said(self, code: int) -> int:
        """The exit code that a run wrote down before its end; without one it was killed."""
        said = self.folder / "code"
        if not said.exists():
            return code
        code = int(said.read_text(encoding="utf-8"))
        said.unlink()
        return code

    def wait(self) -> int:
        """The exit code; a signal's number with a minus."""
        while not self.ended(1.0):
            pass
        with suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)
        self._reap()
        return self.code

    def close(self) -> None:
        """Remove the files."""
        shutil.rmtree(self.folder)

    def _reap(self) -> None:
        """Wait for everything that is left of a run."""
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)

    def _criu(self, verb: str, *more: str) -> None:
        log = self.folder / f"{verb}.log"
        base = [_CRIU, verb, "--images-dir", str(self.images), "--log-file", str(log), *more]
        for _ in range(20):
            if subprocess.run(base, check=False).returncode == 0:
                return
            self._reap_zombies()
            time.sleep(0.5)
        raise AssertionError("\n".join(log.read_text(errors="replace").splitlines()[-12:]))

    def _reap_zombies(self) -> None:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _memory() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _number_high() -> None:
    """Let the next process have a number that no other will have soon, if there are so many."""
    highest = int(Path("/proc/sys/kernel/pid_max").read_text())
    if highest > 2_000_000:
        # Not twice the same: two such soaks may run beside each other.
        place = random.randrange(highest // 2, highest - 50_000)
        Path("/proc/sys/kernel/ns_last_pid").write_text(str(place))


def _warm(folder: Path, targets: Sequence[str]) -> None:
    """Some projects with a first and a second run."""
    for seed, target in product(range(_WARMING), targets):
        project = folder / f"warm-{target}-{seed}"
        history = History(random.Random(1000 + seed))
        history.go(12)
        write_files(project, history, target)
        middle = len(history.records) // 2
        arguments = ["run", "--project-dir", str(project), "--target", target]
        for number, records in enumerate((history.records[:middle], history.records[middle:])):
            path = project / "changes" / f"{number}.jsonl"
            path.write_text(lines(records), encoding="utf-8")
            log, rows = folder / "steps.log", folder / "rows.json"
            code = command(str(log), 0, arguments, str(rows), watched=False)
            assert code == 0
        shutil.rmtree(project)


def main() -> None:
    """Gets warm, says so, and once restored does what is asked."""
    folder, targets = Path(sys.argv[1]), sys.argv[2:]
    log = os.open(folder / "tmp" / "warm.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    import_all()
    _warm(folder, targets)
    if "pyspark" in sys.modules:
        from pyspark import SparkContext

        gateway = SparkContext._gateway
        assert gateway is not None
        gateway.jvm.System.gc()
        gateway._gateway_client.close()
        time.sleep(1.0)
    (folder / "ready").touch()
    request = folder / "request.json"
    while not request.exists():
        time.sleep(0.02)
    code = carry_out(json.loads(request.read_text(encoding="utf-8")))
    (folder / "code").write_text(str(code), encoding="utf-8")
    # Java would remove files that the next copy of it has open: it ends with Python.
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
