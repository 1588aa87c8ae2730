"""What changed since an earlier manifest, and what failed in an earlier run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from demo import edit, lines, started
from transcripts import Shell


def earlier(shell: Shell) -> Path:
    """The manifest as it is now, in a folder of its own."""
    shell.run("filtersql compile -q")
    folder = shell.folder.parent / "before"
    folder.mkdir(exist_ok=True)
    (shell.folder / "target" / "manifest.json").replace(folder / "manifest.json")
    return folder


class TestState:
    def test_blanks_and_comments_are_no_change(self, shell: Shell) -> None:
        """Nor is a description or another target of the profile."""
        before = earlier(shell)
        edit(shell, "publications/orders.yml", "publications:", "# hello\n\npublications:")
        edit(shell, "publications/orders.yml", "what one state sees", "what a state sees")
        edit(shell, "publications/orders.yml", "a > 5 AND c", "a  >  5   AND c")
        for target in ("local", "dev"):
            ended = shell.run(f"filtersql ls -t {target} -s state:modified --state {before}")
            assert (ended.exit_code, ended.stdout) == (1, "")
            assert '--select "state:modified" matches nothing' in ended.stderr
            found = shell.run(f"filtersql ls -t {target} -s state:unmodified --state {before}")
            assert len(lines(found)) == 3

    @pytest.mark.parametrize(
        ("path", "old", "new", "modified"),
        [
            ("publications/orders.yml", "a > 5", "a > 6", ["s1:public.t1"]),
            ("tables/tables.sql", "b int, c text", "b bigint, c text", ["s1:public.t1"]),
            ("filtersql_project.yml", "NSW", "QLD", ["s1:public.t1"]),
            (
                "subscriptions/subscriptions.yml",
                "name: s4_leaf ",
                "copy_data: false\n    name: s4_leaf ",
                ["s4_leaf:public.child"],
            ),
            (
                "subscriptions/subscriptions.yml",
                "name: s4_leaf ",
                "target: 'x.{table}'\n    name: s4_leaf ",
                ["s4_leaf:public.child"],
            ),
        ],
    )
    def test_definitions(
        self, shell: Shell, path: str, old: str, new: str, modified: list[str]
    ) -> None:
        """A filter, a type, a variable, a setting: what has another meaning is modified."""
        before = earlier(shell)
        edit(shell, path, old, new)
        assert lines(shell.run(f"filtersql ls -s state:modified --state {before}")) == modified

    def test_macros(self, shell: Shell) -> None:
        """A macro of the project's own modifies what it prints; a file of another name nothing."""
        from filtersql.project import package_folder

        before = earlier(shell)
        own = shell.folder / "macros" / "merge.sql"
        own.write_text((package_folder("macros") / "merge.sql").read_text() + "\n-- ours\n")
        assert len(lines(shell.run(f"filtersql ls -s state:modified --state {before}"))) == 3
        (shell.folder / "macros" / "merge_own.sql").write_text(own.read_text())
        own.unlink()
        assert shell.run(f"filtersql ls -s state:modified --state {before}").exit_code == 1

    def test_new_targets(self, shell: Shell) -> None:
        """A target that the earlier manifest does not know is new, and modified."""
        before = earlier(shell)
        edit(
            shell,
            "subscriptions/subscriptions.yml",
            "subscriptions:",
            "subscriptions:\n  - {name: s9, publications: [p3], changes: {path: 'c/*.jsonl'}}",
        )
        found = lines(shell.run(f"filtersql ls -s state:new --state {before}"))
        assert found == ["s9:public.t2", "s9:public.t3"]
        assert lines(shell.run(f"filtersql ls -s state:modified --state {before}")) == found
        assert len(lines(shell.run(f"filtersql ls -s state:old --state {before}"))) == 3
        ended = shell.run(f"filtersql compile -s state:modified,s9:public.t2 --state {before}")
        assert "Compiled 1 target " in ended.stdout

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (None, "there is no earlier manifest: "),
            (b"not json", "not a manifest of filtersql"),
            (b"[]", "not a manifest of filtersql"),
            (b"\xff\xfe", "not a manifest of filtersql"),
            (b'{"metadata": {"dbt_schema_version": "v12"}}', "not a manifest of filtersql"),
            (
                b'{"metadata": {"manifest_version": 7, "project_name": "demo"}}',
                "manifest of version 7 cannot be read",
            ),
            (
                b'{"metadata": {"manifest_version": 7, "project": {"name": "shop"}}}',
                "manifest of version 7 cannot be read",
            ),
            (
                b'{"metadata": {"manifest_version": 1, "project_name": "other"}, "nodes": {}}',
                'the manifest is of project "other", not of "demo"',
            ),
            (
                b'{"metadata": {"manifest_version": 1, "project_name": "demo"}, "nodes": 3}',
                "not a manifest of filtersql",
            ),
        ],
    )
    def test_manifests_that_cannot_be_used(
        self, shell: Shell, content: bytes | None, message: str
    ) -> None:
        """One clear message each, exit code 1."""
        folder = shell.folder / "before"
        folder.mkdir()
        if content is not None:
            (folder / "manifest.json").write_bytes(content)
        for command in ("ls -s state:modified", "review", "compile -s state:modified"):
            ended = shell.run(f"filtersql {command} --state before -q")
            assert ended.exit_code == 1, command
            assert ended.stderr.count(message) == 1
            assert "Traceback" not in ended.both

    def test_state_is_needed(self, shell: Shell) -> None:
        """state:modified without --state is wrong usage; an unknown state names the known ones."""
        ended = shell.run("filtersql ls --select state:modified")
        assert ended.exit_code == 2
        assert '"state:modified" needs --state DIR' in ended.stderr
        before = earlier(shell)
        ended = shell.run(f"filtersql ls --select state:modifed --state {before}")
        assert ended.exit_code == 1
        assert 'Perhaps "state:modified" was meant.' in ended.stderr


class TestRetry:
    def test_runs_what_failed(self, shell: Shell) -> None:
        """Exactly that, with the flags of the first run; then nothing is left to do."""
        good = (shell.folder / "changes" / "2026-11-20.jsonl").read_text()
        edit(
            shell,
            "subscriptions/subscriptions.yml",
            '[p4]\n    changes: {path: "changes/*.jsonl"}',
            '[p4]\n    changes: {path: "more/*.jsonl"}',
        )
        (shell.folder / "more").mkdir()
        (shell.folder / "more" / "1.jsonl").write_text('{"seq": 1, "op": "insert"}\n')
        ended = shell.run("filtersql run --vars '{state: QLD}' --exclude s4_leaf")
        assert ended.exit_code == 1
        assert "PASS=1 ERROR=1 SKIP=0 TOTAL=2" in ended.stdout

        (shell.folder / "more" / "1.jsonl").write_text(good)
        ended = shell.succeed("retry")
        assert re.search(r"1 of 1 OK s4/public\.parent \.+ \[3 inserted", ended.stdout)
        results = json.loads((shell.folder / "target" / "run_results.json").read_text())
        assert results["args"]["command"] == "retry"
        assert results["args"]["vars"] == {"state": "QLD"}
        assert [each["unique_id"] for each in results["results"]] == ["s4/public.parent"]
        assert "Nothing to retry" in shell.run("filtersql retry").stdout

    def test_skipped_targets_are_run_too(self, shell: Shell) -> None:
        """--fail-fast skips what comes later; retry takes it up."""
        good = shell.folder / "changes" / "2026-11-20.jsonl"
        text = good.read_text()
        good.write_text("{\n")
        ended = shell.run("filtersql run --fail-fast")
        assert "PASS=0 ERROR=1 SKIP=2 TOTAL=3" in ended.stdout
        good.write_text(text)
        assert "PASS=3 ERROR=0 SKIP=0 TOTAL=3" in shell.run("filtersql retry").stdout

    def test_what_waited_is_run_too(self, tmp_path: Path) -> None:
        """A conflict stops a subscription; the other target's later changes come with its own."""
        shell = started(tmp_path, "shop")
        (shell.folder / "tables" / "people.sql").write_text(
            "CREATE TABLE people (id int PRIMARY KEY);\n"
        )
        edit(shell, "publications/shop.yml", "  - name: large",
             "  - {name: people, tables: [people]}\n\n  - name: large")  # fmt: skip
        edit(shell, "subscriptions/shop.yml", "[regional]",
             "[regional, people]\n    on_conflict: error")  # fmt: skip
        feed = shell.folder / "changes" / "2026-11-22.jsonl"
        text = (
            '{"seq": 10, "relation": "public.people", "op": "insert", "after": {"id": 1}}\n'
            '{"seq": 11, "relation": "public.people", "op": "insert", "after": {"id": 1}}\n'
            '{"seq": 12, "relation": "public.orders", "op": "delete", "before": {"id": 3, '
            '"region": "eu", "status": "paid", "total": "15.00"}}\n'
        )
        feed.write_text(text)
        assert "PASS=2 ERROR=1" in shell.run("filtersql run --target local").stdout
        feed.write_text(text.replace('"insert", "after": {"id": 1}}\n{"seq": 12',
                                      '"insert", "after": {"id": 2}}\n{"seq": 12'))  # fmt: skip
        ended = shell.run("filtersql retry")
        assert re.search(r"OK europe/public\.orders \.+ \[1 deleted", ended.stdout), ended.both
        assert "PASS=2 ERROR=0 SKIP=0 TOTAL=2" in ended.stdout
        # Targets that are selected are run whatever the last run was.
        ended = shell.run("filtersql retry --target local --select finance")
        assert re.search(r"1 of 1 OK finance/public\.orders \.+ \[nothing new", ended.stdout)

    def test_secrets_are_not_kept(self, shell: Shell) -> None:
        """A variable whose name says that it is a secret is in no file, and asked for again."""
        good = shell.folder / "changes" / "2026-11-20.jsonl"
        good.write_text("{\n")
        shell.run("filtersql run --vars '{api_token: hunter2, state: NSW}'")
        for path in (shell.folder / "target").rglob("*.json"):
            assert "hunter2" not in path.read_text()
        ended = shell.run("filtersql retry")
        assert ended.exit_code == 2
        assert "api_token must be given again" in ended.stderr

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (None, "there is no earlier run: target/run_results.json"),
            ("{}", "not a file of results of filtersql"),
            ('{"metadata": {"run_results_version": 9}}', "results of version 9 cannot be read"),
        ],
    )
    def test_results_that_cannot_be_used(
        self, shell: Shell, content: str | None, message: str
    ) -> None:
        """One clear message each."""
        (shell.folder / "target").mkdir()
        if content is not None:
            (shell.folder / "target" / "run_results.json").write_text(content)
        ended = shell.run("filtersql retry")
        assert ended.exit_code == 1
        assert message in ended.stderr

    def test_targets_that_are_gone(self, shell: Shell) -> None:
        """A target that failed and is no longer defined is named."""
        (shell.folder / "changes" / "2026-11-20.jsonl").write_text("{\n")
        shell.run("filtersql run -s s4_leaf")
        edit(shell, "subscriptions/subscriptions.yml", "name: s4_leaf", "name: s5")
        ended = shell.run("filtersql retry")
        assert ended.exit_code == 1
        assert 'target "s4_leaf/public.child" does not exist' in ended.stderr
