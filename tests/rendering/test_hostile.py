"""Names, literals and templates that look like SQL or code stay data, or are refused in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from answers import Project
from rows import rows_of

#: each is what a shell, a template, Spark, Hive, Python or a driver would take for its own
LITERALS = [
    "it's", "-- no comment", "/* no", "*/", "; DROP TABLE t; --", "\\", "\\'", "${x}", "$x",
    "${env:HOME}", "${system:user.name}", "${hiveconf:x}", "{{ 1 }}", "{% x %}", "{# c #}", '"',
    "`", "$$", "%s", "%(x)s", ":x", "?", "@x", "\n", "\r\n", "\t", "é😀", "\\u0041", "\\n",
    "' OR '1'='1", "'||chr(39)||'", "#{x}", "<%= 1 %>", "\u202e", "<script>alert(1)</script>",
]  # fmt: skip
#: what the ways of PostgreSQL to write a text mean
WRITTEN = {
    r"E'e\'s\\ \n ${x} {{ 1 }}'": "e's\\ \n ${x} {{ 1 }}",
    r"U&'\0041\005c'": "A\\",
    "$q$it's -- $q$": "it's -- ",
    "'a' /* ' */ '--'": None,  # two texts on one line are none
}
OTHERS = ["other", "", "it''s", "1", "\\\\", "-- no comment ", "é"]
TABLES = {"t": "c", '"; DROP TABLE t; --': 'x"; -- ${c} {{ c }} `q` \\'}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def hostile_project(folder: Path) -> tuple[Project, dict[str, dict[int, str]]]:
    """Two tables, hostile in all that has a name; the rows that each has to hold in the end."""
    made = Project(folder)
    written = {text: value for text, value in WRITTEN.items() if value is not None}
    tables, published, changes, held = [], [], [], {}
    for name, column in TABLES.items():
        tables.append(
            f"CREATE TABLE {quoted(name)} (a int PRIMARY KEY, {quoted(column)} text);\n"
            f"ALTER TABLE {quoted(name)} REPLICA IDENTITY FULL;\n"
        )
        listed = ", ".join([*map(literal, LITERALS), *written])
        where = f"{quoted(column)} IN ({listed}) -- a comment ' \" ;\n OR false /* ' */"
        published.append(f"{quoted(name)} WHERE ({where}\n)")
        values = [*LITERALS, *written.values(), *OTHERS]
        rows = dict(enumerate(values))
        changes += [_change(name, "insert", after={"a": a, column: v}) for a, v in rows.items()]
        for a, v in ((0, OTHERS[0]), (len(rows) - 1, "${x}")):
            old, rows[a] = rows[a], v
            before, after = {"a": a, column: old}, {"a": a, column: v}
            changes.append(_change(name, "update", before=before, after=after))
        kept = {*LITERALS, *written.values()}
        held[name] = {a: value for a, value in rows.items() if value in kept}
    made.write("tables/t.sql", "-- filtersql: raw\n" + "".join(tables))
    joined = ", ".join(published)
    made.write(
        "publications/p.sql", f"-- filtersql: raw\nCREATE PUBLICATION p FOR TABLE {joined};\n"
    )
    made.write(
        "subscriptions/s.yml",
        "subscriptions: [{name: s, publications: [p], changes: {path: changes/*.jsonl}}]\n",
    )
    numbered = (json.dumps({"seq": seq, **change}) for seq, change in enumerate(changes))
    made.write("changes/1.jsonl", "\n".join(numbered))
    return made, held


def _change(name: str, op: str, **images: object) -> dict[str, object]:
    return {"op": op, "relation": ["public", name], **images}


def rows_held(made: Project, target: str) -> dict[str, dict[int, str]]:
    """The rows of both tables."""
    found = {}
    for name, rows in zip(TABLES, rows_of(made.folder, target).values(), strict=True):
        pairs = [dict(row) for row in rows]
        found[name] = {int(row["a"]): row[TABLES[name]] for row in pairs}
    return found


def test_names_and_literals_are_what_they_say(tmp_path: Path) -> None:
    """A filter of texts that look like SQL, templates, variables or comments finds just them."""
    made, held = hostile_project(tmp_path)
    made.succeed("run")
    assert rows_held(made, "dev") == held
    made.succeed("compile", "--check")
    made.succeed("check")
    page = made.succeed("review", "--format", "markdown").stdout
    assert "DROP TABLE" in page
    made.succeed("review")
    (html,) = (tmp_path / "target").glob("*.html")
    assert "<script>alert(1)</script>" not in html.read_text(encoding="utf-8")


def test_a_session_catalog_that_cannot_hold_the_name_is_told_by_compile(tmp_path: Path) -> None:
    """Before anything is asked of an engine; the words that mend it are named."""
    made, _ = hostile_project(tmp_path)
    ended = made.shell.filtersql("compile", "--target", "spark")
    assert ended.exit_code == 1
    assert "session catalog cannot hold the target name" in ended.stderr
    assert '"alias"' in ended.stderr


#: in a definition file: each reaches for Python, for files, or for more than there is
REACHING = [
    "{{ ''.__class__.__mro__ }}", "{{ ''['__class__'] }}", "{{ ''|attr('__cl' ~ 'ass__') }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}", "{{ lipsum.__globals__['os'] }}",
    "{{ joiner.__init__.__globals__ }}", "{{ namespace.__init__ }}", "{{ dict.mro() }}",
    "{{ dict.__subclasses__() }}", "{{ var.__globals__ }}", "{{ (var|attr('__globals__')) }}",
    "{{ env_var.__code__ }}", "{{ target.__class__ }}", "{{ target.update({'x': 1}) }}",
    "{{ var('x').__class__ }}", "{{ self.__init__ }}", "{{ self._TemplateReference__context }}",
    "{{ '{0.__class__}'.format(1) }}", "{{ ('{0.__class__}'|safe).format(1) }}",
    "{{ '{0.__init__.__globals__}'.format_map({'0': var}) }}", "{{ [].append(1) }}",
    "{{ [[1]]|sum(start=[])|attr('__class__') }}", "{% filter attr('__class__') %}x{% endfilter %}",
    "{% include '/etc/passwd' %}", "{% import 'os' as os %}", "{% extends 'a' %}",
    "{{ range(10**9)|list }}", "{{ 1 / 0 }}", "{{ 'a' + 1 }}", "{{ '\\x00' }}", "{{ caller() }}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{{ config }}", "{{ x", "{# x",
]  # fmt: skip


def small_project(folder: Path) -> Project:
    """A project whose definitions are whatever a test writes."""
    made = Project(folder)
    made.write("filtersql_project.yml", "name: x\nversion: 1\nprofile: cases\nvars: {x: a}\n")
    made.write("tables/t.yml", "tables: [{name: t, columns: {a: int not null}, primary_key: [a]}]")
    made.write("publications/p.yml", "publications: [{name: p, tables: [t]}]\n")
    made.write(
        "subscriptions/s.yml",
        "subscriptions: [{name: s, publications: [p], changes: {path: changes/*.jsonl}}]\n",
    )
    return made


@pytest.mark.parametrize("text", REACHING)
def test_a_template_that_reaches_is_refused_with_one_message(tmp_path: Path, text: str) -> None:
    """At its place, with exit code 1; nothing of what it reached for is shown."""
    made = small_project(tmp_path)
    made.write(
        "publications/p.yml",
        f"publications:\n  - name: p\n    description: >-\n      {text}\n    tables: [t]\n",
    )
    ended = made.shell.filtersql("compile")
    assert ended.exit_code == 1
    assert ended.stderr.startswith("publications/p.yml:")
    assert ended.stderr.count("publications/p.yml:") == 1
    assert "Traceback" not in ended.both
    assert "root:" not in ended.both


#: in a macro that replaces the package's, which is written by whoever writes the project, too
FAILING = {
    "{{ plan.columns[0].__class__.__init__.__globals__ }}": "unsafe",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}": "unsafe",
    "{% include '/etc/passwd' %}": "not found",
    "{% include '../profiles.yml' %}": "profiles.yml",
    "{% include 'merge.sql' %}": "recursion",
    "a\n\n{{ 1 / 0 }}": "merge.sql:3: division by zero",
    "{{ 'a' + 1 }}": "can only concatenate",
    "{{ range(10**9)|list }}": "Range too big",
    "{{ '\\ud800' }}": "half of a surrogate pair",
    "{{ plan.nothing }}": "no attribute 'nothing'",
}


@pytest.mark.parametrize("text", FAILING)
def test_a_macro_that_fails_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    """Whatever its expressions raise is the project's mistake, not an internal error."""
    made = small_project(tmp_path)
    made.write("macros/merge.sql", text)
    ended = made.shell.filtersql("compile")
    assert (ended.exit_code, "macro failed: macros/merge.sql" in ended.stderr) == (1, True)
    assert FAILING[text] in ended.stderr
    assert "Traceback" not in ended.both


def test_a_macro_that_jinja_cannot_read_is_shown_with_its_line(tmp_path: Path) -> None:
    """As a mistake in any other file of the project."""
    made = small_project(tmp_path)
    made.write("macros/merge.sql", "SELECT\n  {% macro zz( %}\n")
    ended = made.shell.filtersql("compile")
    assert ended.exit_code == 1
    assert ended.stderr.startswith(
        "macros/merge.sql:2:3: template error: expected token 'name', got '%'\n"
    )
    assert "{% macro zz( %}\n" in ended.stderr
    assert "^" in ended.stderr
    assert "hint: It stands in place of filtersql's own macro of that name." in ended.stderr
