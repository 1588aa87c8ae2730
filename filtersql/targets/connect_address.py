"""Where a Spark Connect server is, how it is spoken to, and why it could not be reached.

Example
    place = place_of({"url": "sc://spark.example.org:15002", "use_ssl": True}, root)
    place.host, place.port, place.tls    # "spark.example.org", 15002, True
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import grpc
from msgspec import Struct
from pyspark.sql.connect.client import DefaultChannelBuilder

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.reaching import HOST_UNKNOWN
from filtersql.errors.targets import (
    CERTIFICATE_REFUSED,
    NO_ANSWER,
    SIGN_IN_REFUSED,
    UNREACHABLE,
    UNREADABLE_CERTIFICATE,
    UNSUPPORTED_TARGET,
)
from filtersql.targets.refusals import reason_of
from filtersql.targets.starting import not_there

__all__ = ["SERVER", "Place", "channel_builder", "first_line", "knock", "not_opened", "place_of"]

#: what a package without types gives
_Grpc = Any
#: how messages call it
SERVER = "the Spark Connect server"
_DETAILS = re.compile(r'\n\s*details = "(.*)"')
_SLOW = re.compile(r"timed out|DEADLINE_EXCEEDED|before receiving SETTINGS frame")
_PORT = 15002
_CONNECT_SECONDS = 30.0
#: a peer that is gone is noticed though it sends nothing
_CHANNEL = [("grpc.keepalive_time_ms", 60_000), ("grpc.keepalive_timeout_ms", 60_000)]


class Place(Struct, frozen=True):
    """Where the server is: the output's url, and what its other keys add."""

    url: str
    host: str
    port: int
    token: str | None
    tls: bool
    authority: Path | None
    certificate: Path | None
    key: Path | None
    seconds: float

    @property
    def shown(self) -> str:
        """The address in messages."""
        return f"{self.host}:{self.port}"


def place_of(settings: Mapping[str, object], root: Path) -> Place:
    """The place that an output names. Raises Mistakes."""
    url = str(settings["url"])
    address, _, rest = url.partition("/;")
    parts = urlsplit(address)
    if parts.scheme != "sc" or not parts.hostname:
        hint = 'Write url: "sc://host:15002".'
        raise Mistakes([UNSUPPORTED_TARGET(what="a Spark Connect url of that form", hint=hint)])
    said = dict(pair.partition("=")[::2] for pair in rest.split(";") if pair)
    token = settings.get("token") or unquote(said.get("token", "")) or None
    tls = settings.get("use_ssl")
    if tls is None:
        tls = said.get("use_ssl", "").lower() == "true"
    if settings.get("verify_server") is False:
        hint = "Name the authority of the server's certificate: ca_cert: path/to/ca.pem."
        raise Mistakes(
            [UNSUPPORTED_TARGET(what='"verify_server: false" with method: connect', hint=hint)]
        )

    def file(name: str) -> Path | None:
        return None if settings.get(name) is None else root / str(settings[name])

    return Place(
        url,
        parts.hostname,
        parts.port or _PORT,
        None if token is None else str(token),
        bool(tls) or (token is not None and parts.hostname != "localhost"),
        file("ca_cert"),
        file("client_cert"),
        file("client_key"),
        float(str(settings.get("connect_timeout") or _CONNECT_SECONDS)),
    )


def knock(place: Place) -> None:
    """Try a plain connection first: of one that fails, gRPC says neither why nor soon."""
    try:
        with socket.create_connection((place.host, place.port), place.seconds) as plain:
            if not place.tls:
                return
            context = ssl.create_default_context(cafile=place.authority)
            if place.certificate:
                context.load_cert_chain(place.certificate, place.key)
            context.set_alpn_protocols(["h2"])
            with context.wrap_socket(plain, server_hostname=place.host):
                return
    except ssl.SSLError as error:
        why = error.reason or error.strerror or ""
        raise Mistakes(
            [CERTIFICATE_REFUSED(place=place.shown, reason=why, host=place.host)]
        ) from None
    except FileNotFoundError as error:
        names, why = [str(error.filename)], str(error.strerror)
        raise Mistakes([UNREADABLE_CERTIFICATE(names=names, reason=why)]) from None
    except OSError as error:
        raise Mistakes([not_opened(place, error)]) from None


def channel_builder(place: Place, settings: Mapping[str, object]) -> _Grpc:
    """What opens the channel of a session, verified and signed in as the output says."""

    class Builder(DefaultChannelBuilder):  # type: ignore[misc]
        """PySpark's, with an authority of the user's own."""

        def toChannel(self) -> _Grpc:  # noqa: N802 - PySpark's name
            if place.token is not None:
                self.set(self.PARAM_TOKEN, place.token)
            if not place.tls:
                return super().toChannel()
            files = (place.authority, place.key, place.certificate)
            credentials = grpc.ssl_channel_credentials(
                *(None if path is None else path.read_bytes() for path in files)
            )
            if place.token is not None:
                call = grpc.access_token_call_credentials(place.token)
                credentials = grpc.composite_channel_credentials(credentials, call)
            return self._secure_channel(self.endpoint, credentials)

    # gRPC's word for how long a connection may take to stand
    patience = ("grpc.min_reconnect_backoff_ms", int(place.seconds * 1000))
    builder = Builder(place.url, channelOptions=[*_CHANNEL, patience])
    if settings.get("user") is not None:
        builder.set(builder.PARAM_USER_ID, str(settings["user"]))
    return builder


def not_opened(place: Place, error: Exception) -> Mistake:
    """What went wrong, as the user may mend it."""
    text = str(error)
    if "UNAUTHENTICATED" in text or "PERMISSION_DENIED" in text:
        return SIGN_IN_REFUSED(place=place.shown, who="the token")
    if isinstance(error, ConnectionRefusedError):
        return not_there(SERVER, "connect", place.host, place.port)
    if isinstance(error, socket.gaierror):
        return HOST_UNKNOWN(engine=SERVER, place=place.shown, reason=error.strerror or "")
    if _SLOW.search(text):
        return NO_ANSWER(engine=SERVER, place=place.shown, seconds=f"{place.seconds:g}")
    return UNREACHABLE(engine=SERVER, reason=f"{place.shown}: {first_line(text)}")


def first_line(text: str) -> str:
    """What went wrong, out of gRPC's description of a request that failed."""
    details = _DETAILS.search(text)
    return (details[1] if details else reason_of(text)).splitlines()[0]
