"""The pages for logging in and for another password: plain HTML without a script, in the look of the app."""

import base64
import hashlib
from html import escape

from starlette.responses import HTMLResponse

_STYLE = """
:root { color-scheme: light dark; --text: #31333f; --page: #fff; --field: #f0f2f6; --line: #8a8d96; --accent: #0072b2;
  --on-accent: #fff; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #fafafa; --page: #0e1117; --field: #262730; --accent: #56b4e9; --on-accent: #0e1117; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--page); color: var(--text);
  font: 16px/1.5 "Source Sans", "Source Sans Pro", system-ui, sans-serif; }
main { width: min(24rem, calc(100vw - 2rem)); padding: 1rem 0; }
h1 { font-size: 1.9rem; margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin: 1rem 0 .25rem; }
input { width: 100%; font: inherit; color: inherit; background: var(--field); padding: .55rem .75rem;
  border: 1px solid var(--line); border-radius: 6px; }
button { width: 100%; font: inherit; font-weight: 600; margin-top: 1.5rem; padding: .6rem; border: 0;
  border-radius: 6px; background: var(--accent); color: var(--on-accent); cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role=alert] { border-left: 4px solid var(--bad); padding: .25rem .75rem; }
code { display: block; background: var(--field); padding: .4rem .5rem; border-radius: 4px; font-size: .78rem;
  white-space: nowrap; overflow-x: auto; }
a { color: var(--accent); }
"""
_STYLE_SHA256 = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_SHA256}'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
FIRST_ADMIN = "python -m annotate people add NAME --role admin"


def login_form(
    *, following: str, name: str = "", problem: str = "", empty: bool = False, status: int = 200
) -> HTMLResponse:
    """The form to log in, with what went wrong; where there is no account yet, how to make the first one."""
    if empty:
        how = "There is no account yet. On the machine that runs Keyline, make the first one:"
        return _page("Log in", f"<p>{how}</p><p><code>{FIRST_ADMIN}</code></p>", status)
    focus = ("", " autofocus") if name else (" autofocus", "")
    return _page(
        "Log in",
        f"""{_alert(problem)}<form method="post" action="/login">
<input type="hidden" name="next" value="{escape(following)}">
<label for="name">Name</label>
<input id="name" name="name" value="{escape(name)}" autocomplete="username" required maxlength="60"{focus[0]}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required{focus[1]}>
<button>Log in</button></form><p>No account, or the password forgotten? Ask an admin of your project.</p>""",
        status,
    )


def password_form(name: str, *, problem: str = "", status: int = 200) -> HTMLResponse:
    """The form for another password of one's own."""
    return _page(
        "Change your password",
        f"""<p>You are {escape(name)}. Everywhere else you will be logged out.</p>{_alert(problem)}
<form method="post" action="/password">
<input type="hidden" name="name" value="{escape(name)}" autocomplete="username">
<label for="old">Present password</label>
<input id="old" name="old" type="password" autocomplete="current-password" required autofocus>
<label for="new">New password, 12 to 128 characters</label>
<input id="new" name="new" type="password" autocomplete="new-password" required minlength="12" maxlength="128">
<label for="again">New password again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required minlength="12" maxlength="128">
<button>Change it</button></form><p><a href="/">Back to Keyline</a></p>""",
        status,
    )


def plain(title: str, text: str, status: int) -> HTMLResponse:
    """A page that says something."""
    return _page(title, f"<p>{escape(text)}</p>", status)


def _alert(problem: str) -> str:
    return f'<p role="alert">{escape(problem)}</p>' if problem else ""


def _page(title: str, body: str, status: int) -> HTMLResponse:
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · Keyline</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><main><h1>{title}</h1>{body}</main></body></html>"
    )
    return HTMLResponse(html, status, HEADERS)
