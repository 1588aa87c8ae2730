"""`ls` and selectors: every line is a selector, and what matches nothing is a mistake."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from reviewed import manual, resolved

from filtersql import review
from filtersql.errors import Mistakes
from filtersql.selection import Traits, select


def lines(*selectors: str, exclude: tuple[str, ...] = ()) -> list[str]:
    definitions = manual()
    nodes = review.list_nodes(definitions, resolved(definitions))
    return [node.line for node in review.select(nodes, selectors, exclude)]


class TestSelection:
    def test_every_line_of_ls_is_a_selector(self) -> None:
        """What `ls` prints can be given to --select, and takes that node."""
        every = lines()

        assert len(every) == 3 + 3 + 2 + 4
        assert all(line in lines(line) for line in every)

    @pytest.mark.parametrize(
        ("selector", "expected"),
        [
            ("t3", ["public.t3", "s3:public.t3"]),
            ("s1:public.t1", ["s1:public.t1"]),
            ("s?:public.t2", ["s1:public.t2", "s3:public.t2"]),
            ("tag:core", ["public.t1", "s1:public.t1"]),
            ("tag:nsw,public.t*", ["s1:public.t1"]),
            (
                "publication:p3",
                ["publication:p3", "subscription:s3", "s3:public.t2", "s3:public.t3"],
            ),
            ("subscription:s3", ["subscription:s3", "s3:public.t2", "s3:public.t3"]),
            ("path:tables/t3.sql", ["public.t3", "s3:public.t3"]),
            ("path:./publications/p1.sql", ["publication:p1", "s1:public.t1"]),
            ("path:tables/,t1", ["public.t1", "s1:public.t1"]),
        ],
    )
    def test_methods(self, selector: str, expected: list[str]) -> None:
        """Names, globs, tags, publications, subscriptions and paths; a comma is an intersection."""
        assert lines(selector) == expected

    def test_a_blank_is_a_union_and_exclude_wins(self) -> None:
        """Several selectors, or several words, take whatever any of them takes."""
        assert lines("t3 tag:core") == lines("t3", "tag:core")
        assert lines("t3 tag:core", exclude=("subscription:s3",)) == [
            "public.t1",
            "public.t3",
            "s1:public.t1",
        ]

    @pytest.mark.parametrize(
        ("select", "exclude", "message"),
        [
            ("t33", "", '--select "t33" matches nothing\nhint: Perhaps "t3" was meant.'),
            (
                "tag:nws",
                "",
                '--select "tag:nws" matches nothing\nhint: Perhaps "tag:nsw" was meant.',
            ),
            (
                "tga:nsw",
                "",
                '--select "tga:nsw" has the unknown method "tga:"\n'
                "detail: The methods are tag:, publication:, subscription:, path:, state:.\n"
                'hint: Perhaps "tag" was meant.',
            ),
            (
                "tag:core,t3",
                "",
                '--select "tag:core,t3" matches nothing\n'
                "hint: `filtersql ls` lists what is defined.",
            ),
            ("", "t33", '--exclude "t33" matches nothing\nhint: Perhaps "t3" was meant.'),
            ("t3", "t*", "--exclude leaves nothing of what is selected"),
        ],
    )
    def test_what_matches_nothing_is_a_mistake(
        self, select: str, exclude: str, message: str
    ) -> None:
        """A typo never selects silently less."""
        with pytest.raises(Mistakes) as caught:
            lines(select, exclude=(exclude,))

        assert str(caught.value) == message

    @pytest.mark.parametrize("selector", ["t9", "public.t9", "t9,t1"])
    def test_what_has_no_target_is_named(self, selector: str) -> None:
        """A table that `ls` lists and nobody subscribes to is not said to match nothing."""
        definitions = manual()
        nodes = review.list_nodes(definitions, resolved(definitions))
        targets = [node for node in nodes if node.resource == "target"]
        lonely = Traits(("public.t9", "t9"))
        others = [*nodes, replace(nodes[0], resource="table", traits=lonely)]

        with pytest.raises(Mistakes) as caught:
            select(targets, [selector], (), others)

        criterion = selector.partition(",")[0]
        assert str(caught.value) == (
            f'--select "{criterion}" matches no target\n'
            'detail: "public.t9" is defined, but no subscription makes a target of it.'
        )


def test_ls_as_json_names_places_and_relations() -> None:
    """Each node has its resource type, its line and where it is defined."""
    definitions = manual()
    nodes = review.listing_json(review.list_nodes(definitions, resolved(definitions)))

    assert nodes[-1] == {
        "resource_type": "target",
        "name": "s3:public.t3",
        "unique_id": "s3/public.t3",
        "relation": ["public", "t3"],
        "tags": [],
        "publications": ["p3"],
        "subscriptions": ["s3"],
        "path": "subscriptions/s.yml:1:1",
        "description": None,
    }
