"""Where somebody comes from: an address that is looked at once, and kept only as a digest."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

LOOPBACK = ("127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Trust:
    """Whose word is taken for where a request comes from.

    Attributes
    ----------
    header
        The one header that is read; none when empty.
    proxies
        The addresses from which it is believed.
    """

    header: str = ""
    proxies: tuple[str, ...] = LOOPBACK

    def believes(self, peer: str) -> bool:
        """Return whether a peer is the proxy."""
        return bool(self.header) and plain(peer) in {plain(proxy) for proxy in self.proxies}


def client_of(peer: str, said: Sequence[str], trust: Trust) -> str:
    """Return the client's address: the peer's, or what a trusted proxy says of it.

    A proxy adds the address that it saw at the end of the header; what stands before that came
    with the request and may be anything. When the end is no address, the proxy's own counts.
    """
    if not said or not trust.believes(peer):
        return plain(peer)
    last = said[-1].rpartition(",")[2].strip()
    try:
        return plain(str(ip_address(last)))
    except ValueError:
        return plain(peer)


def plain(address: str) -> str:
    """Return an address in one spelling: without a zone, IPv4 as IPv4."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(found)


def neighbourhood(address: str) -> str:
    """Return what counts as one place: an IPv4 address, or an IPv6 network of 64 bits.

    Who has one IPv6 address usually has the rest of its network as well.
    """
    try:
        found = ip_address(plain(address))
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return str(ip_network((found, 64), strict=False))
    return str(found)


def sealed(address: str, key: bytes) -> str:
    """Return the digest under which an address is counted; without the key it says nothing."""
    return f"hmac-sha256:{hmac.digest(key, neighbourhood(address).encode(), 'sha256').hex()}"
