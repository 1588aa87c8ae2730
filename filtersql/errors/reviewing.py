"""Selectors that match nothing, and things to show that do not exist."""

from __future__ import annotations

from filtersql.errors.wording import Wording

# `show` of a publication, table, set, subscription or term (`kind`) that is not defined.
NOT_DEFINED = Wording('{kind} "{name}" does not exist')
# A criterion of --select or --exclude (`flag`).
NOTHING_MATCHES = Wording(
    '{flag} "{criterion}" matches nothing', hint="`filtersql ls` lists what is defined."
)
NO_TARGET = Wording(
    '{flag} "{criterion}" matches no target',
    detail='"{line}" is defined, but no subscription makes a target of it.',
)
# A selector such as `tga:x`; `methods` are the known ones.
UNKNOWN_METHOD = Wording(
    '{flag} "{criterion}" has the unknown method "{method}:"',
    detail="The methods are {methods:listed}.",
)
NOTHING_LEFT = Wording("--exclude leaves nothing of what is selected")
