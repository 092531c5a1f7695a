"""The person who is logged in: their name and role, where else they are logged in, and the way out; and the way in."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode, urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.team.people
from annotate.project.acting import Auth, auth, current_actor, role_of
from annotate.project.home import look_up, read
from annotate.project.rights import RIGHTS, Right, Role
from annotate.project.rights import may as role_may
from annotate.team.logins import end_my_login, end_my_logins, my_logins
from pages.parts.frame.api_tokens import tokens_button
from pages.parts.frame.own_keys import keys_button
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.templates import render
from pages.parts.frame.text import local_time, shown
from pages.parts.frame.theme_switch import theme_switch
from pages.parts.frame.who import box_key


def ask_to_log_in(reason: str) -> None:
    """Says why no person is logged in here, and shows the way in."""
    st.subheader("Log in")
    st.caption(reason)
    if auth() is Auth.LOCAL:
        query = urlencode(st.query_params.to_dict())
        here = urlsplit(st.context.url or "/").path + (f"?{query}" if query else "")
        address = f"/login?next={quote(here, safe='')}"
        st.html(render("login_link.html.j2", address=address, text="Log in with your password"))
        return
    named = [name for name, value in st.secrets.get("auth", {}).items() if isinstance(value, Mapping)]
    for provider in named or [None]:
        label = f"Log in with {provider}" if provider else "Log in"
        st.button(label, key=f"login_{provider}", type="primary", on_click=st.login, args=(provider,))


def account_box(header: DeltaGenerator) -> DeltaGenerator:
    """Draws the button with the name, and behind it the role, the logins and the way out.

    Returns the place there for ways to pages that stand in no place of the person's menu.
    """
    actor = current_actor()
    role = look_up(role_of, actor)
    with header.popover(shown(actor.name), icon=":material/person:", key=box_key()):
        st.markdown(f"**{shown(actor.name)}** · {role}")
        mine = [right for right in Right if role_may(role, right) and right is not Right.SYSTEM]
        article = "An" if role and role[0] in "aeiou" else "A"
        st.caption(f"{article} {role} may {'; '.join(mine)}.")
        ways = st.container(gap=None)
        st.button("Log out", on_click=log_out, icon=":material/logout:", key="log_out")
        if auth() is Auth.LOCAL:
            for address, words in (("/password", "Change your password"), ("/second-factor", "Second factor")):
                st.html(render("link.html.j2", address=address, text=words))
        theme_switch()
        keys_button(actor.name)
        tokens_button()
        st.markdown("**My logins**")
        for login in my_logins():
            here = login.id == actor.login_id
            text, action = words_and_action()
            place = "this browser" if here else shown(login.address or "an unknown address")
            text.caption(f"{place}, since {local_time(login.created_at)}", help=shown(login.browser) or None)
            if not here:
                action.button("End", key=f"end_login_{login.id}", on_click=end_my_login, args=(login.id,))
        st.button("Log out everywhere", on_click=end_my_logins, key="log_out_everywhere")
    return ways


def log_out() -> None:
    """Ends the login that this tab came with; an identity provider's cookie goes too."""
    if login_id := current_actor().login_id:
        end_my_login(login_id)
    if auth() is Auth.OIDC:
        st.logout()


def may_not_open(right: Right) -> None:
    """Says who may open the page, what the person here is, and whom to ask."""
    actor = current_actor()
    with read() as session:
        role = role_of(session, actor)
        admins = db.team.people.enabled_with_role(session, Role.ADMIN)
        names = [name for account, name in db.team.people.accounts(session) if account.id in admins]
    roles = [known for known in Role if right in RIGHTS[known]]
    st.error(f"{_listed([f'{known}s' for known in roles]).capitalize()} only.", icon=":material/lock:")
    st.caption(f"You are {shown(actor.name)}, {role}. Ask {_listed([shown(name) for name in names])}.")


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "no person"
