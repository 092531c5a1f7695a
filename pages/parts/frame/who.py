"""Who opened this tab: told by the cookie that its connection began with, and asked of the database with every right.

Callbacks run before the script of their page, so the page cannot say who is acting: this module tells it.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

import streamlit as st

from annotate.project.acting import Actor, Auth, auth
from annotate.project.names import clean_name
from annotate.project.served import project_key
from annotate.team.logins import UnusableIdentity, actor_of, actor_of_claims
from annotate.team.passwords import sha256_of
from pages.parts.frame.shown import PANEL
from pages.parts.frame.streamlit_internals import is_script_running, state_of_tab

# Cookies know no ports: each of several projects on a host has its own.
_OF_PROJECT = f"_{key}" if (key := project_key()) else ""
SESSION_COOKIE = f"keyline_session{_OF_PROJECT}"
NAME_COOKIE = f"keyline_annotator{_OF_PROJECT}"
_KEPT = "acting_as"
_BOX = "name_box"


def box_key() -> str:
    """The key of the popover behind one's name: another one closes it."""
    return f"name_box_{st.session_state.get(_BOX, 0)}"


def make_way() -> None:
    """Closes that popover, and a panel, for the dialog that one of its buttons opens: Streamlit draws one at a time.

    For callbacks.
    """
    st.session_state[_BOX] = st.session_state.get(_BOX, 0) + 1
    st.query_params.pop(PANEL, None)


def session_token() -> str:
    """The token of the login with a password, as the browser sent it; empty without one."""
    return st.context.cookies.get(SESSION_COOKIE, "")


def claims() -> dict[str, Any]:
    """What the identity provider says of the person, once Streamlit has checked its signature; empty without login."""
    user: Mapping[str, Any] = st.user
    return dict(user) if user.get("is_logged_in") else {}


def resolve() -> Actor | None:
    """Who acts in the tab whose script or callback runs; None outside of one, and where no name was given."""
    if not is_script_running():
        return None
    if auth() is Auth.OFF:
        return Actor(name, operator=True) if (name := name_here()) else None
    if auth() is not Auth.OIDC:
        token = session_token()
        return _asked_once(sha256_of(token), lambda: actor_of(token))
    if not (found := claims()):
        return None
    key = sha256_of(repr([found.get(name) for name in ("iss", "sub", "iat", "nonce")]))
    return _asked_once(key, lambda: _identified(found))


def name_here() -> str | None:
    """Without login: the name that was chosen in this tab, else the one that the browser remembers."""
    if "annotator" not in st.session_state:
        try:
            st.session_state.annotator = clean_name(unquote(st.context.cookies.get(NAME_COOKIE, "")))
        except ValueError:
            st.session_state.annotator = None
    name: str | None = st.session_state.annotator
    return name


def _identified(found: dict[str, Any]) -> Actor | None:
    browser = st.context.headers.get("User-Agent", "")
    try:
        return actor_of_claims(found, address=st.context.ip_address or "", browser=browser)
    except UnusableIdentity:
        return None


def _asked_once(key: str, ask: Callable[[], Actor | None]) -> Actor | None:
    """Whose the tab is that began with this key. Whether the login still lasts is asked later, with the right."""
    kept: tuple[str, Actor] | None = st.session_state.get(_KEPT)
    if kept and kept[0] == key:
        return kept[1]
    actor = ask()
    if kept:  # a tab that came back as somebody else must not see what was another's
        st.session_state.clear()
    if actor is not None:
        st.session_state[_KEPT] = (key, actor)
    return actor


def actor_of_tab(session_id: str) -> Actor | None:
    """Who acts in a tab that is open, for requests outside its script; None where no person is logged in."""
    state = state_of_tab(session_id)
    return state[_KEPT][1] if _KEPT in state else None
