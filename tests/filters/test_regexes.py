"""Random regular expressions find on PostgreSQL what the rules say the engines find.

Python's `re` stands for the engines here: like theirs its match is the first by preference. What
the rules let pass must match the same texts, end at the same place and capture the same.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable

import pytest
from servers import Server

from filtersql.filters.write.rules.regex_matches import check_end, check_groups
from filtersql.filters.write.rules.regex_printing import written
from filtersql.filters.write.rules.regex_syntax import parsed
from filtersql.filters.write.rules.regex_trees import Untranslatable

PATTERNS = int(os.environ.get("FILTERSQL_RANDOM_REGEXES", "400"))
PLAIN = ["a", "b", "[ab]", ".", "-", "[^-]"]
ATOMS = [*PLAIN, "ab", "\\w", "\\y", "^", "$", "\\m", "\\M"]
#: back references behind a pattern, to groups that it may have
AGAIN = ["", "", "", "\\1", "\\1b", "\\2", "(b\\1)*", "(?:\\1|b)+", "(?:(a|.)\\1)+", "(?:(.)\\2)*b"]
QUANTITIES = ["*", "+", "?", "{2}", "{1,2}", "*?", "+?", "??"]


def _pattern(chance: random.Random, depth: int) -> str:
    kind = chance.random()
    if depth == 0 or kind < 0.35:
        return chance.choice(ATOMS if chance.random() < 0.3 else PLAIN)
    if kind < 0.6:
        return _pattern(chance, depth - 1) + _pattern(chance, depth - 1)
    if kind < 0.7:
        return f"({_pattern(chance, depth - 1)}|{_pattern(chance, depth - 1)})"
    inner = f"{chance.choice(['(', '(?:'])}{_pattern(chance, depth - 1)})"
    return inner if kind < 0.8 else inner + chance.choice(QUANTITIES)


def _agrees(check: Callable[[object], None], tree: object) -> bool:
    try:
        check(tree)
    except Untranslatable:
        return False
    return True


@pytest.mark.postgres
def test_matches_end_where_the_rules_say(postgres: Server, announce: Callable[[str], None]) -> None:
    """Of each random pattern: whether it matches, the whole match, and its groups."""
    chance = random.Random(os.environ.get("FILTERSQL_RANDOM_REGEXES", "0"))
    query = """SELECT s ~ p, regexp_substr(s, p), regexp_match(s, p)
               FROM (SELECT %s::text COLLATE "C" AS s, %s::text AS p) x"""
    compared, wrong = 0, []
    with postgres.connect(postgres.create_database()) as connection:
        for _ in range(PATTERNS):
            pattern = _pattern(chance, 3) + chance.choice(AGAIN)
            try:
                regex = parsed(pattern, "", ascii_only=True)
            except Untranslatable:
                continue
            text = written(regex.tree, "spark", groups=True)
            python = text.replace("\\z", "\\Z").replace("\\x{2d}", "-")
            ends = _agrees(check_end, regex.tree)
            groups = ends and regex.groups > 0 and _agrees(check_groups, regex.tree)
            for _ in range(4):
                subject = "".join(chance.choice("aab-b ") for _ in range(chance.randint(0, 6)))
                row = connection.execute(query, (subject, pattern)).fetchone()
                found = re.search(f"(?s){python}", subject)
                compared += 1
                same = row is not None and row[0] == (found is not None)
                if ends and row is not None:
                    same &= row[1] == (found[0] if found else None)
                if groups and row is not None and found:
                    same &= row[2] == list(found.groups())
                if not same:
                    wrong.append(f"{pattern} on {subject!r}: {row}, not {found}")
    announce(f"regular expressions: {compared} texts compared with random patterns")
    assert not wrong, "\n".join(wrong)
