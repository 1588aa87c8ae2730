"""Calls of pglogical's functions that make a subscription, or change the sets that it gets.

Example
    `SELECT pglogical.create_subscription('s', 'dsn', '{a,b}')` subscribes s to the sets a and b.

pglogical
    pglogical--2.4.sql; all of these are STRICT
"""

from __future__ import annotations

from dataclasses import replace

from filtersql.definitions.model import Subscription
from filtersql.definitions.predefined_sets import PREDEFINED
from filtersql.definitions.sql_arguments import Arguments
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_set_arguments import flag, listed, named
from filtersql.definitions.yaml_subscriptions import with_settings
from filtersql.errors.definitions import ALREADY_EXISTS, Unknown
from filtersql.source import Span

__all__ = ["change_subscription", "create_subscription", "drop_subscription"]


def create_subscription(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """pglogical.create_subscription(): to the predefined sets where none is named."""
    name = named(script, function, "subscription_name", arguments, span)
    place = arguments["subscription_name"].span
    if name in script.drafts.subscriptions:
        first = script.drafts.subscriptions[name].span
        raise ALREADY_EXISTS(place, kind="subscription", name=name, first=first)
    said_sets = listed(arguments, "replication_sets")
    sets, at = list(PREDEFINED), place
    if said_sets is not None:
        sets, at = said_sets, arguments["replication_sets"].span
    copied = flag(arguments, "synchronize_data")
    subscription = Subscription(name, place, replication_sets=tuple((one, at) for one in sets))
    said: dict[str, object] = {} if copied is None else {"copy_data": copied}
    said["local_changes_only"] = listed(arguments, "forward_origins") == []
    script.drafts.subscriptions[name] = with_settings(subscription, script.drafts.defaults, said)


def change_subscription(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """A set more or less of a subscription."""
    name = named(script, function, "subscription_name", arguments, span)
    found = script.drafts.subscriptions.get(name)
    if found is None:
        place = arguments["subscription_name"].span
        raise Unknown("subscription", name, place, script.drafts.subscriptions)
    one = named(script, function, "replication_set", arguments, span)
    sets = dict(found.replication_sets)
    if "_add_" in function:
        sets[one] = arguments["replication_set"].span
    else:
        sets.pop(one, None)
    script.drafts.subscriptions[name] = replace(found, replication_sets=tuple(sets.items()))


def drop_subscription(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """pglogical.drop_subscription(): one that is not there is no mistake."""
    script.drafts.subscriptions.pop(
        named(script, function, "subscription_name", arguments, span), None
    )
