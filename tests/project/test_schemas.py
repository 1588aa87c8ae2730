"""The JSON schemas of project files and artifacts accept what filtersql accepts and writes."""

from __future__ import annotations

import json
from pathlib import Path

import page_of_files
import pytest
import yaml
from cases import read
from jsonschema import Draft202012Validator
from places import CASES
from referencing import Registry, Resource
from transcripts import Shell

import filtersql
from filtersql.commands.schema import SCHEMAS
from filtersql.definitions import (
    yaml_file,
    yaml_keys,
    yaml_publications,
    yaml_subscriptions,
    yaml_tables,
)
from filtersql.project import live_sources, output_keys, settings

FOLDER = Path(filtersql.__file__).parent / "schemas"
LOADED = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
REGISTRY = Registry().with_resources(
    [(f"{name}.json", Resource.from_contents(schema)) for name, schema in LOADED.items()]
)
DEFINITIONS = LOADED["definitions"]["$defs"]


def wrong(name: str, content: object) -> list[str]:
    """What the schema has against a document."""
    validator = Draft202012Validator(LOADED[name], registry=REGISTRY)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(content)]


def loaded(text: str) -> object:
    """A YAML file as an editor sees it; times stay texts."""
    return yaml.load(text, Loader=_Core)


class _Core(yaml.SafeLoader):
    """YAML 1.2's core schema: `no` and times are texts."""


_Core.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    if first not in "oOyYnN"
}


def kind_of(path: str) -> str | None:
    """The schema of a project's file."""
    names = {"filtersql_project.yml": "project", "profiles.yml": "profiles"}
    first = path.split("/")[0]
    return names.get(path) or (first if first in LOADED and path.endswith("ml") else None)


def test_every_schema_is_one() -> None:
    """The files are JSON Schema of 2020-12, and `filtersql schema` knows each of them."""
    assert sorted(LOADED) == sorted(SCHEMAS)
    for schema in LOADED.values():
        Draft202012Validator.check_schema(schema)


def keys(schema: dict) -> set[str]:
    return set(schema["properties"])


def test_keys_are_those_of_the_readers() -> None:
    """A key that a reader takes is in the schema, and no other one."""
    definitions = LOADED["definitions"]["anyOf"][0]

    assert keys(definitions) == set(yaml_file._READERS)
    assert keys(DEFINITIONS["table"]) == yaml_tables._TABLE
    assert keys(DEFINITIONS["column"]["anyOf"][1]) == yaml_tables._COLUMN
    assert keys(DEFINITIONS["publication"]) == yaml_publications._PUBLICATION
    assert keys(DEFINITIONS["replication_set"]) == yaml_publications._SET
    # for_each is reserved: the reader knows the word and refuses it.
    assert keys(DEFINITIONS["subscription"]) == yaml_subscriptions._SUBSCRIPTION - {"for_each"}
    config = DEFINITIONS["subscription"]["properties"]["target_config"]["anyOf"][0]
    assert keys(config) == yaml_subscriptions._CONFIG
    assert keys(DEFINITIONS["test"]) == yaml_subscriptions._TEST
    foreign = DEFINITIONS["table"]["properties"]["foreign_keys"]["anyOf"][0]["items"]
    assert keys(foreign) == yaml_keys._FOREIGN_KEY
    assert keys(LOADED["project"]) == settings._KEYS
    defaults = LOADED["project"]["properties"]["defaults"]["anyOf"][0]
    assert keys(defaults) == yaml_subscriptions.DEFAULTS
    assert keys(LOADED["profiles"]["additionalProperties"]) == set(output_keys.PROFILE_KEYS)
    assert keys(LOADED["profiles"]["$defs"]["source"]) == set(live_sources.SOURCE_KEYS)
    outputs = LOADED["profiles"]["$defs"]["output"]["anyOf"]
    for name, schema in zip(("session", "thrift", "connect", "duckdb"), outputs, strict=True):
        assert keys(schema) == output_keys.OUTPUT_KEYS[name], name
    resources = outputs[3]["properties"]["settings"]["propertyNames"]["enum"]
    assert tuple(resources) == output_keys.RESOURCES


@pytest.mark.parametrize("example", ["shop", "postgres", "window"])
def test_what_init_makes_is_valid(example: str, tmp_path: Path) -> None:
    """Every YAML file, by the schema that its first line names for editors."""
    Shell(tmp_path).run(f"filtersql init demo --example {example}")
    seen = 0
    for path in sorted((tmp_path / "demo").rglob("*.yml")):
        name, text = path.relative_to(tmp_path / "demo").as_posix(), path.read_text()
        _, _, schema = text.split("\n")[0].partition("# yaml-language-server: $schema=")
        assert (path.parent / schema).resolve().name == f"{kind_of(name)}.json"
        assert (path.parent / schema).is_file()
        assert wrong(kind_of(name) or "", loaded(text)) == [], name
        seen += 1
    assert seen >= 4


def example_files() -> list[tuple[str, str, str]]:
    """The YAML files of the cases that end without an error."""
    found = []
    for path in sorted(CASES.rglob("*.md")):
        if path.name == "README.md":
            continue
        for case in read(path):
            fences = [*case.shared, *case.fences]
            if any("error" in fence.words for fence in fences):
                continue
            found += [
                (f"{path.stem}: {case.name}", fence.words[0], fence.text)
                for fence in fences
                if fence.words and kind_of(fence.words[0]) and "{%" not in fence.text
            ]
    return found


def test_every_example_is_valid() -> None:
    """What the cases accept, the editor accepts."""
    examples = example_files()
    problems = [
        f"{where}: {name}: {problem}"
        for where, name, text in examples
        for problem in wrong(kind_of(name) or "", loaded(text))
    ]

    assert len(examples) > 50
    assert problems == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tables", "tables: [{name: t, colums: {a: int}, columns: {a: int}}]"),
        ("tables", "tables: [{columns: {a: int}}]"),
        ("tables", "tables: [{name: t, columns: {a: {kind: stored}}}]"),
        ("tables", "tables: [{name: t, columns: {a: int}, replica_identity: ful}]"),
        ("tables", "tables: [{name: t, partition_of: r}]"),
        ("publications", "publications: [{name: p, publish: [inserts]}]"),
        ("publications", "publications: [{name: p, tables: [{name: t, wehre: a > 5}]}]"),
        ("publications", "replication_sets: [{name: p, tables: [{name: t, where: a > 5}]}]"),
        ("subscriptions", "subscriptions: [{name: s}]"),
        ("subscriptions", "subscriptions: [{name: s, publications: []}]"),
        ("subscriptions", "subscriptions: [{name: s, publications: ~}]"),
        ("subscriptions", "subscriptions: [{name: s, publications: [p], changes: {format: csv}}]"),
        ("subscriptions", "subscriptions: [{name: s, publications: [p], on_conflict: ignore}]"),
        ("tests", "tests: [{name: t, subscription: s}]"),
        ("tests", "tests: [{name: t, subscription: s, changes: [{op: upsert}], expect: {}}]"),
        ("project", "{nam: shop}"),
        ("project", "{name: shop, postgres_version: 14}"),
        ("subscriptions", "subscriptions: [{name: s, source: {postgres: erp, seq: 4}}]"),
        ("subscriptions", "subscriptions: [{name: s, changes: {postgres: erp, path: x}}]"),
        ("profiles", "shop: {outputs: {dev: {type: sparc}}}"),
        ("profiles", "shop: {outputs: {}, sources: {erp: {type: postgres}}}"),
        ("profiles", "shop: {outputs: {dev: {type: duckdb, path: x, warehouse: y}}}"),
        ("profiles", "shop: {outputs: {dev: {type: duckdb, path: ~}}}"),
        ("profiles", "shop: {outputs: {dev: {type: duckdb, path: x, settings: {zz: 1}}}}"),
        ("profiles", "shop: {outputs: {dev: {type: duckdb, path: x, extensions: httpfs}}}"),
    ],
)
def test_slips_are_seen(name: str, text: str) -> None:
    """A slip that the readers refuse is red in the editor, too."""
    assert wrong(name, loaded(text))


def test_artifacts_are_valid(tmp_path: Path) -> None:
    """manifest.json and run_results.json of a real run; a key more or less is seen."""
    shell = Shell(tmp_path)
    shell.run("filtersql init demo")
    shell.run("cd demo")
    assert shell.run("filtersql run --target local").exit_code == 0
    for name in ("manifest", "run_results"):
        content = json.loads((tmp_path / "demo" / "target" / f"{name}.json").read_text())
        assert wrong(name, content) == []
        assert wrong(name, {**content, "more": 1})
        assert wrong(name, {"metadata": content["metadata"]})


def test_schema_writes_them_for_an_editor(tmp_path: Path) -> None:
    """`schema --write` maps every kind of file; settings that are there are not touched."""
    shell = Shell(tmp_path)
    shell.run("filtersql init demo")
    shell.run("cd demo")
    assert json.loads(shell.run("filtersql schema tables").stdout) == LOADED["tables"]
    assert shell.run("filtersql schema --write").exit_code == 0
    settings_file = tmp_path / "demo" / ".vscode" / "settings.json"
    mapped = json.loads(settings_file.read_text())["yaml.schemas"]
    for path in mapped:
        assert (tmp_path / "demo" / path).is_file()
    assert mapped["./.vscode/filtersql/tables.json"] == ["tables/**/*.yml", "tables/**/*.yaml"]

    settings_file.write_text("// mine\n{}\n")
    assert "yaml.schemas" in shell.run("filtersql schema --write").stdout
    assert settings_file.read_text() == "// mine\n{}\n"


def test_every_key_is_explained_on_its_page(request: pytest.FixtureRequest) -> None:
    """docs/files.md, which `--update` writes anew; the switches have a page of their own."""
    for name in ("project", "profiles", "definitions"):
        assert [each for each in page_of_files.keys(name) if not each.means] == []
    file = FOLDER.parent / "docs" / "files.md"
    if request.config.getoption("--update"):
        file.write_text(page_of_files.page(), encoding="utf-8", newline="\n")
    assert file.read_text(encoding="utf-8") == page_of_files.page(), (
        "pytest tests/project/test_schemas.py --update"
    )
