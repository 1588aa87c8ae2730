"""How bytes reach a Thrift server: a socket or HTTP, TLS that is verified, and who signs in.

Example
    ========= ============================ ===================================================
    auth      binary                       http
    ========= ============================ ===================================================
    NOSASL    plain Thrift                 no header
    NONE      SASL PLAIN, any password     Authorization: Basic
    LDAP      SASL PLAIN                   Authorization: Basic
    KERBEROS  SASL GSSAPI                  Authorization: Negotiate, for each request
    ========= ============================ ===================================================

    With use_ssl the server's certificate has to be signed by an authority of `ca_cert` (a file;
    else those of the system) and to name the host; `verify_server: false` asks neither.
"""

from __future__ import annotations

import base64
import getpass
import importlib.util
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from impala._thrift_api import get_transport
from thrift.transport.THttpClient import THttpClient
from thrift.transport.TSocket import TSocket
from thrift.transport.TSSLSocket import TSSLSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from filtersql.errors import Mistakes
from filtersql.errors.reaching import MISSING_EXTRA
from filtersql.errors.targets import UNREADABLE_CERTIFICATE

__all__ = ["Address", "address", "transport"]

#: what a package without types gives
_Thrift = Any

_PORT = 10000
_OK = 200
_FILES = ("ca_cert", "client_cert", "client_key")
_CONNECT_SECONDS = 30.0
_ANSWER_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is and how it is spoken to."""

    host: str
    port: int
    auth: str = "NONE"
    user: str = ""
    password: str | None = field(default=None, repr=False)
    http_path: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    service: str = "hive"
    database: str | None = None
    tls: ssl.SSLContext | None = None
    #: seconds until the connection stands, and until a request is answered
    connect_timeout: float = _CONNECT_SECONDS
    answer_timeout: float = _ANSWER_SECONDS

    @property
    def shown(self) -> str:
        """The address in messages."""
        return f"{self.host}:{self.port}"


def address(settings: Mapping[str, object], root: Path) -> Address:
    """The address that an output names. Raises Mistakes."""
    headers = settings.get("http_headers")
    password = settings.get("password")
    return Address(
        host=str(settings["host"]),
        port=int(str(settings.get("port") or _PORT)),
        auth=str(settings.get("auth") or "NONE").upper(),
        user=str(settings.get("user") or getpass.getuser()),
        password=None if password is None else str(password),
        http_path=(
            str(settings.get("http_path") or "cliservice").lstrip("/")
            if settings.get("transport") == "http"
            else None
        ),
        headers=(
            {str(k): str(v) for k, v in headers.items()} if isinstance(headers, Mapping) else {}
        ),
        service=str(settings.get("kerberos_service_name") or "hive"),
        database=None if settings.get("database") is None else str(settings["database"]),
        tls=_tls(settings, root) if settings.get("use_ssl") else None,
        connect_timeout=float(str(settings.get("connect_timeout") or _CONNECT_SECONDS)),
        answer_timeout=float(str(settings.get("socket_timeout") or _ANSWER_SECONDS)),
    )


def _tls(settings: Mapping[str, object], root: Path) -> ssl.SSLContext:
    def file(key: str) -> str | None:
        return None if settings.get(key) is None else str(root / str(settings[key]))

    try:
        context = ssl.create_default_context(cafile=file("ca_cert"))
        if certificate := file("client_cert"):
            context.load_cert_chain(certificate, file("client_key"))
    except OSError as error:
        names = [str(settings[key]) for key in _FILES if settings.get(key) is not None]
        why = error.strerror or str(error)
        raise Mistakes([UNREADABLE_CERTIFICATE(names=names, reason=why)]) from None
    if settings.get("verify_server") is False:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def transport(to: Address) -> tuple[Any, Any]:
    """(a transport to be opened, the part of it whose timeout can be set). Raises Mistakes."""
    if to.auth == "KERBEROS" and importlib.util.find_spec("kerberos") is None:
        raise Mistakes([MISSING_EXTRA(what="auth: KERBEROS", extra="kerberos")])
    if to.http_path is not None:
        return _http(to)
    if to.tls is None:
        socket = TSocket(to.host, to.port)
    else:
        socket = TSSLSocket(to.host, to.port, ssl_context=to.tls, server_hostname=to.host)
    mechanism = {"NOSASL": "NOSASL", "KERBEROS": "GSSAPI"}.get(to.auth, "PLAIN")
    # A server with NONE takes any password, but not an empty one.
    password = "none" if to.auth == "NONE" and not to.password else to.password or ""
    return get_transport(socket, to.host, to.service, mechanism, to.user, password), socket


def _http(to: Address) -> tuple[Any, Any]:
    class Client(THttpClient):  # type: ignore[misc]
        """Thrift's, which would read the page of an error as an answer."""

        def flush(self) -> None:
            """Send the request."""
            super().flush()
            if self.code != _OK:
                raise TTransportException(message=f"HTTP {self.code} {self.message}")

    scheme = "http" if to.tls is None else "https"
    host = f"[{to.host}]" if ":" in to.host else to.host
    client = Client(f"{scheme}://{host}:{to.port}/{quote(to.http_path or '')}", ssl_context=to.tls)
    if to.auth == "KERBEROS":
        client = _negotiating(client, to)
    elif to.auth != "NOSASL":
        both = f"{to.user}:{to.password or 'none'}".encode()
        words = {"Authorization": f"Basic {base64.b64encode(both).decode()}"}
        client.setCustomHeaders({**words, **to.headers})
    else:
        client.setCustomHeaders(dict(to.headers))
    return TBufferedTransport(client), client


def _negotiating(client: _Thrift, to: Address) -> _Thrift:
    """A ticket is good for one request."""
    import kerberos

    send = client.flush

    def flush() -> None:
        _, context = kerberos.authGSSClientInit(f"{to.service}@{to.host}")
        kerberos.authGSSClientStep(context, "")
        ticket = kerberos.authGSSClientResponse(context)
        client.setCustomHeaders({"Authorization": f"Negotiate {ticket}", **to.headers})
        send()

    client.flush = flush
    return client
