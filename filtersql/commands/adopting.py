"""What `run --adopt` says of the targets that it takes over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from filtersql.commands.audit import audits_of, print_audits
from filtersql.commands.console import Console
from filtersql.commands.inputs import inputs_of
from filtersql.run.adopt import adopt

if TYPE_CHECKING:
    from filtersql.compile import Compilation, Node
    from filtersql.project import Project
    from filtersql.targets.model import Engine

__all__ = ["adopted"]


def adopted(
    console: Console,
    project: Project,
    nodes: Sequence[Node],
    compilation: Compilation,
    engine: Engine,
    at: int,
) -> bool:
    """Whether all unknown targets were right at a position, and are known now."""
    audited = adopt(inputs_of(project), audits_of(project, nodes, compilation), engine, at=at)
    print_audits(console, audited)
    if all(audit.right for audit in audited):
        return True
    console.message(
        "Nothing was adopted: the targets above are not what the sources give", fg="red"
    )
    return False
