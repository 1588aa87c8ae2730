"""`--select` and `--exclude` over the targets of a compilation."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from filtersql.api.asking import asks_for_state
from filtersql.api.options import Options
from filtersql.artifacts import EarlierManifest, EarlierNode, Fingerprints, checksums, read_manifest
from filtersql.compile import Compilation, Node, destination
from filtersql.project import Project
from filtersql.review.listing import list_nodes, target_traits
from filtersql.selection import Traits, select

__all__ = ["selected", "states"]


class _Selectable(Struct, frozen=True):
    node: Node
    traits: Traits


def selected(project: Project, compilation: Compilation, options: Options) -> tuple[Node, ...]:
    """The targets that the flags take. Raises Mistakes where a selector matches nothing."""
    if not options.select and not options.exclude:
        return compilation.nodes
    states_by_key = states(project, compilation, options) if asks_for_state(options) else {}
    nodes = [
        _Selectable(
            node,
            replace(
                target_traits(node.resolved, project.definitions),
                states=states_by_key.get(_key(node), frozenset()),
            ),
        )
        for node in compilation.nodes
    ]
    others = list_nodes(project.definitions)
    return tuple(each.node for each in select(nodes, options.select, options.exclude, others))


def states(
    project: Project, compilation: Compilation, options: Options
) -> dict[str, frozenset[str]]:
    """How each target stands to the manifest of --state."""
    assert options.state is not None  # asks_for_state looked
    earlier = read_manifest(options.state, project.name)
    fingerprints = Fingerprints(project.macro_paths)
    states_by_key = {}
    for node in compilation.nodes:
        before = earlier.nodes.get(_key(node))
        if before is None:
            states_by_key[_key(node)] = frozenset({"new", "modified"})
        elif _is_modified(node, before, fingerprints.of(node), earlier, project):
            states_by_key[_key(node)] = frozenset({"old", "modified"})
        else:
            states_by_key[_key(node)] = frozenset({"old", "unmodified"})
    return states_by_key


def _is_modified(
    node: Node, before: EarlierNode, fingerprint: str, earlier: EarlierManifest, project: Project
) -> bool:
    """Whether it means something else, or is written otherwise for the same target."""
    target = project.output.name if project.output else None
    engine = destination(project).engine
    if before.fingerprint != fingerprint:
        return True
    # Another output of the profile may have another catalog, whose name is in the text.
    same_target = (earlier.target, earlier.engine, before.target) == (
        target,
        engine,
        node.compiled.target,
    )
    return same_target and before.checksums != checksums(node)


def _key(node: Node) -> str:
    return f"{node.compiled.subscription}.{node.compiled.relation}"
