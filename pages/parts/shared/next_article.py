"""The next article of a reviewer and how many are reviewed, as Start and Queue show them."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.active_learning.queue import Coming, first_proposal
from annotate.review.waiting import Reviewed
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown


def reviewed_ring(known: Reviewed) -> None:
    """How many articles are reviewed, as a ring, with the number in it and the words below."""
    done, total = len(known.here), known.total
    share = f"{100 * done / max(1, total):.1f}%"
    st.html(render("ring.html.j2", share=share, done=f"{done:,}", total=f"{total:,}", words=known.in_words))


def article_card(place: DeltaGenerator, row: Coming, reviewer: str) -> None:
    """The reviewer's next article: its title, its first proposal if it surely shows some, and why."""
    place.markdown(f"**{shown(row['title'])}**")
    if proposal := first_proposal(reviewer, row["article_id"]):
        place.markdown(f"> {shown(proposal)}")
    place.caption(shown(" ".join(f"{part}." for part in _speaks_for(row))))


def _speaks_for(row: Coming) -> list[str]:
    """Why it comes next, and the chance that it holds a key sentence.

    A committee tells the chance of one sentence, perhaps not the one that is quoted: there the second is enough.
    """
    chance = f"Chance that it holds a key sentence: {row['promise']}" if row["promise"].endswith("%") else ""
    reason = why(row)
    if chance and row["strategy"] == "committee":
        reason = "Begun by you" if row["in_hand"] else ""
    return [part for part in (reason, chance) if part]


def why(row: Coming) -> str:
    """Why an article comes next, as a sentence without its full stop."""
    words = f"begun by you; {row['reason']}" if row["in_hand"] else row["reason"]
    return words[:1].upper() + words[1:]
