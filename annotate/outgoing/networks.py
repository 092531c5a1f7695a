"""The networks that are not of the internet, each with the reason: which machines a request may go to.

A list of Keyline's own, after IANA's registries of special-purpose addresses (RFC 6890 and its successors, both
families): what Python's `ipaddress` holds for global is another list with each of its versions.
"""

import ipaddress
from dataclasses import dataclass
from enum import StrEnum

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
# Two dresses of an IPv4 address that are in use: RFC 4291 and RFC 6052. The older ones are refused as networks below.
_DRESSES = (ipaddress.IPv6Network("::ffff:0:0/96"), ipaddress.IPv6Network("64:ff9b::/96"))


class Holds(StrEnum):
    """What a network that is not of the internet holds."""

    SERVICES = "machines behind the firewall, or this one: a service may run there, if somebody names it"
    NO_SERVICE = "no machine, many at once, or what a cloud tells its machines: never sent to"


@dataclass(frozen=True, slots=True)
class Network:
    """A network that is not of the internet: what it holds, and why it is in the list."""

    network: ipaddress.IPv4Network | ipaddress.IPv6Network
    holds: Holds
    why: str


def _services(network: str, why: str) -> Network:
    return Network(ipaddress.ip_network(network), Holds.SERVICES, why)


def _no_service(network: str, why: str) -> Network:
    return Network(ipaddress.ip_network(network), Holds.NO_SERVICE, why)


# A network within another one stands apart where it holds something else; the smallest one counts.
NETWORKS = (
    _no_service("0.0.0.0/8", "this network (RFC 791); systems take 0.0.0.0 for this machine"),
    _services("10.0.0.0/8", "private (RFC 1918)"),
    _services("100.64.0.0/10", "shared by a provider's customers, and by virtual networks (RFC 6598)"),
    _no_service("100.100.100.200/32", "metadata of Alibaba's cloud"),
    _services("127.0.0.0/8", "this machine (RFC 1122)"),
    _no_service("168.63.129.16/32", "the host of a machine in Azure, which tells it its settings"),
    _no_service("169.254.0.0/16", "link-local (RFC 3927); metadata of most clouds"),
    _services("172.16.0.0/12", "private (RFC 1918)"),
    _no_service("192.0.0.0/24", "protocols of the IETF (RFC 6890); metadata of Oracle's cloud"),
    _no_service("192.0.2.0/24", "for documentation (RFC 5737)"),
    _no_service("192.88.99.0/24", "relays of 6to4, which is given up (RFC 7526)"),
    _services("192.168.0.0/16", "private (RFC 1918)"),
    _services("198.18.0.0/15", "for tests of networks (RFC 2544)"),
    _no_service("198.51.100.0/24", "for documentation (RFC 5737)"),
    _no_service("203.0.113.0/24", "for documentation (RFC 5737)"),
    _no_service("224.0.0.0/4", "many machines at once (RFC 5771)"),
    _no_service("240.0.0.0/4", "kept back (RFC 1112), and all machines at once (RFC 919)"),
    _no_service("::/3", "kept back (RFC 4291), with IPv4 in dresses given up and local translators (RFC 8215)"),
    _services("::1/128", "this machine (RFC 4291)"),
    _no_service("2001::/23", "protocols of the IETF (RFC 2928), with Teredo (RFC 4380)"),
    _no_service("2001:db8::/32", "for documentation (RFC 3849)"),
    _no_service("2002::/16", "6to4, which is given up (RFC 7526) and stands for any IPv4 address"),
    _no_service("3fff::/20", "for documentation (RFC 9637)"),
    _no_service("4000::/2", "kept back (RFC 4291), with identifiers of segments (RFC 9602)"),
    _no_service("8000::/1", "kept back (RFC 4291), with many machines at once (ff00::/8)"),
    _services("fc00::/7", "private (RFC 4193)"),
    _no_service("fd00:42::42/128", "metadata of Scaleway's cloud"),
    _no_service("fd00:ec2::/32", "metadata and keys of Amazon's cloud"),
    _no_service("fd20:ce::254/128", "metadata of Google's cloud"),
    _no_service("fe80::/10", "link-local (RFC 4291)"),
    _services("fec0::/10", "private, as it was before RFC 3879"),
)


def is_public(ip: IpAddress) -> bool:
    """Whether an address is of the internet: of none of the networks here, also behind the dress of another family."""
    return _network_of(ip) is None


def may_run_services(ip: IpAddress) -> bool:
    """Whether a service may run at an address, on this machine or behind the firewall too: not where a cloud tells its
    machines their settings and keys, nor at an address of many machines or of none."""
    found = _network_of(ip)
    return found is None or found.holds is Holds.SERVICES


def _network_of(ip: IpAddress) -> Network | None:
    # The IPv4 address that an IPv6 address stands for, where it does.
    dressed = isinstance(ip, ipaddress.IPv6Address) and any(ip in each for each in _DRESSES)
    plain = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if dressed else ip
    found = [each for each in NETWORKS if plain.version == each.network.version and plain in each.network]
    return max(found, key=lambda each: each.network.prefixlen, default=None)
