"""The queue as people see it: the next articles and why, who holds what, and why nothing waits."""

from collections.abc import Sequence

import streamlit as st

import db.articles
import db.proposing.proposals
from annotate.active_learning.queue import Coming
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.review.assignments import Lease, release, why_empty
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import Reviewed, Standing
from db.values import BY_HAND
from model.active_learning.acquisition import STRATEGIES
from pages.parts.frame.page import link_to, may
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.shared.tables import show_table

LEASES = 20


def nothing_waits(reviewer: str, *, elsewhere: bool = True) -> None:
    """Says why nothing waits for this reviewer, and where to go instead; `elsewhere` than on the queue's own page."""
    reason = why_empty(reviewer) or "An article has come back just now. Open Review again."
    st.info(shown(reason), icon=":material/inbox:")
    with read() as session:
        articles = db.articles.count_articles(session)
        proposed = db.proposing.proposals.count_proposed(session)
    if not articles:
        link_to("import_articles", "Import articles", icon=":material/upload_file:")
    elif not proposed:
        link_to("articles", "Propose sentences", icon=":material/library_books:")
    else:
        if elsewhere:
            link_to("queue", "Queue: who holds what", icon=":material/low_priority:")
        link_to("retrain", "Retrain on what was said", icon=":material/model_training:")


def queue_counts(found: Standing, known: Reviewed) -> None:
    """The standing of the articles with proposals for the reviewer, and how many are reviewed in all."""
    counts = {
        "Waiting for you": len(found.waiting),
        "Done by you": len(found.done),
        "Done by others": len(known.here.intersection(found.elsewhere)),
        "In other hands": len(found.held),
    }
    if known.labelled:
        counts["Came labelled"] = len(known.labelled)
    if found.set_aside:
        counts["Set aside by tags"] = len(found.set_aside)
    st.caption(f"{known.in_words}.")
    for column, (label, value) in zip(st.columns(len(counts)), counts.items(), strict=True):
        column.metric(label, f"{value:,}")


def next_card(row: Coming, settings: QueueSettings) -> None:
    """The reviewer's next article with the reason in words, and the way to it."""
    with st.container(border=True):
        text, action = st.columns([5, 1], vertical_alignment="center")
        text.markdown(f"**{shown(row['title'])}**")
        state = "In your hands" if row["in_hand"] else strategy_label(row["strategy"])
        text.caption(shown(f"{state}: {row['reason']}{_promise(row)}"))
        with action:
            link_to("review", "Review it", icon=":material/rate_review:")
    if not row["in_hand"] and settings.random_share and row["strategy"] != "random":
        st.caption(
            f"{settings.random_in_words} are drawn at random instead: whether yours is one of them shows "
            "when you open it."
        )


def _promise(row: Coming) -> str:
    """The chance that it holds a key sentence, where it is known as one."""
    return f"; holds key sentences with a chance of {row['promise']}" if row["promise"].endswith("%") else ""


def next_table(rows: Sequence[Coming], meaning: str) -> None:
    """The articles after the next one, as expected now; `meaning` says what the numbers of the last column are."""
    show_table(
        [
            {
                "place": place,
                "title": row["title"],
                "why": row["reason"],
                "strategy": strategy_label(row["strategy"]),
                "promise": row["promise"],
            }
            for place, row in enumerate(rows, start=2)
        ],
        width="stretch",
        column_config={
            "place": st.column_config.NumberColumn("Place", width=60),
            "title": st.column_config.TextColumn("Title", width=340),
            "why": st.column_config.TextColumn("Why", width=220),
            "strategy": st.column_config.TextColumn("Strategy", width=110),
            "promise": st.column_config.TextColumn("Holds key sentences", width=150, help=meaning),
        },
    )


def lease_rows(leases: Sequence[Lease]) -> None:
    """Who holds what since when and until when, each with a button that gives it back to everybody."""
    releases = may(Right.QUEUE)
    for lease in leases[:LEASES]:
        name, title, times, action = st.columns([2, 5, 2, 1.6], vertical_alignment="center")
        name.markdown(f":material/person: {shown(lease.annotator)}")
        title.markdown(shown(lease.title))
        times.markdown(f"{local_time(lease.since)} to {local_time(lease.until)}")
        action.button(
            "Release",
            key=f"release_{lease.assignment_id}",
            help=f"Take it out of the hands of {shown(lease.annotator)}: it waits for everybody again. Verdicts stay.",
            on_click=release,
            disabled=not releases,
            args=(lease.assignment_id,),
            width="stretch",
        )
    if len(leases) > LEASES:
        st.caption(f"And {len(leases) - LEASES:,} more.")


def strategy_label(name: str) -> str:
    """A strategy as people know it."""
    return STRATEGIES[name].label if name in STRATEGIES else "By hand" if name == BY_HAND else name.capitalize()
