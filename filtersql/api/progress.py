"""What `run` says: a line for each target's start and end, what goes on while a feed is read."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from filtersql.api.notices import RememberedNotice
from filtersql.api.reporter import Reporter
from filtersql.errors import Mistakes
from filtersql.errors.wording import counted, shown_key

if TYPE_CHECKING:
    from filtersql.compile import Node
    from filtersql.project import Project
    from filtersql.run import Event, RunResult
    from filtersql.run.model import TableResult

__all__ = ["Progress", "dotted"]

_WIDTH = 72


class Progress:
    """Tells of a run as dbt does: `1 of 5 START …`, `1 of 5 OK … [3 inserted in 0.6s]`."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter
        self._targets = self._ended = 0

    def found(self, project: Project, nodes: Sequence[Node]) -> None:
        """The first line: what there is."""
        definitions = project.definitions
        self._targets = len(nodes)
        published = len(definitions.publications) + len(definitions.replication_sets)
        numbers = {
            "publication": published,
            "table": len(definitions.catalog.tables),
            "subscription": len(definitions.subscriptions),
            "target": len(nodes),
        }
        found = ", ".join(counted(number, noun) for noun, number in numbers.items())
        self._line("Found", f"Found {found}")

    def connected(self, title: str, output: str, threads: int | None) -> None:
        """The second line: where it runs."""
        told = "" if threads is None else f", threads={threads}"
        self._line("Connected", f"Running on {title} (target='{output}'{told})")

    def on_event(self, event: Event) -> None:
        """Prints an event of the run."""
        place = f"{event.index} of {event.total}"
        facts = {"unique_id": event.unique_id, "index": event.index, "total": event.total}
        ended = {**facts, "execution_time": event.seconds, "message": event.message}
        self._ended += event.kind in ("ok", "error", "skip")
        match event.kind:
            case "reading":
                self._going_on(f"{event.unique_id}: {event.count:,} changes read")
            case "start":
                text = dotted(f"{place} START {event.unique_id}", "[RUN]")
                self._line("TargetStart", text, data=facts)
                self._going_on(event.unique_id)
            case "ok":
                outcome = f"[{event.message} in {event.seconds:.1f}s]"
                text = dotted(f"{place} OK {event.unique_id}", outcome)
                self._line("TargetResult", text, "green", {**ended, "status": "success"})
            case "error":
                outcome = f"[ERROR in {event.seconds:.1f}s]"
                text = dotted(f"{place} ERROR {event.unique_id}", outcome)
                self._line("TargetResult", text, "red", {**ended, "status": "error"}, "error")
            case "skip":
                text = dotted(f"{place} SKIP {event.unique_id}", "[SKIP]")
                self._line("TargetResult", text, "yellow", {**ended, "status": "skipped"})

    def sent(self, rows: int) -> None:
        """A line on what a server could not read where it was."""
        self._line("Sent", f"{rows:,} rows were sent to the server", data={"rows": rows})

    def done(self, result: RunResult, *, dry_run: bool) -> None:
        """The last line: how many targets passed, and whether anything changed."""
        statuses = [table.status for table in result.results]
        conflicts = sum(map(self._conflicts, result.results))
        passed = statuses.count("success")
        if dry_run:
            self._line("Message", "Dry run: nothing was written")
        elif passed == len(statuses) and not any(table.changed for table in result.results):
            self._line("Message", "Nothing changed: every target was up to date")
        summary = (
            f"Done. PASS={passed} ERROR={statuses.count('error')} "
            f"SKIP={statuses.count('skipped')} TOTAL={len(statuses)}"
        )
        if conflicts:
            summary += f" CONFLICTS={conflicts}"
        facts = {status: statuses.count(status) for status in ("success", "error", "skipped")}
        color = "green" if passed == len(statuses) else "red"
        self._line("RunDone", summary, color, {**facts, "elapsed_time": result.elapsed_time})

    def _conflicts(self, table: TableResult) -> int:
        """How many a target met; a line says of which kinds, and names the first."""
        met = {kind: count for kind, count in table.conflicts.items() if count}
        if met:
            said = ", ".join(f"{count} {kind}" for kind, count in met.items())
            if first := min(table.conflict_sample, key=lambda one: one.seq, default=None):
                said += f", first of {shown_key(first.key)} by change {first.seq}"
            facts = {"unique_id": table.unique_id, "conflicts": met}
            self._line("Conflicts", f"{table.unique_id}: {said}", "yellow", facts)
        return sum(met.values())

    def spent(self, seconds: Mapping[str, float]) -> None:
        """A line for each part of the run: its seconds, and their share."""
        whole = sum(seconds.values()) or 1.0
        for part, took in seconds.items():
            text = f"{part:<8} {took:8.1f} s {took / whole:6.0%}"
            self._line("Spent", text, data={"part": part, "seconds": round(took, 3)})

    def put_aside(self, result: RunResult) -> None:
        """A warning for each target of which changes were put aside."""
        for table in result.results:
            if count := table.quarantined:
                what = "1 change was" if count == 1 else f"{count} changes were"
                message = f'{what} put into the quarantine of "{table.unique_id}"'
                hint = "The rows keep their last good state until run --release applies them."
                self._warn("Quarantined", message, hint)
            if count := table.held_back:
                stay = "1 change stays" if count == 1 else f"{count} changes stay"
                message = f'{stay} in the quarantine of "{table.unique_id}"'
                hint = (
                    "The row filter raises an error on them still, or on an earlier change of "
                    "their rows: mend it, or copy the rows anew with run --resync."
                )
                self._warn("Quarantined", message, hint)

    def passed_over(self, result: RunResult) -> None:
        """A warning where files came behind the changes that the targets had read."""
        if result.passed_over:
            first, *others = result.passed_over
            more = f" and {counted(len(others), 'file')} more" if others else ""
            message = (
                f'"{first}"{more} came behind all changes that were read: passed over as sent again'
            )
            hint = (
                "If they were never sent before, filtersql audit shows the rows that are missing."
            )
            self._warn("PassedOver", message, hint)

    def removed(self, result: RunResult) -> None:
        """A warning for each target that no definition names any more."""
        for name, target in result.removed:
            message = f'"{name}" is not defined any more; its target {target} stays as it is'
            hint = "Drop the table where nobody reads it."
            self._warn("Removed", message, hint)

    def failures(self, result: RunResult) -> None:
        """Every mistake, whole, on stderr."""
        if result.mistakes:
            self.reporter.report(Mistakes(result.mistakes))

    def _warn(self, name: str, message: str, hint: str) -> None:
        report = f"{message}\nhint: {hint}"
        self.reporter.warning(RememberedNotice(name, message, None, hint, report))

    def _line(
        self,
        name: str,
        text: str,
        color: str | None = None,
        data: Mapping[str, object] | None = None,
        level: str = "info",
    ) -> None:
        shown = f"{time.strftime('%H:%M:%S')}  {text}"
        self.reporter.message(text, color=color, name=name, level=level, data=data, shown=shown)

    def _going_on(self, text: str) -> None:
        self.reporter.going_on(text, self._ended, max(self._targets, 1))


def dotted(left: str, right: str) -> str:
    """Two texts with dots between them, so that the right one ends where others end."""
    return f"{left} {'.' * max(_WIDTH - len(left) - len(right), 3)} {right}"
