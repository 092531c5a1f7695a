"""An identity provider of OpenID Connect for tests: it lets in whoever `person` says, and signs its ID tokens."""

import base64
import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.support.answering import Answering, answering

CLIENT_ID, CLIENT_SECRET = "keyline", "a secret of the provider"


class Provider:
    """What the provider says of whoever logs in next; can be changed between logins."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, parameters={"kid": "1"})
        self.person: dict[str, Any] = {"sub": "1", "name": "Anna", "email": "anna@example.org"}
        self.codes: dict[str, dict[str, str]] = {}
        self.address = ""

    def metadata(self) -> dict[str, Any]:
        """The discovery document."""
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser is sent: back, with a code."""
        code = f"code{len(self.codes)}"
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, form: dict[str, str]) -> dict[str, Any] | None:
        """The tokens of a code, once; None where the proof of its owner is wrong."""
        asked = self.codes.pop(form.get("code", ""), None)
        if asked is None:
            return None
        if challenge := asked.get("code_challenge"):
            proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            if base64.urlsafe_b64encode(proof).rstrip(b"=").decode() != challenge:
                return None
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT_ID, "iat": now, "exp": now + 3600, "nonce": asked["nonce"]}
        signed = jwt.encode({"alg": "RS256", "kid": "1"}, claims | self.person, self.key)
        return {"access_token": "x", "token_type": "Bearer", "expires_in": 3600, "id_token": signed}


class _Handler(Answering):
    provider: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
            self.answer(302, headers={"Location": self.provider.authorize(asked)})
        elif parts.path == "/jwks":
            self.answer_json({"keys": [self.provider.key.as_dict(private=False)]})
        else:
            self.answer_json(self.provider.metadata())

    def do_POST(self) -> None:
        sent = parse_qs(self.body().decode())
        tokens = self.provider.token({name: values[0] for name, values in sent.items()})
        self.answer_json(tokens or {"error": "invalid_grant"}, 200 if tokens else 400)


@contextmanager
def providing() -> Iterator[Provider]:
    """A running provider."""
    provider = Provider()
    with answering(type("Handler", (_Handler,), {"provider": provider})) as address:
        provider.address = address
        yield provider
