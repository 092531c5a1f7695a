"""What a question found, on the page: a list that is judged, screening, saved searches, and files to take along."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

import db.articles
import db.curation
import db.finding.questions
import db.rows
from annotate.finding.asking.answers import Answered, answered, reordered, words_of_relevant
from annotate.finding.asking.exports import file_of, import_qrels
from annotate.finding.asking.prisma import flow, flow_file
from annotate.finding.asking.saved import (
    ALL_ARTICLES,
    Kept,
    judged,
    keep,
    mark_seen,
    new_since,
    ready_until,
    save,
    saved_searches,
    searched_until,
    unsave,
)
from annotate.finding.asking.screening import Progress, progress, whats_next
from annotate.finding.asking.standing import Reviewed, narrowed, standings
from annotate.finding.stages import STAGES
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.search.search import DEEPEST
from db.tables import Article
from pages.parts.articles.uploads import kept_table
from pages.parts.finding.found_list import found_list
from pages.parts.finding.question_form import fill_form, open_question
from pages.parts.frame.messages import keep_error
from pages.parts.frame.page import may
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import local_time, shown
from pages.parts.shared.downloads import CSV, File, offer
from pages.parts.shared.tables import metrics_row, text_table

SHOWN = 30
JUDGED = 100  # of those said so far, the latest
RIS, TEXT = "application/x-research-info-systems", "text/plain"
# By the kind of file: the words on its button, the end of its name, its media type.
FILES = {
    "csv": ("CSV", "csv", CSV),
    "ris": ("RIS", "ris", RIS),
    "run": ("TREC run", "run.txt", TEXT),
    "qrels": ("TREC qrels", "qrels.txt", TEXT),
}
SCREENED = {
    "relevant": ("RIS of relevant and unsure ones", "relevant.ris", RIS),
    "csv": ("CSV with all verdicts", "csv", CSV),
}
NEXT = 20
WHOLE, FOUND = "all articles", "what the search finds"
TITLES = 5
RANKED, SOME, ALL = "all, best first", "match some", "match all"


def answer_of(kept: Kept) -> Answered:
    """What the question finds, ranked once for this tab, and again where articles came since or it is asked again."""
    with read() as session:
        mark = (kept.id, st.session_state.get("find_visit", 0), db.rows.last_id(session, Article))
    if st.session_state.get("find_answer_of") != mark:
        number = count_of(look_up(db.curation.count_listed), "article")
        with st.spinner(f"Reading {number} …", show_time=True):
            st.session_state.find_answer = answered(kept.asked)
        st.session_state.find_answer_of = mark
    found: Answered = st.session_state.find_answer
    return found


def results_view(kept: Kept, reviewer: str) -> None:
    """The list and all that belongs to it."""
    answer = answer_of(kept)
    left_out = [f"Not ranked by {STAGES[name].title.lower()}: {why}." for name, why in answer.order.left_out.items()]
    if not answer.keys:
        st.info("Nothing found. Try other names, fewer filters, or the tab Europe PMC.", icon=":material/search_off:")
        for words in left_out:
            st.caption(shown(words))
        return
    head, matching, narrow, reviewed = st.columns([3, 1.7, 1.3, 1.7], vertical_alignment="center")
    match = matching.selectbox("Match", [RANKED, SOME, ALL], key="find_match", label_visibility="collapsed")
    full = narrow.checkbox("Full texts only", key="find_full")
    options: list[Reviewed] = list(Reviewed)
    which = reviewed.selectbox(
        "Reviewed", options, key="find_reviewed", label_visibility="collapsed", format_func=str.capitalize
    )
    with read() as session:
        judgements = judged(session, kept.id, reviewer)
        known = standings(session, reviewer)
        pool = narrowed(session, _matching(answer, match), known, full_text=full, reviewed=which)
    ordered = [key for key in reordered(answer, pool, judgements) if key not in judgements]
    relevant = sum(each.grade > 0 for each in judgements.values())
    kept_in = sum(each.kept for each in judgements.values())
    unsure = f", {kept_in - relevant:,} unsure" if kept_in > relevant else ""
    counted = f" · {relevant:,} relevant{unsure} and {len(judgements) - kept_in:,} not, by you" if judgements else ""
    head.markdown(f"{_match_words(answer)}{counted}")
    for words in left_out:
        st.caption(shown(words))
    number = st.session_state.get("find_more", SHOWN)
    open_ones, done = answer.found(ordered[:number]), answer.found(list(judgements)[::-1][:JUDGED])
    visit = f"{kept.id}_{match}_{full}_{which}"
    found_list(visit, reviewer, kept, known, judgements, open_ones, done, matched=answer.matched.some)
    if len(ordered) > number:
        more = {"find_more": number + SHOWN}
        st.button(f"Show {SHOWN} more", on_click=st.session_state.update, args=(more,), key="find_more_button")
    with st.expander("Save or export this search", icon=":material/bookmark:"):
        _saving(kept, reviewer)
        offer(_files(kept, reviewer, FILES), key="find")
        if may(Right.IMPORT):  # which every upload takes
            _judgements(kept, reviewer)


def _matching(answer: Answered, match: str) -> list[str]:
    """What was found, best first, and holds all or some of the question's words and names."""
    if match == RANKED:
        return answer.keys
    wanted = set(answer.matched.whole if match == ALL else answer.matched.some)
    return [key for key in answer.keys if key in wanted]


def _match_words(answer: Answered) -> str:
    """How much matches to the letter, and how much was ranked."""
    whole, some = len(answer.matched.whole), len(answer.matched.some)
    or_more = " or more" if whole >= DEEPEST else ""  # further ones are not counted
    words = f"**{whole:,}{or_more} match all**" + (f", {some - whole:,} some" if some > whole else "")
    rest = len(answer.keys) - some
    return words + (f", {rest:,} only in meaning" if rest else "")


def _saving(kept: Kept, reviewer: str) -> None:
    fields, action = words_and_action("bottom")
    name, share = fields.columns([2, 1], vertical_alignment="bottom")
    key = f"find_name_{kept.id}"
    name.text_input("Name", kept.name, key=key, max_chars=80)
    share.checkbox("Share it with the team", kept.shared, key=f"find_share_{kept.id}")

    def store() -> None:
        with keep_error("find_error"):
            save(reviewer, kept.id, st.session_state[key], shared=st.session_state[f"find_share_{kept.id}"])
            mark_seen(reviewer, kept.id)
            st.toast("Saved. The tab Saved tells what is new.", icon=":material/bookmark_added:")

    label = "Save changes" if kept.saved else "Save"
    action.button(label, on_click=store, key="find_save")
    if kept.saved:
        st.button("Remove from the list", on_click=unsave, args=(reviewer, kept.id), key="find_unsave")


def _files(kept: Kept, reviewer: str, kinds: Mapping[str, tuple[str, str, str]]) -> list[File]:
    return [
        File(label, f"question-{kept.id}.{end}", media, Right.REVIEW, partial(file_of, kind, kept.id, reviewer))
        for kind, (label, end, media) in kinds.items()
    ]


def _judgements(kept: Kept, reviewer: str) -> None:
    """Takes in judgements made elsewhere."""
    file, action = words_and_action("bottom")
    key = f"find_qrels_{kept.id}"
    given = file.file_uploader("Judgements as TREC qrels: topic, 0, PMID or key, grade", key=key)

    def take_in() -> None:
        file = st.session_state[key]
        with keep_error("find_error"), kept_table(file.name, file.getbuffer()) as path:
            new, not_here = import_qrels(path, reviewer, kept.id)
            missing = f" Not stored here: {count_of(not_here, 'article')} of the file." if not_here else ""
            st.toast(f"{count_of(new, 'judgement')} imported.{missing}", icon=":material/upload_file:")

    action.button("Import them", on_click=take_in, disabled=not given)


def screening_view(kept: Kept, reviewer: str) -> None:
    """One article of the pool at a time, ordered by the relevant ones so far, and the counts, stop rule and PRISMA."""
    st.caption(shown(f"Screening {kept.name}. Each search under Find has its own screening."))
    answer = answer_of(kept)
    keys, pool_of = answer.keys, WHOLE
    if kept.asked != ALL_ARTICLES:
        pool_of = st.segmented_control("Pool", [FOUND, WHOLE], default=FOUND, key="find_pool", required=True) or FOUND
    with read() as session:
        judgements, known = judged(session, kept.id, reviewer), standings(session, reviewer)
        if pool_of == WHOLE:
            ranked = set(keys)
            stored = sorted(db.curation.keys_of_kept(session).items())
            keys = keys + [key for _, key in stored if key not in ranked]
        now = progress(keys, judgements)
    coming = whats_next(reordered(answer, keys, judgements, screening=True), judgements, kept.id, NEXT)
    drawn = {each.key: each.waiting for each in coming if each.waiting is not None}
    one, measures = st.columns([2.6, 1], gap="medium")
    with one:
        if not now.pool:
            st.info("The search finds nothing: screen all articles.", icon=":material/search_off:")
        elif not coming:
            st.success("Every article of the pool is screened.", icon=":material/check:")
        latest = sorted(judgements.values(), key=lambda each: -each.id)[:NEXT]
        open_ones, done = (answer.found([each.key for each in own]) for own in (coming, latest))
        learnt = words_of_relevant(answer, keys, judgements)
        found_list(f"screen_{kept.id}_{pool_of}", reviewer, kept, known, judgements, open_ones, done, drawn, learnt)
    with measures:
        _numbers(now)
        more = st.expander(
            "PRISMA counts and files", icon=":material/account_tree:", on_change="rerun", key="screen_prisma"
        )
        if more.open:  # all imports are counted for it
            boxes = look_up(flow, keys, judgements, now)
            with more:
                text_table([{"PRISMA 2020": box.words, "n": box.count} for box in boxes], "PRISMA 2020")
                counts = File("Counts as CSV", f"prisma-{kept.id}.csv", CSV, Right.REVIEW, partial(flow_file, boxes))
                offer([counts, *_files(kept, reviewer, SCREENED)], key="screen", stacked=True)


def _numbers(now: Progress) -> None:
    left = "–" if now.left is None else "{1:,} to {2:,}".format(*now.left.whole())
    is_whole = now.judged == now.pool
    metrics_row({f"Screened, of {now.pool:,}": f"{now.judged:,}", "Relevant": f"{now.relevant:,}"})
    metrics_row({"Unsure": f"{now.unsure:,}", "Still to find": "0" if is_whole else left})
    st.progress(now.judged / now.pool if now.pool else 0.0)
    if is_whole:
        return
    if now.may_stop:
        st.success(f"You may stop: probably at least 95% are found, and {now.saved:.0%} need not be read.")
    words = f"Some articles are random. After {now.to_draw} more of them, Keyline estimates how many are still to find."
    if now.recall:
        words = "Found so far: {:.0%} to {:.0%} of the relevant articles.".format(*now.recall)
    elif now.left:
        words = f"The range has 95% certainty, by {count_of(now.draws, 'article')} drawn at random."
    st.caption(words)


def saved_view(reviewer: str) -> None:
    """The list of this person's searches and those that others share."""
    with read() as session:
        searches = saved_searches(session, reviewer)
        standing = db.rows.last_id(session, Article), searched_until(session)
    if not searches:
        st.info(
            "No saved search yet. Find something, then save the search below its results.", icon=":material/bookmark:"
        )
        st.button(
            "Find something", icon=":material/search:", on_click=st.session_state.update, args=({"find_view": "Find"},)
        )
        return
    for kept in searches:
        with st.container(border=True):
            _search(kept, reviewer, *standing)


def _search(kept: Kept, reviewer: str, last: int, through: int) -> None:
    is_mine = kept.by == reviewer
    text, action = words_and_action()
    whose = "" if is_mine else f" · by {shown(kept.by)}"
    text.markdown(f"**{shown(kept.name)}**{whose}{' · shared' if is_mine and kept.shared else ''}")
    new, until = _new(kept, last, through) if is_mine else ([], 0)
    since = local_time(kept.seen_at)
    if is_mine:
        text.caption(shown(f"{len(new):,} new since {since}" if new else f"Nothing new since {since}"))
    if new:
        titles = look_up(db.articles.titles, new[:TITLES])
        text.markdown("\n".join(f"- {shown(titles[number])}" for number in new[:TITLES]))
        action.button("Mark as seen", key=f"find_seen_{kept.id}", on_click=mark_seen, args=(reviewer, kept.id, until))

    def open_it() -> None:
        # Another person's becomes a question of one's own, so that the judgements are one's own.
        fill_form(kept.asked)
        open_question(kept.id if is_mine else keep(reviewer, kept.asked), kept.asked)
        st.session_state.find_view = "Find"

    action.button("Open", key=f"find_open_{kept.id}", on_click=open_it)


def _new(kept: Kept, last: int, through: int) -> tuple[list[int], int]:
    """A search's new articles and the last one seen; asked again once articles come or the index grows."""
    if last <= kept.seen_until:
        return [], last
    known = st.session_state.setdefault("find_new", {})
    stored, until, found = known.get(kept.id, (0, 0, ()))
    if stored != last or until < through:
        until = min(last, ready_until())
        found = [each.article_id for each in answered(kept.asked).first]
        known[kept.id] = (last, until, found)
    return new_since(kept, found), until
