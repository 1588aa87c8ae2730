"""Windows of time: rows leave by themselves, and a run that was killed goes on at its clock."""

from __future__ import annotations

from datetime import datetime

