"""How Kerberos is wired, with a stand-in for its library: a realm is no part of these tests."""

from __future__ import annotations

import base64
import importlib
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest
from thrift.transport.TTransport import TTransportException

from filtersql.errors import Mistakes
from filtersql.targets.transports import Address, transport


class Library(ModuleType):
    """What `kerberos` offers: each step gives another ticket."""

    AUTH_GSS_COMPLETE, AUTH_GSS_CONTINUE = 1, 0

    def __init__(self) -> None:
        super().__init__("kerberos")
        self.__spec__ = ModuleSpec("kerberos", None)
        self.services: list[str] = []

    def authGSSClientInit(self, service: str, **_: object) -> tuple[int, object]:  # noqa: N802
        """A context for a service."""
        self.services.append(service)
        return 1, object()

    def authGSSClientStep(self, _context: object, _challenge: str) -> int:  # noqa: N802
        """The next step."""
        return self.AUTH_GSS_CONTINUE

    def authGSSClientResponse(self, _context: object) -> str:  # noqa: N802
        """The ticket, in base64."""
        return base64.b64encode(f"ticket{len(self.services)}".encode()).decode()


@pytest.fixture
def kerberos(monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    """The library, also for the package that speaks SASL, which looks for it once."""
    library = Library()
    monkeypatch.setitem(sys.modules, "kerberos", library)
    mechanisms = importlib.import_module("puresasl.mechanisms")
    importlib.reload(mechanisms)
    yield library
    monkeypatch.undo()
    importlib.reload(mechanisms)


def test_each_request_over_http_has_a_ticket_of_its_own(kerberos: Library) -> None:
    """For the server's service and host."""
    heard: list[str | None] = []

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.headers["Authorization"])
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        to = Address("127.0.0.1", port, "KERBEROS", "ann", None, "cliservice", service="spark")
        whole, _ = transport(to)
        whole.open()
        for _ in range(2):
            whole.write(b"request")
            whole.flush()
        whole.close()
        server.shutdown()
    assert kerberos.services == ["spark@127.0.0.1"] * 2
    assert heard == ["Negotiate dGlja2V0MQ==", "Negotiate dGlja2V0Mg=="]


def test_over_a_socket_sasl_begins_with_gssapi(kerberos: Library) -> None:
    """And with a ticket for the server's service and host."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)

        def listen() -> None:
            with server.accept()[0] as taken, taken.makefile("rb") as stream:
                _, length = struct.unpack(">BI", stream.read(5))
                heard.append(stream.read(length))

        thread = threading.Thread(target=listen)
        thread.start()
        to = Address("127.0.0.1", server.getsockname()[1], "KERBEROS", "ann", service="spark")
        whole, _ = transport(to)
        with pytest.raises(TTransportException):
            whole.open()  # the listener says nothing back
        whole.close()
        thread.join()
    assert heard == [b"GSSAPI"]
    assert kerberos.services == ["spark@127.0.0.1"]


def test_without_the_library_the_extra_is_named() -> None:
    """Before anything is sent."""
    if importlib.util.find_spec("kerberos"):
        pytest.skip("pykerberos is installed")
    with pytest.raises(Mistakes) as found:
        transport(Address("127.0.0.1", 1, "KERBEROS"))
    assert 'pip install "filtersql[kerberos]"' in str(found.value)
    assert found.value.exit_code == 2
