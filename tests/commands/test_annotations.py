"""`--format github`: mistakes and warnings stand beside the lines that they are about."""

from __future__ import annotations

from pathlib import Path

from transcripts import Shell

from filtersql.commands.annotations import annotation


def test_mistakes_and_warnings_are_annotations(tmp_path: Path) -> None:
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


def test_no_text_breaks_out(tmp_path: Path) -> None:
    """Line breaks, colons, commas and percent signs are escaped; what has no place has none."""
    found = annotation("error", "50% of a, b: c\n::error ::x", None, "d\r\ne", "")
    assert found == "::error title=50%25 of a%2C b%3A c%0A%3A%3Aerror %3A%3Ax::d%0D%0Ae"
