"""Who approved which statements: approvals.yml, and runs that need it."""

from __future__ import annotations

from pathlib import Path

import pytest
from demo import edit, parsed, started
from transcripts import Shell

from filtersql.errors import Mistakes
from filtersql.review.approvals import Approval, approvals_text, read_approvals


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The template's project."""
    return started(tmp_path)


class TestApprovals:
    def test_a_run_needs_them(self, shell: Shell) -> None:
        """Not approved, approved, changed since; --target asks for approvals of its own."""
        run = "filtersql run --require-approval -t local -s s1"
        ended = shell.run(run)
        assert ended.exit_code == 1
        assert (
            'the statements of "s1.public.t1" for output "local" are not approved' in ended.stderr
        )
        assert not (shell.folder / "shop.duckdb").exists()

        ended = shell.run("filtersql review --approve s1 --by 'Ann Ö.' -t local")
        assert ended.stdout.startswith("approved s1.public.t1\n")
        assert shell.run(run).exit_code == 0
        assert shell.run("filtersql run --require-approval -t local").exit_code == 1
        ended = shell.run("filtersql run --require-approval -s s1 -t dev")
        assert 'for output "dev" are not approved' in ended.stderr

        edit(shell, "publications/orders.yml", "a > 5", "a > 4")
        ended = shell.run(run)
        assert ended.exit_code == 1
        assert "have changed since they were approved" in ended.stderr
        assert '"Ann Ö." approved them on ' in ended.stderr
        shell.run("filtersql review -t local")
        page = parsed((shell.folder / "target" / "review.html").read_text())
        assert "Not approved: changed since." in page.text
        assert "Not approved: nobody has approved it." in page.text

    def test_a_second_approval_takes_the_place_of_the_first(self, shell: Shell) -> None:
        """Of the same target and output only; the page names the person."""
        shell.run("filtersql review --approve s1 --by Ann -t local")
        shell.run("filtersql review --approve s4,public.parent --by Bob -t local")
        shell.run("filtersql review --approve s1 --by Eve -t local")
        found = read_approvals((shell.folder / "approvals.yml").read_text())
        assert [(each.target, each.by) for each in found] == [
            ("s1.public.t1", "Eve"),
            ("s4.public.parent", "Bob"),
        ]
        shell.run("filtersql review -t local")
        page = parsed((shell.folder / "target" / "review.html").read_text())
        assert "Approved by Eve on " in page.text

    @pytest.mark.parametrize("arguments", ["--approve s1", "--by Ann", "--approve s1 --by ' '"])
    def test_wrong_usage(self, shell: Shell, arguments: str) -> None:
        """A selection and a name belong together."""
        assert shell.run(f"filtersql review {arguments}").exit_code == 2
        assert not (shell.folder / "approvals.yml").exists()

    def test_a_selection_that_matches_nothing(self, shell: Shell) -> None:
        """Nothing is approved."""
        assert shell.run("filtersql review --approve s9 --by Ann").exit_code == 1
        assert not (shell.folder / "approvals.yml").exists()

    @pytest.mark.parametrize(
        "content", ["approvals: 3", "{", "- a", "approvals: [{target: s1}]", "a: &a [*a]"]
    )
    def test_files_that_are_broken(self, shell: Shell, content: str) -> None:
        """Nothing is approved by one, and it is not written over."""
        (shell.folder / "approvals.yml").write_text(content)
        for line in ("run --require-approval -t local", "review --approve s1 --by Ann", "review"):
            ended = shell.run(f"filtersql {line}")
            assert ended.exit_code == 1, line
            assert "approvals.yml: not a file of approvals" in ended.stderr
        assert (shell.folder / "approvals.yml").read_text() == content
        assert "<unicode string>" not in ended.stderr
        assert content != "{" or "detail: Line 2, column 1: " in ended.stderr

    def test_what_is_written_is_read(self) -> None:
        """Any name survives."""
        names = ["Ann", "no", "1", "a: b # c", "'\"", "\u202e", "ü\n", "*x"]
        approvals = [Approval("t", name, name, "2026-11-20", {"merge": "0"}) for name in names]
        found = read_approvals(approvals_text(approvals))
        assert sorted(each.by for each in found) == sorted(names)
        with pytest.raises(Mistakes):
            read_approvals("approvals: [1]")
