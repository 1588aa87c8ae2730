"""11. READ: records -> text or JSON values, for `ls`, `show` and reviewers.

list_nodes, listing_text, listing_json                      ls
select, Traits, target_traits                               --select and --exclude
show_publication -> publication_text, publication_json      show publication
show_table -> table_text, table_json                        show table
set_text, set_json                                          show set
subscription_text, subscription_json                        show subscription

A module is loaded when one of its names is asked for: a command that knows its answer needs none.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filtersql.reviewing.aligned import aligned
    from filtersql.reviewing.listing import (
        Listed,
        list_nodes,
        listing_json,
        listing_text,
        target_traits,
    )
    from filtersql.reviewing.selection import Selectable, Traits, select
    from filtersql.reviewing.show_publication import (
        Deparse,
        publication_json,
        publication_text,
        show_publication,
    )
    from filtersql.reviewing.show_set import set_json, set_text
    from filtersql.reviewing.show_subscription import subscription_json, subscription_text
    from filtersql.reviewing.show_table import show_table, table_json, table_text

__all__ = [
    "Deparse",
    "Listed",
    "Selectable",
    "Traits",
    "aligned",
    "list_nodes",
    "listing_json",
    "listing_text",
    "publication_json",
    "publication_text",
    "select",
    "set_json",
    "set_text",
    "show_publication",
    "show_table",
    "subscription_json",
    "subscription_text",
    "table_json",
    "table_text",
    "target_traits",
]

_NAMES = {
    "aligned": "aligned",
    "listing": "Listed list_nodes listing_json listing_text target_traits",
    "selection": "Selectable Traits select",
    "show_publication": "Deparse publication_json publication_text show_publication",
    "show_set": "set_json set_text",
    "show_subscription": "subscription_json subscription_text",
    "show_table": "show_table table_json table_text",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # A module may be called what its function is: both are set, the function last.
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
