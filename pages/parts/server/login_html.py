"""The pages for logging in and for another password: plain HTML without a script, in the look of the app."""

import base64
import hashlib
from pathlib import Path

from markupsafe import Markup
from starlette.responses import HTMLResponse

from annotate.project.release import PROGRAM
from pages.parts.frame.templates import SCALE, render

_STYLE = SCALE + (Path(__file__).parent / "login.css").read_text()
# Browsers are told this hash and apply no other style here, even if one gets into the page.
_STYLE_SHA256 = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_SHA256}'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "Cache-Control": "no-store",
}
FIRST_ADMIN = f"{PROGRAM} people add NAME --role admin"


def login_form(
    *, following: str, name: str = "", problem: str = "", empty: bool = False, status: int = 200
) -> HTMLResponse:
    """The form to log in, with what went wrong; where there is no account yet, how to make the first one."""
    if empty:
        return _page("login_first_admin.html.j2", status, command=FIRST_ADMIN)
    return _page("login_form.html.j2", status, following=following, name=name, problem=problem)


def password_form(name: str, *, problem: str = "", status: int = 200) -> HTMLResponse:
    """The form in which people choose another password for themselves."""
    return _page("login_password.html.j2", status, name=name, problem=problem)


def plain(title: str, text: str, status: int) -> HTMLResponse:
    """A page with one sentence, such as a refusal with its reason."""
    return _page("login_says.html.j2", status, title=title, text=text)


def _page(template: str, status: int, **values: str) -> HTMLResponse:
    return HTMLResponse(render(template, style=Markup(_STYLE), **values), status, HEADERS)
