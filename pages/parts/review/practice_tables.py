"""The training round as people see it: the known labels of an article, the score, and everybody's for the curators."""

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.articles
from annotate.gold.practice import MOST_ARTICLES, Answers, PracticeRound, candidates, round_now
from annotate.gold.practice_score import Score, feedback, score, scores
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from pages.parts.frame.page import link_to
from pages.parts.frame.text import shown
from pages.parts.shared.tables import show_table

NOT_ALIKE = "Sentences that you left unjudged or called unsure count as not key."


def round_form(place: DeltaGenerator, by: str) -> None:
    """The button behind which curators choose the articles of the round."""
    with read() as session:
        chosen = round_now(session)
        titles = candidates(session)
        titles |= db.articles.titles(session, [number for number in chosen if number not in titles])
    form = f"practice_{'_'.join(map(str, chosen))}"
    with place.popover("Articles", icon=":material/tune:"), st.form(form, border=False):
        st.multiselect(
            "Articles whose key sentences are known",
            list(titles),
            chosen,
            format_func=lambda number: titles[number],
            max_selections=MOST_ARTICLES,
            key=f"articles_{form}",
            help="Those with the most key sentences come first. Three to five are enough to begin with.",
        )
        st.form_submit_button("Save", type="primary", width="stretch", on_click=_save, args=(f"articles_{form}", by))


def _save(key: str, by: str) -> None:
    change_settings(by, PracticeRound(article_ids=list(st.session_state[key])))


def show_feedback(article_id: int, given: Answers) -> None:
    """The known labels of an article next to the newcomer's answers, with the reasons that the gold notes."""
    with read() as session:
        title = db.articles.titles(session, [article_id])[article_id]
        rows = feedback(session, article_id, given)
    st.subheader(shown(title))
    for heading, said, is_key in (
        ("Missed: known as key sentences", False, True),
        ("Called key, and known as not key", True, False),
        ("Alike: key sentences", True, True),
    ):
        found = [row for row in rows if (row.said, row.is_key) == (said, is_key)]
        st.markdown(f"**{heading}: {len(found):,}**")
        for row in found:
            about = f"  \n:small[:gray[{shown(row.about)}]]" if row.about else ""
            st.markdown(f"- {shown(row.text)}{about}")
    st.caption(f"{NOT_ALIKE} The guideline says why a sentence counts: press G while you judge.")


def own_score(name: str, given: Mapping[int, Answers]) -> None:
    """The score at the end of the round, and the way to real work."""
    with read() as session:
        found = score(session, name, given)
    st.subheader("Your agreement with the known labels")
    if found is None:
        return
    precision, recall, kappa = st.columns(3)
    precision.metric(
        "Precision", _share(found.precision), help="The share of your key sentences that are known as key."
    )
    recall.metric("Recall", _share(found.recall), help="The share of the known key sentences that you found.")
    kappa.metric("Cohen's κ", _kappa(found), help="1 is perfect, 0 what chance alone gives.")
    st.caption(f"n = {found.n:,} sentences of {_articles(found)}. {NOT_ALIKE}")
    link_to("review", "Go on to your first article", icon=":material/rate_review:")


def everybody(given: Mapping[str, Mapping[int, Answers]]) -> None:
    """Everybody's score, for curators."""
    with read() as session:
        found = scores(session, given)
    rows = [
        {
            "name": name,
            "articles": one.articles,
            "precision": _share(one.precision),
            "recall": _share(one.recall),
            "Cohen's κ": _kappa(one),
            "sentences": one.n,
        }
        for name, one in sorted(found.items())
    ]
    st.subheader("Everybody")
    if rows:
        show_table(rows, width="stretch")
    else:
        st.caption("No person has finished an article of the round yet.")


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _kappa(found: Score) -> str:
    value = found.kappa.value
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _articles(found: Score) -> str:
    return f"{found.articles:,} article{'s' if found.articles != 1 else ''}"
