"""An identity provider of OpenID Connect for tests: a real one, in a process of its own, that lets in whoever asks."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import requests

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
