"""run_results.json: what a run did, for programs.

Example
    {"metadata": {…}, "args": {…}, "elapsed_time": 1.2, "results": [
      {"unique_id": "s1/public.t1", "status": "success", "rows_inserted": 3, "position": 17, …}]}
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from filtersql import __version__
from filtersql.errors.wording import value_text
from filtersql.names import path_name
from filtersql.run.model import RunResult, TableResult

__all__ = ["run_results"]

_VERSION = 1


def run_results(
    result: RunResult, args: Mapping[str, object], compiled_folder: str
) -> dict[str, object]:
    """The document, ready for JSON. `args` are the command's; they hold no secret."""
    return {
        "metadata": {
            "filtersql_version": __version__,
            "run_results_version": _VERSION,
            "generated_at": datetime.now(UTC).isoformat(timespec="microseconds"),
        },
        "args": dict(args),
        "elapsed_time": round(result.elapsed_time, 6),
        "results": [_target(target, compiled_folder) for target in result.results],
    }


def _target(target: TableResult, compiled_folder: str) -> dict[str, object]:
    compiled = target.compiled
    folder = f"{path_name(compiled.subscription)}/{compiled.relation.path}"
    return {
        "unique_id": target.unique_id,
        "status": target.status,
        "message": target.message,
        "execution_time": round(target.execution_time, 6),
        "rows_inserted": target.rows_inserted,
        "rows_updated": target.rows_updated,
        "rows_deleted": target.rows_deleted,
        "changes_read": target.changes_read,
        "changes_skipped": target.changes_skipped,
        "conflicts": dict(target.conflicts),
        "conflict_sample": [
            {"kind": one.kind, "seq": one.seq, "key": _shown(one.key)}
            for one in target.conflict_sample
        ],
        "quarantined": target.quarantined,
        "released": target.released,
        "held_back": target.held_back,
        "position": target.position,
        "relation_name": compiled.target_sql,
        "compiled_path": f"{compiled_folder}/{folder}/merge.sql",
    }


def _shown(key: Mapping[str, object]) -> dict[str, object]:
    """Values as JSON has them; any other as text."""
    plain = (bool, int, str, type(None))
    return {name: one if isinstance(one, plain) else value_text(one) for name, one in key.items()}
