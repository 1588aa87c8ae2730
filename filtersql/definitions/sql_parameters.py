"""`WITH (name = value, …)` of CREATE PUBLICATION and CREATE SUBSCRIPTION.

Example
    `WITH (publish = 'insert, update', publish_via_partition_root)` is the two actions, and true.

PostgreSQL
    publicationcmds.c: parse_publication_options(); define.c: defGetBoolean(), defGetString()
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from filtersql.definitions.identifiers import fold
from filtersql.definitions.model import Action
from filtersql.definitions.sql_names import Script
from filtersql.errors import altering as refusals
from filtersql.errors.wording import meant
from filtersql.grammar import Node
from filtersql.source import Span

__all__ = [
    "publication_parameters",
    "published_actions",
    "published_generated",
    "subscription_parameters",
]

_PUBLICATION = ("publish", "publish_via_partition_root", "publish_generated_columns")
_IDENTIFIER = re.compile(r'"((?:[^"]|"")+)"|[^\s"]+')
_SUBSCRIPTION = (
    "connect enabled create_slot slot_name copy_data synchronous_commit binary streaming"
    " two_phase disable_on_error password_required run_as_owner failover origin"
).split()
#: parameters that PostgreSQL 15 does not have
_SINCE = {
    "publish_generated_columns": 18,
    "failover": 17,
    "origin": 16,
    "password_required": 16,
    "run_as_owner": 16,
}
#: parameters of a subscription that are not true or false
_WORDS = ("slot_name", "synchronous_commit", "streaming", "origin")
_BOOLEANS = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


def publication_parameters(script: Script, options: Iterable[Node]) -> dict[str, object]:
    """What is said, as attributes of a Publication."""
    parameters: dict[str, object] = {}
    for name, node, span in _options(script, options, "publication", _PUBLICATION):
        if name == "publish":
            if not node.HasField("arg"):
                raise refusals.NEEDS_VALUE(span, name=name)
            parameters["publish"] = published_actions(_string(node), span)
        elif name == "publish_via_partition_root":
            parameters["via_partition_root"] = _boolean(name, node, span)
        else:
            parameters["generated_columns"] = published_generated(_string(node), span)
    return parameters


def subscription_parameters(script: Script, options: Iterable[Node]) -> dict[str, object]:
    """What is said, as attributes of a Subscription: the others concern a live server only."""
    switches, parameters = dict[str, bool](), dict[str, object]()
    places: dict[str, Span] = {}
    for name, node, span in _options(script, options, "subscription", _SUBSCRIPTION):
        places[name] = span
        if name not in _WORDS:
            switches[name] = _boolean(name, node, span)
        elif name == "origin":
            if _string(node).lower() not in ("any", "none"):
                raise refusals.UNRECOGNIZED_ORIGIN(span, value=_string(node))
            parameters["local_changes_only"] = _string(node).lower() == "none"
        elif name == "slot_name" and _string(node).lower() == "none":
            switches["slot"] = False
    _exclude(switches, places)
    return parameters | {
        name: switches[name] for name in ("copy_data", "enabled") if name in switches
    }


def _exclude(switches: Mapping[str, bool], places: Mapping[str, Span]) -> None:
    """What cannot be done without a connection, or without a slot."""
    if switches.get("connect") is False:
        for name in ("enabled", "create_slot", "copy_data"):
            if switches.get(name):
                raise refusals.EXCLUSIVE(places[name], first="connect = false", name=name)
        return
    for name in ("enabled", "create_slot") if switches.get("slot") is False else ():
        if switches.get(name):
            raise refusals.EXCLUSIVE(places[name], first="slot_name = NONE", name=name)
        if name not in switches:
            raise refusals.MUST_ALSO(places["slot_name"], name=name)


def _options(
    script: Script, options: Iterable[Node], kind: str, known: Iterable[str]
) -> Iterator[tuple[str, Node, Span]]:
    seen: set[str] = set()
    for wrapped in options:
        node = wrapped.def_elem
        span = script.span(node.location, len(node.defname))
        if node.defname not in known:
            raise refusals.UNRECOGNIZED_PARAMETER(
                span, kind=kind, name=node.defname, hint=meant(node.defname, known)
            )
        if script.drafts.postgres_version < _SINCE.get(node.defname, 0):
            raise refusals.LATER_PARAMETER(
                span, kind=kind, name=node.defname, version=_SINCE[node.defname]
            )
        if node.defname in seen:
            raise refusals.PARAMETER_TWICE(span)
        seen.add(node.defname)
        yield node.defname, node, span


def _string(node: Node) -> str:
    if not node.HasField("arg"):
        return ""
    kind = node.arg.WhichOneof("node")
    if kind == "type_name":  # a bare word is read as a type's name
        return ".".join(name.string.sval for name in node.arg.type_name.names)
    if kind == "integer":
        return str(node.arg.integer.ival)
    if kind == "float":
        return str(node.arg.float.fval)
    if kind == "boolean":
        return str(bool(node.arg.boolean.boolval)).lower()
    return str(node.arg.string.sval)


def _boolean(name: str, node: Node, span: Span) -> bool:
    if not node.HasField("arg"):
        return True
    value = _BOOLEANS.get(_string(node).lower())
    if value is None:
        raise refusals.NEEDS_BOOLEAN(span, name=name)
    return value


def published_generated(text: str, span: Span) -> str:
    """What `publish_generated_columns` says: `none` or `stored`."""
    if text.lower() not in ("none", "stored"):
        raise refusals.INVALID_GENERATED(span, value=text)
    return text.lower()


def published_actions(text: str, span: Span) -> frozenset[Action]:
    """What `publish` lists: identifiers, folded and quoted as such."""
    known = [action.value for action in Action]
    words = []
    for word in text.split(",") if text.strip() else []:
        plain = _IDENTIFIER.fullmatch(word.strip())
        if plain is None:
            raise refusals.LIST_SYNTAX(span, name="publish")
        words.append(fold(plain[0]) if plain[1] is None else plain[1].replace('""', '"'))
    for word in words:
        if word not in known:
            raise refusals.UNRECOGNIZED_ACTION(span, value=word, hint=meant(word, known))
    return frozenset(map(Action, words))
