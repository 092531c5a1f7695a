"""Which addresses are of the internet: a table of what is not, in every dress, and real ones that are."""

import ipaddress

import pytest

from annotate.outgoing.addresses import NotSent, resolved
from annotate.outgoing.networks import NETWORKS, is_public, may_run_services

OF_THE_INTERNET = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "193.62.193.80",
    "130.14.29.110",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2606:2800:220:1:248:1893:25c8:1946",
    "2a00:1450:4001:82a::200e",
    "2001:200::1",
    "2001:db7:ffff::1",
    "2001:db9::1",
    "2003::1",
    "3ffe:ffff::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
]
# Of a service that somebody names: behind the firewall, or on this machine.
BEHIND = [
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "198.18.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::192.168.0.1",
    "fc00::1",
    "fd00::1",
    "fdff:ffff::1",
    "fec0::1",
]
OF_NO_SERVICE = [
    "0.0.0.0",
    "0.1.2.3",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "192.0.0.1",
    "192.0.0.8",
    "192.0.0.9",
    "192.0.0.170",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::7f00:1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:0:127.0.0.1",
    "::ffff:0.0.0.0",
    "::ffff:100.100.100.200",
    "::ffff:168.63.129.16",
    "::ffff:169.254.169.254",
    "64:ff9b::169.254.169.254",
    "64:ff9b::100.100.100.200",
    "64:ff9b:1::1",
    "64:ff9b:1::7f00:1",
    "64:ff9b:1:ffff::8.8.8.8",
    "100::1",
    "100:0:0:1::1",
    "1fff::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:1ff:ffff::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "2002:808:808::1",
    "3fff::1",
    "3fff:fff:ffff::1",
    "4000::1",
    "5f00::1",
    "9000::1",
    "fd00:ec2::23",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fd00:42::42",
    "fe00::1",
    "fe80::1",
    "febf::1",
    "ff02::1",
]


@pytest.mark.parametrize("text", OF_THE_INTERNET)
def test_an_address_of_the_internet_passes(text):
    ip = ipaddress.ip_address(text)
    assert is_public(ip) and may_run_services(ip)


@pytest.mark.parametrize("text", BEHIND)
def test_what_is_behind_the_firewall_is_of_a_service_and_not_of_the_internet(text):
    ip = ipaddress.ip_address(text)
    assert not is_public(ip) and may_run_services(ip)


@pytest.mark.parametrize("text", OF_NO_SERVICE)
def test_an_address_of_no_service_is_never_sent_to(text):
    ip = ipaddress.ip_address(text)
    assert not is_public(ip) and not may_run_services(ip)
    with pytest.raises(NotSent, match="does not send to"):
        resolved(text, 80, may_run_services)


def test_every_network_of_the_table_says_why_and_is_refused():
    for each in NETWORKS:
        assert len(each.why) > 5
        assert not is_public(each.network[0]) and not is_public(each.network[-1]), each


@pytest.mark.parametrize("told", [True, False])
def test_what_this_python_holds_an_address_for_does_not_matter(monkeypatch, told):
    for kind in (ipaddress.IPv4Address, ipaddress.IPv6Address):
        for name in ("is_global", "is_private", "is_reserved", "is_link_local", "is_loopback", "is_multicast"):
            monkeypatch.setattr(kind, name, told)
    assert is_public(ipaddress.ip_address("1.1.1.1")) and not is_public(ipaddress.ip_address("192.0.0.8"))
    assert may_run_services(ipaddress.ip_address("::1")) and not may_run_services(ipaddress.ip_address("fe80::1"))
