"""PyYAML composed into nodes without tags: what a scalar is, the readers decide."""

from __future__ import annotations

from typing import Any, TypeAlias

import yaml
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

__all__ = ["Node", "composed", "merged", "problem_of", "within_itself"]

Node: TypeAlias = Any  # yaml.nodes.Node: PyYAML's stubs leave its values open


def composed(text: str) -> Node | None:
    """The one node of a text, or None where it has none. Raises yaml.YAMLError."""
    loader = _Loader(text)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def merged(node: Node) -> list[tuple[Node, Node]]:
    """The pairs of a mapping, with YAML's `<<` filled in behind its own."""
    own = [pair for pair in node.value if pair[0].value != "<<" or pair[0].style]
    if len(own) == len(node.value):
        return own
    names = {key.value for key, _ in own if isinstance(key, ScalarNode)}
    for key, value in node.value:
        if key.value != "<<":
            continue
        for base in value.value if isinstance(value, SequenceNode) else [value]:
            if not isinstance(base, MappingNode):
                continue
            for pair in merged(base):
                if pair[0].value not in names:
                    names.add(pair[0].value)
                    own.append(pair)
    return own


def within_itself(node: Node, above: tuple[Node, ...]) -> Node | None:
    """The collection that holds itself through an alias, if there is one."""
    if isinstance(node, ScalarNode):
        return None
    if any(node is ancestor for ancestor in above):
        return node
    children = node.value
    if isinstance(node, MappingNode):
        children = [child for pair in children for child in pair]
    found = (within_itself(child, (*above, node)) for child in children)
    return next((cycle for cycle in found if cycle is not None), None)


def problem_of(error: yaml.MarkedYAMLError) -> str:
    """What PyYAML says, in lower case."""
    words = [word for word in (error.context, error.problem) if word]
    return ", ".join(words).lower() or "not readable"


class _WithoutTags:
    """What PyYAML's composer asks of a resolver; the readers decide what a scalar is."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)  # type: ignore[call-arg]

    def descend_resolver(self, *_: object) -> None: ...

    def ascend_resolver(self) -> None: ...

    def resolve(self, kind: type, value: object, implicit: object) -> str:
        return ""

    def dispose(self) -> None: ...


if hasattr(yaml, "CSafeLoader"):
    from yaml._yaml import CParser

    class _Loader(_WithoutTags, CParser):
        """libyaml's parser."""

        def dispose(self) -> None:
            CParser.dispose(self)

else:  # a PyYAML that was built without libyaml

    class _Loader(  # type: ignore[no-redef]
        _WithoutTags,
        yaml.composer.Composer,
        yaml.parser.Parser,
        yaml.scanner.Scanner,
        yaml.reader.Reader,
    ):
        def __init__(self, stream: str) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)
            yaml.composer.Composer.__init__(self)
