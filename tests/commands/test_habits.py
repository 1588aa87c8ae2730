"""What a dbt user's fingers know: flags, environment, completion, compile, unit tests."""

from __future__ import annotations

import json
import re

import pytest
from demo import edit, lines
from transcripts import Shell

from filtersql import cli


class TestFlags:
    @pytest.mark.parametrize("order", ["filtersql -s s1 -q ls", "filtersql ls -q -s s1"])
    def test_before_or_after_the_command(self, shell: Shell, order: str) -> None:
        """A shared flag stands on either side."""
        assert lines(shell.run(order)) == ["subscription:s1", "s1:public.t1"]

    def test_clean_never_deletes_a_database(self, shell: Shell) -> None:
        """One that was put under target/ by hand stays, and clean says so."""
        shell.run("filtersql run")
        database = next(shell.folder.glob("*.duckdb"))
        kept = database.rename(shell.folder / "target" / "kept.db")
        ended = shell.run("filtersql clean")
        assert (ended.exit_code, kept.exists()) == (1, True)
        assert '"target/kept.db" is under target/, which clean removes' in ended.stderr
        kept.unlink()
        assert shell.run("filtersql clean").exit_code == 0

    def test_several_selectors_behind_one_flag(self, shell: Shell) -> None:
        """`--select t1 t3`, as in dbt; what stands behind another flag is its own."""
        ended = shell.run("filtersql ls --select t3 s4 --exclude s4_leaf s1 -q")
        assert lines(ended) == ["public.t3", "subscription:s4", "s4:public.parent"]
        ended = shell.run("filtersql show publication p1 --select p1 p2")
        assert ended.exit_code == 2
        assert shell.run("filtersql ls --quiet t3").exit_code == 2

    def test_environment(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        """FILTERSQL_<FLAG> sets a flag; the command line comes first."""
        monkeypatch.setenv("FILTERSQL_SELECT", "s1 s4")
        assert "s4:public.parent" in lines(shell.run("filtersql ls"))
        assert lines(shell.run("filtersql ls --select t3")) == ["public.t3"]
        assert lines(shell.run("filtersql --select t3 ls")) == ["public.t3"]
        monkeypatch.setenv("FILTERSQL_FORMAT", "json")
        assert len(json.loads(shell.run("filtersql ls").stdout)) == 4
        assert "s1:public.t1" in lines(shell.run("filtersql ls --format text"))

    def test_environment_of_a_commands_own_flags(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`run --dry-run` is FILTERSQL_DRY_RUN=1; --no-color is FILTERSQL_NO_COLOR=1."""
        monkeypatch.setenv("FILTERSQL_DRY_RUN", "1")
        assert "Dry run" in shell.run("filtersql run").stdout
        monkeypatch.setenv("FILTERSQL_DRY_RUN", "0")
        assert "Dry run" not in shell.run("filtersql run").stdout
        monkeypatch.setenv("FILTERSQL_COLOR", "1")
        assert "\x1b[" in shell.run("filtersql debug").stdout
        monkeypatch.delenv("FILTERSQL_COLOR")
        monkeypatch.setenv("FILTERSQL_NO_COLOR", "1")
        assert "\x1b[" not in shell.run("filtersql debug").stdout

    def test_a_bad_value_names_its_variable(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Wrong usage, exit code 2."""
        monkeypatch.setenv("FILTERSQL_THREADS", "many")
        ended = shell.run("filtersql ls")
        assert ended.exit_code == 2
        assert "FILTERSQL_THREADS" in ended.stderr

    def test_every_flag_has_its_variable(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All shared flags, by a table: each is heard."""
        from filtersql.commands.options import Options, merged_options

        values = {
            "project_dir": "x",
            "target": "x",
            "vars": "{a: 1}",
            "select": "a b",
            "exclude": "a",
            "state": "x",
            "threads": "3",
            "fail_fast": "1",
            "format": "json",
            "log_format": "json",
            "log_path": "x",
            "quiet": "yes",
            "color": "true",
            "debug": "1",
            "publish_via_partition_root": "0",
        }
        assert {*values, "profiles_dir", "given"} == set(Options.__struct_fields__)
        for name, value in values.items():
            monkeypatch.setenv(f"FILTERSQL_{name.upper()}", value)
        options = merged_options(cli.cli.make_context("filtersql", ["ls"]), {})
        assert options.given == set(values)
        assert options.select == ("a", "b")
        assert (options.threads, options.fail_fast, options.publish_via_partition_root) == (
            3,
            True,
            False,
        )

    def test_vars_and_env_var(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        """--vars wins over the project's; a variable that is unset is named with its place."""
        ended = shell.run("filtersql compile -s s1 --vars '{state: VIC}'")
        assert "'VIC'" in ended.stdout
        assert shell.run("filtersql compile --vars '{state: '").exit_code == 2
        edit(shell, "filtersql_project.yml", "state: NSW", "state: \"{{ env_var('STATE') }}\"")
        ended = shell.run("filtersql compile")
        assert ended.exit_code == 1
        assert re.search(r"filtersql_project\.yml:\d+:\d+: .*STATE", ended.stderr)
        monkeypatch.setenv("STATE", "ACT")
        assert "'ACT'" in shell.run("filtersql compile -s s1").stdout

    def test_threads_are_shown(self, shell: Shell) -> None:
        """The value that is in force stands in the second line of `run`."""
        assert "(target='local', threads=3)" in shell.run("filtersql run --threads 3").stdout

    def test_typos(self, shell: Shell) -> None:
        """A command, a flag, a selector's method: each with what was probably meant."""
        for line, meant in (
            ("filtersql complie", 'Did you mean "compile"?'),
            ("filtersql compile --selct x", "--select"),
            ("filtersql ls --select tga:x", 'Perhaps "tag" was meant.'),
            ("filtersql run --target locla", '"local"'),
        ):
            ended = shell.run(line)
            assert ended.exit_code in (1, 2)
            assert meant in ended.stderr, line

    def test_from_a_folder_below(self, shell: Shell) -> None:
        """The project is found from any of its folders."""
        shell.run("cd tables")
        assert lines(shell.run("filtersql ls -s t3")) == ["public.t3"]

    def test_help_everywhere(self, shell: Shell) -> None:
        """-h is --help; no line is wider than 100 columns."""
        for name in cli.COMMANDS:
            short, long = (shell.run(f"filtersql {name} {flag}") for flag in ("-h", "--help"))
            assert short.stdout == long.stdout
            assert short.stdout.startswith(f"Usage: filtersql {name}")
            assert max(map(len, lines(short))) <= 100


class TestCompletion:
    @pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
    def test_scripts(self, shell: Shell, name: str) -> None:
        """A script for each shell."""
        ended = shell.run(f"filtersql completion {name}")
        assert ended.exit_code == 0
        assert "_FILTERSQL_COMPLETE" in ended.stdout

    def test_nodes(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        """Names come from the manifest; without one the methods remain."""
        from filtersql.commands.completing import selectors

        monkeypatch.chdir(shell.folder)
        assert selectors(None, "s1") == []
        assert selectors(None, "ta") == ["tag:"]
        shell.run("filtersql compile")
        assert selectors(None, "s1") == ["s1:public.t1"]
        assert selectors(None, "publication:p4") == ["publication:p4", "publication:p4_leaf"]


class TestCompile:
    def test_one_selected_is_coloured_on_a_terminal(self, shell: Shell) -> None:
        """The text without its colours is the file."""
        plain = shell.run("filtersql compile -q -s s1").stdout
        coloured = shell.run("filtersql compile -q -s s1 --color").stdout
        assert "\x1b[" in coloured
        assert "\x1b[" not in plain
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).rstrip("\n") == plain.rstrip("\n")

    def test_check_says_what_compile_would_change(self, shell: Shell) -> None:
        """Exit code 1 for a changed, a missing and a superfluous file; nothing is written."""
        check, compiled = "filtersql compile --check", shell.folder / "target" / "compiled"
        assert shell.run(check).exit_code == 1
        assert not compiled.exists()
        shell.run("filtersql compile")
        assert shell.run(check).exit_code == 0
        changed = compiled / "s1/public.t1/merge.sql"
        changed.write_text(changed.read_text() + "\n")
        (compiled / "s4/public.parent/audit.sql").unlink()
        for path in ("s1/public.t1/merge_completing.sql", "s1/public.gone/merge.sql", "notes"):
            (compiled / path).parent.mkdir(exist_ok=True)
            (compiled / path).write_text("SELECT 1\n")
        ended = shell.run(check)
        assert (ended.exit_code, lines(ended)) == (
            1,
            [
                "s1/public.t1/merge.sql",
                "s4/public.parent/audit.sql",
                "notes",
                "s1/public.gone/merge.sql",
                "s1/public.t1/merge_completing.sql",
                "5 files are not what the definitions give",
                "hint: Run filtersql compile, and commit what it writes.",
            ],
        )
        assert shell.run(f"{check} -s s4,parent").stdout.startswith("s4/public.parent/audit.sql\n")
        shell.run("filtersql compile")
        assert shell.run(check).exit_code == 0
        (compiled / "s1/public.t1/merge_completing.sql").touch()
        shell.run("filtersql compile")
        assert shell.run(check).exit_code == 0
        edit(shell, "publications/orders.yml", "a > 5", "a > 4")
        found = json.loads(shell.run(f"{check} --format json").stdout)
        assert "s1/public.t1/merge.sql" in found["stale"]

    def test_source_map(self, shell: Shell) -> None:
        """The line of a filter leads to the place of its text."""
        shell.run("filtersql compile")
        manifest = json.loads((shell.folder / "target" / "manifest.json").read_text())
        node = manifest["nodes"]["s1.public.t1"]
        sql = (shell.folder / "target/compiled/s1/public.t1/merge.sql").read_text().split("\n")
        judging = [
            each
            for each in node["source_map"]["merge"]
            if not sql[each["line"] - 1].startswith("--") and each["kind"] == "filter"
        ]
        assert len(judging) == 2
        path, line, column = judging[0]["place"].rsplit(":", 2)
        written = (shell.folder / path).read_text().split("\n")[int(line) - 1]
        assert written[int(column) - 1 :].startswith("a > 5 AND")
        texts = ["\n".join(sql[each["line"] - 1 : each["last_line"]]) for each in judging]
        assert all(re.fullmatch(r" +(OR )?\(.*\),?", text, re.DOTALL) for text in texts)
        assert ["old_a > 5" in texts[0], "new_a > 5" in texts[1]] == [True, True]

    def test_debug_says_ok_or_error(self, shell: Shell) -> None:
        """One line a check."""
        ended = shell.run("filtersql debug")
        assert ended.exit_code == 0
        assert all(re.match(r"\S+ +OK ", line) for line in lines(ended)[:-1])
        edit(shell, "publications/orders.yml", "d = 10", "d = = 10")
        ended = shell.run("filtersql debug")
        assert ended.exit_code == 1
        assert re.search(r"^compiles +ERROR ", ended.stdout, re.MULTILINE)


class TestUnitTests:
    def test_a_failing_one_shows_the_difference(self, shell: Shell) -> None:
        """The rows that are missing and those that are too many, in colour where it helps."""
        edit(shell, "tests/t1.yml", "expect: {public.t1: []}", "expect: {public.t1: [{a: 1}]}")
        ended = shell.run("filtersql test --color")
        assert ended.exit_code == 1
        assert "Done. PASS=2 FAIL=1 TOTAL=3" in ended.stdout
        assert "public.t1: - expected, + found" in ended.stdout
        assert "\x1b[31m" in ended.stdout
        found = json.loads(shell.run("filtersql test --format json").stdout)
        assert [each["status"] for each in found["tests"]] == ["fail", "pass", "pass"]

    def test_none_sees_the_rows_of_another(self, shell: Shell) -> None:
        """They share a connection; each has an empty database, also after a refusal."""
        text = (shell.folder / "tests" / "t1.yml").read_text()
        one = text.split("tests:\n")[1]
        bad = (
            "  - {name: bad, subscription: s1, changes: [{relation: public.t1, op: insert}],"
            " expect_error: zzz}\n"
        )
        (shell.folder / "tests" / "t1.yml").write_text("tests:\n" + one + bad + one)
        ended = shell.run("filtersql test")
        assert "Done. PASS=6 FAIL=1 TOTAL=7" in ended.stdout, ended.both
        assert not (shell.folder / "shop.duckdb").exists()


def test_what_is_wrong_again_and_again_takes_a_line_each(shell: Shell) -> None:
    """A feed of another tool's lines: ten are shown with all there is to say, none is hidden."""
    line = json.dumps({"kind": "insert", "table": "t1"}) + "\n"
    (shell.folder / "changes" / "zz.jsonl").write_text(line * 40)
    ended = shell.run("filtersql run --select s1")
    assert ended.exit_code == 1
    places = re.findall(r"^changes/zz\.jsonl:(\d+):1: ", ended.stderr, re.MULTILINE)
    assert [int(place) for place in places] == list(range(1, 41))
    assert ended.stderr.count("hint: A change is one JSON object") == 10
    said = ended.stderr.partition("\n\nchanges/zz.jsonl:11:1: ")[2]
    assert said.count("\n") == 40 - 10
