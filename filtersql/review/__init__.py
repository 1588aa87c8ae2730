"""READ: records -> text or JSON values, for `ls`, `show` and reviewers.

list_nodes, listing_json                                    ls
select, Traits, target_traits                               --select and --exclude
show_publication -> publication_text, publication_json      show publication
show_table -> table_text, table_json                        show table
set_text, set_json                                          show set
subscription_text, subscription_json                        show subscription
term_text, term_json                                        show term
"""

from filtersql.review.glossary import term_json, term_text
from filtersql.review.listing import Listed, list_nodes, listing_json, target_traits
from filtersql.review.show_publication import (
    Deparse,
    publication_json,
    publication_text,
    show_publication,
)
from filtersql.review.show_set import set_json, set_text
from filtersql.review.show_subscription import subscription_json, subscription_text
from filtersql.review.show_table import show_table, table_json, table_text
from filtersql.review.text_table import aligned
from filtersql.selection import Selectable, Traits, select

__all__ = [
    "Deparse",
    "Listed",
    "Selectable",
    "Traits",
    "aligned",
    "list_nodes",
    "listing_json",
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
    "term_json",
    "term_text",
]
