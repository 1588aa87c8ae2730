"""A relay in front of a server: it speaks TLS for it, or breaks connections off."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Relay", "relay"]


@dataclass
class Relay:
    """What comes to its port goes to another one, and back."""

    to: int
    port: int = 0
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    def cut(self) -> None:
        """Break off every connection, as a network does that is gone."""
        self.loop.call_soon_threadsafe(self._abort)

    def _abort(self) -> None:
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            there, back = await asyncio.open_connection("127.0.0.1", self.to)
            self.writers += [writer, back]
            await asyncio.gather(_pump(reader, back), _pump(there, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.CancelledError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    with suppress(OSError, RuntimeError):
        writer.close()


@contextmanager
def relay(to: int, tls: ssl.SSLContext | None = None) -> Iterator[Relay]:
    """A relay that listens until the block ends."""
    made = Relay(to)
    thread = threading.Thread(target=made.loop.run_forever, daemon=True)
    thread.start()

    def wait(what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(what, made.loop).result(20)

    server = wait(asyncio.start_server(made._take, "127.0.0.1", 0, ssl=tls))
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        made.cut()
        wait(_end(server))
        made.loop.call_soon_threadsafe(made.loop.stop)
        thread.join()
        made.loop.close()


async def _end(server: asyncio.Server) -> None:
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
