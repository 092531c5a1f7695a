"""What a question found, on the page: a list that is judged, counts, downloads, and where to go on."""

from collections.abc import Collection
from functools import partial

import streamlit as st

import db.finding.questions
from annotate.finding.asking.answers import Answered, answered, reordered
from annotate.finding.asking.downloads import file_of
from annotate.finding.asking.exports import import_qrels
from annotate.finding.asking.relevance import judged
from annotate.finding.asking.saved import Kept, mark_seen, save, unsave
from annotate.finding.asking.sentences import sentences_of
from annotate.finding.asking.standing import Reviewed, narrowed, standings
from annotate.finding.matching import Matcher
from annotate.finding.stages import STAGES
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.topics.project_topic import topic_now
from db.finding.questions import Said
from pages.parts.finding.found_list import Listed, found_list, rows_of
from pages.parts.frame.text import shown
from pages.parts.shared.downloads import CSV, File, offer

SHOWN = 30
JUDGED = 100  # of those said so far, the latest
FILES = {"csv": CSV, "ris": "application/x-research-info-systems", "run": "text/plain", "qrels": "text/plain"}


def answer_of(kept: Kept) -> Answered:
    """What the question finds, ranked once for this tab, and again where articles came since or it is asked again."""
    with read() as session:
        mark = (kept.id, st.session_state.get("find_visit", 0), db.finding.questions.last_article(session))
    if st.session_state.get("find_answer_of") != mark:
        with st.spinner("Ranking …"):
            st.session_state.find_answer = answered(kept.asked)
        st.session_state.find_answer_of = mark
    found: Answered = st.session_state.find_answer
    return found


def results_view(kept: Kept, reviewer: str) -> None:
    """The list and all that belongs to it."""
    answer = answer_of(kept)
    if not answer.order.keys:
        _nothing_found(answer)
        return
    head, narrow, reviewed = st.columns([4, 1.3, 1.7], vertical_alignment="center")
    full = narrow.checkbox("Full texts only", key="find_full")
    options: list[Reviewed] = list(Reviewed)
    which = reviewed.selectbox(
        "Reviewed", options, key="find_reviewed", label_visibility="collapsed", format_func=str.capitalize
    )
    with read() as session:
        topic, known = topic_now(session), standings(session, reviewer)
        said = judged(session, kept.id, reviewer)
        pool = narrowed(session, answer.order.keys, known, full_text=full, reviewed=which)
    ordered = [key for key in reordered(answer, pool, said) if key not in said]
    head.markdown(_counted(len(pool), said.values()))
    for name, reason in answer.order.left_out.items():
        st.caption(shown(f"Not ranked by {STAGES[name].title.lower()}: {reason}."))
    number = st.session_state.get("find_more", SHOWN)
    open_ones, done = answer.found(ordered[:number]), answer.found(list(said)[::-1][:JUDGED])
    matcher = Matcher(kept.asked.question)
    listed = Listed(topic, matcher, known, sentences_of([*open_ones, *done], matcher), said)
    visit = f"{kept.id}_{st.session_state.get('find_visit', 0)}_{full}_{which}"
    found_list(visit, reviewer, (kept.id, kept.name), rows_of(open_ones, listed), rows_of(done, listed))
    if len(ordered) > number:
        st.button(f"Show {SHOWN} more", on_click=_more, args=(number,), key="find_more_button")
    with st.expander("Save this search, or take it along", icon=":material/bookmark:"):
        _saving(kept, reviewer)
        _downloads(kept, reviewer)
        _judgements(kept, reviewer)


def _nothing_found(answer: Answered) -> None:
    st.info("Nothing found. Try other names, fewer filters, or the tab Europe PMC.", icon=":material/search_off:")
    for name, reason in answer.order.left_out.items():
        st.caption(shown(f"Not ranked by {STAGES[name].title.lower()}: {reason}."))


def _counted(pool: int, said: Collection[Said]) -> str:
    relevant = sum(each.grade > 0 for each in said)
    words = f"**{pool:,} articles**, the likeliest first"
    if said:
        words += f" · {relevant:,} relevant and {len(said) - relevant:,} not, by you"
    return words


def _more(number: int) -> None:
    st.session_state.find_more = number + SHOWN


def _saving(kept: Kept, reviewer: str) -> None:
    name, share, action = st.columns([4, 2, 1.5], vertical_alignment="bottom")
    key = f"find_name_{kept.id}"
    name.text_input("Name", kept.name, key=key, max_chars=80)
    share.checkbox("Share it with everybody", kept.shared, key=f"find_share_{kept.id}")
    label = "Save changes" if kept.saved else "Save"
    action.button(label, on_click=partial(_save, reviewer, kept.id), key="find_save", width="stretch")
    if kept.saved:
        st.button("Take it off the list", on_click=unsave, args=(reviewer, kept.id), key="find_unsave")


def _save(reviewer: str, question_id: int) -> None:
    shared = st.session_state[f"find_share_{question_id}"]
    try:
        save(reviewer, question_id, st.session_state[f"find_name_{question_id}"], shared=shared)
        mark_seen(reviewer, question_id)
        st.toast("Saved. The tab Saved tells what is new.", icon=":material/bookmark_added:")
    except ValueError as error:
        st.session_state.find_error = str(error)


def _downloads(kept: Kept, reviewer: str) -> None:
    files = [
        File(
            {"run": "TREC run", "qrels": "TREC qrels"}.get(kind, kind.upper()),
            f"question-{kept.id}.{ {'run': 'run.txt', 'qrels': 'qrels.txt'}.get(kind, kind) }",
            media,
            Right.REVIEW,
            partial(file_of, kind, kept.id, reviewer),
        )
        for kind, media in FILES.items()
    ]
    offer(files, key="find")


def _judgements(kept: Kept, reviewer: str) -> None:
    """Takes in judgements made elsewhere."""
    file, action = st.columns([5, 1.5], vertical_alignment="bottom")
    key = f"find_qrels_{kept.id}"
    given = file.file_uploader("Judgements as TREC qrels: topic, 0, PMID or key, grade", key=key)
    action.button("Take them in", on_click=_import, args=(reviewer, kept.id, key), disabled=not given, width="stretch")


def _import(reviewer: str, question_id: int, key: str) -> None:
    file = st.session_state[key]
    try:
        number = import_qrels(file.getvalue(), file.name, reviewer, question_id)
    except ValueError as error:
        st.session_state.find_error = str(error)
        return
    st.toast(f"{number:,} judgements were taken in.", icon=":material/upload_file:")
