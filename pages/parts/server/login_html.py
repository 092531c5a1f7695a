"""The pages for logging in and for another password: plain HTML without a script, in the look of the app."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

import segno
from markupsafe import Markup
from starlette.responses import HTMLResponse

from annotate.project.release import PROGRAM
from annotate.team.second_factor import Ticket, address_of
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


def code_form(ticket: Ticket, *, following: str, problem: str = "", status: int = 200) -> HTMLResponse:
    """The form for a code of the second factor; with a drawn code to scan where it is to be switched on."""
    drawn = ""
    if ticket.secret:
        code = segno.make(address_of(ticket.secret, ticket.name), error="m", micro=False)
        drawn = Markup(code.svg_inline(scale=4, border=4, light="#fff", title="For your authenticator"))
    more = {"drawn": drawn, "secret": ticket.secret, "following": following, "problem": problem}
    return _page("login_code.html.j2", status, ticket=ticket.signed(), **more)


def recovery_page(codes: Sequence[str], *, following: str) -> HTMLResponse:
    """The recovery codes, the only time that they are shown."""
    return _page("login_recovery_codes.html.j2", 200, codes="\n".join(codes), following=following)


def second_factor_form(*, is_on: bool, problem: str = "", status: int = 200) -> HTMLResponse:
    """The form that switches the second factor on, or off."""
    return _page("login_second_factor.html.j2", status, is_on="yes" if is_on else "", problem=problem)


def plain(title: str, text: str, status: int) -> HTMLResponse:
    """A page with one sentence, such as a refusal with its reason."""
    return _page("login_says.html.j2", status, title=title, text=text)


def _page(template: str, status: int, **values: str) -> HTMLResponse:
    return HTMLResponse(render(template, style=Markup(_STYLE), **values), status, HEADERS)
