"""CREATE, ALTER and DROP SUBSCRIPTION. The connection string is never kept: it holds a password.

Example
    `CREATE SUBSCRIPTION s1 CONNECTION '…' PUBLICATION p1 WITH (copy_data = false)` subscribes to
    p1 without an initial copy. Where its changes are recorded stands in the project's `defaults`.

PostgreSQL
    subscriptioncmds.c: CreateSubscription()
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.definitions.model import Subscription
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_parameters import subscription_parameters
from filtersql.definitions.sql_publications import name_place
from filtersql.definitions.sql_text import lexemes
from filtersql.definitions.yaml_subscriptions import with_settings
from filtersql.errors.definitions import ALREADY_EXISTS, Unknown, UnsupportedStatement
from filtersql.errors.publications import PUBLICATION_TWICE
from filtersql.grammar import Statement, enum_name
from filtersql.source import Span

_HINT = "Say in CREATE SUBSCRIPTION what is so in the end."
#: what concerns a live server alone
_OF_SERVERS = ("CONNECTION", "REFRESH_PUBLICATION", "REFRESH")

__all__ = ["alter_subscription", "create_subscription", "drop_subscription"]


def create_subscription(script: Script, statement: Statement) -> None:
    """CREATE SUBSCRIPTION."""
    node, drafts = statement.node, script.drafts
    span = name_place(script, statement, "subscription")
    if node.subname in drafts.subscriptions:
        first = drafts.subscriptions[node.subname].span
        raise ALREADY_EXISTS(span, kind="subscription", name=node.subname, first=first)
    publications = _publications(script, statement)
    # With connect = false nothing is copied until REFRESH PUBLICATION, which copies by default:
    # so it changes nothing here.
    parameters = subscription_parameters(script, node.options)
    subscription = Subscription(node.subname, span, publications)
    drafts.subscriptions[node.subname] = with_settings(subscription, drafts.defaults, parameters)


def alter_subscription(script: Script, statement: Statement) -> None:
    """ALTER SUBSCRIPTION … ENABLE and DISABLE; what concerns a live server alone is skipped."""
    node, drafts = statement.node, script.drafts
    span = name_place(script, statement, "subscription")
    subscription = drafts.subscriptions.get(node.subname)
    if subscription is None:
        raise Unknown("subscription", node.subname, span, drafts.subscriptions)
    kind = enum_name(node, "kind").removeprefix("ALTER_SUBSCRIPTION_")
    if kind == "ENABLED":
        enabled = node.options[0].def_elem.arg.boolean.boolval
        drafts.subscriptions[node.subname] = replace(subscription, enabled=enabled)
    elif kind not in _OF_SERVERS:
        words = "SET" if kind == "OPTIONS" else kind.replace("_", " ")
        construct = f"ALTER SUBSCRIPTION … {words}"
        raise UnsupportedStatement(construct, span, _HINT)


def drop_subscription(script: Script, statement: Statement) -> None:
    """DROP SUBSCRIPTION."""
    node, drafts = statement.node, script.drafts
    if node.subname not in drafts.subscriptions and not node.missing_ok:
        span = name_place(script, statement, "subscription")
        raise Unknown("subscription", node.subname, span, drafts.subscriptions)
    drafts.subscriptions.pop(node.subname, None)


def _publications(script: Script, statement: Statement) -> tuple[tuple[str, Span], ...]:
    """The names behind PUBLICATION, each once, with places, which the parse tree does not have."""
    names = [name.string.sval for name in statement.node.publication]
    places: list[Span] = []
    reached = False
    for lexeme in lexemes(script.text.text, statement.start):
        if lexeme.end > statement.end or len(places) == len(names):
            break
        if reached and lexeme.kind in ("word", "name"):
            places.append(script.text.span(lexeme.start, lexeme.end))
        elif not reached:
            reached = script.text.text[lexeme.start : lexeme.end].lower() == "publication"
    for number, name in enumerate(names):
        if name in names[:number]:
            raise PUBLICATION_TWICE(places[number], kind="publication", name=name)
    return tuple(zip(names, places, strict=True))
