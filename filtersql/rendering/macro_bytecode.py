"""The package's macros are compiled once, as its modules are: their bytecode is kept beside it.

Example
    filtersql/rendering/__pycache__/macro-0.1.0-5d1c….pyc

What was compiled from another text, by another Python or by another filtersql, or is torn, is not
taken. Where Python writes no bytecode, or may not write there, each process compiles its macros.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from jinja2.bccache import Bucket, FileSystemBytecodeCache

from filtersql import __version__

__all__ = ["MacroBytecode"]


class MacroBytecode(FileSystemBytecodeCache):
    """Keeps what Jinja makes of a macro in `folder`."""

    def __init__(self, folder: Path = Path(__file__).parent / "__pycache__") -> None:
        super().__init__(str(folder), f"macro-{__version__}-%s.pyc")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Writes it for the next process; a folder that cannot be written is no mistake."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)
