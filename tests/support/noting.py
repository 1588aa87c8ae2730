"""Which functions gave an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["noting"]

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def noting(inner: Callable[Given, Answer], used: list[str]) -> Callable[Given, Answer]:
    """A function that does the same, and notes its name where its answer is not None."""

    def outer(*arguments: Given.args, **more: Given.kwargs) -> Answer:
        found = inner(*arguments, **more)
        if found is not None:
            used.append(inner.__name__)
        return found

    return outer
