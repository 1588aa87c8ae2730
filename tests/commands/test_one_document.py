"""`--format json` prints one JSON document on stdout, whatever happens."""

from __future__ import annotations

import json

from transcripts import Shell

from filtersql.run.model import CONFLICTS


def test_json_is_one_document_when_a_target_fails(shell: Shell) -> None:
    """Results on stdout, what went wrong on stderr."""
    ended = shell.run("filtersql audit --format json")
    assert {one["status"] for one in json.loads(ended.stdout)["audits"]} == {"skip"}
    assert "Done. RIGHT=0 WRONG=0 SKIP=3 TOTAL=3" in ended.stderr
    shell.run("filtersql run -q")
    change = '{"seq": 99, "relation": "t1", "op": "delete", "before": {}}\n'
    (shell.folder / "changes" / "zz.jsonl").write_text(change)
    said = "lacks"
    for command in ("run", "retry", "audit"):
        ended = shell.run(f"filtersql {command} --format json")
        assert ended.exit_code == 1
        assert isinstance(json.loads(ended.stdout), dict)
        assert said in ended.stderr
        if command == "run":
            failed = [
                one for one in json.loads(ended.stdout)["results"] if one["status"] == "error"
            ]
            assert {tuple(one["conflicts"]) for one in failed} == {CONFLICTS}
    for path in shell.folder.glob("target/compiled/*/*/merge.sql"):
        path.unlink()
    ended = shell.run("filtersql check --format json")
    assert len(json.loads(ended.stdout)["checks"]) == 3
    assert "does not exist" in ended.stderr
    for removed in (["target"], []):
        assert json.loads(shell.run("filtersql clean --format json").stdout) == {"removed": removed}
