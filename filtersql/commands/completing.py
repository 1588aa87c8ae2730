"""What the shell's completion offers for --select: the nodes of the last manifest."""

from __future__ import annotations

from pathlib import Path

import msgspec

from filtersql.errors import Mistake
from filtersql.project import find_root

__all__ = ["selectors"]

_METHODS = ("tag:", "path:", "publication:", "subscription:", "state:modified", "state:new")


def selectors(project_dir: Path | None, incomplete: str) -> list[str]:
    """Names and methods that begin as the word does. Nothing is compiled for it."""
    try:
        root = find_root(project_dir or Path.cwd())
        content = msgspec.json.decode((root / "target" / "manifest.json").read_bytes())
        nodes = list(content["nodes"].values())
        names = [f"{node['subscription']}:{'.'.join(node['relation'])}" for node in nodes]
        names += [f"subscription:{node['subscription']}" for node in nodes]
        names += [f"publication:{name}" for node in nodes for name in node["publications"]]
        names += [".".join(node["relation"]) for node in nodes]
    except (Mistake, OSError, msgspec.MsgspecError, KeyError, TypeError, AttributeError):
        names = []
    # A completion is typed into a shell: a name that it would read otherwise is left out.
    plain = (each for each in dict.fromkeys([*names, *_METHODS]) if each.isprintable())
    return [
        each for each in plain if each.startswith(incomplete) and not set(each) & set(" '\"$`\\")
    ]
