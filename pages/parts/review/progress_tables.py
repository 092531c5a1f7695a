"""The page Progress: its numbers and figures, and both arms of the articles with and without proposals."""

from collections.abc import Callable
from itertools import accumulate

import plotly.graph_objects as go
import streamlit as st

from annotate.evaluation.metric_labels import change_written, written
from annotate.project.words import count_of
from annotate.review.anchoring import Anchoring
from annotate.review.progress import ReviewProgress
from annotate.review.waiting import Reviewed
from model.evaluation.intervals import Estimate
from model.review.anchoring import Effect
from pages.parts.shared.drawing import BLUE, FEW_TICKS, GREY, ORANGE, VERMILLION, drawn, whole_ticks
from pages.parts.shared.tables import show_table

HEIGHT = 380
LAST = 40
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
    x = f"articles finished, of {progress.pool:,}"
    return drawn(figure, x=x, y="key sentences", n=f"{len(sums):,}", height=HEIGHT)


def _total(figure: go.Figure, total: Estimate, found: int, pool: int) -> None:
    value, low, high = (max(found, bound) for bound in (total.value, total.low, total.high))
    figure.add_scatter(
        x=[0, pool, pool, 0],
        y=[low, low, high, high],
        fill="toself",
        mode="none",
        fillcolor="rgba(230, 159, 0, 0.22)",  # ORANGE
        name="95 % interval",
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


def last_articles(progress: ReviewProgress) -> go.Figure:
    """Key sentences in each of the last LAST finished articles; a cross where one held none."""
    start = max(0, len(progress.key) - LAST)
    figure = go.Figure()
    for by_lot, name, colour, pattern in ((False, "chosen", BLUE, ""), (True, "drawn at random", VERMILLION, "/")):
        numbers = [i for i in range(start, len(progress.key)) if bool(progress.by_lot[i]) == by_lot]
        if numbers:
            figure.add_bar(
                x=[i + 1 for i in numbers],
                y=[progress.key[i] for i in numbers],
                customdata=[[progress.articles[i]] for i in numbers],
                name=name,
                marker={"color": colour, "pattern": {"shape": pattern}},
                hovertemplate="article %{customdata[0]}: %{y} key sentences<extra></extra>",
            )
    none = [i for i in range(start, len(progress.key)) if not progress.key[i]]
    if none:
        figure.add_scatter(
            x=[i + 1 for i in none],
            y=[0] * len(none),
            customdata=[[progress.articles[i]] for i in none],
            mode="markers",
            marker={"color": GREY, "symbol": "x-thin-open", "size": 7, "line": {"width": 1.5}},
            name="none",
            hovertemplate="article %{customdata[0]}: no key sentence<extra></extra>",
        )
    figure.update_layout(barmode="overlay", bargap=0.25)
    most = max([1, *progress.key[start:]])
    figure.update_yaxes(range=[-0.04 * most, most * 1.08], dtick=1 if most <= 8 else None, tickformat=",d")
    last = len(progress.key) - start
    figure.update_xaxes(tickformat=",d", dtick=1 if last <= FEW_TICKS else None)
    return drawn(
        figure, x="the last articles finished", y="new key sentences", n=count_of(last, "article"), height=HEIGHT
    )


def numbers(progress: ReviewProgress, known: Reviewed) -> None:
    """The four numbers on top."""
    found, left, articles, run = st.columns(4)
    found.metric(
        "Key sentences found",
        f"{progress.found:,}",
        help=(
            f"{progress.elsewhere:,} of them in articles that are not finished." if progress.elsewhere else "In all."
        ),
    )
    left.metric(
        "Probably not found yet",
        "–" if progress.unfound is None else f"{progress.unfound.whole()[0]:,}",
        help=_in_the_rest(progress),
    )
    articles.metric(f"Reviewed, of {known.total:,}", f"{len(known.here):,}", help=f"{known.in_words}.")
    run.metric("Last articles without any", f"{progress.without:,}", help="In the order in which they were finished.")


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
    show_table(rows)
    st.caption(
        "In brackets the 95 % bootstrap interval over articles. A difference whose interval holds 0 may be chance."
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
    said = [
        f"Compared: {found.shown:,} articles with and {found.unshown:,} without proposals, all read in full and handed "
        "out by the queue.",
    ]
    if found.unread:
        said.append(f"{found.unread:,} without proposals were finished but not read in full: left out.")
    if found.called_key is not None:
        key = found.called_key
        share, low, high = (round(100 * value) for value in (key.value, key.low, key.high))
        said.append(
            f"{found.judged_only:,} more articles with proposals were not read in full: {share} % ({low} to {high}) of "
            "their judged proposals were called key."
        )
    said.append(
        f"About {found.needed:,} articles without proposals are needed to find a difference of 10 points in 8 of 10 "
        "cases."
    )
    st.caption(" ".join(said))
