"""The figures of the agreement page: kappa by pair, and alpha over time."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from html import escape
from math import floor

import plotly.graph_objects as go

from annotate.evaluation.metric_labels import interval_text, written
from annotate.project.words import count_of
from annotate.team.agreement import Pair, Period
from model.agreement import RELIABLE, TENTATIVE
from pages.parts.shared.drawing import BLUE, DIVERGING, FONT, GREY, drawn

MOST_WITH_NUMBERS = 14  # annotators; in smaller cells numbers would not be read
MOST_TICKS = 8
BAND = "rgba(0, 114, 178, 0.18)"  # BLUE


def pair_matrix(pairs: Sequence[Pair]) -> go.Figure:
    """Cohen's kappa of each pair; a cell is empty where two annotators share no sentence, or use only one label."""
    names = sorted({name for pair in pairs for name in (pair.first, pair.second)}, key=str.lower)
    place = {name: i for i, name in enumerate(names)}
    values: list[list[float | None]] = [[None] * len(names) for _ in names]
    hover = [["no sentence in common"] * len(names) for _ in names]
    cell_texts = [[""] * len(names) for _ in names]
    for pair in pairs:
        for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
            values[place[one]][place[other]] = pair.found.cohen.value
            hover[place[one]][place[other]] = _pair_in_words(pair)
            kappa = "–" if pair.found.cohen.value is None else written(pair.found.cohen.value, 2)
            cell_texts[place[one]][place[other]] = f"{kappa}<br>n = {pair.found.units:,}"
    for i, name in enumerate(names):
        hover[i][i] = escape(name)
    labels = [escape(name if len(name) < 20 else name[:19] + "…") for name in names]
    figure = go.Figure(
        go.Heatmap(
            z=values,
            zmin=-1,
            zmid=0,
            zmax=1,
            colorscale=DIVERGING,
            text=cell_texts,
            texttemplate="%{text}" if len(names) <= MOST_WITH_NUMBERS else None,
            textfont=FONT,
            customdata=hover,
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=True,
            xgap=2,
            ygap=2,
            colorbar={"title": "κ", "thickness": 12, "tickvals": [-1, -0.5, 0, 0.5, 1]},
        )
    )
    ticks = {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": labels,
        "showgrid": False,
        "zeroline": False,
    }
    figure.update_xaxes(side="top", automargin=True, **ticks)
    figure.update_yaxes(autorange="reversed", automargin=True, **ticks)
    height = max(280, min(620, 140 + 46 * len(names)))
    n = "sentences that both judged"
    return drawn(figure, x="annotator", y="annotator", n=n, height=height, margin={"l": 20, "t": 30, "b": 20})


def _pair_in_words(pair: Pair) -> str:
    found, of = pair.found, pair.found.cohen
    kappa = "no kappa: one label alone"
    if of.value is not None:
        kappa = f"κ {interval_text(of.value, of.low, of.high, bounds_digits=2)}"
    return f"{escape(pair.first)} and {escape(pair.second)}<br>{kappa}<br>{count_of(found.units, 'sentence')}"


def over_time(periods: Sequence[Period], *, by_month: bool) -> go.Figure:
    """Krippendorff's alpha by week or month, with its interval."""
    figure = go.Figure()
    for i, run in enumerate(_runs(periods)):
        days = [period.start for period in run]
        low, high = [period.found.alpha.low for period in run], [period.found.alpha.high for period in run]
        if len(run) == 1:  # a band needs some width
            aside = timedelta(days=8 if by_month else 2)
            days, low, high = [days[0] - aside, days[0] + aside], low * 2, high * 2
        figure.add_scatter(
            x=[*days, *reversed(days)],
            y=[*low, *reversed(high)],
            fill="toself",
            mode="none",
            fillcolor=BAND,
            name="95% interval",
            legendgroup="band",
            showlegend=not i,
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=[period.start for period in periods],
        y=[period.found.alpha.value for period in periods],
        customdata=[[period.found.units, period.found.articles] for period in periods],
        mode="lines+markers",
        line={"color": BLUE, "width": 2},
        name="Krippendorff's α",
        hovertemplate=("%{x|%B %Y}" if by_month else "week of %{x|%Y-%m-%d}")
        + "<br>α %{y:.3f}<br>%{customdata[0]:,} sentences, %{customdata[1]:,} articles<extra></extra>",
    )
    for value in (TENTATIVE, RELIABLE):
        figure.add_hline(y=value, line={"color": GREY, "dash": "dot", "width": 1}, annotation_text=written(value))
    # As many ticks as there is room for, each at the begin of a period: between two of them nothing is said.
    starts = [period.start for period in periods]
    figure.update_xaxes(
        tickvals=starts[:: -(-len(starts) // MOST_TICKS)],
        tickformat="%b %Y" if by_month else "%b %-d, %Y",
        range=[starts[0] - timedelta(days=20), starts[-1] + timedelta(days=20)] if len(starts) < 3 else None,
    )
    lowest = min([0.0, *(bound for p in periods if (bound := p.found.alpha.low or p.found.alpha.value) is not None)])
    figure.update_yaxes(range=[floor(2 * lowest) / 2 - 0.03, 1.05], tickformat=".1f")  # from a tick below all points
    n = count_of(sum(period.found.units for period in periods), "sentence")
    x = f"{'month' if by_month else 'week'} of the last word"
    return drawn(figure, x=x, y="Krippendorff's α", n=n, margin={"r": 40})


def _runs(periods: Sequence[Period]) -> Iterator[list[Period]]:
    """Periods with an interval that follow each other."""
    run: list[Period] = []
    for period in periods:
        if period.found.alpha.low is not None:
            run.append(period)
        elif run:
            yield run
            run = []
    if run:
        yield run
