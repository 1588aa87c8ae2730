"""A Thrift server that lets in who has a ticket: a real realm, over a socket and over HTTP."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from realms import has_realm, realm
from spark_server import serving

from filtersql.errors import Mistakes
from filtersql.targets import thrift
from filtersql.targets.transports import address

pytestmark = [
    pytest.mark.spark,
    pytest.mark.long,
    pytest.mark.skipif(not has_realm(), reason="krb5-kdc and krb5-user are not installed"),
    pytest.mark.skipif(
        importlib.util.find_spec("kerberos") is None, reason="filtersql[kerberos] is not installed"
    ),
]


def test_who_has_a_ticket_is_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both transports; without a ticket, and for another service's name, one message."""
    with realm(tmp_path / "realm") as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        hive, ann = made.keytab("hive/localhost"), made.keytab("ann")
        principal = "hive/localhost@EXAMPLE.ORG"
        asked = {
            "hive.server2.authentication": "KERBEROS",
            "hive.server2.authentication.kerberos.principal": principal,
            "hive.server2.authentication.kerberos.keytab": str(hive),
        }
        conf = {
            "spark.hadoop.hadoop.security.authentication": "kerberos",
            "spark.kerberos.principal": principal,
            "spark.kerberos.keytab": str(hive),
            "spark.sql.catalogImplementation": "in-memory",
            "spark.driver.extraJavaOptions": f"-Djava.security.krb5.conf={made.configuration}",
        }
        ways = {"binary": asked, "http": {**asked, "hive.server2.transport.mode": "http"}}
        (tmp_path / "server").mkdir()
        with serving(tmp_path / "server", ways, tables=False, conf=conf) as server:

            def said(way: str, **more: object) -> dict[str, object]:
                return {"host": "localhost", "port": server.ports[way], "auth": "KERBEROS",
                        "transport": way, "connect_timeout": 20, **more}  # fmt: skip

            def refused(way: str, **more: object) -> str:
                with pytest.raises(Mistakes) as found:
                    thrift.connect(address(said(way, **more), tmp_path), {})
                assert found.value.exit_code == 2
                assert len(found.value.mistakes) == 1
                return str(found.value)

            for way in ways:
                assert "gave no ticket" in (told := refused(way))
                assert "No Kerberos credentials available" in told
                assert "Sign in with kinit" in told
            made.sign_in("ann", ann)
            for way in ways:
                line = thrift.connect(address(said(way), tmp_path), {})
                assert line.ask("SELECT 1 AS one, 'é'") == (("one", "é"), [(1, "é")])
                line.close()
                told = refused(way, kerberos_service_name="spark")
                assert "spark/localhost@EXAMPLE.ORG not found" in told
                assert "kerberos_service_name" in told
            assert "Unsupported mechanism type PLAIN" in refused("binary", auth="NONE")
            assert "refused the user" in refused("http", auth="NONE")
