"""Changes of compiled files in which a change that meets the wrong state is skipped.

`keyed` and `kept` find rows by a key, `bare` counts copies (`on_conflict: skip`); `t1` is
pglogical's, which skips only what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping

from checked import Mutation

__all__ = ["EQUIVALENT_SKIPPING", "PGLOGICAL", "SKIPPING"]

SKIPPING: tuple[Mutation, ...] = tuple(
    Mutation(name, "keyed", old, new)
    for name, old, new in (
        ("an INSERT replaces a row", "OR row_found = (effect = 'update')", "OR TRUE"),
        ("an UPDATE adds a missing row", "NOT IN ('insert', 'update')", "NOT IN ('insert')"),
        ("an INSERT is never skipped", "NOT IN ('insert', 'update')", "NOT IN ('update')"),
        ("a change of a key is never skipped", "(effect = 'update' OR NOT stays)", "TRUE"),
        ("an UPDATE is judged as a change of a key", "(effect = 'update' OR NOT stays)",
         "(NOT stays)"),
        ("a held row is not found", "IN ('held', 'insert') THEN '1'", "IN ('insert') THEN '1'"),
        ("an added row is not found", "IN ('held', 'insert') THEN '1'", "IN ('held') THEN '1'"),
        ("a row that left is found", "= 'left' THEN 'l'", "= 'left' THEN 'a'"),
        ("a row that came is found for certain", "= 'arrived' THEN 'a'", "= 'arrived' THEN '1'"),
        ("a row that came is not found", "= 'arrived' THEN 'a'", "= 'arrived' THEN '0'"),
        ("a row from before a TRUNCATE is found", "WHEN previous_epoch <> epoch THEN '0'",
         "WHEN FALSE THEN '0'"),
        ("a row leaves though another is in its way", "+ 21,\n"
         "                                        2\n"
         "                                    ) = '11'", "+ 21,\n"
         "                                        2\n"
         "                                    ) = '10'"),
        ("a row comes though there was none", "= '00'", "= '01'"),
        ("a row moves over another one", "verdicts.new_found OR NOT verdicts.old_found",
         "NOT verdicts.old_found"),
        ("a row that is missing moves", "verdicts.new_found OR NOT verdicts.old_found",
         "verdicts.new_found"),
        ("a change of a key stays for certain", "verdicts.old_found, FALSE",
         "verdicts.old_found, TRUE"),
        ("held rows are changes", "'held' AS effect", "'update' AS effect"),
        ("held rows are deleted", "AND net.effect <> 'held'", ""),
        ("a TRUNCATE leaves what was held", "'truncate' AS effect", "'held' AS effect"),
        ("a row from before a TRUNCATE exists", ") = epoch AS row_found", ") >= 0 AS row_found"),
        ("a row that is gone exists", "ELSE -1\n                            END",
         "ELSE epoch\n                            END"),
        ("a row that came does not exist", "'held', 'insert', 'arrived')", "'held', 'insert')"),
        ("a TRUNCATE is over before it began", "barrier < sides.seq", "barrier > sides.seq"),
        ("what left is deleted for certain", "THEN 'left'", "THEN 'delete'"),
        ("what came is inserted", "THEN 'arrived'", "THEN 'insert'"),
        ("a row from before a TRUNCATE is written", "> COALESCE((SELECT truncated.seq", ">= -9 OR "
         "net.change_seq < COALESCE((SELECT truncated.seq"),
        ("the first change decides", "LEAD(change_seq) OVER (", "LAG(change_seq) OVER ("),
        ("an update of a key deletes", "('insert', 'update', 'arrived')", "('insert', 'update')"),
    )
) + tuple(
    Mutation(name, "bare", old, new)
    for name, old, new in (
        ("an old row adds a copy", "THEN -1 ELSE 1 END", "THEN 1 ELSE 1 END"),
        ("nothing is sure to be missed", "MIN(copy_level) <= 0", "MIN(copy_level) < 0"),
        ("no doubt where a copy may be missed", "copy_lowest <= 0", "copy_lowest < 0"),
        ("a copy that did not come is there", "'>' || SUBSTRING(link, 41, 21)",
         "'!' || SUBSTRING(link, 41, 21)"),
        ("a copy that was not taken is gone", "'<' || SUBSTRING(link, 41, 21), ''",
         "'!' || SUBSTRING(link, 41, 21), ''"),
        ("the last copy is missed", "'')) <= 0", "'')) <= 22"),
        ("only what is missed is taken", "missed.place IS NULL", "missed.place IS NOT NULL"),
        ("a change finds what it adds", "AND 1 PRECEDING", "AND CURRENT ROW"),
        ("a change finds its own row", "ORDER BY change_seq, copy_step",
         "ORDER BY change_seq, copy_step DESC"),
        ("a delete is never missed", "WHERE effect <> 'insert'", "WHERE effect = 'update'"),
        ("copies that updates bring are certain", "effect <> 'update' OR copy_step = -1", "TRUE"),
        ("held copies survive a TRUNCATE", "tallied.copy_total + CASE\n                WHEN EXISTS "
         "(SELECT 1 FROM truncated) THEN 0",
         "tallied.copy_total + CASE\n                WHEN FALSE THEN 0"),
        ("held copies are found after a TRUNCATE",
         "walked.copy_level + CASE\n                WHEN EXISTS (SELECT 1 FROM truncated) THEN 0",
         "walked.copy_level + CASE\n                WHEN FALSE THEN 0"),
        ("only fewer copies are written", "left <> copies_held", "left < copies_held"),
        ("old and new row are one", "THEN '0' ELSE '1' END", "THEN '0' ELSE '0' END"),
        ("held copies are not found", "ELSE COALESCE(held.copies_held, 0)", "ELSE 0"),
    )
)  # fmt: skip
PGLOGICAL: tuple[Mutation, ...] = tuple(
    Mutation(name, "t1", old, new)
    for name, old, new in (
        ("an UPDATE adds a missing row", "effect <> 'arrived'\n            OR", "TRUE OR"),
        ("a held row is not found", "previous_effect IN ('held', 'insert')",
         "previous_effect IN ('insert')"),
        ("an added row is not found", "previous_effect IN ('held', 'insert')",
         "previous_effect IN ('held')"),
        ("nothing is followed", "steps.previous_effect = 'arrived'", "FALSE"),
        ("what left comes back", "THEN 'left'", "THEN 'update'"),
    )
)  # fmt: skip
#: mutations that change no row, and why
EQUIVALENT_SKIPPING: Mapping[tuple[str, str], str] = {
    ("keyed", "a TRUNCATE is over before it began"): (
        "Counted from the end, the TRUNCATEs tell the same changes apart; only those before the"
        " last one find held rows otherwise, and of them no row is left."
    ),
    ("bare", "a change finds its own row"): (
        "An UPDATE of a row to itself leaves the same copies, whether it finds one or not."
    ),
}
