"""The fair test on the page Check: the sentences to judge before two versions can be compared, one at a time."""

from collections.abc import Mapping

import streamlit as st

from annotate.evaluation.evaluate_version import articles_with_labels
from annotate.evaluation.fair_test import questions
from annotate.gold.label_sets import labels_now
from annotate.project.home import read
from annotate.proposing.propose import NotEmbedded
from annotate.review.keys import AUDIT
from db.tables import ModelVersion
from db.values import Split
from model.proposing.ranking import Ranking
from pages.parts.evaluation.comparison_card import comparison_card
from pages.parts.evaluation.evaluation_tables import evaluate_button
from pages.parts.frame.page import end_with
from pages.parts.frame.text import shown
from pages.parts.shared.answer_buttons import VerdictCard, sentence_in_place


def fair_test(expert: str, serving: ModelVersion, versions: Mapping[str, ModelVersion]) -> None:
    """Asks for unjudged sentences that two versions rank first, then shows how the second stands against the first."""
    others = [name for name, version in versions.items() if version.id != serving.id][::-1]
    if not others:
        end_with("There is only one version. Retrain to get a second one.", "retrain", "Retrain")
    note, choice = st.columns([3, 1], vertical_alignment="bottom")
    note.caption(
        f"Annotators judged what {shown(serving.name)} proposed. Often they did not judge what another version ranks "
        "first, so it counts as not key. Judge sentences that either version ranks first, and some random ones. "
        "You are not told which is which."
    )
    chosen = choice.selectbox("Compare with", others, key="fair_test_version")
    candidate = versions[chosen]
    # Where the project has set a gate, the new version must pass it.
    both = {"versions": [serving.name, chosen], "rankings": list(map(str, Ranking)), "candidate": chosen}
    with read() as session:
        label_set = labels_now(session)
        labelled = articles_with_labels(session, label_set, Split.TEST)
    if not labelled:
        end_with("No test article has a label yet.", "review", "Review")
    of = (serving.id, candidate.id, expert)
    if st.session_state.get("fair_test_of") != of or not st.session_state.fair_test_open:
        try:
            with st.spinner("Looking for what is left to judge …"), read() as session:
                st.session_state.fair_test_open = questions(session, [serving, candidate], label_set)
        except NotEmbedded:
            evaluate_button("Evaluate both versions", both, unembedded=chosen)
            st.stop()
        if st.session_state.get("fair_test_of") != of:
            st.session_state.fair_test_done = []
            st.session_state.pop("fair_test_visit", None)  # an answer on its way is none to the new questions
        st.session_state.fair_test_of = of
    card = VerdictCard("fair_test", expert, AUDIT)
    if card.left or card.done:
        done, total = len(card.done), len(card.done) + len(card.left)
        st.progress(done / total, text=f"{done:,} judged, {total - done:,} to go")
        if card.left:
            sentence_in_place("fair_test_text", card.left[0])
            st.markdown(f"Is it a key sentence? · [Open in review](/review?article={card.left[0].sentence.article_id})")
        card.buttons()
    if not card.left:
        st.success(
            "You have judged all: every labelled test article is fair to both versions.", icon=":material/check:"
        )
        evaluate_button("Evaluate both versions", both)
        comparison_card(candidate, serving)
