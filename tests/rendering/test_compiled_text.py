"""Compiled SQL as people read it: laid out, quoted where it has to be, clean for sqlfluff."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest
from checked import PROJECT, with_conflicts, with_profile
from hypothesis import given, settings
from hypothesis import strategies as st
from places import put_files
from sqlglot import exp, parse_one
from sqlglot.dialects import DuckDB, Spark

from filtersql.artifacts import files_of
from filtersql.compile import compile_project
from filtersql.project import load, package_folder
from filtersql.rendering.keywords import KEYWORDS
from filtersql.rendering.layout import WIDTH, laid_out, squeezed
from filtersql.storage import Engine

#: what is written, and what is only run
KINDS = ("merge", "merge_completing", "initial_copy", "audit", "conflicts")
TEMPLATE = package_folder("project_template")
#: names, filters and columns that cannot be written as sqlfluff likes best
HARD = {
    "tables": """
CREATE TABLE hard (id int PRIMARY KEY, "Order Total" numeric(12,2), name text, "select" text,
  x timestamptz, region text, note text, data bytea, "1a" int, uuid uuid);
ALTER TABLE hard REPLICA IDENTITY FULL;
CREATE TABLE a_table_whose_name_is_as_long_as_a_name_can_be_in_postgresql_ (
  identifier_of_the_customer bigint, identifier_of_the_position_of_the_order bigint,
  a_rather_long_name_of_a_column_for_a_text_that_is_stored_apart text,
  PRIMARY KEY (identifier_of_the_customer, identifier_of_the_position_of_the_order));
""",
    "publications": """
CREATE PUBLICATION p4 FOR TABLE hard WHERE (
  (region = 'eu' AND "Order Total" > 100.50 AND name LIKE 'x%')
  OR (region IN ('us', 'asia', 'africa', 'oceania') AND note IS NOT NULL
      AND x > '2026-01-01 00:00:00+00')
  OR length(coalesce("select", 'it''s')) BETWEEN 3 AND 10 AND "1a" > 1
  OR CASE WHEN id > 7 THEN region = 'mars' ELSE upper(name) = 'ABC' END),
  a_table_whose_name_is_as_long_as_a_name_can_be_in_postgresql_ WHERE (
  identifier_of_the_customer / 3 > 7 AND identifier_of_the_position_of_the_order % 7 = 3);
""",
}


def _written(folder: Path, files: Mapping[str, str]) -> Path:
    put_files(folder, files)
    return folder


def _hard(folder: Path) -> Path:
    files = dict(PROJECT)
    files["tables/tables.sql"] += HARD["tables"]
    files["publications/publications.sql"] += HARD["publications"]
    subscribed = files["subscriptions/subscriptions.sql"]
    files["subscriptions/subscriptions.sql"] = subscribed.replace("p3;", "p3, p4;")
    return _written(folder, files)


def _statements(folder: Path) -> dict[str, str]:
    """Every text of every target, also the one that is only run."""
    found = {}
    for node in compile_project(load(folder)).nodes:
        made = node.compiled
        for kind in KINDS:
            text: str | None = getattr(made, f"{kind}_sql")
            if text is not None:
                found[f"{made.relation.name} ({made.form}) {kind}"] = text.rstrip("\n") + "\n"
    return found


def _lint(statements: Mapping[str, str], config: Path | None) -> list[str]:
    """What sqlfluff says, with its default rules or with a project's file."""
    from sqlfluff.core import FluffConfig, Linter

    overrides = None if config else {"dialect": "sparksql", "large_file_skip_byte_limit": "0"}
    path = None if config is None else str(config)
    made = FluffConfig.from_root(
        extra_config_path=path, ignore_local_config=True, overrides=overrides
    )
    linter = Linter(config=made)
    return [
        f"{name}:{one.line_no}:{one.line_pos} {one.rule_code()} {one.desc()}"
        for name, text in statements.items()
        for one in linter.lint_string(text).get_violations()
    ]


class TestSqlfluff:
    def test_the_template_is_clean_under_the_default_rules(self) -> None:
        """No rule is left out, and nothing is configured but the dialect."""
        assert _lint(_statements(TEMPLATE), None) == []

    def test_every_form_is_clean_under_the_default_rules(self, tmp_path: Path) -> None:
        """Merge, initial copy, audit and conflicts of keyed, kept, keyless and appended tables."""
        found = _statements(_written(tmp_path, PROJECT))
        forms = {name.split(" (")[1].split(")")[0] for name in found}
        assert forms == {"keyed", "keyed_unchanged", "keyless", "append"}
        assert _lint(found, None) == []

    @pytest.mark.long
    def test_skipping_is_clean_under_the_default_rules(self, tmp_path: Path) -> None:
        """Where an UPDATE of a row that is missing is skipped, keys are followed."""
        found = _statements(_written(tmp_path, with_profile("pglogical")))
        assert {name.split(" (")[1].split(")")[0] for name in found} == {"keyed_skipping"}
        assert _lint(found, None) == []

    @pytest.mark.long
    def test_keeping_is_clean_under_the_default_rules(self, tmp_path: Path) -> None:
        """Where a change is skipped that meets the wrong state, keys are followed in order."""
        found = _statements(_written(tmp_path, with_conflicts("skip")))
        assert {name.split(" (")[1].split(")")[0] for name in found} >= {
            "keyed_keeping",
            "keyless_skipping",
        }
        said = _lint({name: text for name, text in found.items() if "ing)" in name}, None)
        # the folds over changes of a key are long expressions: their lines are not all broken
        assert [one for one in said if " LT05 " not in one] == []

    def test_hard_names_and_filters_are_clean_with_the_shipped_file(self, tmp_path: Path) -> None:
        """`init` gives a project the file, which leaves out four rules and says why."""
        found = _statements(_hard(tmp_path))
        hard = {name: text for name, text in found.items() if name.startswith(("hard", "a_table"))}
        assert len(hard) == 9
        assert _lint(hard, TEMPLATE / ".sqlfluff") == []

    def test_the_shipped_file_still_sees_a_mess(self, tmp_path: Path) -> None:
        """What it leaves out is four rules, no more."""
        mess = {"mess": "select a,b from t WHERE a=1 union select 2, 3"}
        assert len(_lint(mess, TEMPLATE / ".sqlfluff")) > 5


class TestFiles:
    def test_every_statement_that_writes_is_in_a_file(self, tmp_path: Path) -> None:
        """What a run may stage and merge stands in a file, the query once within its MERGE."""
        forms = set()
        for node in compile_project(load(_written(tmp_path, with_conflicts("skip")))).nodes:
            made = node.compiled
            files = dict(files_of([node])).values()
            pairs = [(made.merge_sql, made.merge_source_sql)]
            if made.merge_completing_sql is not None and made.completing_source_sql is not None:
                pairs.append((made.merge_completing_sql, made.completing_source_sql))
                forms.add(made.form)
            for whole, source in pairs:
                assert whole in files
                assert whole.count(source) == 1
            around = {
                re.sub(r"(?m)^--.*\n", "", whole.replace(source, "")) for whole, source in pairs
            }
            assert len(around) == 1
        assert forms


class TestNames:
    def test_the_list_holds_every_keyword(self) -> None:
        """DuckDB's, sqlglot's and sqlfluff's; Spark's stand in sqlglot's and sqlfluff's."""
        from sqlfluff.core.dialects import dialect_selector

        rows = duckdb.sql("SELECT keyword_name FROM duckdb_keywords()").fetchall()
        words = {row[0] for row in rows}
        for dialect in (Spark, DuckDB):
            words |= {word.lower() for word in dialect.Tokenizer.KEYWORDS}
        spark = dialect_selector("sparksql")
        for kind in ("reserved_keywords", "unreserved_keywords", "future_reserved_keywords"):
            words |= {word.lower() for word in spark.sets(kind)}
        plain = {word for word in words if re.fullmatch(r"[a-z_][a-z0-9_]*", word)}
        assert plain - KEYWORDS == set()

    def test_quotes_stand_where_they_have_to(self, tmp_path: Path) -> None:
        """Keywords, capitals and other characters; plain names have none."""
        text = _statements(_hard(tmp_path))["hard (keyed) merge"]
        quoted = set(re.findall(r"`([^`]*)`", text.partition("MERGE INTO")[2]))
        assert quoted >= {"Order Total", "new_Order Total", "name", "select", "x", "1a", "uuid"}
        assert quoted & {"region", "old_region", "old_select", "note", "effect", "id"} == set()


class TestLayout:
    @pytest.mark.parametrize("engine", ["spark", "duckdb"])
    def test_long_filters_keep_their_tokens(self, engine: Engine) -> None:
        """A string with blanks, breaks, quotes and keywords is never touched."""
        text = exp.Literal.string("a  OR\n b ( it's \\ CASE").sql(engine)
        for written in (
            f"c = {text} OR (a > 5 AND b BETWEEN {text} AND 'y' AND NOT d IS NULL)",
            f"CASE WHEN c = {text} THEN a > 5 OR b < 3 ELSE LENGTH({text}) = 3 END = TRUE",
            f"c IN ({text}, 'b', {text}) AND f(g({text}, h(1)), {text}) > -1",
        ):
            for width in (5, 20, 40, 90):
                lines = laid_out(written, engine, width)
                assert squeezed("\n".join(lines), engine) == squeezed(written, engine)
                assert "\n".join(lines).count(text) == written.count(text)

    @settings(max_examples=60, deadline=None)
    @given(st.data())
    def test_layout_changes_no_meaning(self, data: st.DataObject) -> None:
        """The syntax tree of the lines is that of the text."""
        atoms = st.sampled_from(
            ["a > 5", "b = 'x  (y'", "c BETWEEN 1 AND 2", "NOT d IS NULL", "LENGTH(e || 'f') = 3"]
        )
        conditions = st.recursive(
            atoms,
            lambda inner: st.one_of(
                st.tuples(inner, inner).map(lambda two: f"({two[0]} AND {two[1]})"),
                st.tuples(inner, inner).map(lambda two: f"({two[0]} OR {two[1]})"),
                st.tuples(inner, inner).map(
                    lambda two: f"CASE WHEN {two[0]} THEN {two[1]} ELSE FALSE END"
                ),
                st.tuples(inner, inner).map(lambda two: f"COALESCE({two[0]}, {two[1]}) AND TRUE"),
            ),
            max_leaves=12,
        )
        text = data.draw(conditions)
        width = data.draw(st.integers(10, 90))
        lines = "\n".join(laid_out(text, "spark", width))
        assert parse_one(lines, dialect="spark") == parse_one(text, dialect="spark")

    def test_ordinary_lines_fit(self) -> None:
        """No line of the template's statements is longer than a terminal is wide."""
        for name, text in _statements(TEMPLATE).items():
            assert max(map(len, text.splitlines())) <= WIDTH, name
