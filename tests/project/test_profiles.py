"""profiles.yml: which output is taken, and that no secret is ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import PROJECT, TABLES, Make, filters, maker, refused

from filtersql.errors import Mistakes
from filtersql.project import load
from filtersql.targets.open import open_engine


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Writes a project's files."""
    return maker(tmp_path, monkeypatch)


def test_profiles_are_searched_in_order(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--profiles-dir, then the environment, then the project, then the home folder."""
    root = make({"profiles.yml": None})
    assert "no profiles.yml" in refused(root)

    def write(folder: Path, name: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        text = f"shop: {{outputs: {{{name}: {{type: duckdb, path: x}}}}}}"
        (folder / "profiles.yml").write_text(text)
        return folder

    def chosen(**arguments: Path) -> str:
        output = load(root, **arguments).output  # type: ignore[arg-type]
        assert output is not None
        return output.name

    write(tmp_path / "home" / ".filtersql", "home")
    assert chosen() == "home"
    write(root, "project")
    assert chosen() == "project"
    monkeypatch.setenv("FILTERSQL_PROFILES_DIR", str(write(tmp_path / "env", "environment")))
    assert chosen() == "environment"
    assert chosen(profiles_dir=write(tmp_path / "flag", "flag")) == "flag"
    assert "no profiles.yml" in refused(root, profiles_dir=tmp_path)


def test_an_output_is_optional_where_it_is_not_needed(make: Make) -> None:
    """`ls` and `show` work without profiles."""
    assert load(make({"profiles.yml": None}), need_output=False).output is None


def test_the_chosen_output_with_its_settings(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are rendered; a secret is known, so that printers can remove it."""
    monkeypatch.setenv("SHOP_PASSWORD", "hunter2")
    monkeypatch.setenv("SHOP_HOST", "spark.example.org")
    profiles = """
shop:
  target: prod
  outputs:
    dev: {type: duckdb, path: x}
    prod:
      type: spark
      method: thrift
      host: "{{ env_var('SHOP_HOST') }}"
      port: {{ env_var('SHOP_PORT', 10000) }}
      user: etl
      password: "{{ env_var('SHOP_PASSWORD') }}"
      schema: "shop_{{ var('state') | lower }}"
      threads: 4
      spark_conf: {spark.sql.shuffle.partitions: 4, spark.hadoop.fs.s3a.secret.key: "abc"}
"""
    root = make(
        {"profiles.yml": profiles, "filtersql_project.yml": PROJECT + "vars: {state: NSW}\n"}
    )

    output = load(root).output

    assert output is not None
    assert (output.name, output.type, output.method, output.format) == (
        "prod",
        "spark",
        "thrift",
        "delta",
    )
    assert (output.schema, output.threads, output.state_schema) == ("shop_nsw", 4, "filtersql")
    assert output.settings["port"] == 10000
    assert output.settings["host"] == "spark.example.org"
    assert output.secrets == {"hunter2", "abc"}
    assert "hunter2" not in repr(output)
    assert load(root, target="dev").output.name == "dev"  # type: ignore[union-attr]


def test_secrets_stay_out_of_messages(make: Make) -> None:
    """A mistake beside a password shows the line with asterisks."""
    root = make(
        {
            "profiles.yml": "shop: {outputs: {dev: {type: spark, method: thrift, password: hunter2,"
            " pasword: hunter2, url: 'sc://u:hunter2@h', spark_conf: {x.y: hunter2}}}}"
        }
    )

    said = refused(root)

    assert "hunter2" not in said
    assert 'unknown key "pasword"' in said


def test_a_template_knows_its_target_but_no_secret(make: Make) -> None:
    """`target` is the chosen output without passwords."""
    root = make(
        {
            "profiles.yml": "shop: {outputs: {dev: {type: spark, method: thrift, host: h,"
            " schema: s, password: hunter2}}}",
            "tables/t.yml": TABLES,
            "publications/p.yml": "publications:\n"
            "  - name: p_{{ target.name }}_{{ target.schema }}\n"
            "    tables: [{name: t1, where: \"c = '{{ target.host }}'\"}]\n",
        }
    )

    assert filters(load(root)) == {"p_dev_s": "c = 'h'"}

    (root / "publications" / "q.sql").write_text("CREATE PUBLICATION q{{ target.password }};")
    said = refused(root)
    assert "hunter2" not in said
    assert "publications/q.sql:1" in said


def test_a_jar_that_is_not_there_is_refused_before_spark_starts(make: Make) -> None:
    """Spark itself starts without it, and misses its classes later."""
    output = "{type: spark, method: session, jars: [lib/a.jar]}"
    root = make({"profiles.yml": f"shop: {{outputs: {{dev: {output}}}}}"})
    found = load(root).output
    assert found is not None
    with pytest.raises(Mistakes) as refusal:
        open_engine(found, root)
    assert refusal.value.exit_code == 2
    assert 'jar file "lib/a.jar" does not exist' in str(refusal.value)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("path: null", 'path of output "dev" must be text, not nothing'),
        ("path: [{z: 1}]", 'path of output "dev" must be text, not a list'),
        ("path: {z: 1}", 'path of output "dev" must be text, not a mapping'),
        ("path: x, settings: 7", 'settings of output "dev" must be a mapping, not "7"'),
        ("path: x, settings: {zz: 1}", 'the DuckDB setting "zz" is not supported'),
        (
            "path: x, settings: {memory_limit: [1]}",
            'memory_limit of output "dev" must be text, not a list',
        ),
        ("path: x, extensions: qqq", 'extensions of output "dev" must be a list, not "qqq"'),
        ("path: x, extensions: 17", 'extensions of output "dev" must be a list, not "17"'),
        ("path: x, extensions: {z: 1}", 'extensions of output "dev" must be a list, not a mapping'),
        (
            "path: x, extensions: [[1]]",
            'an item of extensions of output "dev" must be text, not a list',
        ),
    ],
)
def test_what_a_duckdb_output_holds_is_judged(make: Make, written: str, told: str) -> None:
    """Where the profile is read: `compile` sees it, and not only a run."""
    line = f"shop: {{outputs: {{dev: {{type: duckdb, {written}}}}}}}"
    root = make({"profiles.yml": line})
    with pytest.raises(Mistakes) as caught:
        load(root)
    (mistake,) = caught.value.mistakes
    assert (mistake.message, mistake.exit_code) == (told, 1)
    assert str(mistake).startswith("profiles.yml:1:")


def test_a_path_is_the_text_that_is_written(make: Make) -> None:
    """YAML reads a number in it; a file has that name."""
    root = make({"profiles.yml": "shop: {outputs: {dev: {type: duckdb, path: 1e3}}}"})
    output = load(root).output
    assert output is not None
    assert output.settings["path"] == "1e3"
