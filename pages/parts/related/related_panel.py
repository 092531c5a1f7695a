"""The panel Related: articles that belong to an article, a text or a BibTeX file, with reasons; links by references."""

import hashlib
import weakref

import streamlit as st

import db.articles
from annotate.articles.document import UnreadableArticle
from annotate.articles.importing.reference_files import read_bibtex
from annotate.finding.question import NotRanked
from annotate.project.home import look_up, read
from annotate.related.library import Library, library
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
from pages.parts.frame.page import number_in_address
from pages.parts.frame.text import shown
from pages.parts.related.links_view import links_view
from pages.parts.related.suggestion_list import not_related_list, suggestion_list
from pages.parts.shared.job_panel import job_note, job_panel, start_job

ARTICLE, TEXT, BIBTEX = "This article", "A text", "A BibTeX file"


def related_panel(by: str) -> None:
    """Draws what belongs with the article of the address, or with a text or a BibTeX file of one's own."""
    article_id = number_in_address("article")
    sources, action = st.columns([3, 1], vertical_alignment="center")
    of = [TEXT, BIBTEX] if article_id is None else [ARTICLE, TEXT, BIBTEX]
    source = sources.segmented_control(
        "For", of, default=of[0], required=True, key="related_source", label_visibility="collapsed"
    )
    job_note(sources, "import")
    action.button("Compare cited works", on_click=start_job, args=("related", {}), width="stretch")
    job_panel(["related"], ended=False)
    try:
        known = library()
        if source == ARTICLE and article_id is not None:
            profile: Profile | None = _of_article(article_id, known)
        else:
            profile = _of_own(source, known)
    except (NothingAsked, UnreadableArticle, NotRanked) as error:
        st.error(shown(f"{str(error).capitalize()}."), icon=":material/error:")
        return
    if profile:
        _suggested(profile, known, by)


def _of_article(article_id: int, known: Library) -> Profile:
    """The profile of a stored article, below its title and its links. Raises NothingAsked for none."""
    with read() as session:
        profile = profile_of_article(session, article_id, known)
        title = db.articles.titles(session, [article_id]).get(article_id, "")
        links = links_of(session, article_id)
    st.markdown(f"**{shown(title)}**")
    links_view(links)
    return profile


def _of_own(source: str, known: Library) -> Profile | None:
    """The profile of what a person gives, made once: thousands of texts may have to be compared for it.

    None where nothing is given yet. Raises NothingAsked, UnreadableArticle.
    """
    content: bytes | None
    if source == TEXT:
        content = st.text_area("An abstract or a paragraph", key="related_text", height=160).strip().encode() or None
    else:
        file = st.file_uploader("A BibTeX file: its entries are the profile", type=["bib", "txt"], key="related_bib")
        content = file.getvalue() if file else None
    if content is None:
        return None
    asked = f"{source} {hashlib.sha256(content).hexdigest()}"
    before = st.session_state.get("related_profile")
    if before is None or before[0] != asked or before[1]() is not known:
        told = content.decode("utf-8", "replace")
        made = profile_of_text(told) if source == TEXT else profile_of_entries(read_bibtex(told), known)
        before = st.session_state.related_profile = (asked, weakref.ref(known), made)
    profile: Profile = before[2]
    return profile


def _suggested(profile: Profile, known: Library, by: str) -> None:
    said = look_up(not_related, by, profile.key)
    st.markdown("**Suggested**")
    suggestion_list(suggestions(profile, known, said), by)
    places = {key: known.pool.places.get(known.now(key)) for key in said}
    titles = {key: known.pool.works[place].title if place is not None else key for key, place in places.items()}
    not_related_list(profile.key, titles, by)
