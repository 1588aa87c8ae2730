"""Whatever is wrong with a feed or a definition: it is refused in words, and nothing was written.

FILTERSQL_FUZZ says how many inputs (700 without it); `python tests/support/fuzzing.py` is the soak.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from fuzzing import fuzz

INPUTS = int(os.environ.get("FILTERSQL_FUZZ", "700"))
SEED = int(os.environ.get("FILTERSQL_FUZZ_SEED", "1"))


def test_broken_feeds_and_definitions(tmp_path: Path, announce: Callable[[str], None]) -> None:
    """No other exception than a mistake, on either side of the border of what is valid."""
    found = fuzz(INPUTS, SEED, tmp_path, share=0.05)
    announce(f"{INPUTS} broken inputs: {dict(found)}")
    assert min(found[name] for name in ("feed refused", "feed read", "feed applied")) > 0
    assert min(found[name] for name in ("project refused", "project compiled")) > 0
