"""Where somebody comes from: only the proxy is believed, and only a digest is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.serve.origins import Trust, client_of, neighbourhood, sealed

PROXY = Trust("X-Forwarded-For", ("10.0.0.1",))
ADDRESSES = st.ip_addresses().map(str)


@given(ADDRESSES, st.lists(st.text() | ADDRESSES, max_size=3))
def test_nobody_but_the_proxy_is_believed(peer: str, said: list[str]) -> None:
    """What a client writes into the header changes nothing."""
    if peer != "10.0.0.1":
        assert client_of(peer, said, PROXY) == client_of(peer, [], PROXY)
    assert client_of(peer, said, Trust()) == client_of(peer, [], Trust())


@given(st.text(), ADDRESSES.filter(lambda each: "." in each))
def test_the_proxy_is_believed_in_what_it_added(before: str, address: str) -> None:
    """Only the end of the header counts; what the client sent stands before it."""
    assert client_of("10.0.0.1", [f"{before}, {address}"], PROXY) == address
    assert client_of("10.0.0.1", [before, address], PROXY) == address


@pytest.mark.parametrize("said", [[], [""], ["somebody"], ["1.2.3.4, unknown"], ["1.2.3.4:99"]])
def test_without_an_address_at_the_end_the_proxy_counts(said: list[str]) -> None:
    """Never is something that the client may have written taken instead."""
    assert client_of("10.0.0.1", said, PROXY) == "10.0.0.1"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1.2.3.4", "::ffff:1.2.3.4", True),
        ("1.2.3.4", "1.2.3.5", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("", "1.2.3.4", False),
    ],
)
def test_one_household_is_one_place(one: str, other: str, same: bool) -> None:
    """An IPv4 address, or an IPv6 network; in whatever spelling."""
    assert (neighbourhood(one) == neighbourhood(other)) is same
    assert (sealed(one, b"k") == sealed(other, b"k")) is same


def test_a_digest_needs_its_key() -> None:
    """Under another key the same address has another digest, and none contains the address."""
    assert sealed("1.2.3.4", b"one") != sealed("1.2.3.4", b"two")
    assert "1.2.3.4" not in sealed("1.2.3.4", b"one")
