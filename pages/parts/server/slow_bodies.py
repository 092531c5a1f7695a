"""Requests whose body does not come: each would hold its connection, and what the server keeps for it, without end."""

import asyncio
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.parts.server.site_gate import API, READING

# The reader's browser gives up after 15 s itself and sends again.
BODY_SECONDS = 20.0
# A full text of 20 MB may come over a slow line. Streamlit takes it only from open tabs, the API only from people who
# may import; UploadLimit counts Streamlit's bytes, the route the API's.
UPLOADS = ("/_stcore/upload_file/", f"{API}/imports")


@dataclass
class BodyInTime:
    """ASGI middleware: a body that is not whole BODY_SECONDS after its request began is answered with 408."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on, with a limit to how long the body is waited for."""
        if scope["type"] != "http" or scope["method"] in READING or scope["path"].startswith(UPLOADS):
            await self.app(scope, receive, send)
            return
        until, is_whole = asyncio.get_running_loop().time() + BODY_SECONDS, False

        async def in_time() -> Message:
            nonlocal is_whole
            if is_whole:  # from now on only the end of the connection can come
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(408, "the request did not come in time", {"Connection": "close"}) from error
            is_whole = not message.get("more_body")
            return message

        await self.app(scope, in_time, send)
