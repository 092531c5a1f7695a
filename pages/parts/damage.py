"""A word above every page, to those who can do something about it, when the proposing version cannot be loaded."""

import streamlit as st

from annotate.acting import allowed
from annotate.home import read
from annotate.rights import Right
from annotate.soundness import serving_notice
from pages.parts.text import shown


def damage_notice() -> None:
    """Shows the notice to maintainers and admins, where there is one."""
    with read() as session:
        notice = serving_notice(session)
        told = notice and (allowed(session, Right.PROMOTE) or allowed(session, Right.OPERATE))
    if notice and told:
        st.warning(shown(notice), icon=":material/warning:")
