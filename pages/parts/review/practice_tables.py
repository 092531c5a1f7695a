"""The practice round as people see it: the known labels of an article, the score, and everybody's for the curators."""

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.articles
from annotate.evaluation.metric_labels import written
from annotate.gold.practice import (
    MOST_ARTICLES,
    Answers,
    PracticeRound,
    Score,
    candidates,
    feedback,
    round_now,
    score,
    scores,
)
from annotate.project.home import look_up, read
from annotate.project.stored_settings import change_settings
from annotate.project.words import count_of
from pages.parts.frame.page import link_to
from pages.parts.frame.text import shown
from pages.parts.shared.tables import text_table

MEASURES = (
    "The share of your key sentences that are known as key.",
    "The share of the known key sentences that you found.",
    "1 is perfect, 0 what chance alone gives.",
)
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
            help="Articles with the most key sentences come first. Three to five are enough.",
        )

        def save() -> None:
            change_settings(by, PracticeRound(article_ids=list(st.session_state[f"articles_{form}"])))

        st.form_submit_button("Save", type="primary", on_click=save)


def show_feedback(article_id: int, given: Answers) -> None:
    """The known labels of an article next to the newcomer's answers, with the reasons that the gold notes."""
    with read() as session:
        title = db.articles.titles(session, [article_id])[article_id]
        rows = feedback(session, article_id, given)
    st.subheader(shown(title))
    for heading, called_key, is_key in (
        ("Missed: known as key sentences", False, True),
        ("Called key, and known as not key", True, False),
        ("Agreed: key sentences", True, True),
    ):
        found = [row for row in rows if (row.called_key, row.is_key) == (called_key, is_key)]
        st.markdown(f"**{heading}: {len(found):,}**")
        for row in found:
            about = f"  \n:small[:gray[{shown(row.about)}]]" if row.about else ""
            st.markdown(f"- {shown(row.text)}{about}")
    st.caption(f"{NOT_ALIKE} The guideline, a button next to each article, says why a sentence counts.")


def own_score(name: str, given: Mapping[int, Answers]) -> None:
    """The score at the end of the round, and the way to real work."""
    found = look_up(score, name, given)
    st.subheader("Your agreement with the known labels")
    if found is None:
        return
    for column, (label, value), text in zip(st.columns(3), _measures(found).items(), MEASURES, strict=True):
        column.metric(label, value, help=text)
    st.caption(f"n = {found.n:,} sentences of {count_of(found.articles, 'article')}. {NOT_ALIKE}")
    link_to("review", "Go on to your first article")


def everybody(given: Mapping[str, Mapping[int, Answers]]) -> None:
    """Everybody's score, for curators."""
    found = look_up(scores, given)
    rows = [
        {"name": name, "articles": one.articles, **_measures(one), "sentences": one.n}
        for name, one in sorted(found.items())
    ]
    st.subheader("Everybody")
    if rows:
        text_table(rows, "Everybody")
    else:
        st.caption("The practice round has no results yet.")


def _measures(found: Score) -> dict[str, str]:
    shares = {"Precision": found.precision, "Recall": found.recall}
    percentages = {name: "–" if value is None else f"{100 * value:.0f}%" for name, value in shares.items()}
    kappa = found.kappa.value
    return percentages | {"Cohen's κ": "–" if kappa is None else written(kappa, 2)}
