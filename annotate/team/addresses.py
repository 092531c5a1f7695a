"""Addresses that people come from: what counts as one of them, and which are of proxies that are believed."""

import ipaddress
import os

TRUSTED_PROXY = "KEYLINE_TRUSTED_PROXY"
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def counted_place(address: str) -> str:
    """What attempts from an address count for: with IPv6 its /64, of which one connection has all addresses."""
    try:
        place = _plain(address)
    except ValueError:
        return address
    if isinstance(place, ipaddress.IPv4Address):
        return str(place)
    return str(ipaddress.ip_network((place, 64), strict=False))


def trusted_proxies() -> list[Network]:
    """The proxies that are believed when they name a client: KEYLINE_TRUSTED_PROXY, addresses and networks apart by
    commas.

    Raises ValueError for anything else.
    """
    written = [part.strip() for part in os.environ.get(TRUSTED_PROXY, "").split(",")]
    try:
        return [ipaddress.ip_network(part, strict=False) for part in written if part]
    except ValueError as error:
        raise ValueError(f"{TRUSTED_PROXY} must be addresses or networks, separated by commas: {error}") from None


def is_trusted_proxy(host: str) -> bool:
    """Whether this is the address of a proxy whose word is believed."""
    try:
        place = _plain(host)
    except ValueError:
        return False
    return any(place.version == proxy.version and place in proxy for proxy in trusted_proxies())


def _plain(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An IPv4 address also where a socket of both families shows it as one of IPv6."""
    place = ipaddress.ip_address(address.partition("%")[0])
    return place if isinstance(place, ipaddress.IPv4Address) else place.ipv4_mapped or place
