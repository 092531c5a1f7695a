"""What every page begins with: its frame, the annotator, and the job that may be running."""

from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitPageNotFoundError

import db.verdicts
from annotate.home import read
from annotate.verdicts import clean_name

PAGES = Path(__file__).parent.parent
COOKIE = "keyline_annotator"

# Streamlit leaves 6 rem above and 10 rem below a page: a laptop's screen is too small for that.
TIGHT = ".stMainBlockContainer {padding-top: 3.8rem; padding-bottom: 1rem;}"

# The name is kept by the browser, so that a reload or a restart of the app does not ask again.
_remember = st.components.v2.component(
    "remember_annotator",
    js=f"""export default ({{ data }}) => {{
  document.cookie = "{COOKIE}=" + encodeURIComponent(data.name) + "; max-age=31536000; path=/; samesite=lax";
}}""",
)


def open_page(title: str, *, heading: bool = True) -> DeltaGenerator:
    """Sets the page up and returns its header row, for controls of the page's own.

    Every page calls this first, so that each runs alone.
    """
    st.set_page_config(page_title=f"{title} · Keyline", layout="wide", page_icon=":material/format_ink_highlighter:")
    st.html(f"<style>{TIGHT}</style>")
    header = st.container(horizontal=True, vertical_alignment="center", gap="small", key="page_header")
    if heading:
        header.markdown(f"## {title}", width="stretch")
    else:
        header.space("stretch")
    _annotator_box(header)
    return header


def annotator() -> str | None:
    """Who is working, as this tab or else the browser knows it."""
    if "annotator" not in st.session_state:
        try:
            st.session_state.annotator = clean_name(unquote(st.context.cookies.get(COOKIE, "")))
        except ValueError:
            st.session_state.annotator = None
    return st.session_state.annotator


def require_annotator() -> str:
    """The annotator's name; without one, asks for it and stops the page here."""
    name = annotator()
    if name is None:
        st.subheader("Who is reviewing?")
        st.caption("Every verdict is stored under a name. This browser remembers it.")
        with st.form("who", width=420):
            st.text_input("Your name", key="new_annotator", max_chars=60, placeholder="e.g. Anna")
            st.form_submit_button("Start", type="primary", on_click=_take_name, args=("new_annotator",))
        if message := st.session_state.pop("name_error", None):
            st.error(message)
        st.stop()
    return name


def _annotator_box(header: DeltaGenerator) -> None:
    name = annotator()
    if name is None:
        return
    _remember(data={"name": name}, key="remember", height=1)
    with read() as session:
        names = db.verdicts.annotators(session)
    options = names if name in names else [name, *names]
    with header.popover(shown(name), icon=":material/person:"):
        st.selectbox(
            "Working as",
            options,
            index=options.index(name),
            key=f"working_as_{name}",
            accept_new_options=True,
            on_change=_take_name,
            args=(f"working_as_{name}",),
            help="Choose a name or type a new one. Every verdict is stored under it.",
        )
    if message := st.session_state.pop("name_error", None):
        st.error(message)


def _take_name(key: str) -> None:
    try:
        st.session_state.annotator = clean_name(st.session_state[key] or "")
    except ValueError as error:
        st.session_state.name_error = f"Not a usable name: {error}."


def link_to(page: str, label: str, *, icon: str) -> None:
    """A link to another page, by the name of its file; none where a page runs alone, without the frame around it."""
    # Streamlit takes a relative path from the folder of the script that declares the pages, which is not theirs.
    with suppress(StreamlitPageNotFoundError):
        st.page_link(str(PAGES / f"{page}.py"), label=label, icon=icon)


def shown(text: str) -> str:
    """Text from articles, files or people as Markdown that shows it literally."""
    for character in "\\`*_{}[]()#+-.!|<>~$:&":
        text = text.replace(character, "\\" + character)
    return text
