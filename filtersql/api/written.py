"""Whether a target's files stand under target/ as they were compiled."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256

__all__ = ["is_written"]


def is_written(folder: str, checksums: Mapping[str, str]) -> bool:
    """Whether a folder holds the statements with these SHA-256, and nothing else."""
    try:
        if {*os.listdir(folder)} != {f"{statement}.sql" for statement in checksums}:
            return False
        for statement, checksum in checksums.items():
            # A project has thousands: in as few calls of the system as there can be.
            with open(f"{folder}/{statement}.sql", "rb", buffering=0) as file:
                if sha256(file.read()).hexdigest() != checksum:
                    return False
    except OSError:
        return False
    return True
