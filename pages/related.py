"""Related: articles that belong to an article, a text or a BibTeX file, with reasons; links by reference lists."""

import hashlib
import weakref
from collections.abc import Callable

import streamlit as st

import db.articles
from annotate.articles.document import UnreadableArticle
from annotate.articles.importing.reference_files import read_bibtex
from annotate.finding.question import NotRanked
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.related.library import library
from annotate.related.links import links_of
from annotate.related.suggest import (
    NothingAsked,
    Profile,
    profile_of_article,
    profile_of_entries,
    profile_of_text,
    suggestions,
)
from annotate.related.verdicts import not_related
from pages.parts.frame.page import end_with, may, number_in_address, open_page, require_annotator
from pages.parts.frame.text import shown
from pages.parts.related.links_view import links_view
from pages.parts.related.suggestion_list import not_related_list, suggestion_list
from pages.parts.shared.job_panel import job_panel, start_job

SOURCES = ("An article", "A text", "A BibTeX file")

header = open_page()
by = require_annotator()
job_panel(["related", "import"], ended=False)
articles = look_up(db.articles.count_articles)
if not articles:
    end_with(
        "There are no articles yet: import some, and related ones are found for each.",
        "import_articles",
        "Import articles",
    )
if may(Right.REVIEW):
    header.button("Compare cited works", on_click=start_job, args=("related", {}), icon=":material/sync:")
with header:
    source = st.segmented_control(
        "For", SOURCES, default=SOURCES[0], key="related_source", label_visibility="collapsed"
    )


def of_bibtex(content: bytes) -> Profile:
    """The profile of a BibTeX file. Raises NothingAsked, UnreadableArticle."""
    return profile_of_entries(read_bibtex(content.decode("utf-8", "replace")), known)


def kept(content: bytes, make: Callable[[], Profile]) -> Profile:
    """The profile of this content, made once: thousands of texts may have to be compared for it."""
    asked = f"{source} {hashlib.sha256(content).hexdigest()}"
    before = st.session_state.get("related_profile")
    if before is None or before[0] != asked or before[1]() is not known:
        before = (asked, weakref.ref(known), make())
        st.session_state.related_profile = before
    profile: Profile = before[2]
    return profile


def asked_for() -> Profile | None:
    """What related works are looked for; None where nothing is chosen yet. Raises NothingAsked, UnreadableArticle."""
    if source == SOURCES[1]:
        text = st.text_area("An abstract or a paragraph", key="related_text", height=160)
        return kept(text.encode(), lambda: profile_of_text(text)) if text.strip() else None
    if source == SOURCES[2]:
        file = st.file_uploader("A BibTeX file: its entries are the profile", type=["bib", "txt"], key="related_bib")
        return kept(file.getvalue(), lambda: of_bibtex(file.getvalue())) if file else None
    if (asked := number_in_address("article")) is None:
        return None
    with read() as session:
        profile = profile_of_article(session, asked, known)
        title = db.articles.titles(session, [asked]).get(asked, "")
        links = links_of(session, asked)
    st.subheader(shown(title), anchor=False)
    links_view(links)
    return profile


try:
    known = library()
    profile = asked_for()
except (NothingAsked, UnreadableArticle, NotRanked) as error:
    st.error(shown(f"{str(error).capitalize()}."), icon=":material/error:")
    st.stop()
if profile is None:
    if source == SOURCES[0]:
        end_with("Choose an article in Articles or Review, and then Related.", "articles", "Articles", icon="touch_app")
    st.stop()
said = look_up(not_related, by, profile.key)
st.subheader("Suggested", anchor=False)
suggestion_list(suggestions(profile, known, said), by)
places = {key: known.pool.places.get(known.now(key)) for key in said}
titles = {key: known.pool.works[place].title if place is not None else key for key, place in places.items()}
not_related_list(profile.key, titles, by)
