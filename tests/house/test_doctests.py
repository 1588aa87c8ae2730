"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib

import pytest
from test_public_names import TREES

WITH_EXAMPLES = [name for name in sorted(TREES) if name != "filtersql.__main__"]


@pytest.mark.parametrize("module", [*WITH_EXAMPLES, "pgoutput"])
def test_examples_are_true(module: str) -> None:
    """Every `>>>` of the module gives what stands below it."""
    failed, _ = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE, report=False
    )

    assert failed == 0
