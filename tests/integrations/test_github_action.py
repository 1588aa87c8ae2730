"""action.yml: what its last step runs, in a real repository; the API of comments is a server here.

GitHub itself cannot be had in a test: the server keeps comments as its API does.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from places import HOME
from transcripts import Shell

MARK = "<!-- filtersql review -->"


class Comments(ThreadingHTTPServer):
    """The comments of one pull request; of a fork nothing is taken."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.comments: list[dict[str, Any]] = [{"id": 1, "body": "Looks good"}]
        self.of_a_fork = False


class _Answer(BaseHTTPRequestHandler):
    server: Comments

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        assert path == "/repos/shop/lake/issues/7/comments"
        self._answer(200, self.server.comments if query.endswith("page=1") else [])

    def do_POST(self) -> None:
        assert self.path == "/repos/shop/lake/issues/7/comments"
        if self.server.of_a_fork:
            self._answer(403, {"message": "Resource not accessible by integration"})
            return
        comment = {"id": len(self.server.comments) + 1, **self._content()}
        self.server.comments.append(comment)
        self._answer(201, comment)

    def do_PATCH(self) -> None:
        number = int(self.path.removeprefix("/repos/shop/lake/issues/comments/"))
        self.server.comments[number - 1].update(self._content())
        self._answer(200, self.server.comments[number - 1])

    def _content(self) -> dict[str, Any]:
        assert self.headers["Authorization"] == "Bearer a-token"
        content: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return content

    def _answer(self, code: int, content: object) -> None:
        text = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def comments() -> Iterator[Comments]:
    """A server for one test."""
    with Comments() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class Repository:
    """A repository whose folder `lake/` is the shop's project, with one commit."""

    def __init__(self, folder: Path, comments: Comments) -> None:
        self.folder = folder
        Shell(folder).run("filtersql init lake")
        self.publication = folder / "lake" / "publications" / "shop.yml"
        self._git("init", "-q")
        self._git("add", "-A")
        self._git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "The shop")
        self.base = self._git("rev-parse", "HEAD").strip()
        self.comments = comments

    def change(self, old: str, new: str) -> None:
        """Edit the publications."""
        text = self.publication.read_text()
        assert old in text
        self.publication.write_text(text.replace(old, new))

    def act(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        """The action's last step, as a runner calls it."""
        step = yaml.safe_load((HOME / "action.yml").read_text())["runs"]["steps"][-1]
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            **dict.fromkeys(step["env"], ""),
            "PROJECT_DIR": "lake",
            "TARGET": "local",
            "BASE": self.base,
            "PULL_REQUEST": "7",
            "GITHUB_TOKEN": "a-token",
            "GITHUB_API_URL": f"http://127.0.0.1:{self.comments.server_port}",
            "GITHUB_REPOSITORY": "shop/lake",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            **inputs,
        }
        bash = shutil.which("bash")
        assert bash is not None
        line = [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return subprocess.run(
            line, cwd=self.folder, env=environment, capture_output=True, text=True
        )

    def _git(self, *words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout


def test_a_review_is_one_comment(tmp_path: Path, comments: Comments) -> None:
    """It tells what changed since the base; a later run rewrites it, and no tree is left."""
    repository = Repository(tmp_path, comments)
    repository.change("total >= 1000", "total >= 500")
    said = repository.act()
    assert said.returncode == 0, said.stderr
    first, posted = comments.comments
    assert first["body"] == "Looks good"
    assert posted["body"].startswith(f"{MARK}\n# Review of lake"[:25])
    assert "finance.public.orders has changed" in posted["body"]
    assert "**wider**" in posted["body"]
    assert "## Subscription europe" not in posted["body"]
    assert "What apply moves" in posted["body"]
    assert re.search(r"^Since commit [0-9a-f]{12}\.$", posted["body"], re.MULTILINE)
    assert "finance.public.orders has changed" in (tmp_path / "summary.md").read_text()

    repository.change("total >= 500", "total >= 1000")
    assert repository.act().returncode == 0
    assert len(comments.comments) == 2
    assert comments.comments[1]["body"] == f"{MARK}\nNo target changes."
    assert repository._git("worktree", "list").count("\n") == 1


def test_mistakes_are_annotations(tmp_path: Path, comments: Comments) -> None:
    """The step fails, and its output says where; the comment points there."""
    repository = Repository(tmp_path, comments)
    repository.change("total >= 1000", "totl >= 1000")
    said = repository.act()
    assert said.returncode == 1
    assert "::error file=lake/publications/shop.yml,line=13,col=31," in said.stdout
    assert "does not compile" in comments.comments[1]["body"]


def test_what_a_fork_may_not_write(tmp_path: Path, comments: Comments) -> None:
    """The review stays in the job's summary, and the step does not fail."""
    comments.of_a_fork = True
    repository = Repository(tmp_path, comments)
    repository.change("total >= 1000", "total >= 500")
    said = repository.act()
    assert said.returncode == 0
    assert "::warning title=The review is not posted::GitHub answered 403" in said.stdout
    assert "**wider**" in (tmp_path / "summary.md").read_text()


def test_counts_come_from_the_target(tmp_path: Path, comments: Comments) -> None:
    """With `counts: true` the plan says how many rows move."""
    repository = Repository(tmp_path, comments)
    shell = Shell(tmp_path)
    assert shell.run("filtersql run --project-dir lake --target local").exit_code == 0
    repository.change("total >= 1000", "total >= 2000")
    said = repository.act(COUNTS="true")
    assert said.returncode == 0, said.stderr
    assert "1 row leaves" in said.stdout
    assert comments.comments[1]["body"].count("**narrower**") == 1


def test_nothing_to_compare_with(tmp_path: Path, comments: Comments) -> None:
    """A push has no base: all is reviewed, for the summary alone."""
    repository = Repository(tmp_path, comments)
    said = repository.act(BASE="", PULL_REQUEST="")
    assert said.returncode == 0, said.stderr
    assert len(comments.comments) == 1
    summary = (tmp_path / "summary.md").read_text()
    assert "## Subscription europe" in summary
    assert "## Subscription finance" in summary


def test_inputs_are_what_the_step_reads() -> None:
    """Each input is used, and each one that is used is there."""
    action = yaml.safe_load((HOME / "action.yml").read_text())
    text = (HOME / "action.yml").read_text()
    for name in action["inputs"]:
        assert f"inputs.{name}" in text
    script = action["runs"]["steps"][-1]["run"]
    for name in action["runs"]["steps"][-1]["env"]:
        assert f"${name}" in script or name in ("PULL_REQUEST", "GITHUB_TOKEN")
