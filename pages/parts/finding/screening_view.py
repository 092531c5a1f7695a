"""Screening on the page: the pool, how far it is, how much is probably left, and what comes next."""

import streamlit as st

import db.articles
from annotate.finding.asking.answers import reordered
from annotate.finding.asking.relevance import judged
from annotate.finding.asking.saved import Kept
from annotate.finding.asking.screening import Progress, progress, whats_next
from annotate.finding.asking.sentences import sentences_of
from annotate.finding.asking.standing import standings
from annotate.finding.matching import Matcher
from annotate.project.home import read
from annotate.topics.project_topic import topic_now
from pages.parts.finding.found_list import Listed, found_list, rows_of
from pages.parts.finding.results import JUDGED, answer_of

NEXT = 20
WHOLE, FOUND = "all articles", "what the question finds"


def screening_view(kept: Kept, reviewer: str) -> None:
    """The pool ordered by the included articles so far, with numbers that tell when to stop."""
    answer = answer_of(kept)
    pool_of = (
        st.segmented_control("Screen", [FOUND, WHOLE], default=FOUND, key="find_pool", label_visibility="collapsed")
        or FOUND
    )
    with read() as session:
        topic, known = topic_now(session), standings(session, reviewer)
        said = judged(session, kept.id, reviewer)
        keys = answer.order.keys
        if pool_of == WHOLE:
            ranked = set(keys)
            keys = keys + [key for key, _ in db.articles.keys_and_splits(session).values() if key not in ranked]
    now = progress(keys, said)
    _numbers(now)
    coming = whats_next(reordered(answer, keys, said, screening=True), said, kept.id, NEXT)
    if not coming:
        st.success("Every article of the pool is judged.", icon=":material/check:")
    open_ones = answer.found([each.key for each in coming])
    done = answer.found(list(said)[::-1][:JUDGED])
    matcher = Matcher(kept.asked.question)
    drawn = {each.key: each.waiting for each in coming if each.waiting is not None}
    listed = Listed(topic, matcher, known, sentences_of([*open_ones, *done], matcher), said, drawn)
    visit = f"screen_{kept.id}_{pool_of == WHOLE}_{st.session_state.get('find_visit', 0)}"
    found_list(visit, reviewer, (kept.id, kept.name), rows_of(open_ones, listed), rows_of(done, listed))


def _numbers(now: Progress) -> None:
    columns = st.columns(4)
    columns[0].metric(f"Judged, of {now.pool:,}", f"{now.judged:,}")
    columns[1].metric("Relevant", f"{now.relevant:,}")
    _, low, high = now.left.whole() if now.left else (0, 0, 0)
    left = f"{low:,} to {high:,}" if now.left else "–"
    by = f"With 95 % certainty, by the {now.draws:,} articles that were drawn by lot."
    columns[2].metric("Relevant ones left", left, help=by)
    columns[3].metric(
        "Reading saved", f"{now.saved:.0%}", help="The share of the pool that is unread, if you stop now."
    )
    st.progress(now.judged / now.pool if now.pool else 0.0)
    st.caption(_words(now))


def _words(now: Progress) -> str:
    if now.left is None:
        return f"Some articles are drawn by lot. {now.to_draw} more of these will tell how many relevant ones are left."
    found = now.relevant + now.left.value
    share = now.relevant / found if found else 1.0
    articles = "relevant article is" if now.left.whole()[0] == 1 else "relevant articles are"
    return f"About {now.left.in_things()} {articles} probably left: {share:.0%} of all are found."
