"""The table of people and the forms that change it."""

from collections.abc import Callable, Sequence

import streamlit as st

from annotate.project.acting import Auth, auth, current_actor
from annotate.project.names import MAX_NAME
from annotate.project.refusals import note_refusal
from annotate.project.rights import RIGHTS, Right, Role
from annotate.team import people
from annotate.team.api_tokens import all_tokens
from annotate.team.passwords import UnfitPassword
from annotate.team.people import NoSuchPerson, Person
from pages.parts.frame.api_tokens import token_row
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import local_time
from pages.parts.shared.tables import text_table


def people_table(everybody: Sequence[Person]) -> None:
    """Everybody with role, state and logins."""
    text_table(
        [
            {
                "name": person.name,
                "role": person.role,
                "state": "disabled" if person.disabled else "may log in",
                "known by": f"{person.known_by} and codes" if person.second_factor else person.known_by,
                "last login": local_time(person.last_login) if person.last_login else "never",
                "browsers": person.logins,
            }
            for person in everybody
        ],
        "People",
        helps={"browsers": "In how many they are logged in now."},
    )


def add_form() -> None:
    """A form for an account with a password."""
    with st.form("add_person", border=True):
        st.text_input("Name", key="person_name", max_chars=MAX_NAME, help="Under it their work is stored.")
        st.selectbox("Role", list(Role), key="person_role")
        st.text_input(
            "First password",
            key="person_password",
            type="password",
            autocomplete="new-password",
            help="12 to 128 characters. They change it themselves once they have logged in.",
        )

        def add() -> None:
            state = st.session_state
            name, role, password = state.person_name, state.person_role, state.person_password
            state.person_password = ""
            off = "is stored, and may log in once KEYLINE_AUTH=local is set: without it Keyline does not start again"
            done = off if auth() is Auth.OFF else "may log in now"
            _try(lambda: people.add(name, role, password=password), f"{name.strip()} {done}")

        st.form_submit_button("Add", type="primary", on_click=add)


def role_captions() -> None:
    """What each role may do: of the first all, of each later one what differs from the role before."""
    before: frozenset[Right] = frozenset()
    for role in Role:
        allowed = RIGHTS[role] - {Right.SYSTEM}
        also = " also" if before else ""
        less = "".join(f"\n- {right}" for right in Right if right in before - allowed)
        more = "".join(f"\n- {right}" for right in Right if right in allowed - before)
        st.caption(f"**{role}** may{also}:{more}" + (f"\n\nbut not:{less}" if less else ""))
        before = allowed


def change_form(everybody: Sequence[Person]) -> None:
    """The ways to change one account."""
    me = current_actor().account_id  # last, so that a first click does not disable oneself
    by_id = {person.account_id: person for person in sorted(everybody, key=lambda person: person.account_id == me)}
    chosen = by_id[st.selectbox("Person", list(by_id), format_func=lambda n: by_id[n].name, key="person")]
    key = f"{chosen.account_id}_{chosen.role}"
    role, action = words_and_action("bottom")
    role.selectbox("Role", list(Role), list(Role).index(Role(chosen.role)), key=f"role_{key}")
    role_args = (people.set_role, chosen, "is {} now")
    action.button("Set", on_click=_do, args=(*role_args, f"role_{key}"), key="set_role")
    row = st.container(horizontal=True)
    if chosen.disabled:
        row.button("Enable", on_click=_do, args=(people.enable, chosen, "may log in"), key="enable")
    else:
        gone = (people.disable, chosen, "is disabled")
        row.button("Disable", on_click=_do, args=gone, key="disable")
    out = (people.end_sessions, chosen, "is logged out everywhere")
    row.button("Log out everywhere", on_click=_do, args=out, key="end_sessions")
    if chosen.second_factor:
        off = (people.take_second_factor_off, chosen, "logs in by the password alone")
        st.button("Take the second factor off", on_click=_do, args=off, key="second_factor_off")
    if chosen.known_by in ("password", "nothing yet") and auth() is not Auth.OIDC:
        with st.form(f"password_{chosen.account_id}", clear_on_submit=True, border=True):
            field = f"password_of_{chosen.account_id}"
            st.text_input("New password", key=field, type="password", autocomplete="new-password")
            given = (people.set_password, chosen, "has another password", field)
            st.form_submit_button("Set the password", on_click=_do, args=given)


def token_list() -> None:
    """The API tokens of everybody, each with the button that revokes it."""
    if tokens := all_tokens():
        with st.expander(f"API tokens: {len(tokens):,}", icon=":material/key:"):
            for token in tokens:
                token_row(token, whose=f"{token.annotator}: ")


def _do(change: Callable[..., None], person: Person, done: str, field: str = "") -> None:
    """Makes this change of an account, to what a field holds where one is named."""
    given = [st.session_state[field]] if field else []
    _try(lambda: change(person.account_id, *given), f"{person.name} {done.format(*given)}")


def _try(change: Callable[[], object], done: str) -> None:
    try:
        change()
    except (ValueError, NoSuchPerson) as error:
        if not isinstance(error, UnfitPassword):
            note_refusal(error)
        st.session_state.people_error = f"Not done: {error}."
    else:
        st.session_state.people_done = f"{done}."
