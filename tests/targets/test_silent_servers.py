"""A server that takes a connection and never answers is one message, soon, and exit code 2."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from filtersql.errors import Mistakes
from filtersql.targets import connect, thrift
from filtersql.targets.transports import address


@contextmanager
def silent() -> Iterator[int]:
    """The port of such a server."""
    held: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            with suppress(OSError):
                while True:
                    held.append(server.accept()[0])

        threading.Thread(target=take, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    for each in held:
        each.close()


def reach(said: dict[str, object], root: Path) -> None:
    """Open a session."""
    if said["method"] == "thrift":
        thrift.connect(address({"host": "127.0.0.1", **said}, root), {})
    else:
        connect.connect({"url": f"sc://127.0.0.1:{said['port']}", **said}, root, {})


@pytest.mark.parametrize(
    "said",
    [
        {"method": "thrift"},
        {"method": "thrift", "auth": "NOSASL"},
        {"method": "thrift", "transport": "http"},
        {"method": "thrift", "use_ssl": True},
        {"method": "connect"},
        {"method": "connect", "use_ssl": True},
    ],
    ids=lambda said: " ".join(map(str, said.values())),
)
def test_a_silent_server_is_unreachable(said: dict[str, object], tmp_path: Path) -> None:
    """In whatever way it is spoken to."""
    began = time.monotonic()
    with silent() as port, pytest.raises(Mistakes) as found:
        reach({**said, "port": port, "connect_timeout": 1, "socket_timeout": 1}, tmp_path)
    assert time.monotonic() - began < 60
    assert found.value.exit_code == 2
    (mistake,) = found.value.mistakes
    assert "could not reach" in mistake.message
    assert mistake.detail == f"127.0.0.1:{port} did not answer within 1 s."
