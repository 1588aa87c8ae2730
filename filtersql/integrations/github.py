"""What the GitHub Action runs: compile, check and plan, and the review as one comment.

Example
    python -m filtersql.integrations.github --project-dir lake --target prod --base 1a2b3c

    Mistakes and warnings become annotations beside their lines. The review says what changed since
    the commit `--base` for the targets that changed; it goes to the job's summary, and with
    GITHUB_TOKEN to the pull request PULL_REQUEST of GITHUB_REPOSITORY, into the comment that an
    earlier call left there.

GitHub
    REST API: issue comments, at most 65,536 characters each; workflow commands
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import click
import msgspec

__all__ = ["command"]

_MARK = "<!-- filtersql review -->"
_LONGEST = 60_000
_SINCE = re.compile(r"^Since .*\.$", re.MULTILINE)


class _Comment(msgspec.Struct, frozen=True):
    """What is read of a comment; others may have left theirs."""

    id: int
    body: str


@click.command()
@click.option("--project-dir", type=click.Path(path_type=Path), default=Path())
@click.option("--target", help="The output of the profile.")
@click.option("--base", help="The commit that the pull request is compared with.")
@click.option("--counts/--no-counts", default=False, help="Ask the target's engine what moves.")
def command(project_dir: Path, target: str | None, base: str | None, counts: bool) -> None:
    """Compile, check and plan a project, and post the review of what changed."""
    output = ["--target", target] if target else []
    flags = ["--project-dir", str(project_dir), *output]
    with _compiled_base(project_dir, output, base) as state:
        if code := _filtersql("compile", *flags, "--format", "github").returncode:
            _post("The project does not compile: its mistakes stand beside the changed lines.")
            sys.exit(code)
        code = _filtersql("check", *flags, "--format", "github").returncode
        proof = "**`check` found wrong SQL, or could not prove it.**\n\n" if code else ""
        told = ["--state", str(state)] if state else []
        if not code and (counts or state):
            planned = [] if counts else ["--no-counts", *told]
            code = _filtersql("plan", *flags, *planned).returncode
        _post(proof + _named(_review(flags, told), base))
    sys.exit(code)


@contextmanager
def _compiled_base(project: Path, output: list[str], base: str | None) -> Iterator[Path | None]:
    """The `target/` of the project at an earlier commit; None where it did not compile there."""
    if not base:
        yield None
        return
    if _git("cat-file", "-e", f"{base}^{{commit}}").returncode:
        _git("fetch", "--quiet", "--depth=1", "origin", base)
    inside = project.resolve().relative_to(_git("rev-parse", "--show-toplevel").stdout.strip())
    with tempfile.TemporaryDirectory(prefix="filtersql-base-") as folder:
        tree = Path(folder) / "tree"
        there = not _git("worktree", "add", "--quiet", "--detach", str(tree), base).returncode
        earlier = ["--project-dir", str(tree / inside), *output, "--quiet"]
        try:
            compiled = there and not _filtersql("compile", *earlier, captured=True).returncode
            yield tree / inside / "target" if compiled else None
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _review(flags: list[str], told: list[str]) -> str:
    """The review of the targets that changed, or of all where nothing is known of earlier ones."""
    chosen = ["--select", "state:modified"] if told else []
    asked = ("review", *flags, *told, *chosen, "--format", "markdown")
    review = _filtersql(*asked, captured=True)
    if not review.returncode:
        return review.stdout
    if told and "matches nothing" in review.stderr:
        return "No target changes."
    raise click.ClickException(review.stderr)


def _named(review: str, base: str | None) -> str:
    """A review that says which commit it compares with, not in which folder that was compiled."""
    return _SINCE.sub(f"Since commit {base[:12]}.", review, count=1) if base else review


def _post(text: str) -> None:
    """Into the job's summary, and the pull request where there is one that may be written."""
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{text}\n")
    number, token = os.environ.get("PULL_REQUEST"), os.environ.get("GITHUB_TOKEN")
    if not number or not token:
        return
    if len(text) > _LONGEST:
        # A statement that is cut would swallow what stands behind it.
        kept = text[:_LONGEST].rpartition("\n<details>")[0]
        text = f"{kept}\n\n… The rest is in the summary of the job."
    comments = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    content = {"body": f"{_MARK}\n{text}"}
    try:
        for found in _pages(f"{comments}/{number}/comments", token):
            if found.body.startswith(_MARK):
                _ask("PATCH", f"{comments}/comments/{found.id}", token, content)
                return
        _ask("POST", f"{comments}/{number}/comments", token, content)
    except HTTPError as error:
        # A pull request from a fork may not write comments; the summary has the review.
        click.echo(f"::warning title=The review is not posted::GitHub answered {error.code}")


def _pages(url: str, token: str) -> Iterator[_Comment]:
    """All comments, page by page."""
    page = 1
    while found := _ask("GET", f"{url}?per_page=100&page={page}", token):
        yield from msgspec.json.decode(found, type=list[_Comment])
        page += 1


def _ask(method: str, url: str, token: str, content: object = None) -> bytes:
    """The answer's text, empty for an empty list."""
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    body = None if content is None else msgspec.json.encode(content)
    with urlopen(Request(url, body, headers, method=method), timeout=60) as answer:
        text: bytes = answer.read()
        return b"" if text.strip() == b"[]" else text


def _filtersql(*words: str, captured: bool = False) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "filtersql", *words]
    sys.stdout.flush()
    return subprocess.run(line, capture_output=captured, text=True, check=False)


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    command()
