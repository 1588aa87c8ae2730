"""A Kerberos realm of its own: MIT's key distribution centre, keytabs, and a ticket."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from servers import listens

__all__ = ["Realm", "has_realm", "realm"]

REALM = "EXAMPLE.ORG"
_PROGRAMS = ("krb5kdc", "kdb5_util", "kadmin.local", "kinit")
_PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))


def has_realm() -> bool:
    """Whether Debian's krb5-kdc and krb5-user, or others, are installed."""
    return all(shutil.which(program, path=_PATH) for program in _PROGRAMS)


@dataclass(frozen=True, slots=True)
class Realm:
    """Its folder, and the variables under which programs use it."""

    folder: Path
    environment: Mapping[str, str]

    @property
    def configuration(self) -> Path:
        """What clients of the realm read."""
        return self.folder / "krb5.conf"

    def keytab(self, principal: str) -> Path:
        """Make a principal; the file with its key."""
        path = self.folder / f"{principal.replace('/', '-')}.keytab"
        self.run("kadmin.local", "-q", f"addprinc -randkey {principal}")
        self.run("kadmin.local", "-q", f"ktadd -k {path} {principal}")
        return path

    def sign_in(self, principal: str, keytab: Path) -> None:
        """Get a ticket, which then stands in the realm's own cache."""
        self.run("kinit", "-k", "-t", str(keytab), principal)

    def run(self, *words: str) -> None:
        """Run one of the realm's programs."""
        environment = {**os.environ, "PATH": _PATH, **self.environment}
        ended = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, f"{words}: {ended.stdout}{ended.stderr}"


@contextmanager
def realm(folder: Path) -> Iterator[Realm]:
    """A realm that answers until the block ends."""
    folder.mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    made = Realm(
        folder,
        {
            "KRB5_CONFIG": str(folder / "krb5.conf"),
            "KRB5_KDC_PROFILE": str(folder / "kdc.conf"),
            "KRB5CCNAME": f"FILE:{folder / 'tickets'}",
        },
    )
    made.configuration.write_text(
        f"[libdefaults]\n default_realm = {REALM}\n dns_lookup_kdc = false\n rdns = false\n"
        " dns_lookup_realm = false\n dns_canonicalize_hostname = false\n udp_preference_limit = 1\n"
        f"[realms]\n {REALM} = {{\n  kdc = 127.0.0.1:{port}\n }}\n"
    )
    (folder / "kdc.conf").write_text(
        f"[kdcdefaults]\n kdc_listen = 127.0.0.1:{port}\n kdc_tcp_listen = 127.0.0.1:{port}\n"
        f"[realms]\n {REALM} = {{\n  database_name = {folder / 'principal'}\n"
        f"  key_stash_file = {folder / 'stash'}\n  acl_file = {folder / 'acl'}\n }}\n"
    )
    made.run("kdb5_util", "create", "-s", "-P", "of-a-test")
    with (folder / "kdc.log").open("wb") as log:
        process = subprocess.Popen(
            [shutil.which("krb5kdc", path=_PATH) or "krb5kdc", "-n"],
            env={**os.environ, **made.environment},
            stdout=log,
            stderr=log,
        )
    try:
        listens(port, process)
        yield made
    finally:
        process.terminate()
        process.wait()
