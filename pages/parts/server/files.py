"""The route of the files that pages offer: made when the browser asks, for the person who is logged in there."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from annotate.project import logs
from pages.parts.server.signed_requests import Refusal, json_message, run_as, same_person
from pages.parts.shared.downloads import offered

GONE = "gone"


async def make_file(request: Request) -> Response:
    """The file {token, wanted}: 200 with its content; 410 where its tab is gone, 422 with the reason where there is
    none, 401 and 403 as `same_person` and the file's right say."""
    try:
        message = await json_message(request)
        try:
            actor, file = offered(str(message.get("token")), str(message.get("wanted")))
        except LookupError:
            return JSONResponse({"error": GONE}, 410)
        await same_person(request, actor, file.right)
        content = await run_as(actor, file.content)
    except Refusal as refusal:
        return refusal.answer
    except (ValueError, LookupError, RuntimeError) as error:  # gone or damaged, as each kind of file says it
        logs.error("no file", error)
        return JSONResponse({"error": str(error)}, 422)
    named = f"attachment; filename*=UTF-8''{quote(file.name)}"
    return Response(content, media_type=file.media, headers={"Content-Disposition": named, "Cache-Control": "no-store"})
