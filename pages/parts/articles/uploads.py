"""What uploads may cost: bytes of all files of one session, which Streamlit keeps in memory, and space on the disk."""

import re
import shutil
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotate.project.acting import ANONYMOUS, NOBODY, Auth, Forbidden, acting, allowed, auth
from annotate.project.home import folder, look_up
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right
from pages.parts.frame.streamlit_internals import UPLOAD_PATH, UploadedFile, remove_upload, uploaded_bytes
from pages.parts.frame.who import actor_of_tab

# Streamlit's server.maxUploadSize bounds one file; of how many there are it keeps no count.
SESSION_BYTES = 200_000_000
# Uploads are written to the database's disk, which must go on taking verdicts.
FREE_BYTES = 2_000_000_000


def disk_is_short() -> bool:
    """Whether the data folder has less free space than an upload must leave."""
    return shutil.disk_usage(folder("uploads")).free < FREE_BYTES


def keep_files(files: Iterable[tuple[str, bytes | memoryview]]) -> dict[str, str]:
    """Writes (name, content) of uploads into a folder of their own, under other names; returns {path: name}."""
    target = folder("uploads") / uuid.uuid4().hex
    target.mkdir()
    paths = {}
    for number, (name, content) in enumerate(files):
        suffix = "".join(re.findall(r"\.[A-Za-z0-9]{1,5}", name)[-2:]).lower()
        path = target / f"{number:05d}{suffix}"
        path.write_bytes(content)
        paths[str(path)] = name
    return paths


@contextmanager
def kept_table(name: str, content: bytes | memoryview) -> Iterator[Path]:
    """A file of an upload for as long as it is read; a ValueError names it as its owner does."""
    (path,) = map(Path, keep_files([(name, content)]))
    try:
        yield path
    except ValueError as error:
        raise ValueError(str(error).replace(path.name, name)) from error
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)


def may_upload(session_id: str) -> bool:
    """Whether the person of this tab may import: files of anybody would fill the memory."""
    if auth() is Auth.OFF:
        return True
    actor = actor_of_tab(session_id) or ANONYMOUS
    if look_up(allowed, Right.IMPORT, actor):
        return True
    with acting(actor):
        note_refusal(Forbidden(f"{actor.name or NOBODY} may not upload files"))
    return False


@dataclass
class UploadLimit:
    """ASGI middleware: an upload is answered 413, while it comes, once its session's files are above SESSION_BYTES.

    403 without the right to import, 507 where the disk is short. What still comes counts as what is there.
    """

    app: ASGIApp
    stored: Callable[[str], int] = uploaded_bytes
    may: Callable[[str], bool] = may_upload
    coming: Counter[str] = field(default_factory=Counter)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on, an upload's body piece by piece."""
        found = UPLOAD_PATH.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if found is None:
            await self.app(scope, receive, send)
        elif not await run_in_threadpool(self.may, found[1]):
            await PlainTextResponse("You may not upload files", 403)(scope, receive, send)
        elif disk_is_short():
            await PlainTextResponse("Too little free disk space for uploads", 507)(scope, receive, send)
        else:
            await self._metered(found[1], scope, receive, send)

    async def _metered(self, session_id: str, scope: Scope, receive: Receive, send: Send) -> None:
        count = 0

        async def metered() -> Message:
            nonlocal count
            message = await receive()
            size = len(message.get("body", b""))
            count += size
            self.coming[session_id] += size
            if self.stored(session_id) + self.coming[session_id] > SESSION_BYTES:
                raise HTTPException(413, f"More than {SESSION_BYTES // 1_000_000} MB of files at once")
            return message

        try:
            await self.app(scope, metered, send)
        finally:
            self.coming[session_id] -= count
            if not self.coming[session_id]:
                del self.coming[session_id]


def release(files: Iterable[UploadedFile]) -> None:
    """Frees the memory of uploads that were written to disk. For callbacks."""
    for file in files:
        remove_upload(file)
