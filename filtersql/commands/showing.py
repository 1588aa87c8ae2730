"""What `show` shows, worked out from the project."""

from __future__ import annotations

from filtersql import review
from filtersql.api.loading import load_project
from filtersql.commands.console import Console
from filtersql.compile import rules
from filtersql.definitions.identifiers import relation_name
from filtersql.errors import Mistakes
from filtersql.errors.reviewing import NOT_DEFINED
from filtersql.errors.wording import meant
from filtersql.filter_cache import FilterCache
from filtersql.project import Project
from filtersql.publications import Settings, index_of, resolve
from filtersql.source import Passage, Source

__all__ = ["shown"]

#: by what kind a publication's own mistakes are kept
_HELD = {"publication": "publication", "set": "replication set"}


def shown(console: Console, kind: str, name: str) -> tuple[Project, str, object]:
    """A definition as text and as a JSON value."""
    flag = console.options.publish_via_partition_root
    project = load_project(console, need_output=False)
    definitions, deparse = project.definitions, FilterCache(project).deparse
    settings = Settings(
        project.semantics, project.postgres_version, project.publish_via_partition_root, flag
    )
    # A table that is wrong would not be among those that are shown.
    if wrong := index_of(definitions, settings).mistakes.get((_HELD.get(kind, ""), name)):
        raise Mistakes(wrong)
    match kind:
        case "publication":
            listing = review.show_publication(name, definitions, settings, deparse)
            text, document = review.publication_text(listing), review.publication_json(listing)
        case "table":
            relation = relation_name(Passage(name, Source("the command line", name)))
            details = review.show_table(relation, definitions, settings, deparse)
            text, document = review.table_text(details), review.table_json(details)
        case "set":
            needs_key = project.semantics.sets_need_key
            text = review.set_text(name, definitions, deparse, needs_key=needs_key)
            document = review.set_json(name, definitions, deparse, needs_key=needs_key)
        case _:
            if name not in definitions.subscriptions:
                known = definitions.subscriptions
                raise NOT_DEFINED(kind="subscription", name=name, hint=meant(name, known))
            subscription = definitions.subscriptions[name]
            targets = resolve(
                subscription, definitions, **rules(project, flag), identity_check="run"
            )
            text = review.subscription_text(subscription, targets, deparse)
            document = review.subscription_json(subscription, targets, deparse)
    return project, text, document
