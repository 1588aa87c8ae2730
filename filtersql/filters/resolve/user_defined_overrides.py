"""Functions, operators and casts of the files, where PostgreSQL looks for its own.

Example
    ======================================== ============================ ======================
    made                                     filter                       meant
    ======================================== ============================ ======================
    `length(varchar)`                        `length(v)` of a varchar     the files'
    the same                                 `length(s)` of a text        PostgreSQL's
    `=(int,int)`                             `a = 1`                      PostgreSQL's
    the same, search_path public, pg_catalog `a = 1`, `a IN (1, 2)`       the files'
    ======================================== ============================ ======================

    Of two with the same arguments the one counts that search_path finds first. What the files'
    own do is not read: a filter that means one of them is refused.

PostgreSQL
    namespace.c: FuncnameGetCandidates(), OpernameGetCandidates()
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filtersql.filters.facts import facts
from filtersql.filters.resolve.candidates import Candidate, Casts
from filtersql.filters.resolve.scope import Scope
from filtersql.source import Rival

__all__ = ["beside", "called", "functions", "operators"]

_NONE: tuple[tuple[Rival, ...], Casts] = (), frozenset()


def operators(scope: Scope, name: str, count: int) -> tuple[tuple[Rival, ...], Casts]:
    """The files' operators of a plain name over so many arguments, and their implicit casts."""
    if not scope.rivals:
        return _NONE
    return tuple(
        one if count > 1 else one._replace(args=one.args[1:])
        for one in scope.rivals
        if one.kind == "operator" and one.name == name and bool(one.args[0]) == (count > 1)
    ), _implicit(scope)


def functions(scope: Scope, name: str) -> tuple[tuple[Rival, ...], Casts]:
    """The files' functions of a plain name, and their implicit casts."""
    if not scope.rivals:
        return _NONE
    own = tuple(one for one in scope.rivals if one.kind == "function" and one.name == name)
    return own, _implicit(scope)


def _implicit(scope: Scope) -> Casts:
    return frozenset(types for types, context in scope.casts.items() if context == "i")


def beside(candidates: list[Candidate], own: Sequence[Candidate]) -> list[Candidate]:
    """PostgreSQL's and the files', of two with the same arguments the one that is found first."""
    taken = {one.args for one in candidates}
    first = [one for one in own if isinstance(one.thing, Rival) and one.thing.first]
    hidden = {one.args for one in first}
    rest = [one for one in own if one.args not in taken and one not in first]
    return [*first, *(one for one in candidates if one.args not in hidden), *rest]


def called(own: Sequence[Rival], count: int, *, spread: bool) -> list[Candidate]:
    """Those that take so many arguments, VARIADIC ones spread out."""
    found = (Candidate(one, args) for one in own for args in _arguments(one, count, spread=spread))
    return list({one.args: one for one in found}.values())


def _arguments(one: Rival, count: int, *, spread: bool) -> Iterator[tuple[str, ...]]:
    args = one.args
    if spread and one.variadic and count >= len(args):
        element = facts().type(args[-1]).element or args[-1].replace("array", "element")
        yield args[:-1] + (element,) * (count - len(args) + 1)
    elif len(args) >= count >= len(args) - one.defaults:
        yield args[:count]
