"""The queue as people see it: the next articles and why, who holds what, why nothing waits, and its settings."""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.curation
import db.proposing
from annotate.active_learning.queue import Coming
from annotate.gold.practice import is_newcomer
from annotate.project.acting import Auth, auth
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.review.assignments import release, why_empty
from annotate.review.progress import ReviewProgress
from annotate.review.queue_settings import QueueSettings, replaced_strategy
from annotate.review.waiting import Reviewed, Standing
from db.tables import Assignment
from model.active_learning.acquisition import STRATEGIES, strategy_label
from model.checked_settings import bounds
from pages.parts.frame.messages import show_message
from pages.parts.frame.page import end_with, link_to, may
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import local_time, shown
from pages.parts.review.progress_tables import in_the_rest
from pages.parts.shared.next_article import article_card, reviewed_ring, why
from pages.parts.shared.settings_form import settings_form
from pages.parts.shared.tables import text_table

LEASES = 20
SHARES = {
    "random_share": ("Drawn at random, %", "An unbiased sample: it tells how many key sentences are still to find."),
    "blind_share": ("Without proposals, %", "Measures how much proposals influence what annotators find."),
    "double_share": (
        "Given to several annotators, %",
        "Each judges without seeing the others' verdicts. The identifier decides which articles.",
    ),
}
ANY_TAG = "any"
ARTICLES, SENTENCES = "articles", "sentences"
TAGS = {"with_tag": "Only articles tagged", "without_tag": "No articles tagged"}


def nothing_waits(reviewer: str, *, elsewhere: bool = True, reason: str = "") -> None:
    """Says why nothing waits for this reviewer, and where to go instead; `elsewhere` than on the queue's own page."""
    reason = reason or why_empty(reviewer) or "An article has come back just now. Open Review again."
    st.info(shown(reason), icon=":material/inbox:")
    with read() as session:
        articles = db.curation.count_listed(session)
        proposed = db.proposing.count_proposed(session)
    if not articles:
        link_to("import_articles", "Import articles")
    elif not proposed:
        link_to("articles", "Propose sentences")
    else:
        if elsewhere:
            link_to("queue", "Queue: who reviews what")
        link_to("retrain", "Retrain on what was said")


def practise_first(reviewer: str) -> None:
    """Ends the page for a newcomer of a team, who begins with the practice round."""
    if auth() is not Auth.OFF and look_up(is_newcomer, reviewer):
        end_with(
            "Please do the practice round before your first article.",
            "practice",
            "Begin the practice round",
            icon="school",
        )


def view_chosen() -> str:
    """Which view of the queue is open: at first by the address, then by choice, which the address tells."""
    given = st.query_params.get("view", "")
    chosen = st.segmented_control(
        "View",
        [ARTICLES, SENTENCES],
        default=SENTENCES if given == SENTENCES else ARTICLES,
        format_func=str.capitalize,
        required=True,
        key="queue_view",
        label_visibility="collapsed",
    )
    st.query_params["view"] = chosen
    return str(chosen)


def board_numbers(found: Standing, known: Reviewed, now: ReviewProgress) -> None:
    """The numbers on top: what waits, what is done, and how many key sentences are found and probably not found yet."""
    found_in = f"{now.elsewhere:,} of them in articles that are not reviewed yet." if now.elsewhere else "In all."
    numbers = [
        ("Waiting for you", f"{len(found.waiting):,}", None),
        ("Reviewed by you", f"{len(found.done):,}", None),
        ("With other people", f"{len(found.held):,}", None),
        ("Key sentences", f"{now.found:,}", found_in),
        ("Still to find", "–" if now.unfound is None else f"{now.unfound.whole()[0]:,}", in_the_rest(now)),
    ]
    ring, *columns = st.columns([1.2, *[1] * len(numbers)], vertical_alignment="center")
    with ring:
        reviewed_ring(known)
    for column, (label, value, more) in zip(columns, numbers, strict=True):
        column.metric(label, value, help=more)
    if found.set_aside:
        st.caption(f"Left out by tags: {len(found.set_aside):,}.")


def next_card(row: Coming, reviewer: str) -> None:
    """The card of the reviewer's next article, and the way to it."""
    with st.container(border=True):
        text, action = words_and_action()
        article_card(text, row, reviewer)
        with action:
            link_to("review", "Review it")


def next_table(rows: Sequence[Coming], meaning: str, settings: QueueSettings) -> None:
    """The articles after the next one, as expected now; `meaning` says what the numbers of the last column are."""
    has_promise = any(row["promise"] != "–" for row in rows)
    text_table(
        [
            {"place": place, "title": row["title"], "why": why(row)}
            | ({"promise": row["promise"]} if has_promise else {})
            for place, row in enumerate(rows, start=2)
        ],
        "The articles after the next one",
        heads={"promise": "Holds key sentences"},
    )
    if has_promise:
        st.caption(meaning)
    if settings.random_share and settings.strategy != "random":
        st.caption(f"In between the queue draws {settings.random_in_words} at random.")


def lease_rows(leases: Sequence[tuple[Assignment, str, str]]) -> None:
    """Who holds what since when and until when, each with a button that gives it back to everybody."""
    releases = may(Right.QUEUE)
    for lease, holder, headline in leases[:LEASES]:
        words, action = words_and_action()
        name, title, times = words.columns([2, 5, 2], vertical_alignment="center")
        name.markdown(f":material/person: {shown(holder)}")
        title.markdown(shown(headline))
        times.markdown(f"{local_time(lease.created_at)} to {local_time(lease.leased_until)}")
        action.button(
            "Release",
            key=f"release_{lease.id}",
            help=f"Takes it from {shown(holder)} and returns it to the queue. Verdicts stay.",
            on_click=release,
            disabled=not releases,
            args=(lease.id,),
        )
    if len(leases) > LEASES:
        st.caption(f"And {len(leases) - LEASES:,} more.")


def queue_form(place: DeltaGenerator) -> None:
    """Draws the button and the form behind it."""
    locked = "" if may(Right.QUEUE) else "Curators set the queue."
    with place.popover("Settings", icon=":material/tune:"):
        settings_form(QueueSettings, _fields, "queue_error", as_stored=_in_shares, locked=locked)
    show_message("queue_error")


def _in_shares(chosen: dict[str, Any]) -> dict[str, Any]:
    return chosen | {name: chosen[name] / 100 for name in SHARES}


def _fields(settings: QueueSettings, form: str) -> None:
    st.selectbox(
        "Which article comes next",
        list(STRATEGIES),
        index=list(STRATEGIES).index(settings.strategy),
        format_func=lambda name: f"{STRATEGIES[name].label}: {STRATEGIES[name].explanation}",
        key=f"strategy_{form}",
    )
    if gone := look_up(replaced_strategy):
        st.caption(
            f"This project chose {strategy_label(gone)}, which is no longer offered: "
            f"{strategy_label(settings.strategy)} takes its place."
        )
    for column, (name, (label, help_text)) in zip(st.columns(3), SHARES.items(), strict=True):
        percent = round(100 * getattr(settings, name), 2)
        column.number_input(label, 0.0, 100.0, percent, 1.0, "%g", key=f"{name}_{form}", help=help_text)
    experts, lease = st.columns([1, 2])
    for column, name, label in (
        (experts, "experts", "Annotators of each such article"),
        (lease, "lease_minutes", "Minutes before an unused article returns to the queue"),
    ):
        least, most = map(int, bounds(QueueSettings)[name])
        column.number_input(label, least, most, getattr(settings, name), key=f"{name}_{form}")
    # Which tags an article must bear, or must not, to come by itself; a tag that is no longer used stays named.
    known = list(look_up(db.curation.tags_in_use))
    for column, name, label in zip(st.columns(2), TAGS, TAGS.values(), strict=True):
        now = getattr(settings, name)
        options = list(dict.fromkeys(["", *known, now]))
        column.selectbox(
            label,
            options,
            index=options.index(now),
            format_func=lambda tag: tag or ANY_TAG,
            key=f"{name}_{form}",
            help="Assigned and requested articles come with any tags.",
        )
    st.toggle("Learn at once: rank again after each verdict", settings.learn_at_once, key=f"learn_at_once_{form}")
