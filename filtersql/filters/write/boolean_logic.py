"""AND, OR and NOT: what PostgreSQL computes of them is computed, and nothing else.

Example
    ============================== ==========================================================
    filter                         written
    ============================== ==========================================================
    `a > 1 AND b > 1`              as it stands
    `a <> 0 AND 9 / a > 1`         FALSE where `a <> 0` is, else after `9 / a > 1`
    `9 / a > 1 AND b > 1`          after `9 / a > 1`
    `lower(c) = 'x' AND b > 1`     as it stands: only an engine raises on it, and may skip it
    ============================== ==========================================================

    PostgreSQL looks at the parts from left to right, and at no more of them once one decides.
    Engines compute both sides, or find out that one decides and leave the other away: Spark makes
    `c AND (a OR b)` of `(a AND c) OR (b AND c)`, knows that `s IS NOT DISTINCT FROM s`, and that no
    smallint is 100000. "After x" is a CASE that first asks for the length of x as text.

PostgreSQL
    execExprInterp.c, EEOP_BOOL_AND_STEP; clauses.c, simplify_and_arguments(), has a constant
    decide before anything is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from filtersql.filters.engines.templates import joined, operand
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Bool, Node
from filtersql.filters.tree.walking import reads_column
from filtersql.filters.write import let_binding
from filtersql.filters.write.raising import may_raise, raises_there
from filtersql.filters.write.rules import undeclared_numerics
from filtersql.filters.write.simplify import simplified
from filtersql.filters.write.writer import Writer

__all__ = ["logic", "whole"]

#: calls that raise
_RAISING = {"error", "raise_error"}
#: marks a CASE whose conditions are those of a chain
_CHAINED = "of_a_chain"


def logic(writer: Writer, node: Bool, *, planned: bool = True) -> exp.Expr:
    """AND, OR, NOT; with a CASE where a part may raise.

    `planned`: PostgreSQL's planner has computed what is made of constants.
    """
    if node.kind == "not":
        return exp.Not(this=operand(writer.put(node.args[0])))
    if not any(map(may_raise, node.args)):
        parts = [simplified(writer.put(arg), writer.engine) for arg in node.args]
        if not any(map(_raises, parts[1:])):
            return whole(node.kind, parts)
    return _Chain(writer, node).written(planned=planned)


def whole(kind: str, parts: Sequence[exp.Expr]) -> exp.Expr:
    """The parts between AND or OR, with as few parentheses as can be."""
    connector = exp.And if kind == "and" else exp.Or
    found, *rest = parts
    for part in rest:
        left = found if isinstance(found, connector) else joined(found)
        found = connector(this=left, expression=joined(part))
    return found


def _flat(node: Bool) -> Iterator[Node]:
    """The parts, also of AND within AND."""
    for arg in node.args:
        if isinstance(arg, Bool) and arg.kind == node.kind and fold(arg) is None:
            yield from _flat(arg)
        else:
            yield arg


class _Chain:
    """The parts of AND or OR, of which one may raise."""

    __slots__ = ("args", "decides", "kept", "kind", "late", "name", "parts", "writer")

    def __init__(self, writer: Writer, node: Bool) -> None:
        self.writer, self.kind = writer, node.kind
        self.args = list(_flat(node))
        self.parts = [simplified(writer.put(arg), writer.engine) for arg in self.args]
        #: those that must be computed, those that must wait
        self.kept = [place for place, arg in enumerate(self.args) if raises_there(arg)]
        self.late = [
            place
            for place, arg in enumerate(self.args)
            if place and (may_raise(arg) or _raises(self.parts[place]))
        ]
        self.decides = exp.Boolean(this=self.kind == "or")
        self.name = f"part{let_binding.height(node)}_"

    def written(self, *, planned: bool) -> exp.Expr:
        """The parts in their order, each after what stands before it."""
        if not self.kept and not self.late:
            return whole(self.kind, self.parts)
        found = self._from([])
        for part in reversed(self._ahead() if planned else []):
            found = self._unless(part, found)
        return found

    def _from(self, known: list[exp.Expr]) -> exp.Expr:
        """The parts behind those that are known."""
        start, last = len(known), max(*self.kept, *self.late, -1)
        apart = start in self.kept or start in self.late
        end = start + 1
        while not apart and end < last and end not in self.kept and end not in self.late:
            end += 1
        values = self.parts[start:end]

        def body(value: exp.Expr) -> exp.Expr:
            parts = [*known, value] if apart else [*known, *values]
            if end > last:
                found = whole(self.kind, [one.copy() for one in (*parts, *self.parts[end:])])
            else:
                found = self._unless(value, self._from(parts))
            return self._after(value, found) if start == max(self.kept, default=-1) else found

        if not apart:
            return body(whole(self.kind, [value.copy() for value in values]))
        return let_binding.once(self.writer, f"{self.name}{start}", values[0], body)

    def _after(self, value: exp.Expr, found: exp.Expr) -> exp.Expr:
        never = self.writer.never(value.copy())
        return self._first(never, exp.Boolean(this=self.kind == "and"), found)

    def _unless(self, value: exp.Expr, found: exp.Expr) -> exp.Expr:
        """The rest, unless the value decides."""
        test = exp.Is(this=operand(value.copy()), expression=self.decides.copy())
        return self._first(test, self.decides.copy(), found)

    def _first(self, test: exp.Expr, result: exp.Expr, found: exp.Expr) -> exp.Expr:
        if isinstance(found, exp.Case) and found.args.get(_CHAINED):
            found.set("ifs", [exp.If(this=test, true=result), *found.args["ifs"]])
            return found
        whole = self.writer.case([(test, result)], found)
        whole.args[_CHAINED] = True
        return whole

    def _ahead(self) -> list[exp.Expr]:
        """What is made of constants alone, and not known here: PostgreSQL computes it first."""
        return [
            part
            for arg, part in zip(self.args, self.parts, strict=True)
            if fold(arg) is None and not may_raise(arg) and not reads_column(arg)
        ]


def _raises(written: exp.Expr) -> bool:
    """Whether the engine raises somewhere, though PostgreSQL may not, on what can be stored."""
    return any(
        isinstance(node, exp.Anonymous)
        and node.name.lower() in _RAISING
        and node.expressions[0].name != undeclared_numerics.BROKEN
        for node in written.walk()
    )
