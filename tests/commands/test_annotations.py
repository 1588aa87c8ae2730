"""`--format github` and `sarif`: what is wrong, beside the lines that it is about."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from installed import installed
from transcripts import Shell

from filtersql.commands.annotations import Annotation, placed, workflow_command


def test_mistakes_and_warnings_are_annotations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them, with paths as the repository has them; the exit code is as ever."""
    shell = Shell(tmp_path)
    shell.run("filtersql init shop --example postgres")
    said = shell.run("filtersql compile --project-dir shop --target local --format github")
    assert said.exit_code == 0
    place = "file=shop/publications/orders.yml,line=11,col=27"
    told = 'row filter for table "t2" reads column "e"%2C which is not part of the replica identity'
    assert said.stdout.split("\n")[0] == (
        f"::warning {place},title={told}"
        '::hint: Publish only "insert", or add the column to the replica identity.'
    )
    assert said.stderr == ""
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    shell.run("cd shop")
    assert place in shell.run("filtersql compile --target local --format github").stdout
    shell.run("cd ..")

    publication = tmp_path / "shop" / "publications" / "orders.yml"
    publication.write_text(
        publication.read_text().replace("a > 5", "aa > 5").replace("d = 10", "(d")
    )
    said = shell.run("filtersql check --project-dir shop --target local --format github")
    assert said.exit_code == 1
    lines = [line for line in said.stdout.split("\n") if line.startswith("::error ")]
    assert [line.split(",title=")[0] for line in lines] == [
        "::error file=shop/publications/orders.yml,line=6,col=28",
        "::error file=shop/publications/orders.yml,line=15,col=29",
    ]
    assert 'column "aa" does not exist' in lines[0]


def test_no_text_breaks_out() -> None:
    """Line breaks, colons, commas and percent signs are escaped; what has no place has none."""
    text = "50% of a, b: c\n::error ::x"
    found = workflow_command(Annotation("error", "mistake", text, "d\r\ne", *placed(None, "")))
    assert found == "::error title=50%25 of a%2C b%3A c%0A%3A%3Aerror %3A%3Ax::d%0D%0Ae"


def _wrong(folder: Path) -> Shell:
    """A project in `my shop/` with a warning, and then a mistake, in one file."""
    shell = Shell(folder)
    shell.run("filtersql init 'my shop' --example postgres")
    publication = folder / "my shop" / "publications" / "orders.yml"
    publication.write_text(publication.read_text().replace("a > 5", "aa > 5"))
    return shell


def test_sarif_is_one_document(tmp_path: Path) -> None:
    """Warnings and mistakes with their places; nothing else stands on stdout."""
    shell = _wrong(tmp_path)
    said = shell.run("filtersql compile --project-dir 'my shop' --target local --format sarif")
    assert said.exit_code == 1
    document = json.loads(said.stdout)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("mistake", "error")
    assert 'column "aa" does not exist' in result["message"]["text"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my%20shop/publications/orders.yml"
    assert place["region"] == {"startLine": 6, "startColumn": 28}


def test_sarif_of_a_right_project(tmp_path: Path) -> None:
    """The rules are the warnings' names; without any, a document without results."""
    shell = Shell(tmp_path)
    shell.run("filtersql init demo --example postgres")
    said = shell.run("filtersql compile --project-dir demo --target local --format sarif")
    assert said.exit_code == 0
    run = json.loads(said.stdout)["runs"][0]
    assert {one["level"] for one in run["results"]} == {"warning"}
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(
        dict.fromkeys(one["ruleId"] for one in run["results"])
    )
    shell.run("filtersql init shop")
    said = shell.run("filtersql compile --project-dir shop --target local --format sarif")
    assert json.loads(said.stdout)["runs"][0]["results"] == []


def test_a_wrong_statement_is_found_in_its_file(tmp_path: Path) -> None:
    """`check` says which file is wrong, with the smallest case; as text it does as ever."""
    shell = Shell(tmp_path)
    shell.run("filtersql init shop")
    shell.run("cd shop")
    shell.run("filtersql compile --target local")
    merge = shell.folder / "target" / "compiled" / "europe" / "public.orders" / "merge.sql"
    text = merge.read_text()
    merge.write_text(
        text.replace(
            "NOT old_matches AND new_matches THEN 'insert'",
            "NOT old_matches AND new_matches THEN 'nothing'",
        )
    )
    assert merge.read_text() != text
    said = shell.run("filtersql check --target local --select europe --format sarif")
    assert said.exit_code == 1
    (result,) = json.loads(said.stdout)["runs"][0]["results"]
    assert result["ruleId"] == "wrong"
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "target/compiled/europe/public.orders/merge.sql"
    said = shell.run("filtersql check --target local --select europe --format github")
    assert (
        "::error file=target/compiled/europe/public.orders/merge.sql,line=1,col=1," in said.stdout
    )


@pytest.mark.long
def test_another_tool_reads_sarif(tmp_path: Path) -> None:
    """sarif-tools counts what stands in the document."""
    tool = installed(tmp_path / "tool", "sarif-tools>=3") / "sarif"
    shell = _wrong(tmp_path)
    said = shell.run("filtersql compile --project-dir 'my shop' --target local --format sarif")
    (tmp_path / "found.sarif").write_text(said.stdout)
    counted = subprocess.run(
        [tool, "summary", "found.sarif"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert "error: 1" in counted.stdout
