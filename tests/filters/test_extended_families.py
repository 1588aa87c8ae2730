"""Each rare family can be deleted with its line of the listing: the rest works without it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import filtersql

PACKAGE = Path(filtersql.__file__).parent
LISTING = "filters/extended/__init__.py"
#: one filter of each family, which is refused without it
OF_A_FAMILY = {
    "address_and_bit_texts": "host(ip) = '10.0.0.1'",
    "buckets": "width_bucket(n, 0, 10, 5) = 2",
    "checksums": "crc32(by) = 1",
    "hash_functions": "hashtext(s) % 10 = 0",
    "long_digests": "sha512(by) = 'x'",
    "quoted_identifiers": "quote_ident(s) = 'a'",
    "unicode_functions": "normalize(s) = 'a'",
    "uuid_timestamps": "uuid_extract_timestamp(u) IS NULL",
}
_ASK = """
import sys
from filter_corpus import _answer, table
for text in sys.argv[1:]:
    print("written" if "duckdb" in (_answer("", text, table()).written or {}) else "refused")
"""


def asked(tree: Path, *filters: str) -> list[str]:
    """Whether DuckDB has each filter, by the package in a folder."""
    support = Path(__file__).parents[1] / "support"
    ended = subprocess.run(
        [sys.executable, "-c", _ASK, *filters],
        cwd=tree, env={"PYTHONPATH": f"{tree}:{support}"}, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split()


def test_every_family_is_named_here() -> None:
    """One filter for each module of the room."""
    modules = {path.stem for path in (PACKAGE / LISTING).parent.glob("*.py")} - {"__init__"}

    assert modules == OF_A_FAMILY.keys()


@pytest.mark.parametrize("family", OF_A_FAMILY)
def test_a_family_is_deleted(family: str, tmp_path: Path) -> None:
    """Its own filter is refused then, and those of all others are written as before."""
    shutil.copytree(PACKAGE, tmp_path / "filtersql", ignore=shutil.ignore_patterns("__pycache__"))
    listing = tmp_path / "filtersql" / LISTING
    (listing.parent / f"{family}.py").unlink()
    listing.write_text(
        re.sub(rf"^    {family}(\.FAMILY)?,\n", "", listing.read_text(), flags=re.MULTILINE)
    )
    others = [text for name, text in OF_A_FAMILY.items() if name != family]

    answers = asked(tmp_path, OF_A_FAMILY[family], "i4 > 5 AND s = 'x'", *others)

    assert answers == ["refused", *["written"] * (len(others) + 1)]
