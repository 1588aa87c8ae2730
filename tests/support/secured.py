"""A certificate authority, certificates signed by it, a directory server with one user, a token."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from servers import listens

USER, PASSWORD = "ann", "open sesame; --"
TOKEN = "sesame-of-connect"
BASE = "ou=people,dc=example,dc=org"
KEYSTORE_PASSWORD = "keystore-secret"
_SLAPD = shutil.which("slapd") or "/usr/sbin/slapd"
_MODULES = ("/usr/lib/ldap", "/usr/lib64/openldap")


def has_directory() -> bool:
    """Whether Debian's slapd, or another, is installed."""
    return Path(_SLAPD).is_file()


def authority(folder: Path, name: str) -> Path:
    """A self-signed certificate authority; the file that a client trusts."""
    _openssl(
        folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
        f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem",
    )  # fmt: skip
    return folder / f"{name}.pem"


def keystore(folder: Path, name: str, host: str) -> Path:
    """A key and its certificate for a host, signed by an authority, as Java reads them."""
    _openssl(
        folder, "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={host}",
        "-keyout", "server.key", "-out", "server.csr",
    )  # fmt: skip
    (folder / "names").write_text(f"subjectAltName=DNS:{host}")
    _openssl(
        folder, "x509", "-req", "-in", "server.csr", "-CA", f"{name}.pem", "-CAkey",
        f"{name}.key", "-days", "2", "-extfile", "names", "-out", "server.pem",
    )  # fmt: skip
    _openssl(
        folder, "pkcs12", "-export", "-inkey", "server.key", "-in", "server.pem",
        "-out", "server.p12", "-passout", f"pass:{KEYSTORE_PASSWORD}",
    )  # fmt: skip
    return folder / "server.p12"


def http2(folder: Path) -> ssl.SSLContext:
    """How a server that has the certificate of a keystore speaks TLS to clients of gRPC."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    context.set_alpn_protocols(["h2"])
    return context


def _openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


@contextmanager
def directory(folder: Path) -> Iterator[str]:
    """A directory server that knows USER by PASSWORD; its address."""
    modules = next((path for path in _MODULES if Path(path).is_dir()), "")
    schemas = Path("/etc/ldap/schema")
    (folder / "data").mkdir(parents=True)
    (folder / "slapd.conf").write_text(
        f"include {schemas}/core.schema\ninclude {schemas}/cosine.schema\n"
        f"include {schemas}/inetorgperson.schema\n"
        f"modulepath {modules}\nmoduleload back_mdb\n"
        f"database mdb\nsuffix dc=example,dc=org\ndirectory {folder / 'data'}\n"
    )
    (folder / "people.ldif").write_text(
        "dn: dc=example,dc=org\nobjectClass: domain\ndc: example\n\n"
        f"dn: {BASE}\nobjectClass: organizationalUnit\nou: people\n\n"
        f"dn: uid={USER},{BASE}\nobjectClass: inetOrgPerson\nuid: {USER}\ncn: Ann\nsn: A\n"
        f"userPassword: {PASSWORD}\n"
    )
    conf = str(folder / "slapd.conf")
    subprocess.run(
        [_SLAPD, "-T", "add", "-f", conf, "-l", str(folder / "people.ldif")],
        check=True,
        capture_output=True,
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"ldap://127.0.0.1:{free.getsockname()[1]}"
    process = subprocess.Popen(
        [_SLAPD, "-f", conf, "-h", address, "-d", "0"], stderr=subprocess.DEVNULL
    )
    try:
        listens(int(address.rpartition(":")[2]), process)
        yield address
    finally:
        process.terminate()
        process.wait()
