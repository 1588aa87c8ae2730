"""Where the tests find what is no module."""

from __future__ import annotations

from pathlib import Path

__all__ = ["BENCHMARKS", "CASES", "DATA", "HOME", "RECORDERS"]

HOME = Path(__file__).parents[2]
BENCHMARKS = HOME / "tests" / "benchmarks"
CASES = HOME / "tests" / "cases"
DATA = HOME / "tests" / "data"
RECORDERS = HOME / "tests" / "recorders"
