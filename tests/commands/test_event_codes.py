"""Every event that a command tells has a code in the log."""

from __future__ import annotations

import re
from pathlib import Path

import filtersql
from filtersql.api.logs import _CODES

_TOLD = re.compile(r'(?:_line|\.event|\.say)\(\s*"([A-Z]\w+)",')


def test_every_event_that_is_told_has_a_code() -> None:
    """Else a run ends with an internal error where it tells one that few runs tell."""
    folder = Path(filtersql.__file__).parent / "api"
    told = {name for path in folder.glob("*.py") for name in _TOLD.findall(path.read_text())}
    assert {"Sent", "RunDone"} <= told
    assert told <= _CODES.keys()
    assert len(set(_CODES.values())) == len(_CODES)
