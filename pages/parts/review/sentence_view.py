"""The sentences of the queue: the best ones of all articles, one at a time in its paragraph, judged by key."""

import streamlit as st

from annotate.active_learning.sentence_queue import next_picked, still_open, why_none
from annotate.articles.document_labels import Labels, write_names
from annotate.project.home import look_up
from annotate.review.judged_sentences import Question
from annotate.review.keys import SENTENCES, caps_of
from annotate.topics.project_topic import topic_now
from pages.parts.frame.page import PAGES
from pages.parts.frame.rows import words_and_action
from pages.parts.review.queue_tables import nothing_waits
from pages.parts.shared.answer_buttons import VerdictCard, sentence_in_place

HEIGHT = 330


def sentence_view(expert: str) -> None:
    """Asks for the likeliest key sentence of all articles, then for the next; more are picked as they are judged.

    What is left and what was done in this tab lie in st.session_state, and begin again for another person.
    """
    if st.session_state.get("picked_of") != expert:
        for name in ("picked_open", "picked_done", "picked_visit", "picked_shown"):
            st.session_state.pop(name, None)
        st.session_state.picked_of = expert
    card = VerdictCard("picked", expert, SENTENCES)
    card.left[:] = still_open(expert, card.left) or next_picked(expert)
    done = f" {len(card.done):,} judged in this tab." if card.done else ""
    st.caption(
        "The most likely key sentences of all articles, one after the other. The order learns from your verdicts. "
        f"Their articles stay in the queue, and count as reviewed once you end them in Review.{done}"
    )
    if card.left:
        _at_hand(card.left[0], expert)
    if card.left or card.done:
        card.buttons()
    if not card.left:
        nothing_waits(expert, elsewhere=False, reason=why_none(expert))


def _at_hand(asked: Question, expert: str) -> None:
    question, way = words_and_action()
    chance = "" if asked.probability is None else f" Its probability is {asked.probability:.0%}."
    question.markdown(f"**Is it a key sentence?**{chance}")
    way.button(
        "Open article",
        key="picked_article",
        shortcut=caps_of(expert, SENTENCES)["article"],
        help="Opens its article in Review, at this sentence.",
        on_click=_ask_for_article,
    )
    if st.session_state.pop("picked_way", False):
        article_id, position = asked.place
        st.switch_page(str(PAGES / "review.py"), query_params={"article": str(article_id), "sentence": str(position)})
    sentence_in_place("picked_text", asked, asked.source, labels=_in_words(asked.labels), height=HEIGHT)


def _ask_for_article() -> None:
    st.session_state.picked_way = True


def _in_words(labels: Labels) -> str:
    """The document labels by the topic's kinds: "Genes: TP53; MDM2 · Cells: HeLa"."""
    kinds = ((kind.title, write_names(labels.of(kind.key))) for kind in look_up(topic_now).file.kinds)
    return " · ".join(f"{title}: {names}" for title, names in kinds if names)
