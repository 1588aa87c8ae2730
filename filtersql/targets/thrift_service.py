"""A connection to a Spark Thrift server on which requests can be made, or why there is none.

Example
    service, opened = service_of(to)
    session = service.open_session(to.user, settings)
"""

from __future__ import annotations

import re
import socket
import ssl
from contextlib import suppress
from typing import Any

from impala._thrift_api import ThriftClient
from impala.hiveserver2 import HS2Service
from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.reaching import HOST_UNKNOWN
from filtersql.errors.targets import (
    CERTIFICATE_REFUSED,
    NO_ANSWER,
    NO_TICKET,
    SIGN_IN_REFUSED,
    UNREACHABLE,
)
from filtersql.targets.starting import not_there
from filtersql.targets.transports import Address, transport

__all__ = ["SERVER", "not_opened", "service_of"]

#: how messages call it
SERVER = "the Spark Thrift server"
_NOT_KNOWN = ("validating the login", "HTTP 401", "HTTP 403")
#: what Kerberos' library says: of what kind, and why
_NO_TICKET = re.compile(r"\(\('.*', -?\d+\), \(['\"](.*)['\"], -?\d+\)\)")
_OTHER_WAY = "The server may use another auth or transport, or TLS."


def service_of(to: Address) -> tuple[Any, Any]:
    """A connection on which requests can be made, and the part that has a timeout."""
    whole, timed = transport(to)
    timed.setTimeout(to.connect_timeout * 1000)
    try:
        whole.open()
    except Exception as error:
        with suppress(Exception):
            whole.close()
        raise Mistakes([not_opened(to, error, to.connect_timeout)]) from None
    timed.setTimeout(to.answer_timeout * 1000)
    return HS2Service(ThriftClient(TBinaryProtocolAccelerated(whole)), retries=1), whole


def not_opened(to: Address, error: BaseException, seconds: float) -> Mistake:
    """What went wrong, without what was sent: it may hold the password."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, TimeoutError):
            return NO_ANSWER(engine=SERVER, place=to.shown, seconds=f"{seconds:g}")
        if isinstance(seen, ConnectionRefusedError):
            return not_there(SERVER, "thrift", to.host, to.port)
        if isinstance(seen, socket.gaierror):
            return HOST_UNKNOWN(engine=SERVER, place=to.shown, reason=seen.strerror or "")
        if isinstance(seen, ssl.SSLError):
            return CERTIFICATE_REFUSED(
                place=to.shown, reason=seen.reason or seen.strerror or "", host=to.host
            )
        seen = seen.__cause__ or seen.__context__ or getattr(seen, "inner", None)
    text = str(error) or type(error).__name__
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return CERTIFICATE_REFUSED(place=to.shown, reason=text, host=to.host)
    if any(words in text for words in _NOT_KNOWN):
        who = "the token" if to.user is None else f'the user "{to.user}" (auth: {to.auth})'
        return SIGN_IN_REFUSED(place=to.shown, who=who)
    if found := _NO_TICKET.search(text):
        return NO_TICKET(place=to.shown, reason=found[1], service=to.service)
    # A server that answers in words understood the sign-in.
    hint = None if "Failed to open new session" in text else _OTHER_WAY
    reason = f"{to.shown}: {text.splitlines()[0]}"
    return UNREACHABLE(engine=SERVER, reason=reason, hint=hint)
