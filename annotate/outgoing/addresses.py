"""Addresses that people name: how they are written, and the machines that they lead to."""

import ipaddress
import os
import socket
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

from annotate.outgoing.networks import IpAddress

LONGEST = 500  # characters
LONGEST_LABEL = 63  # characters between two dots of a machine's name. Source: RFC 1035, section 2.3.4


class NotSent(RuntimeError):
    """No answer came, or the request was not even sent; the message says why.

    `again`: another try may help. `free`: nothing was sent.
    """

    def __init__(self, message: str, *, again: bool = False, free: bool = False) -> None:
        super().__init__(message)
        self.again = again
        self.free = free


def tidy_address(written: str) -> str:
    """An address of a service as it is stored: scheme, host, port and path.

    Raises ValueError, with the reason, for one that is no http or https address or holds a password or a query.
    """
    given = written.strip()
    try:
        parts = urlsplit(given)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"{given[:80]!r} is no address") from None
    if parts.scheme not in ("http", "https") or not host or len(given) > LONGEST or not given.isprintable():
        raise ValueError(f"{given[:80]!r} is no address that begins with http:// or https://")
    if not all(0 < len(label) <= LONGEST_LABEL for label in host.removesuffix(".").split(".")):
        raise ValueError(f"{given[:80]!r} holds a name that is empty or longer than {LONGEST_LABEL} characters")
    if " " in given or not given.isascii():
        raise ValueError(f"{given[:80]!r} holds characters that no address has")
    if parts.username is not None or parts.password is not None:
        raise ValueError("a name or a password has no place in an address: everybody who sees the history would see it")
    if parts.query or parts.fragment:
        raise ValueError(f"{given[:80]!r} holds a ? or a #, which an address here may not")
    named = f"[{host}]" if ":" in host else host
    at = f"{named}:{port}" if port else named
    return urlunsplit((parts.scheme, at, parts.path, "", ""))


def switched_on(variable: str) -> bool:
    """Whether the person who runs Keyline has set this variable of the environment to 1."""
    return os.environ.get(variable) == "1"


def resolved(host: str, port: int, allowed: Callable[[IpAddress], bool]) -> list[str]:
    """The addresses of a host, as text, all of which must be allowed. Raises NotSent.

    The caller connects to one of these, not to the name: a name that is asked twice may lead to two machines.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise NotSent(f"{host} is not found ({error.strerror or error})") from None
    except UnicodeError:
        raise NotSent(f"{host} is no name that a machine can have") from None
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    for text in addresses:
        if not allowed(ipaddress.ip_address(text.partition("%")[0])):
            raise NotSent(f"{host} leads to {text}, which Keyline does not send to")
    return addresses
