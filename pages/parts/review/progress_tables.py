"""The numbers of the progress page: the sentences found, and both arms of the articles with and without proposals."""

import streamlit as st

from annotate.review.anchoring import Anchoring
from annotate.review.progress import ReviewProgress
from annotate.review.waiting import Reviewed
from model.evaluation.intervals import Estimate
from model.review.anchoring import Effect
from pages.parts.shared.tables import show_table


def numbers(progress: ReviewProgress, known: Reviewed) -> None:
    """The four numbers on top."""
    found, left, articles, run = st.columns(4)
    found.metric("Key sentences found", f"{progress.found:,}", help=_elsewhere(progress))
    left.metric(
        "Probably still unfound",
        "–" if progress.unfound is None else f"{progress.unfound.whole()[0]:,}",
        help=_in_the_rest(progress),
    )
    articles.metric(f"Reviewed, of {known.total:,}", f"{len(known.here):,}", help=f"{known.in_words}.")
    run.metric("Last articles without any", f"{progress.without:,}", help="In the order in which they were finished.")


def _elsewhere(progress: ReviewProgress) -> str:
    return f"{progress.elsewhere:,} of them in articles that are not finished." if progress.elsewhere else "In all."


def _in_the_rest(progress: ReviewProgress) -> str:
    if progress.unfound is None:
        return "In articles that no expert has finished."
    if not progress.waiting:
        return "Every article is finished."
    _, low, high = progress.unfound.whole()
    return f"{low:,} to {high:,} in 95 of 100 cases, in articles not finished, by {progress.draws:,} random articles."


def anchoring_table(found: Anchoring) -> None:
    """The four measures in both arms with their difference; nothing where there is no comparison."""
    of = found.comparison
    if of is None:
        return
    measures = (
        ("proposals called key", of.called_key, 100.0, " %"),
        ("key sentences outside of them, an article", of.outside, 1.0, ""),
        ("key sentences in all, an article", of.total, 1.0, ""),
        ("found key sentences that are proposals", of.among, 100.0, " %"),
    )
    rows = [_row(name, effect, factor, unit) for name, effect, factor, unit in measures if effect]
    show_table(rows, width="stretch")
    st.caption(
        "In brackets the 95 % bootstrap interval over articles. A difference whose interval holds 0 may be chance."
    )


def _row(name: str, effect: Effect, factor: float, unit: str) -> dict[str, str]:
    digits = 0 if unit else 2

    def cell(estimate: Estimate, sign: str = "") -> str:
        value, low, high = (
            f"{factor * number:{sign}.{digits}f}" for number in (estimate.value, estimate.low, estimate.high)
        )
        return f"{value}{unit if not sign else ' points' if unit else ''} ({low} to {high})".replace("-", "−")

    return {
        "measure": name,
        "proposals shown": cell(effect.shown),
        "not shown": cell(effect.unshown),
        "difference": cell(effect.difference, "+"),
    }


def anchoring_counts(found: Anchoring) -> None:
    """What the comparison rests on, what it leaves out, and how many articles it takes."""
    said = [
        f"Compared: {found.shown:,} articles with and {found.unshown:,} without proposals, all read in full and handed "
        "out by the queue.",
    ]
    if found.unread:
        said.append(f"{found.unread:,} without proposals were finished but not read in full: left out.")
    if found.called_key is not None:
        share, low, high = (
            round(100 * v) for v in (found.called_key.value, found.called_key.low, found.called_key.high)
        )
        said.append(
            f"In {found.judged_only:,} more with proposals that were not read in full, {share} % ({low} to {high}) of "
            "the judged proposals were called key."
        )
    said.append(
        f"To tell a difference of 10 points in 8 of 10 cases takes about {found.needed:,} articles without proposals."
    )
    st.caption(" ".join(said))
