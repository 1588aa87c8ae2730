"""A warehouse that is named by a URL: the same commands, and no folder of this machine."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from demo import started
from installed import installed
from pyspark.sql import SparkSession
from servers import free_port, without
from transcripts import Shell

from filtersql.targets.delta_folder import LocalFolder
from filtersql.targets.url_folder import UrlFolder

pytestmark = pytest.mark.spark

_OUTPUT = """\
    far:
      type: spark
      method: session
      format: delta
      warehouse: {url}
"""


def _beside(shell: Shell, output: str) -> None:
    """Another output of the profile."""
    profiles = shell.folder / "profiles.yml"
    profiles.write_text(profiles.read_text() + output)


def _played(filtersql: Callable[[str], str]) -> None:
    """Copied, run again, audited, changed and filled anew."""
    far = "--target far --select europe"
    assert "PASS=1 ERROR=0" in filtersql(f"run {far}")
    assert "every target was up to date" in filtersql(f"run {far}")
    assert "RIGHT=1 WRONG=0" in filtersql(f"audit {far}")
    changed = f"{far} --vars '{{region: us}}'"
    assert "europe/public.orders: 2 deleted, 3 inserted" in filtersql(f"apply --yes {changed}")
    said = filtersql(f"run --full-refresh --show 9 {changed}")
    assert "3 inserted" in said
    assert " 4  | us     | paid   |\n" in said


def _move_data(shell: Shell, url: str, folder: Path) -> None:
    """The shop's changes stand where a URL says."""
    folder.mkdir()
    shutil.move(shell.folder / "changes", folder / "changes")
    for path in (shell.folder / "subscriptions").iterdir():
        text = path.read_text()
        path.write_text(text.replace('"changes/', f'"{url}/changes/'))


@pytest.mark.usefixtures("spark")
def test_files_of_a_store_are_read_by_spark_alone(tmp_path: Path) -> None:
    """Other outputs say what reads them; a pattern that matches nothing is no empty feed."""
    shell = started(tmp_path, "shop")
    _beside(shell, _OUTPUT.format(url="warehouse"))
    _move_data(shell, f"file://{tmp_path}/landing", tmp_path / "landing")
    ended = shell.run("filtersql run --target local --select europe")
    assert ended.exit_code == 1
    assert "is a URL, and this output reads none" in ended.both
    for path in (tmp_path / "landing" / "changes").iterdir():
        path.unlink()
    ended = shell.run("filtersql run --target far --select europe")
    assert ended.exit_code == 1
    assert 'no file matches "file://<folder>/landing/changes/*.jsonl"' in ended.both


@pytest.mark.usefixtures("spark")
def test_a_url_is_no_path_of_the_project(tmp_path: Path) -> None:
    """Tables stand where the URL says; a later process finds them there by their folders."""
    shell = started(tmp_path, "shop")
    url = f"file://{tmp_path}/far away"
    _beside(shell, _OUTPUT.format(url=url))
    _move_data(shell, f"file://{tmp_path}/landing", tmp_path / "landing")
    _played(lambda line: shell.run(f"filtersql {line}").both)
    assert not list(shell.folder.glob("file*"))
    assert LocalFolder(tmp_path / "far away" / "europe.db" / "orders").holds_a_table()
    (tmp_path / "landing" / "changes" / "2.jsonl").write_text("{\n")
    ended = shell.run("filtersql run --target far --select europe --vars '{region: us}'")
    assert ended.exit_code == 1
    assert "file:<folder>/landing/changes/2.jsonl:1:1" in ended.both


def test_an_unfinished_log_is_removed_and_no_commit(tmp_path: Path, spark: SparkSession) -> None:
    """What a kill left goes; a commit, also one whose name nobody knows yet, stays."""
    logs = {}
    for name, file in (("killed", f".{0:020}.json.tmp"), ("whole", f"{0:020}.json"), ("odd", "x")):
        logs[name] = tmp_path / name / "_delta_log"
        logs[name].mkdir(parents=True)
        (logs[name] / file).touch()
        os.utime(logs[name], (0, 0))
        UrlFolder(spark, f"file://{tmp_path}/{name}").clear()
    assert {name for name, log in logs.items() if log.exists()} == {"whole", "odd"}
    assert (logs["odd"] / "x").exists()
    UrlFolder(spark, f"file://{tmp_path}/nowhere").clear()


@pytest.mark.long
def test_a_bucket_of_s3(tmp_path: Path) -> None:
    """Moto's server keeps it; Hadoop's own client reaches it, as the documentation says."""
    programs = installed(tmp_path / "moto", "moto[server,s3]>=5")
    address = f"http://127.0.0.1:{free_port()}"
    conf = {
        "spark.jars.packages": "org.apache.hadoop:hadoop-aws:3.4.2",
        "spark.hadoop.fs.s3a.endpoint": address,
        "spark.hadoop.fs.s3a.endpoint.region": "eu-central-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.access.key": "a",
        "spark.hadoop.fs.s3a.secret.key": "b",
    }
    bucket = (
        "import boto3, botocore.config, sys; s3 = boto3.client('s3', endpoint_url=sys.argv[1],"
        " config=botocore.config.Config(retries={'max_attempts': 9, 'mode': 'standard'}),"
        " aws_access_key_id='a', aws_secret_access_key='b', region_name='us-east-1');"
        "s3.create_bucket(Bucket='lake');"
        "[s3.upload_file(name, 'lake', f'landing/changes/{n}.jsonl')"
        " for n, name in enumerate(sys.argv[2:])]"
    )
    shell = started(tmp_path, "shop")
    _move_data(shell, "s3a://lake/landing", tmp_path / "landing")
    _beside(shell, _OUTPUT.format(url="s3a://lake/warehouse") + f"      spark_conf: {conf}\n")

    def filtersql(line: str) -> str:
        command = [sys.executable, "-m", "filtersql", *shlex.split(line)]
        environment = without("SPARK_SUBMIT_OPTS")
        return subprocess.run(
            command, cwd=shell.folder, env=environment, capture_output=True, text=True
        ).stdout

    with subprocess.Popen(
        [programs / "moto_server", "-p", address.rpartition(":")[2]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            files = sorted((tmp_path / "landing" / "changes").iterdir())
            subprocess.run([programs / "python", "-c", bucket, address, *files], check=True)
            _played(filtersql)
        finally:
            server.terminate()
    assert not list(shell.folder.glob("s3a*"))
