"""People: who has an account, as what, and whether they may log in; and how that is changed."""

import streamlit as st

from annotate.project.acting import Auth, auth
from annotate.team.people import people
from pages.parts.frame.messages import show_message
from pages.parts.frame.page import open_page
from pages.parts.team.people_forms import add_form, change_form, people_table, role_captions, token_list

open_page()
if auth() is Auth.OFF:
    st.info(
        "Keyline runs for one person, without login. For a team set KEYLINE_AUTH to local or oidc, and start it again; "
        "docs/people.md tells how.",
        icon=":material/person:",
    )
show_message("people_error")
show_message("people_done", st.success, "check")
everybody = people()
if everybody:
    people_table(everybody)
else:
    st.caption("There are no accounts yet.")
token_list()
add, change = st.columns(2, gap="large")
if everybody:
    with change:
        st.subheader("Change")
        change_form(everybody)
with add:
    st.subheader("Add")
    if auth() is Auth.OIDC:
        st.caption(
            "A person who first logs in with the identity provider is listed above, disabled: enable them, and "
            "set their role."
        )
    else:
        add_form()
    role_captions()
