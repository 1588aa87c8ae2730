"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib

import pytest
from test_public_names import IMPORTABLE


@pytest.mark.parametrize("module", [*IMPORTABLE, "pgoutput"])
def test_examples_are_true(module: str) -> None:
    """Every `>>>` of the module gives what stands below it."""
    failed, _ = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE, report=False
    )

    assert failed == 0
