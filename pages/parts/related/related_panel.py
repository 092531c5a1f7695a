"""The panel Related: what belongs with an article, a text or a BibTeX file: its links, and suggestions with reasons."""

import hashlib
import uuid
import weakref

import streamlit as st

import db.articles
from annotate.articles.document import UnreadableArticle
from annotate.articles.importing.reference_files import read_bibtex
from annotate.finding.question import NotRanked
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.related.library import Library, library
from annotate.related.links import links_of
from annotate.related.suggest import (
    NothingAsked,
    Profile,
    Suggestion,
    profile_of_article,
    profile_of_entries,
    profile_of_text,
    suggestions,
)
from annotate.related.verdicts import not_related, say
from pages.parts.articles.importing import fetch
from pages.parts.frame.page import link_to, may, number_in_address
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown
from pages.parts.related.links_view import links_view
from pages.parts.shared.job_panel import job_panel, start_job

ARTICLE, TEXT, BIBTEX = "This article", "A text", "A BibTeX file"


def related_panel(by: str) -> None:
    """Draws what belongs with the article of the address, or with a text or a BibTeX file of one's own."""
    article_id = number_in_address("article")
    sources, action = words_and_action()
    of = [TEXT, BIBTEX] if article_id is None else [ARTICLE, TEXT, BIBTEX]
    source = sources.segmented_control(
        "For", of, default=of[0], required=True, key="related_source", label_visibility="collapsed"
    )
    action.button("Compare cited works", on_click=start_job, args=("related", {}))
    job_panel(["related", "import"], ended=False, within="_related")
    try:
        known = library()
        asked = article_id if source == ARTICLE else None
        profile = _of_own(source, known) if asked is None else _of_article(asked, known)
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
        given = st.text_area("An abstract or a paragraph", key="related_text", height=160, persist_state="page")
        content = given.strip().encode() or None
    else:
        file = st.file_uploader("A BibTeX file: its entries are the profile", type=["bib", "txt"], key="related_bib")
        content = file.getvalue() if file else None
    if content is None:
        return None
    asked = f"{source} {hashlib.sha256(content).hexdigest()}"
    before = st.session_state.get("related_profile")
    if before is None or before[0] != asked or before[1]() is not known:
        text = content.decode("utf-8", "replace")
        made = profile_of_text(text) if source == TEXT else profile_of_entries(read_bibtex(text), known)
        before = st.session_state.related_profile = (asked, weakref.ref(known), made)
    profile: Profile = before[2]
    return profile


def _suggested(profile: Profile, known: Library, by: str) -> None:
    """Shows the suggestions, best first, and what was called not related."""
    unrelated = look_up(not_related, by, profile.key)
    found = suggestions(profile, known, unrelated)
    st.markdown("**Suggested**")
    for note in found.without:
        st.caption(shown(note))
    if not found.found:
        st.info("No similar article is stored. Import more articles.", icon=":material/search_off:")
        link_to("import_articles", "Import articles")
    imports = may(Right.IMPORT)
    for one in found.found:
        _row(one, profile.key, by, imports)
    places = {key: known.pool.places.get(known.now(key)) for key in unrelated}
    titles = {key: known.pool.works[place].title if place is not None else key for key, place in places.items()}
    _not_related_list(profile.key, titles, by)


def _row(one: Suggestion, asked: str, by: str, imports: bool) -> None:
    text, action = words_and_action("top")
    address = f"review?article={one.article_id}" if one.article_id is not None else ""
    details = [str(one.year) if one.year else "", "" if address else "not in the project", one.key]
    text.html(
        render(
            "suggestion.html.j2",
            title=one.title or one.key,
            address=address,
            details=" · ".join(filter(None, details)),
            reasons=one.reasons,
            pair=one.pair,
        )
    )
    if one.importable:
        action.button(
            "Import",
            key=f"import_{one.key}",
            disabled=not imports,
            on_click=fetch,
            args=([one.importable],),
        )
    action.button(
        "Not related",
        key=f"not_{asked}_{one.key}",
        on_click=_say,
        args=(by, asked, one.key, False),
    )


def _say(by: str, asked: str, work: str, related: bool | None) -> None:
    say(by, asked, work, related, uuid.uuid4().hex)


def _not_related_list(asked: str, titles: dict[str, str], by: str) -> None:
    """The works called not related, each with a button to take that back."""
    if not titles:
        return
    with st.expander(f"Marked as not related: {len(titles):,}"):
        for key, title in titles.items():
            text, action = words_and_action()
            text.markdown(shown(title))
            action.button("Undo", key=f"back_{asked}_{key}", on_click=_say, args=(by, asked, key, None))
