"""Every character of a filter knows its place in the file on disk."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from filter_corpus import families

from filtersql.definitions.alignment import aligned, within
from filtersql.definitions.sql_text import clause, literal, without_psql, without_secrets
from filtersql.definitions.yaml_document import Document
from filtersql.errors import Mistake
from filtersql.errors.definitions import SyntaxMistake
from filtersql.grammar import libpg_query, parse_expression, parse_statements, scan
from filtersql.project.templates import Templates
from filtersql.source import Passage, Source

#: YAML texts of one key; what is read, and what stands under the caret of the marked characters
SCALARS: Mapping[str, tuple[str, str]] = {
    "plain": ("where: a > 5 AND b = 'x'\n", "a > 5 AND b = 'x'"),
    "plain with a comment": ("where: a > 5   # a comment\n", "a > 5"),
    "plain over lines": ("where: a > 5\n  AND\n\n  b = 7\n", "a > 5 AND\nb = 7"),
    "single quotes": ("where: 'c = ''it''''s'' AND a > 5'\n", "c = 'it''s' AND a > 5"),
    "single quotes over lines": ("where: 'c = ''x''\n   AND a > 5'\n", "c = 'x' AND a > 5"),
    "double quotes": ('where: "a > 5"\n', "a > 5"),
    "escapes": ('where: "c = \\"q\\" \\x41 \\u00e9\\t> 5"\n', 'c = "q" A é\t> 5'),
    "double quotes over lines": ('where: "a > 5 \\\n    AND b\n\n   = 7"\n', "a > 5 AND b\n= 7"),
    "literal": ("where: |\n  a > 5\n    AND b = 7\n", "a > 5\n  AND b = 7\n"),
    "literal with an indent": ("where: |2-\n    a > 5\n   b\n", "  a > 5\n b"),
    "folded": ("where: >\n  a > 5\n  AND b = 7\n\n  OR c\n", "a > 5 AND b = 7\nOR c\n"),
    "beyond ASCII": ("where: größe > 5 AND naïve = 'é'\n", "größe > 5 AND naïve = 'é'"),
    "in a flow mapping": ("{where: a > 5, b: 7}\n", "a > 5"),
    "an emoji before": ("😀: x\nwhere: a > 5\n", "a > 5"),
}


def filter_of(passage: Passage) -> Passage:
    """The text under `where`."""
    document = Document(passage, [])
    node = {key.value: value for key, value in document.pairs(document.root(), "it")}["where"]
    found = document.text(node, "where")
    assert found is not None
    assert not document.mistakes
    return found


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("style", SCALARS)
def test_yaml_scalars_know_their_places(style: str, end: str) -> None:
    """Each visible character of a scalar stands at itself, or at the escape that made it."""
    text, value = SCALARS[style]
    source = Source("p.yml", text.replace("\n", end))

    found = filter_of(source.passage())

    assert found.text == value
    for position, character in enumerate(found.text):
        span = found.span(position, position + 1)
        there = source.text[span.start : span.end]
        if not character.isspace():
            escaped = there == "''" or there.startswith("\\")
            assert there == character or (escaped and span.end > span.start)


def test_a_caret_spans_from_the_first_to_the_last_character() -> None:
    """Of a folded filter's second line, the caret line shows that line."""
    source = Source("p.yml", "where: >\n    a > 5\n    AND total > 7\n")
    found = filter_of(source.passage())
    start = found.text.index("total")

    assert found.span(start, start + 5).excerpt() == "      AND total > 7\n          ^^^^^"


TEMPLATES: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    "before and behind an expression": (
        "where: \"a > 5 AND c = '{{ var('state') }}' AND b > 1\"\n",
        "a > 5 AND c = 'NSW' AND b > 1",
        {"a > 5": "a > 5", "NSW": "{{ var('state') }}", "b > 1": "b > 1"},
    ),
    "escaped quotes inside of quotes": (
        'where: "c = \'{{ var(\\"state\\") }}\' AND b > 1"\n',
        "c = 'NSW' AND b > 1",
        {"NSW": '{{ var(\\"state\\") }}', "b > 1": "b > 1"},
    ),
    "a comment and blocks": (
        "{# one #}{% if true %}where: a{% endif %} > {% set x = 5 %}{{ x }} OR b\n",
        "a > 5 OR b",
        {"a": "a", "5": "{{ x }}", "OR b": "OR b"},
    ),
    "blanks taken away": (
        "where: a >   {{- ' 5' -}}   \n  AND b\n",
        "a > 5AND b",
        {"a": "a", "5": "{{- ' 5' -}}", "AND b": "AND b"},
    ),
    "a loop": (
        "where: a IN ({% for i in [1, 2] %}{{ i }}{{ ', ' if not loop.last }}{% endfor %}) OR b\n",
        "a IN (1, 2) OR b",
        {"a IN": "a IN", "1": "{{ i }}", ") OR b": ") OR b"},
    ),
    "a captured text": (
        "{% set f %}a > 5{% endset %}where: {{ f }} AND {{ f | length }} = 5\n",
        "a > 5 AND 5 = 5",
        {"a > 5": "{{ f }}", "AND": "AND"},
    ),
    "a block of a filter": (
        "where: {% filter upper %}a > b{% endfilter %} OR c\n",
        "A > B OR c",
        {"A > B": "{% filter upper %}", "OR c": "OR c"},
    ),
    "raw": (
        "where: {% raw %}a = '{{'{% endraw %} OR c\n",
        "a = '{{' OR c",
        {"'{{'": "'{{'", "OR c": "OR c"},
    ),
    "beyond ASCII": (
        "where: größe = '{{ var('state') }}' AND é\n",
        "größe = 'NSW' AND é",
        {"größe": "größe", "NSW": "{{ var('state') }}", "é": "é"},
    ),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_rendered_text_knows_its_places(name: str, end: str) -> None:
    """What Jinja wrote stands at its whole expression, everything else at itself."""
    template, text, places = TEMPLATES[name]
    source = Source("p.yml", template.replace("\n", end))

    rendered = Templates({"var": lambda _: "NSW"}).render(source)

    found = filter_of(rendered)
    assert found.text == text
    for part, there in places.items():
        start = found.text.rindex(part) if part == "é" else found.text.index(part)
        span = found.span(start, start + len(part))
        assert source.text[span.start : span.end] == there


def test_marks_never_change_what_a_template_says() -> None:
    """A text that a template captures and measures has no mark inside."""
    template = (
        "{% macro m(x) %}[{{ x }}]{% endmacro %}{% set a %}b{{ 1 }}{% endset %}"
        "{{ a == 'b1' }} {{ m('y') == '[y]' }} {{ a | length }} {{ m(a) }}"
    )

    assert Templates({}).render(Source("t.sql", template)).text == "True True 2 [b1]"


def test_a_line_end_inside_of_a_literal_stays_what_it_is() -> None:
    """A carriage return between tags is text of the file; beside `-` and in tags it is a blank."""
    templates = Templates({"var": lambda _: "NSW"})
    macro = "{% macro m() %}'a\r\nb'{% endmacro %}"
    for text, rendered in (
        ("SELECT 'a\r\nb\rc', '{{ var(\r\n'x') }}'\r\n", "SELECT 'a\r\nb\rc', 'NSW'\r\n"),
        ("a\r\n{%- if true -%}\r\n b\r\n{%- endif %}\r\nc", "ab\r\nc"),
        (macro + "{{ m() }}\r\n", "'a\r\nb'\r\n"),
    ):
        assert templates.render(Source("t.sql", text)).text == rendered
        unix = Source("t.sql", text.replace("\r\n", "\n"))
        assert templates.render(unix).text == rendered.replace("\r\n", "\n")


def test_a_file_without_tags_is_not_rendered() -> None:
    """Its text is the very text on disk, line ends included."""
    source = Source("t.sql", "SELECT '{ {';\r\n")

    assert Templates({}).render(source).text is source.text


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("'id > 0'", "id > 0"),
        ("'c = ''x'' AND id > 0'", "c = 'x' AND id > 0"),
        ("$FILTER$ c = 'x' $FILTER$", " c = 'x' "),
        ("$$id > 0$$", "id > 0"),
        (r"E'c = \'x\' AND \x69d > 0'", "c = 'x' AND id > 0"),
    ],
)
def test_sql_literals_know_their_places(written: str, value: str) -> None:
    """A filter inside a string constant stands at its own characters."""
    source = Source("s.sql", f"SELECT f({written})")
    call = parse_statements(source.passage())[0].node.target_list[0].res_target.val.func_call

    found = literal(source.passage(), call.args[0].a_const)

    assert found.text == value
    start = value.index("> 0") if "> 0" in value else value.index("'x'")
    span = found.span(start, start + 3)
    assert source.text[span.start : span.end] in ("> 0", "'x'")


def test_a_literal_that_cannot_be_followed_stands_at_itself() -> None:
    """PostgreSQL joins constants on two lines into one; every character stands at the whole."""
    source = Source("s.sql", "SELECT f('id >'\n ' 0')")
    call = parse_statements(source.passage())[0].node.target_list[0].res_target.val.func_call

    found = literal(source.passage(), call.args[0].a_const)

    assert found.text == "id > 0"
    assert found.span(0, 1).start >= source.text.index("'")


@pytest.mark.parametrize(
    "where",
    ["a > 5", "c = ')' OR (b)", "c = $x$)$x$", '")" > 1', "a /* ) /* ) */ */ > 1", "a -- )\n > 1"],
)
def test_a_clause_ends_at_its_own_parenthesis(where: str) -> None:
    """Parentheses in literals, names and comments do not count."""
    text = Source("p.sql", f"CREATE PUBLICATION p FOR TABLE t (a, b) WHERE ({where}), u").passage()

    assert clause(text, text.text.index("t ("), "where").text == where


def test_psql_lines_and_copied_data_are_blanked() -> None:
    """Every other character keeps its place; a backslash in a literal stays."""
    text = (
        "\\restrict x'\nSET a = 'b\n\\c';\nCOPY t (a) FROM stdin;\n1\tit's\n\\.\n\n"
        "SELECT 1 \\gset\nSELECT 2;\n"
    )
    blanked = without_psql(Source("d.sql", text).passage())

    assert len(blanked.text) == len(text)
    assert "b\n\\c" in blanked.text
    assert [one.kind for one in parse_statements(blanked)] == [
        "variable_set_stmt",
        "copy_stmt",
        "select_stmt",
        "select_stmt",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE SUBSCRIPTION s CONNECTION 'host=h password=hunter2' PUBLICATION p",
        "ALTER SUBSCRIPTION s CONNECTION E'password=hunter2'",
        "SELECT pglogical.create_node('n', dsn := 'host=h password=hunter2')",
        "SELECT pglogical.create_subscription('s', 'host=h  password=hunter2 dbname=d')",
        "SELECT f('postgresql://u:hunter2@h/d')",
    ],
)
def test_connection_strings_are_hidden(statement: str) -> None:
    """A password is nowhere in the text that messages show, and nothing moves."""
    hidden = without_secrets(statement)

    assert "hunter2" not in hidden
    assert len(hidden) == len(statement)
    assert len(parse_statements(hidden)) == 1


def test_a_filter_on_a_password_column_is_no_secret() -> None:
    """Only what is nothing but a connection string is hidden."""
    text = "CREATE PUBLICATION p FOR TABLE t WHERE (password = 'x' AND host = 'y')"

    assert without_secrets(text) == text


@pytest.mark.parametrize(
    ("text", "message", "under"),
    [
        ("a > 5 garbage", 'syntax error at or near "garbage"', "garbage"),
        ("a, b", 'syntax error at or near ","', ","),
        ("a > 5) OR (b", 'syntax error at or near ")"', ")"),
        ("a > (5", "syntax error at end of input", ""),
        ("é é = 1", 'syntax error at or near "é"', "é"),
        ("DISTINCT a", 'syntax error at or near "DISTINCT"', "DISTINCT"),
        ("ALL a", 'syntax error at or near "ALL"', "ALL"),
        ("a = 1; DROP TABLE t", 'syntax error at or near ";"', ";"),
        ("*", 'syntax error at or near "*"', "*"),
        ("", "syntax error at end of input", ""),
        ("c = 'x", 'unterminated quoted string at or near "\'x"', "'x"),
        ("a\0b", 'invalid byte sequence for encoding "UTF8": 0x00', "\0"),
    ],
)
def test_a_filter_is_one_expression(text: str, message: str, under: str) -> None:
    """Anything else is PostgreSQL's syntax error, at PostgreSQL's place."""
    with pytest.raises(Mistake) as caught:
        parse_expression(Source("p.yml", text).passage())

    assert caught.value.message == message
    span = caught.value.span
    assert span is not None
    assert text[span.start : span.end] == under


def _read(text: str) -> object:
    """The tree of a filter with its places; or what is said, and where."""
    try:
        return parse_expression(Source("p.yml", text).passage())
    except SyntaxMistake as mistake:
        return mistake.message, mistake.span


def test_the_library_of_windows_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """It parses statements alone: a filter is read behind SELECT, and between parentheses."""
    texts = [each for family in families().values() for each in family]
    texts += [f"{each[:-3]}{end}" for each in texts[::7] for end in ("", ";", ")", " x", " --")]
    texts += [
        "", " ", ";", "a;", "a; b", "a UNION SELECT b", "a INTO b", "ALL a", "DISTINCT a",
        "a, b", "a b", "*", "a) OR (b", "a), TABLE u WHERE (b", "a LIMIT 1",
        "a /*", "é = 'ß' AND )", "a) --",
    ]  # fmt: skip
    known = [_read(text) for text in texts]
    monkeypatch.setattr(libpg_query, "has_modes", lambda: False)
    assert {text: _read(text) for text in texts} == dict(zip(texts, known, strict=True))


def test_locations_count_characters() -> None:
    """libpg_query counts bytes; a caret behind an umlaut would stand too far right."""
    node = parse_expression("größe > 5 AND é = 'ß' AND x")

    assert node.bool_expr.args[2].column_ref.location == len("größe > 5 AND é = 'ß' AND ")


def test_pieces_never_lose_a_character() -> None:
    """A value that is not the raw text's has no pieces, rather than wrong ones."""
    assert aligned("abc", "abd", "plain") is None
    assert aligned("it''s", "it's", "plain") is None
    assert list(aligned("it''s", "it's", "single") or ()) == [(0, 0, 0), (2, 2, 2), (3, 4, 0)]


@pytest.mark.parametrize("written", ["!!str", "&name", "!!str &name", "|\n"])
def test_an_empty_text_stands_at_what_was_written(written: str) -> None:
    """A tag or an anchor alone is an empty text, whose raw form is not empty."""
    text = f"where: {written}\nnext: 1\n"
    begin = text.index(written)
    found = within(Source("p.yml", text).passage(), begin, begin + len(written), "", "plain")

    assert found.text == ""
    assert found.span(0, 0).start == begin


def test_any_character_is_a_token() -> None:
    """Braces are in no rule of the grammar, and end as a syntax error, not as a fault."""
    assert [token.kind for token in scan("{a")] == ["ASCII_123", "IDENT"]


def test_of_a_long_line_a_part_is_shown() -> None:
    """The caret stands below what it means, wherever the line was cut."""
    source = Source("p.yml", "\t" + "x" * 300 + "HERE" + "y" * 300)
    line, carets = source.span(301, 305).excerpt().split("\n")
    assert line.startswith("  …xxx")
    assert line.endswith("yyy…")
    assert len(line) < 250
    assert line[carets.index("^") : carets.rindex("^") + 1] == "HERE"
    line, carets = source.span(605, 605).excerpt().split("\n")
    assert (len(carets), carets.strip()) == (len(line) + 1, "^")
    line, carets = source.span(0, 3).excerpt().split("\n")
    assert (line[:5], carets) == ("  \txx", "  ^^^")
