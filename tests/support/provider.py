"""An identity provider of OpenID Connect for tests: a real one, in a process of its own, that lets in whoever asks."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import requests
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from tests.support.answering import Answering, answering
from tests.support.browser import free_port
from tests.support.waiting import wait_until


@dataclass(frozen=True)
class Provider:
    """A running provider, by its address."""

    address: str

    def says(self, subject: str, **claims: Any) -> None:
        """What it tells of a person, from their next login on."""
        requests.put(f"{self.address}/users/{subject}", json=claims, timeout=10).raise_for_status()

    def answers(self) -> bool:
        """Whether it runs."""
        try:
            return requests.get(f"{self.address}/.well-known/openid-configuration", timeout=1).ok
        except requests.ConnectionError:
            return False


@contextmanager
def providing() -> Iterator[Provider]:
    """A running provider that knows Anna by the subject 1."""
    port = free_port()
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        provider = Provider(f"http://127.0.0.1:{port}")
        wait_until(provider.answers)
        provider.says("1", name="Anna", email="anna@example.org")
        yield provider
    finally:
        process.kill()
        process.wait()


class _Forging(Answering):
    """Stands before a provider, and signs its ID tokens again, with other claims or by another key than it names."""

    behind: str
    forged: dict[str, Any]
    keys: tuple[RSAKey, RSAKey]

    def do_GET(self) -> None:
        self.pass_on("GET", b"")

    def do_POST(self) -> None:
        self.pass_on("POST", self.body())

    def pass_on(self, method: str, sent: bytes) -> None:
        """What the provider answers, under this address."""
        if self.path == "/jwks":
            return self.answer_json({"keys": [self.keys[0].as_dict(private=False)]})
        url, headers = f"{self.behind}{self.path}", dict(self.headers)
        got = requests.request(method, url, data=sent, headers=headers, timeout=10, allow_redirects=False)
        if self.path != "/oauth2/token":
            kept = {name: got.headers[name] for name in ("Content-Type", "Location") if name in got.headers}
            return self.answer(got.status_code, got.content, kept)
        tokens, claims = got.json(), dict(self.forged)
        key = self.keys[claims.pop("key", 0)]
        said = jwt.decode(tokens["id_token"], self.real_keys()).claims | claims
        return self.answer_json(tokens | {"id_token": jwt.encode({"alg": "RS256", "kid": "1"}, said, key)})

    def real_keys(self) -> KeySet:
        """By which the provider itself signs."""
        return KeySet.import_key_set(requests.get(f"{self.behind}/jwks", timeout=10).json())


@contextmanager
def forging(provider: Provider) -> Iterator[tuple[Provider, dict[str, Any]]]:
    """(the provider under another address, the claims that it then forges, to be changed between logins)."""
    forged: dict[str, Any] = {}
    keys = tuple(RSAKey.generate_key(2048, parameters={"kid": "1"}) for _ in range(2))
    with answering(
        type("Forging", (_Forging,), {"behind": provider.address, "forged": forged, "keys": keys})
    ) as address:
        yield Provider(address), forged
