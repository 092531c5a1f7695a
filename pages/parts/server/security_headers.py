"""What every answer tells the browser: fetch nothing from elsewhere, show this page in no frame, guess no type."""

from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.parts.server.first_page import script_hashes
from pages.parts.server.site_gate import is_https

# Streamlit writes styles into its elements, and loads components and workers from blob:. No text becomes a script.
POLICY = (
    f"script-src 'self' blob: {' '.join(script_hashes())}; worker-src 'self' blob:; "
    "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; "
    "frame-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
ONLY_HTTPS = {"Strict-Transport-Security": "max-age=31536000; includeSubDomains"}


@dataclass
class SecurityHeaders:
    """ASGI middleware: adds HEADERS to every answer that does not set its own."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on; answers with the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in (HEADERS | (ONLY_HTTPS if is_https(scope["scheme"]) else {})).items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)
