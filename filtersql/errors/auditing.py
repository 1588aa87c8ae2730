"""Mistakes of an audit: what cannot be compared, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from filtersql.errors import Mistake, nearest
from filtersql.errors.wording import Wording

INTERRUPTED = Wording(
    'target of "{name}" was left by an interrupted run', hint="Finish it with filtersql run."
)
NOTHING_TO_COMPARE = Wording(
    'there is nothing to compare the target of "{name}" with',
    detail="The subscription names no source, and no change was applied.",
    hint='Say where the published tables are: source: "{{catalog}}.{{schema}}.{{table}}".',
)


class SourceAhead(Mistake):
    """The source holds more changes than the target."""

    def __init__(self, name: str, holds: int, position: int | None) -> None:
        stands = "before the first change" if position is None else f"at seq {position}"
        super().__init__(
            f'source of "{name}" holds the changes up to seq {holds}, its target stands {stands}',
            hint=f"Bring the target to seq {holds} with filtersql run, or name an older source.",
        )


FEED_TOO_SHORT = Wording(
    'feed of "{name}" no longer holds all changes that were applied to its target',
    detail="Changes up to seq {needed} are missing, and the source does not hold them.",
    hint=(
        "Name a source that holds the changes up to seq {needed} or a later one: source: {{…, "
        "seq: {needed}}}."
    ),
)
# A repair did not mend everything.
STILL_DIFFERS = Wording(
    '{count} rows of the target of "{name}" differ after the repair',
    detail="Another process may have written to the target.",
)


class RepeatedKeys(Mistake):
    """A target holds several rows under one key, which no MERGE of filtersql's leaves behind."""

    def __init__(self, name: str, target: str, key: Sequence[str], count: int) -> None:
        super().__init__(
            f'target {target} of "{name}" holds several rows with the same key ({", ".join(key)})',
            detail=f"{count} {'key is' if count == 1 else 'keys are'} not unique.",
            hint="Something else has written to it. Fill it anew: filtersql run --resync "
            f"{name.partition('/')[2]}.",
        )


# No selected target exists that filtersql does not know.
NOTHING_TO_ADOPT = Wording(
    "there is no target to adopt", detail="No selected target exists that filtersql did not make."
)


class OtherColumns(Mistake):
    """A target that is to be adopted has other columns than the definition."""

    def __init__(
        self,
        name: str,
        target: str,
        held: Iterable[tuple[str, str]],
        wanted: Iterable[tuple[str, str]],
    ) -> None:
        super().__init__(
            f'target {target} of "{name}" has other columns than its definition',
            detail=f"It has {_columns(held)}; defined are {_columns(wanted)}.",
            hint="The target holds exactly the published columns, in the table's order.",
        )


class UnknownTable(Mistake):
    """A table that is to be copied again is not among the selected targets."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        targets = list(known)
        close = nearest(name, [*targets, *(one.removeprefix("public.") for one in targets)])
        super().__init__(
            f'no selected target holds table "{name}"',
            detail=f"They hold {', '.join(targets)}." if targets else None,
            hint=f'Perhaps "{close}" was meant.' if close else None,
        )


def _columns(columns: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns)
