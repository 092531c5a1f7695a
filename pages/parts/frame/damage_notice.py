"""A word above every page, to those who can do something about it, when the proposing version cannot be loaded."""

import streamlit as st

from annotate.operations.model_files import serving_notice
from annotate.project.acting import allowed
from annotate.project.home import read
from annotate.project.rights import Right
from pages.parts.frame.text import shown


def damage_notice() -> None:
    """Shows the notice to maintainers and admins, where there is one."""
    with read() as session:
        notice = serving_notice(session)
        told = notice and (allowed(session, Right.PROMOTE) or allowed(session, Right.OPERATE))
    if notice and told:
        st.warning(shown(notice), icon=":material/warning:")
