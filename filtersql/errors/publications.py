"""What PostgreSQL refuses at CREATE PUBLICATION and CREATE SUBSCRIPTION, or at the first change.

PostgreSQL
    pg_publication.c, publicationcmds.c, subscriptioncmds.c, execReplication.c, pgoutput.c
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from filtersql.errors import Mistake, Notice
from filtersql.errors.old_rows import OldRowsMistake, verb_of
from filtersql.errors.wording import Wording, meant
from filtersql.errors.wording import shown as shown
from filtersql.names import RelationName, quote_identifier
from filtersql.source import Span

#: the names of a qualified name as it is written
_PART = re.compile(r'"(?:[^"]|"")*"|[^".\s]+')


def as_notice(name: str, mistake: Mistake) -> Notice:
    """The same words as a warning."""
    return Notice(name, mistake.message, mistake.span, mistake.detail, mistake.hint)


def missing_publication(name: str, known: Iterable[str], span: Span) -> Notice:
    """What CREATE SUBSCRIPTION warns of, and PostgreSQL 18 then does without."""
    return Notice(
        "missing-publication",
        f'publication "{name}" does not exist on the publisher',
        span,
        hint=perhaps(name, known),
    )


def perhaps(name: str, known: Iterable[str]) -> str | None:
    """The hint that names what a typo probably meant, or a name in capital letters."""
    names = list(known)
    capitals = next((other for other in names if other != name and other.lower() == name), None)
    if capitals is not None:
        return f'Perhaps "{capitals}" was meant: without double quotes a name is in lower case.'
    return meant(name, names)


def is_bare(name: RelationName, span: Span) -> bool:
    """Whether a name is written without its schema; where another stands, public's are."""
    *schema, last = _PART.findall(span.source.text[span.start : span.end]) or [""]
    if last.strip('"').lower() != name.name.lower():
        return name.schema == "public"
    return not schema


class RelationDoesNotExist(Mistake):
    """A publication lists a table that no file defines."""

    def __init__(self, name: RelationName, known: Iterable[RelationName], span: Span) -> None:
        # As PostgreSQL prints it: the names as they are, with the schema that is written.
        bare = name.name if is_bare(name, span) else f"{name.schema}.{name.name}"
        super().__init__(
            f'relation "{bare}" does not exist',
            span=span,
            hint=perhaps(shown(name), map(shown, known)),
        )


class NotPublishable(Mistake):
    """A relation whose rows are not replicated, or whose kind cannot be published."""

    def __init__(self, name: RelationName, kind: str, span: Span) -> None:
        super().__init__(
            f'cannot add relation "{name.name}" to publication',
            span=span,
            detail=f"This operation is not supported for {kind}.",
        )


# A table of information_schema, which PostgreSQL copies and of which it sends no change.
NEVER_CHANGING = Wording(
    "publishing the table {name.schema}.{name.name} is not supported",
    hint="PostgreSQL copies it at first, and never sends a change of it.",
    own=True,
)
SYSTEM_SCHEMA = Wording(
    'cannot add schema "{schema}" to publication',
    detail="This operation is not supported for system schemas.",
)
# EXCEPT names a partition: its root alone decides.
EXCEPT_PARTITION = Wording(
    'cannot use publication EXCEPT clause for relation "{name.name}"',
    detail="This operation is not supported for individual partitions.",
    hint='The root of its partition tree is "{root:shown}".',
)
# One table listed twice, one time with a WHERE or column list (`what`).
CONFLICTING_ENTRIES = Wording('conflicting or redundant {what} for table "{name}"')
_VIA_ROOT = "Set publish_via_partition_root to true, or list the partitions."
# A partitioned table whose changes carry the leaves' names.
ROOT_WITH_FILTER = Wording(
    'cannot use publication WHERE clause for relation "{name.name}"',
    detail="WHERE clause cannot be used for a partitioned table when "
    "publish_via_partition_root is false.",
    hint=_VIA_ROOT,
)
ROOT_WITH_LIST = Wording(
    'cannot use column list for relation "{name.schema}.{name.name}" in publication '
    '"{publication}"',
    detail="Column lists cannot be specified for partitioned tables when "
    "publish_via_partition_root is false.",
    hint=_VIA_ROOT,
)
COLUMN_LIST_WITH_SCHEMA = Wording(
    'cannot use column list for relation "{name.schema}.{name.name}" in publication '
    '"{publication}"',
    detail="Column lists cannot be specified in publications containing FOR TABLES IN SCHEMA "
    "elements.",
)
COLUMN_TWICE = Wording('duplicate column "{column}" in publication column list')
# A column that no column list may name; `kind` is `system` or `generated`.
COLUMN_NOT_IN_LIST = Wording('cannot use {kind} column "{column}" in publication column list')
# A subscription names a publication or replication set (`kind`) that no file defines.
PUBLICATION_DOES_NOT_EXIST = Wording('{kind} "{name}" does not exist')
PUBLICATION_TWICE = Wording('{kind} name "{name}" used more than once')
# `lists` are sentences.
DIFFERENT_COLUMN_LISTS = Wording(
    'cannot use different column lists for table "{name.schema}.{name.name}" in different '
    "publications",
    detail="{lists}",
)
DIFFERENT_GENERATED_COLUMNS = Wording(
    "cannot use different values of publish_generated_columns for table "
    '"{name.schema}.{name.name}" in different publications'
)
CONFLICTING_ALIASES = Wording('table "{name:shown}" has two aliases: {aliases:both}')
# --publish-via-partition-root where partitions are not routed by publications.
FLAG_NEEDS_PUBLICATIONS = Wording(
    "--publish-via-partition-root has no meaning under semantics: {semantics}",
    hint="The flag is for semantics: postgres; leave it out.",
    exit_code=2,
)


class FilterOutsideIdentity(OldRowsMistake):
    """A filter that judges old rows reads a column that old rows do not carry."""

    def __init__(
        self,
        name: RelationName,
        column: str,
        identity: Sequence[str],
        leaf: str | None,
        actions: Iterable[str],
        span: Span,
    ) -> None:
        whose = f' of partition "{leaf}"' if leaf else ""
        listed = ", ".join(map(quote_identifier, identity))
        super().__init__(
            f'row filter for table "{shown(name)}" reads column "{column}", '
            "which is not part of the replica identity",
            kind="filter",
            table=leaf or name.name,
            actions=actions,
            span=span,
            detail=f"The replica identity{whose} is ({listed})."
            if identity
            else f'Table "{leaf or shown(name)}" has no replica identity.',
            hint='Publish only "insert", or add the column to the replica identity.',
        )


class ColumnListMissesIdentity(OldRowsMistake):
    """A column list without a column of the replica identity."""

    def __init__(
        self,
        name: RelationName,
        actions: Sequence[str],
        identity: Sequence[str] | None,
        span: Span,
    ) -> None:
        listed = ", ".join(map(quote_identifier, identity or ()))
        super().__init__(
            f'cannot {verb_of(actions[0])} table "{name.name}"',
            kind="list",
            table=name.name,
            actions=actions,
            span=span,
            detail=self.words("list"),
            hint="Replica identity FULL allows no column list; "
            'leave it out, or publish only "insert".'
            if identity is None
            else f"The replica identity is ({listed}). "
            'Publish only "insert", or add the columns to the list.',
        )


class UnpublishedGeneratedIdentity(OldRowsMistake):
    """The replica identity has a generated column that is not published (PostgreSQL 18)."""

    def __init__(self, name: RelationName, actions: Sequence[str], column: str, span: Span) -> None:
        super().__init__(
            f'cannot {verb_of(actions[0])} table "{name.name}"',
            kind="generated",
            table=name.name,
            actions=actions,
            span=span,
            detail=self.words("generated"),
            hint=f'The replica identity holds "{column}", which is generated.',
        )


class NoReplicaIdentity(OldRowsMistake):
    """Updates or deletes of a table whose old rows carry nothing."""

    def __init__(self, name: RelationName, actions: Sequence[str], span: Span) -> None:
        verb = verb_of(actions[0])
        doing = "updating" if verb == "update" else "deleting from"
        super().__init__(
            f'cannot {verb} table "{name.name}" because it does not have a replica identity '
            f"and publishes {actions[0]}s",
            kind="identity",
            table=name.name,
            actions=actions,
            span=span,
            detail=None,
            hint=f"To enable {doing} the table, set REPLICA IDENTITY using ALTER TABLE. "
            "One into which rows are only inserted needs identity_check: run.",
        )
