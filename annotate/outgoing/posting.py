"""One POST request to an address that somebody named: no redirects, no proxy, a bound on its time and on its answer.

httpcore and not a library above it, since only it lets one say which machine to connect to.
"""

import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpcore2

from annotate.outgoing.addresses import NotSent, resolved
from annotate.outgoing.networks import IpAddress

AGENT = "Keyline (key sentences of biomedical articles)"
CONNECT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """The response; the names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def good(self) -> bool:
        """Whether the status says so."""
        return 200 <= self.status < 300


def post(
    address: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    allowed: Callable[[IpAddress], bool],
    seconds: float,
    most_bytes: int | None,
) -> Answer:
    """Sends JSON and returns the whole answer, with any status; a redirect is an answer like any other.

    All of it, from the connection to the last byte, may take `seconds` seconds. If the body is not wanted, with None
    for `most_bytes`, only the head is waited for. Raises NotSent.
    """
    own = {"User-Agent": AGENT, "Content-Type": "application/json", "Accept": "application/json"}
    sent: list[tuple[bytes | str, bytes | str]] = [*own.items(), *headers.items()]
    backend = _Bounded(allowed, time.monotonic() + seconds)
    extensions = {"timeout": {"connect": CONNECT_SECONDS, "read": seconds, "write": seconds, "pool": seconds}}
    try:
        with (
            httpcore2.ConnectionPool(ssl_context=_tls(), network_backend=backend) as pool,
            pool.stream("POST", address, headers=sent, content=body, extensions=extensions) as response,
        ):
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            return Answer(response.status, headers, _whole(response.iter_stream(), most_bytes))
    except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
        raise NotSent(f"it cannot be reached ({_words(error)})", again=True, free=True) from None
    except httpcore2.TimeoutException:
        raise NotSent(f"no whole answer within {seconds:g} s", again=True) from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
        raise NotSent(f"the connection failed ({_words(error)})", again=True) from None


def _words(error: Exception) -> str:
    return str(error)[:200] or type(error).__name__


def _whole(chunks: Iterable[bytes], most_bytes: int | None) -> bytes:
    body = bytearray()
    if most_bytes is None:
        return b""
    for chunk in chunks:
        body += chunk
        if len(body) > most_bytes:
            raise NotSent(f"the answer is larger than {most_bytes:,} bytes")
    return bytes(body)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class _Bounded(httpcore2.SyncBackend):
    """Connects only to machines that are allowed, and lets nothing last beyond the deadline."""

    def __init__(self, allowed: Callable[[IpAddress], bool], deadline: float) -> None:
        self._allowed, self._deadline = allowed, deadline

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, *rest: Any, **named: Any) -> Any:
        """A connection to the first of the host's addresses that takes one."""
        failed: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in resolved(host, port, self._allowed):
            try:
                stream = super().connect_tcp(address, port, _less(timeout, self._deadline), *rest, **named)
            except (httpcore2.NetworkError, httpcore2.TimeoutException) as error:
                failed = error
            else:
                return _BoundedStream(stream, self._deadline)
        raise failed


class _BoundedStream(httpcore2.NetworkStream):
    """A connection whose every step ends at the deadline."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: float) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """As the stream's own."""
        return self._stream.read(max_bytes, _less(timeout, self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """As the stream's own."""
        self._stream.write(buffer, _less(timeout, self._deadline))

    def close(self) -> None:
        """As the stream's own."""
        self._stream.close()

    def start_tls(self, ssl_context: ssl.SSLContext, *rest: Any, **named: Any) -> "_BoundedStream":
        """As the stream's own."""
        return _BoundedStream(self._stream.start_tls(ssl_context, *rest, **named), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """As the stream's own."""
        return self._stream.get_extra_info(info)


def _less(timeout: float | None, deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout
    return left if timeout is None else min(timeout, left)
