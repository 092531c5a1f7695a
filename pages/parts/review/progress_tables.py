"""How far the review is, on the page Queue: the curve, the advice, and the articles with and without proposals."""

from collections.abc import Callable
from itertools import accumulate

import plotly.graph_objects as go
import streamlit as st

from annotate.evaluation.metric_labels import change_written, written
from annotate.project.words import count_of
from annotate.review.anchoring import Anchoring, in_words
from annotate.review.progress import ReviewProgress, advice, missed_in_words
from model.evaluation.intervals import Estimate
from model.review.anchoring import Effect
from pages.parts.frame.text import shown
from pages.parts.shared.drawing import BLUE, ORANGE, VERMILLION, drawn, whole_ticks
from pages.parts.shared.figures import show_figure
from pages.parts.shared.tables import text_table

MOST_POINTS = 1_500
FEW_DRAWS = 100


def found_curve(progress: ReviewProgress) -> go.Figure:
    """Key sentences found by articles finished, with the random draws, the estimated total and its interval."""
    sums = list(accumulate(progress.key))
    figure = go.Figure()
    # Along the whole pool, so that the distance to the end is seen, too.
    if progress.total is not None:
        _total(figure, progress.total, progress.found, progress.pool)
    # More points than pixels only make the browser slow.
    step = -(-len(sums) // MOST_POINTS)
    kept = sorted({*range(0, len(sums), max(1, step)), len(sums) - 1}) if sums else []
    figure.add_scatter(
        x=[0, *(i + 1 for i in kept)],
        y=[0, *(sums[i] for i in kept)],
        mode="lines",
        line={"color": BLUE, "width": 2.5, "shape": "hv" if step <= 1 else "linear"},
        name="found",
        hovertemplate="%{x:,} articles: %{y:,} key sentences<extra></extra>",
    )
    lots = [i for i, by_lot in enumerate(progress.by_lot) if by_lot]
    lots = lots[:: max(1, -(-len(lots) // MOST_POINTS))]
    if lots:
        few = len(lots) <= FEW_DRAWS  # many would hide the line that they stand on: they stand at the axis
        figure.add_scatter(
            x=[i + 1 for i in lots],
            y=[sums[i] if few else 0 for i in lots],
            customdata=[[progress.key[i]] for i in lots],
            mode="markers",
            marker={"color": VERMILLION, "size": 7, "symbol": "diamond" if few else "line-ns-open"},
            name="drawn at random",
            hovertemplate="article %{x:,}, drawn at random: %{customdata[0]} key<extra></extra>",
        )
    figure.update_xaxes(**whole_ticks(progress.pool), range=[0, progress.pool * 1.01])
    figure.update_yaxes(**whole_ticks(progress.found if progress.total is None else progress.total.high))
    x = f"articles reviewed or labelled at import, of {progress.pool:,}"
    return drawn(figure, x=x, y="key sentences", n=f"{len(sums):,}")


def _total(figure: go.Figure, total: Estimate, found: int, pool: int) -> None:
    value, low, high = (max(found, bound) for bound in (total.value, total.low, total.high))
    figure.add_scatter(
        x=[0, pool, pool, 0],
        y=[low, low, high, high],
        fill="toself",
        mode="none",
        fillcolor="rgba(230, 159, 0, 0.22)",  # ORANGE
        name="95% interval",
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=[0, pool],
        y=[value, value],
        mode="lines",
        line={"color": ORANGE, "dash": "dash", "width": 2},
        name="estimated total",
        hovertemplate=f"estimated total: {Estimate(value, low, high).in_things()}<extra></extra>",
    )


def how_far(progress: ReviewProgress) -> None:
    """What the numbers say of how far the review is, and the curve of what was found."""
    words = shown(" ".join(advice(progress)))
    st.markdown(words if progress.unfound is None else f"**{words}**")
    if not progress.articles:
        return
    show_figure(found_curve(progress), key="progress_found")
    if missed := missed_in_words(progress.missed):
        st.markdown(f"**Missed inside articles**: {shown(missed)}")
    if progress.total is None:
        return
    unfinished = (
        f" Drawn and not reviewed yet: {count_of(progress.unfinished_draws, 'article')}; if they are unusual, the "
        "estimate is wrong."
        if progress.unfinished_draws
        else ""
    )
    st.caption(
        f"The estimate uses only articles that were drawn at random, {progress.draws:,} so far. It is advice: you "
        f"decide when to stop.{unfinished}"
    )


def in_the_rest(progress: ReviewProgress) -> str:
    """What the number of key sentences that are probably not found yet rests on."""
    if progress.unfound is None:
        return "In articles that are not reviewed yet."
    if not progress.waiting:
        return "Every article is reviewed."
    _, low, high = progress.unfound.whole()
    return (
        f"{low:,} to {high:,} in 95 of 100 cases, in articles not reviewed yet, by {progress.draws:,} random articles."
    )


def influence(found: Anchoring) -> None:
    """What showing proposals does to experts, folded: in words, by its measures, and what that rests on."""
    with st.expander("Do proposals influence annotators?", icon=":material/balance:"):
        st.caption(
            "The queue gives out some random articles without proposals. Keyline compares the key sentences that "
            "annotators find with and without proposals."
        )
        for sentence in in_words(found):
            st.markdown(shown(sentence))
        anchoring_table(found)
        anchoring_counts(found)


def anchoring_table(found: Anchoring) -> None:
    """The four measures in both arms with their difference; nothing where there is no comparison."""
    of = found.comparison
    if of is None:
        return
    measures = (
        ("proposals called key", of.called_key, 100.0, "%"),
        ("key sentences outside of them, an article", of.outside, 1.0, ""),
        ("key sentences in all, an article", of.total, 1.0, ""),
        ("found key sentences that are proposals", of.among, 100.0, "%"),
    )
    rows = [_row(name, effect, factor, unit) for name, effect, factor, unit in measures if effect]
    text_table(rows, "Key sentences with and without proposals")
    st.caption(
        "In brackets the 95% bootstrap interval over articles. A difference whose interval holds 0 may be chance."
    )


def _row(name: str, effect: Effect, factor: float, unit: str) -> dict[str, str]:
    def cell(of: Estimate, number: Callable[[float, int], str], unit: str) -> str:
        value, low, high = (number(factor * end, 0 if unit else 2) for end in (of.value, of.low, of.high))
        return f"{value}{unit} ({low} to {high})"

    return {
        "measure": name,
        "proposals shown": cell(effect.shown, written, unit),
        "not shown": cell(effect.unshown, written, unit),
        "difference": cell(effect.difference, change_written, unit and " points"),
    }


def anchoring_counts(found: Anchoring) -> None:
    """What the comparison rests on, what it leaves out, and how many articles it takes."""
    parts = [
        f"Compared: {count_of(found.shown, 'article')} with and {found.unshown:,} without proposals, all read in "
        "full and handed out by the queue.",
    ]
    if found.unread:
        parts.append(f"{found.unread:,} without proposals were reviewed but not read in full: left out.")
    if found.called_key is not None:
        key = found.called_key
        share, low, high = (round(100 * value) for value in (key.value, key.low, key.high))
        parts.append(
            f"Of {count_of(found.judged_only, 'more article')} with proposals, not read in full, {share}% ({low} to "
            f"{high}) of the judged proposals were called key."
        )
    parts.append(
        f"About {found.needed:,} articles without proposals are needed to find a difference of 10 points in 8 of 10 "
        "cases."
    )
    st.caption(" ".join(parts))
