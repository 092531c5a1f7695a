"""Addresses that people name: how they are written, and which machines they may lead to."""

import ipaddress
import os
import socket
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

from annotate.outward.errors import NotSent

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
LONGEST = 500  # characters
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052: the last four bytes are an IPv4 address


def tidy_address(written: str) -> str:
    """An address of a service as it is stored: scheme, host, port and path, without a slash at its end.

    Raises ValueError, with what is wrong, for one that is no http or https address or holds a password or a query.
    """
    given = written.strip()
    try:
        parts = urlsplit(given)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(f"{given[:80]!r} is no address") from None
    if parts.scheme not in ("http", "https") or not host or len(given) > LONGEST or not given.isprintable():
        raise ValueError(f"{given[:80]!r} is no address that begins with http:// or https://")
    if " " in given or not given.isascii():
        raise ValueError(f"{given[:80]!r} holds characters that no address has")
    if parts.username is not None or parts.password is not None:
        raise ValueError("a name or a password has no place in an address: everybody who sees the history would see it")
    if parts.query or parts.fragment:
        raise ValueError(f"{given[:80]!r} holds a ? or a #, which an address here may not")
    named = f"[{host}]" if ":" in host else host
    at = f"{named}:{port}" if port else named
    return urlunsplit((parts.scheme, at, parts.path.rstrip("/"), "", ""))


def host_of(address: str) -> str:
    """The host that an address names."""
    return urlsplit(address).hostname or ""


def not_link_local(ip: IpAddress) -> bool:
    """Whether an address is of a machine that a service may run on, this one included: not of a cloud's metadata
    (link-local), of many machines at once, or of none."""
    return ip.is_loopback or not (ip.is_link_local or ip.is_multicast or ip.is_unspecified or ip.is_reserved)


def is_public(ip: IpAddress) -> bool:
    """Whether an address is of the internet, and not of this machine or the network behind the firewall."""
    return ip.is_global and not ip.is_multicast


def switched_on(variable: str) -> bool:
    """Whether whoever runs Keyline has set this variable of the environment to 1."""
    return os.environ.get(variable) == "1"


def resolved(host: str, port: int, allowed: Callable[[IpAddress], bool]) -> list[str]:
    """The addresses of a host, as text, all of which must be allowed. Raises NotSent.

    The caller connects to one of these, not to the name: a name that is asked twice may lead to two machines.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise NotSent(f"{host} is not found ({error.strerror or error})") from None
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    for text in addresses:
        if not allowed(_plain(ipaddress.ip_address(text.partition("%")[0]))):
            raise NotSent(f"{host} leads to {text}, which Keyline does not send to")
    return addresses


def _plain(ip: IpAddress) -> IpAddress:
    """The IPv4 address that an IPv6 address stands for, where it does."""
    if isinstance(ip, ipaddress.IPv4Address):
        return ip
    if ip in NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip
