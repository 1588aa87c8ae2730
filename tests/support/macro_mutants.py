"""Changes single tokens of every macro and asks `check` to notice those that change a statement.

Example
    python tests/support/macro_mutants.py                     a few mutants of every macro
    python tests/support/macro_mutants.py --each 100000       all mutants
    python tests/support/macro_mutants.py net events          two macros

A mutant is a macro in which a keyword, an operator, a literal, a column or the condition of a
branch is another one. Projects of every kind of target are compiled with it (`macro_projects.py`);
what alters none of their statements under target/compiled/ is left out. `check` has to report the
others, each by the cheapest statement that it alters; those that it does not report are listed in
`macro_mutants_alike.txt` with the reason why their rows are the same.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from macro_projects import Target, altered, prepared, reported
from places import DATA, HOME

from filtersql.errors import Mistake, Mistakes

__all__ = ["ALIKE", "ASKED", "Mutant", "alike", "chosen", "every", "judge", "macros"]

MACROS = HOME / "macros"
#: mutants that change no row: `macro ¦ line ¦ change ¦ why`
ALIKE = DATA / "macro_mutants_alike.txt"
#: of what a run asks beside the statements, and no file holds
ASKED = frozenset(
    "conflict_sample conflicts conflicts_found contested counting judged unsent".split()
)

_PARTS = re.compile(
    r"\{#.*?#\}|--[^\n]*|/\*.*?\*/"
    r"|(?P<branch>\{%-?\s*(?:el)?if\s+(?P<condition>.*?)\s*-?%\})|\{%.*?%\}"
    r"|(?P<value>\{\{.*?\}\})"
    r"|(?P<string>'[^'\n]*')|(?P<word>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<sign><>|<=|>=|\|\||[=<>+-])",
    re.DOTALL,
)
_WORDS = {
    "AND": ["OR"], "OR": ["AND"], "NOT": [""], "TRUE": ["FALSE"], "FALSE": ["TRUE"],
    "MAX": ["MIN"], "MIN": ["MAX"], "SUM": ["MAX"], "ABS": [""],
    "LAG": ["LEAD"], "LEAD": ["LAG"], "FIRST_VALUE": ["LAST_VALUE"], "LAST_VALUE": ["FIRST_VALUE"],
    "ROW_NUMBER": ["RANK"], "FULL": ["LEFT"], "LEFT": ["INNER"], "INNER": ["LEFT"],
    "DESC": ["ASC"], "PRECEDING": ["FOLLOWING"], "EXISTS": ["NOT EXISTS"], "IN": ["NOT IN"],
    "IS": ["IS NOT"], "ALL": [""], "DISTINCT": [""], "DELETE": ["UPDATE SET"],
    "HAVING": ["HAVING NOT"], "WHERE": ["WHERE NOT"], "NULL": ["0"], "INSERT": ["UPDATE"],
    "e": ["t"], "t": ["e", "s"], "s": ["t"], "op": ["seq"], "seq": ["op"],
}  # fmt: skip
_SIGNS = {
    "=": ["<>"], "<>": ["="], "<": ["<=", ">"], ">": [">=", "<"], "<=": ["<"], ">=": [">"],
    "+": ["-"], "-": ["+"],
}  # fmt: skip
_STRINGS = {
    "insert": ["update", "nothing"], "update": ["insert", "delete"],
    "delete": ["insert", "nothing"], "held": ["insert", "left"],
    "left": ["arrived", "delete"], "arrived": ["left", "insert"],
    "nothing": ["insert"], "truncate": ["insert", "held"], "old": ["new"], "new": ["old"],
    "read": ["insert"], "leaked": ["missing"], "missing": ["differs"], "differs": ["leaked"],
    "l": ["a"], "a": ["l"], "0": ["1"], "1": ["0"], "00": ["01"], "11": ["10"],
}  # fmt: skip
#: attributes of the plan: one in another's place
_NAMES = {
    "before": "after", "after": "before", "old": "new", "new": "old",
    "old_side": "new_side", "new_side": "old_side", "both_sides": "new_side",
    "old_matches": "new_matches", "new_matches": "old_matches",
    "effect": "side", "change_seq": "previous_seq", "previous_seq": "change_seq",
    "previous_effect": "effect", "next_effect": "previous_effect", "epoch": "change_seq",
    "previous_epoch": "epoch", "old_effect": "new_effect", "new_effect": "old_effect",
    "old_seq": "new_seq", "new_seq": "old_seq", "old_found": "new_found", "new_found": "old_found",
    "copy_step": "copy_ordinal", "copy_level": "copy_total", "copy_total": "copy_lowest",
    "copy_lowest": "copy_total", "copies_held": "copies_left", "copies_left": "copies_held",
    "updated": "inserted", "inserted": "updated", "keeps": "name", "known": "left_behind",
    "last_known": "last_seen", "last_seen": "last_known", "is_unchanged": "old",
    "first_key": "effect",
    "key_columns": "columns", "payload_columns": "key_columns", "target": "source_view",
    "source_view": "target",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one macro: where its text begins and ends, and what stands there instead."""

    macro: str
    begin: int
    end: int
    new: str
    #: the line, and what is changed to what: how the list of those that change nothing names it
    line: str
    what: str

    def text(self) -> str:
        """The macro with the change."""
        text = _text(self.macro)
        return text[: self.begin] + self.new + text[self.end :]

    @property
    def key(self) -> tuple[str, str, str]:
        """The macro, the line without the blanks around it, and the change."""
        return self.macro, self.line, self.what


def _text(macro: str) -> str:
    return (MACROS / f"{macro}.sql").read_text(encoding="utf-8")


def macros() -> list[str]:
    """The names of all macros."""
    return sorted(path.stem for path in MACROS.glob("*.sql"))


def every(macro: str) -> list[Mutant]:
    """All mutants of a macro."""
    text = _text(macro)
    found, met = [], dict[tuple[str, str], int]()
    for begin, end, new in _changes(text):
        first = text.rfind("\n", 0, begin) + 1
        last = text.find("\n", end)
        line = text[first : None if last < 0 else last].strip()
        what = f"{text[begin:end]} is {new or 'left out'}"
        met[line, what] = again = met.get((line, what), 0) + 1
        what += f" ({again})" if again > 1 else ""
        found.append(Mutant(macro, begin, end, new, " ".join(line.split()), what))
    return found


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    for part in _PARTS.finditer(text):
        if part["condition"]:
            yield (*part.span("condition"), f"not ({part['condition']})")
        elif part["value"]:
            for name in re.finditer(r"(?<=\.)\w+", part["value"]):
                if name[0] in _NAMES:
                    begin, end = (part.start() + place for place in name.span())
                    yield begin, end, _NAMES[name[0]]
        elif part["string"]:
            for other in _STRINGS.get(part["string"][1:-1], ()):
                yield (*part.span(), f"'{other}'")
        elif part["number"]:
            yield (*part.span(), str(int(part["number"]) + 1))
        else:
            swaps = _WORDS if part["word"] else _SIGNS
            for other in swaps.get(part[0], ()):
                yield (*part.span(), other)


def chosen(
    some: Sequence[str], each: int, seed: str = "", *, without: Container[object] = ()
) -> list[Mutant]:
    """Mutants of macros, some of each; none of those in `without`, by their keys."""
    found = []
    for macro in some:
        mutants = [one for one in every(macro) if one.key not in without]
        few = random.Random(macro + seed).sample(mutants, min(each, len(mutants)))
        found += sorted(few, key=lambda one: one.begin)
    return found


def alike() -> dict[tuple[str, str, str], str]:
    """Why mutants change no row."""
    lines = ALIKE.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" ¦ ") for line in lines if line and not line.startswith("#")]
    return {(macro, code, what): why for macro, code, what, why in rows}


def judge(mutant: Mutant, targets: Sequence[Target], folder: Path) -> str:
    """`alters nothing`, `is refused` by the compile, `is noticed`, or `survives` and where."""
    found = set()
    try:
        for target, kind, text in altered(mutant.macro, mutant.text(), targets, folder):
            if reported(target, kind, text, folder):
                return "is noticed"
            found.add(f"{target.name}/{kind}")
    except (Mistake, Mistakes):
        return "is refused"
    return "survives in " + ", ".join(sorted(found)) if found else "alters nothing"


def main() -> int:
    """Every macro, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("macros", nargs="*")
    parser.add_argument("--each", type=int, default=12, help="mutants of each macro")
    parser.add_argument("--seed", default="", help="other mutants of each macro")
    arguments = parser.parse_args()
    reasons, counts, bad = alike(), dict[str, int](), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        targets = prepared(folder)
        for mutant in chosen(arguments.macros or macros(), arguments.each, arguments.seed):
            said = judge(mutant, targets, folder)
            survives, why = said.startswith("survives"), reasons.get(mutant.key)
            if survives and why is not None:
                said = "changes no row"
            elif survives or (why is not None and said != "alters nothing"):
                bad += 1
                print(f"{mutant.macro} ¦ {mutant.line} ¦ {mutant.what} ¦ {said}", flush=True)
            word = said.split(" in ")[0]
            counts[word] = counts.get(word, 0) + 1
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
