"""Filters of the corpus, a live subscriber and `filtersql run`: the same rows, text for text.

`python tests/support/whole_line.py` plays all of the corpus, in some hours; here it is a sample.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from line_filters import SHAPES
from servers import Server
from whole_line import play


@pytest.mark.postgres
@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES)
def test_a_sample_holds_what_its_subscriber_holds(
    shape: str, postgres: Server, tmp_path: Path, announce: Callable[[str], None]
) -> None:
    """Values that hurt come, move and go; what raises in PostgreSQL is put into quarantine."""
    chosen = ("numbers", "dates", "more_types")
    *_, tally = play(postgres, tmp_path, chosen, shape=shape, form="scalars", each=10, share=0.1)
    announce(f"{shape}: {tally.short()}")
    assert not tally.failed, "\n".join(tally.failed)
    assert tally.same
