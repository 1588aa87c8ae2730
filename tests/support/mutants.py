"""Breaks every rule module, one place at a time, and asks the cases that claim it to fail.

Example
    python tests/support/mutants.py                          every claimed module, some mutants
    python tests/support/mutants.py publications/actions     one module
    python tests/support/mutants.py --each 1000              every mutant

A mutant turns one comparison, AND or OR, NOT, flag or branch on a line that the cases run. It
lives in a process of its own, which carries those of the claiming cases out that run the line, the
cheapest first, until one answers otherwise. A survivor is a line that no case needs, or a change
that changes nothing: `mutants_alike.txt` lists those with the reason, and they are printed beside
the others. Ends with 1 where fewer than `ENOUGH` of a module's other mutants are killed, rounded
down; a listed one that is killed counts as a survivor. What no case runs is printed, not counted.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import pkgutil
import random
import sys
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import coverage_of_rules as coverage
from cases import Case, read
from mutant_runs import SECONDS, Run, by_lines, carry_out, in_child
from places import CASES, DATA

import filtersql

#: the share of a module's mutants that its cases must kill
ENOUGH = 0.95
#: the rooms whose modules are rules; the others carry them out, and have tests of their own
RULES = ("changes", "definitions", "filters", "publications", "review")
#: mutants that change nothing: `module | line of code | change | why`
ALIKE = DATA / "mutants_alike.txt"
#: of a mutant, beside five times what its cases need
_START = 2
_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Mutant:
    """One change: the number of its node in the walk of the module, its line, and what it is."""

    node: int
    line: int
    what: str
    #: of a statement or an expression that is longer than a line
    last: int = 0


def places(tree: ast.Module, lines: set[int]) -> list[Mutant]:
    """Everything in functions that can be turned, on some lines."""
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
    }
    found = []
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in inside and getattr(node, "lineno", 0) in lines:
            line, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
            found += [Mutant(number, line, what, last) for what in _turns(node)]
    return found


def _turns(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Compare(ops=[one]) if type(one) in _SWAPS:
            yield f"{type(one).__name__} is {_SWAPS[type(one)].__name__}"
        case ast.BoolOp(op=one):
            yield f"{type(one).__name__} is {_SWAPS[type(one)].__name__}"
        case ast.UnaryOp(op=ast.Not()):
            yield "Not is left out"
        case ast.Constant(value=bool()):
            yield f"{node.value} is {not node.value}"
        case ast.If() | ast.IfExp():
            yield "the branch is the other one"
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()) | ast.Raise():
            yield "the statement is left out"


class _Turned(ast.NodeTransformer):
    """The tree with one node turned."""

    def __init__(self, tree: ast.Module, mutant: Mutant) -> None:
        self.target = list(ast.walk(tree))[mutant.node]

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        return _turned(node) if node is self.target else node


def _turned(node: ast.AST) -> ast.AST:
    match node:
        case ast.Compare():
            node.ops = [_SWAPS[type(node.ops[0])]()]  # type: ignore[list-item]
        case ast.BoolOp():
            node.op = _SWAPS[type(node.op)]()  # type: ignore[assignment]
        case ast.UnaryOp():
            return node.operand
        case ast.Constant():
            node.value = not node.value
        case ast.If() | ast.IfExp():
            node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        case _:
            return ast.copy_location(ast.Pass(), node)
    return node


def tables(module: types.ModuleType) -> list[Mutant]:
    """The module's own dictionaries, of whose entries two can be swapped; `node` counts them."""
    return [
        Mutant(number, 0, f"two entries of {name} are swapped")
        for number, (name, one) in enumerate(_dictionaries(module))
        if len(set(map(repr, one.values()))) > 1
    ]


def _dictionaries(module: types.ModuleType) -> list[tuple[str, dict[object, object]]]:
    return [(name, one) for name, one in vars(module).items() if _is_table(name, one)]


def _is_table(name: str, one: object) -> bool:
    return isinstance(one, dict) and name.isupper()


def break_module(module: types.ModuleType, mutant: Mutant) -> None:
    """Puts the mutant's code into the functions that everyone has imported already."""
    if not mutant.line:
        table = _dictionaries(module)[mutant.node][1]
        first = next(iter(table))
        other = next(key for key in table if repr(table[key]) != repr(table[first]))
        table[first], table[other] = table[other], table[first]
        return
    path = Path(module.__file__ or "")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree = ast.fix_missing_locations(_Turned(tree, mutant).visit(tree))
    _replace(vars(module), compile(tree, str(path), "exec"), module.__name__)


def _replace(names: dict[str, object], code: types.CodeType, module: str) -> None:
    for constant in code.co_consts:
        if not isinstance(constant, types.CodeType):
            continue
        known = names.get(constant.co_name)
        known = getattr(known, "__wrapped__", known)
        if isinstance(known, types.FunctionType) and known.__module__ == module:
            if len(known.__code__.co_freevars) == len(constant.co_freevars):
                known.__code__ = constant
        elif isinstance(known, type) and known.__module__ == module:
            members = {
                name: getattr(member, "fget", None) or getattr(member, "__func__", member)
                for name, member in vars(known).items()
            }
            _replace(members, constant, module)


def _asked(mutant: Mutant, run: Sequence[Run]) -> list[Run]:
    """The cases that a mutant can change: of a table, all."""
    broken = range(mutant.line, mutant.last + 1)
    return [one for one in run if not mutant.line or not one.lines.isdisjoint(broken)]


def _load_everything() -> None:
    """Import what a command imports when it is called, once for all processes."""
    for one in pkgutil.walk_packages(filtersql.__path__, "filtersql."):
        if not one.name.endswith("__main__"):
            importlib.import_module(one.name)
    importlib.import_module("duckdb")


def break_and_ask(module: types.ModuleType, mutant: Mutant, cases: Sequence[Case]) -> str | None:
    """Which case a mutant fails."""
    break_module(module, mutant)
    return carry_out(cases)


def claiming(module: str) -> list[Case]:
    """The cases that claim rows of a module, and then those of its own file."""
    wanted = {(claim.file, claim.case) for claim in coverage.claims() if claim.module == module}
    own = CASES / f"{module}.md"
    files = dict.fromkeys([*(file for file, _ in sorted(wanted)), *([own] if own.exists() else [])])
    cases = [case for file in files for case in read(file)]
    return sorted(
        (case for case in cases if case.path == own or (case.path, case.name) in wanted),
        key=lambda case: (case.path, case.name) not in wanted,
    )


def alike() -> dict[tuple[str, str, str], str]:
    """Why mutants change nothing, by their module, the text of their line and what they change."""
    lines = ALIKE.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    return {(module, code, what): why for module, code, what, why in rows}


def report(module: str, each: int) -> tuple[int, int]:
    """Print the survivors of a module; how many mutants were killed, of how many that could be."""
    loaded = importlib.import_module("filtersql." + module.replace("/", "."))
    _load_everything()
    cases = claiming(module)
    run = by_lines(loaded, cases)
    wrong = [one.wrong for one in run if one.wrong]
    if wrong:
        print(f"{module}: its cases do not answer as they should: {wrong[0]}")
        return 0, 1
    text, reasons = Path(loaded.__file__ or "").read_text(encoding="utf-8"), alike()
    tree, code = ast.parse(text), ["", *map(str.strip, text.splitlines())]
    lines = set[int]().union(*(one.lines for one in run))
    found = places(tree, lines) + tables(loaded)
    every = places(tree, set(range(1, len(code))))
    for line in sorted({one.line for one in every} - lines):
        print(f"  no case runs: filtersql/{module}.py:{line}: {code[line]}")
    chosen = sorted(
        random.Random(module).sample(found, min(each, len(found))), key=lambda one: one.line
    )
    killed, same, met = 0, 0, set[tuple[str, str, str]]()
    for mutant in chosen:
        why = reasons.get((module, code[mutant.line], mutant.what))
        place = f"filtersql/{module}.py:{mutant.line}: {mutant.what}"
        asked = _asked(mutant, run)
        seconds = min(SECONDS, _START + int(5 * sum(one.seconds for one in asked)))
        few = [one.case for one in asked]
        if in_child(break_and_ask, loaded, mutant, few, seconds=seconds):  # type: ignore[arg-type]
            killed += 1
        elif why is not None:
            same += 1
            met.add((module, code[mutant.line], mutant.what))
            print(f"  changes nothing: {place}: {why}")
        else:
            print(f"  survives: {place}")
    listed = {key for key in reasons if key[0] == module and len(chosen) == len(found)}
    for key in sorted(listed - met):
        print(f"  is killed or gone, but listed as changing nothing: {' | '.join(key)}")
    made = len(chosen) - same + len(listed - met)
    print(
        f"{module}: {killed} of {made} mutants are killed by {len(cases)} cases"
        + (f", {same} change nothing" if same else ""),
        flush=True,
    )
    return killed, made


def main() -> int:
    """Every claimed module, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--each", type=int, default=12, help="mutants of each module")
    arguments = parser.parse_args()
    claimed = {claim.module for claim in coverage.claims()}
    rules = sorted(one for one in claimed if one.split("/")[0] in RULES)
    modules = arguments.modules or rules
    counts = {module: report(module, arguments.each) for module in modules}
    weak = [one for one, (killed, made) in counts.items() if killed < int(made * ENOUGH)]
    killed, made = (sum(counts[one][place] for one in counts) for place in (0, 1))
    print(f"{killed} of {made} mutants of {len(counts)} modules are killed")
    if weak:
        print("too few are killed of " + ", ".join(weak))
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
