"""The reader of Markdown cases neither loses a fence nor skips an answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from answers import Project, answer
from cases import Fence, read, rewrite
from transcripts import commands, normalised

TEXT = """\
# A rule

```yaml tables/t.yml
tables: []
```

## First

    ```text not a fence
    ```

````text rows s1 public.t1
```
a
````

## Second

```console
$ ls tables
t.yml
```
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A case file."""
    path = tmp_path / "rule.md"
    path.write_text(TEXT)
    return path


def test_headings_are_cases_with_shared_and_own_fences(file: Path) -> None:
    """Fences before the first heading belong to every case; indented ones are prose."""
    first, second = read(file)

    assert [case.name for case in (first, second)] == ["First", "Second"]
    assert [fence.words for fence in first.shared] == [("tables/t.yml",)]
    assert [fence.text for fence in first.fences] == ["```\na"]
    assert [fence.language for fence in second.fences] == ["console"]


def test_rewriting_changes_the_text_between_the_fences_only(file: Path) -> None:
    """`--update` leaves everything else as it is, however long the new answers are."""
    first, second = read(file)
    rewrite(file, {first.fences[0]: "x\ny\nz", second.fences[0]: ""})

    expected = TEXT.replace("```\na\n````", "x\ny\nz\n````").replace("$ ls tables\nt.yml\n", "")
    assert file.read_text() == expected


def test_a_fence_that_never_ends_is_an_error(tmp_path: Path) -> None:
    """It would swallow the cases below it."""
    path = tmp_path / "rule.md"
    path.write_text("## a\n\n```text\n")
    with pytest.raises(AssertionError, match=r"rule\.md:3: this fence is never closed"):
        read(path)


def test_an_unknown_fence_is_an_error(tmp_path: Path) -> None:
    """A slip in a fence's words does not skip it."""
    with pytest.raises(AssertionError, match='no fence is called "text row"'):
        Project(tmp_path).carry_out(Fence("text", ("row", "s1", "public.t1"), "", 0, 0))


def test_a_fence_without_words_is_an_illustration(tmp_path: Path) -> None:
    """```sql with nothing after it asks nothing."""
    assert answer(Project(tmp_path), Fence("sql", (), "SELECT 1", 0, 0)) is None


def test_what_changes_from_run_to_run_is_normalised() -> None:
    """Durations, times of day, trailing blanks and the dots before a duration are all the same."""
    one = normalised("1 of 5 OK s1.t1 ........ in 0.61s  \n10:00:01.5 done\n")
    other = normalised("1 of 5 OK s1.t1 ....... in 12.0s\n23:59:59 done")

    assert one == other
    assert normalised("a 5") != normalised("a 6")


def test_commands_of_a_transcript_may_be_continued() -> None:
    """A backslash at the end joins the next line."""
    assert commands("$ cd a\nout\n$ filtersql run \\\n  --quiet\nout") == [
        "cd a",
        "filtersql run \\\n  --quiet",
    ]
