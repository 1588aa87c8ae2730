"""TLS and passwords of a capture: as libpq speaks it, and nowhere to be read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from live_processes import Process, wait_for
from live_projects import LiveProject
from own_servers import NEEDS_POSTGRES_15, OwnServer, own_server
from secured import authority, keystore

pytestmark = NEEDS_POSTGRES_15
_PASSWORD = "hunter2"


def encrypted(own: OwnServer, folder: Path) -> Path:
    """The server speaks TLS as localhost, and lets a role with a password in so alone."""
    trusted = authority(folder, "trusted")
    keystore(folder, "trusted", "localhost")
    for name in ("server.pem", "server.key"):
        shutil.copy(folder / name, own.data / name)
        shutil.copystat(own.data / "PG_VERSION", own.data / name)
        owner = (own.data / "PG_VERSION").stat()
        shutil.chown(own.data / name, owner.st_uid, owner.st_gid)
    rules = own.data / "pg_hba.conf"
    rules.write_text(
        "hostssl all capturing all scram-sha-256\nhost all capturing all reject\n"
        + rules.read_text()
    )
    with own.server.connect() as connection:
        connection.execute("ALTER SYSTEM SET ssl_cert_file = 'server.pem'")
        connection.execute("ALTER SYSTEM SET ssl_key_file = 'server.key'")
        connection.execute("ALTER SYSTEM SET ssl = on")
        connection.execute("SELECT pg_reload_conf()")
    return trusted


def test_over_tls_with_a_password(tmp_path: Path) -> None:
    """`verify-full` is kept; no file, line or argument has the password; it ends when that does."""
    keys, folder = tmp_path / "keys", tmp_path / "project"
    keys.mkdir()
    with own_server() as own:
        trusted = encrypted(own, keys)
        project = LiveProject.made(folder, own.server)
        project.sql(
            f"CREATE ROLE capturing LOGIN REPLICATION PASSWORD '{_PASSWORD}'",
            "GRANT SELECT ON ALL TABLES IN SCHEMA public TO capturing",
            f"CREATE PUBLICATION {project.slot} FOR TABLE orders, items, events",
            "INSERT INTO items VALUES (1, 'k', 'n')",
        )
        profile = folder / "profiles.yml"
        profile.write_text(
            profile.read_text().replace(
                own.server.url(project.database), "{{ env_var('ERP_DSN') }}"
            )
        )
        dsn = (
            f"host=%s hostaddr=127.0.0.1 port={own.server.port} user=capturing"
            f" dbname={project.database} sslmode=verify-full sslrootcert=%s"
            f" password={_PASSWORD}"
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ERP_DSN", dsn % ("other", trusted))
            said = [project.refused("capture", "erp", "--create", code=2)]
            patch.setenv("ERP_DSN", dsn % ("localhost", authority(keys, "unknown")))
            said.append(project.refused("capture", "erp", "--create", code=2))
            assert all("how TLS is spoken" in each for each in said)

            patch.setenv("ERP_DSN", dsn % ("localhost", trusted))
            said.append(project.capture("--create"))
            said.append(project.goes("run"))
            assert project.differences() == []
            with Process(project, "capture", "erp") as capture:
                # What is lost before changes are followed ends the command.
                pid = (
                    "SELECT pid FROM pg_stat_replication JOIN pg_stat_ssl USING (pid)"
                    " WHERE ssl AND state = 'streaming'"
                )
                wait_for(lambda: project.rows(pid) != [])
                arguments = Path(f"/proc/{capture.process.pid}/cmdline").read_bytes()
                project.sql(
                    "ALTER ROLE capturing VALID UNTIL '2020-01-01'",
                    f"SELECT pg_terminate_backend(pid) FROM ({pid}) p",
                )
                code, last = capture.ended()
    assert (code, "past its VALID UNTIL" in last) == (2, True), last
    files = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert _PASSWORD.encode() not in files + arguments + "".join((*said, last)).encode()
