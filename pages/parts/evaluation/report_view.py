"""The report of a version on the page Evaluate: figures that lead to the review of the articles behind them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.active_learning.heads
import db.articles
import db.evaluation.reports
import db.proposing.versions
import db.rows
from annotate.articles.sentence_places import DECILES, PARTS
from annotate.evaluation.report import calibration, stale
from annotate.gold.label_sets import LabelSet
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.proposing.propose import rankings_of
from db.tables import ModelVersion, Report
from db.values import Split
from model.proposing.ranking import Ranking
from pages.parts.evaluation import report_charts as charts
from pages.parts.evaluation import report_tables as tables
from pages.parts.evaluation.evaluation_tables import picked
from pages.parts.evaluation.report_html import html_of
from pages.parts.frame.page import link_to
from pages.parts.frame.text import shown
from pages.parts.shared.charts import cosine_histogram, threshold_curves, training_curve
from pages.parts.shared.downloads import File, offer
from pages.parts.shared.figures import show_figure
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.tables import show_table

MOST_SENTENCES = 200
CHANGED = {"labels": "the labels of these articles", "audit": "the audit"}
INBOX = ":material/inbox:"
KEY = ("true", "missed key sentence")
ERRORS = [name for name in charts.OUTCOMES if name != "true"]


def report_panel(version: ModelVersion, split: str, label_set: LabelSet, places: Sequence[DeltaGenerator]) -> None:
    """The report of a version on a split; in three `places` the choice of the ranking, and how to make and share it."""
    pick_ranking, make, share = places
    with read() as session:
        # The learned ranking was fitted on the other splits.
        possible = [str(r) for r in rankings_of(session, version) if r is not Ranking.LEARNED or split == Split.TEST]
        ranker = db.active_learning.heads.latest_ranker(session, version.id)
        curve = db.proposing.versions.curve(session, version.id)
    ranking = picked(pick_ranking, "Ranking", possible, Ranking.COSINE)
    with read() as session:
        report = db.rows.find(session, Report, version_id=version.id, ranking=ranking, split=split)
        changed = stale(session, report, label_set) if report else []
    make.button(
        "Make the report again" if report else "Make the report",
        on_click=start_job,
        args=("report", {"version": version.name, "ranking": ranking, "split": split}),
        type="primary" if changed or report is None else "secondary",
        width="stretch",
    )
    if ranker:
        st.caption(f":material/school: Learned ranking of {shown(version.name)}: {shown(ranker.metrics['reason'])}.")
    if report is None:
        st.info("No report of this version with this ranking yet: it tells where the version errs.", icon=INBOX)
        return
    address = (st.context.url or "").removesuffix("/evaluate")
    page = File(
        "HTML file",
        f"report {version.name} {split} {ranking}.html",
        "text/html",
        Right.EVALUATE,
        partial(html_of, report.id, address),
        help="All of it in one file, to share or print. It opens without a network.",
    )
    with share:
        offer([page], key="report", stacked=True)
    if changed:
        names = " and ".join(CHANGED[name] for name in changed)
        st.warning(f"Since this report was made, {names} changed. Make it again.", icon=":material/update:")
    made = f"Made {report.created_at[:16].replace('T', ' ')} UTC with label set {report.label_set_sha256[:12]}."
    st.caption(made)
    _sections(report, version, curve)


def _sections(report: Report, version: ModelVersion, curve: Sequence[Mapping[str, Any]]) -> None:
    """All sections in tabs; only the open one is computed. `curve`: of the training that made the version."""
    drawn: dict[str, Callable[[], None]] = {
        "Numbers": lambda: _numbers(report.content),
        "Confidence": lambda: _confidence(report),
        "Calibration": lambda: _calibration(report),
        "Cut-off": lambda: _cut_off(report),
        "Map": lambda: _map(report),
        "Training": lambda: _training(version, curve),
        "Articles": lambda: _articles(report),
        "Places": lambda: _places(report),
        "Vocabulary": lambda: _vocabulary(report.content),
    }
    for tab, draw in zip(st.tabs(list(drawn), on_change="rerun", key="report_tab"), drawn.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def _caption(name: str) -> None:
    st.caption(tables.CAPTIONS[name])


def _table(rows: Sequence[Mapping[str, Any]], **config: Any) -> None:
    show_table(rows, column_config=config)


def _numbers(content: Mapping[str, Any]) -> None:
    table, words = st.columns([2, 1], gap="medium")
    rows = tables.metric_rows(content)
    show_table(rows, place=table, height=38 + 35 * len(rows))
    with words:
        _caption("numbers")
        if content["mean_key"]:
            _caption("mean_key")
        elif content["parent"] is None:
            st.caption("No training article has a key sentence: nothing to take the mean of.")
        if content["audited"]["correct"]:
            _caption("audit")


def _confidence(report: Report) -> None:
    left, right = st.columns([2, 3], gap="medium")
    with left:
        _caption("confidence")
        _table(tables.confidence_rows(report.content))
        if not any(report.content["audited"].values()):
            st.caption("No prediction was audited yet: an expert can say which of those counted wrong are right.")
            link_to("check", "Audit the errors", what="audit")
    with right:
        predictions = report.content["predictions"]
        picked = _clickable(charts.cosines_by_outcome(predictions), "report_confidence")
    _sentence(picked)
    names = [name for name in charts.OUTCOMES if name in set(report.content["predictions"]["outcome"])]
    default = [name for name in names if name in ERRORS]
    outcomes = st.pills("Sentences", names, selection_mode="multi", default=default, key="report_outcomes")
    _predictions(report, by="cosine", outcome=outcomes)


def _calibration(report: Report) -> None:
    found = look_up(calibration, report.version_id)
    if found["calibration"] is None:
        st.info(f"No calibrated probabilities yet: {shown(found['reason'])}.", icon=":material/info:")
        return
    left, right = st.columns([3, 2], gap="medium")
    show_figure(charts.reliability_plot(found["calibration"]), key="report_calibration", place=left)
    right.markdown(tables.calibration_said(found["calibration"]))
    right.caption(tables.CAPTIONS["calibration"])


def _cut_off(report: Report) -> None:
    bins = report.content["histogram"]
    best = bins["thresholds"][bins["best"]]
    cut_off = st.slider("Cut-off: cosine to the query", 0.0, 1.0, best, 0.01, key=f"cut_off_{report.id}")
    at = round(cut_off * 100)
    _table(tables.cut_off_rows(bins, dict.fromkeys((at, bins["best"]))))
    left, right = st.columns(2, gap="medium")
    show_figure(charts.cut_at(cosine_histogram(bins), cut_off), key="report_histogram", place=left)
    show_figure(charts.cut_at(threshold_curves(bins), cut_off), key="report_curves", place=right)
    left.caption(tables.CAPTIONS["histogram"])
    right.caption(tables.CAPTIONS["threshold"])
    st.markdown("**Key sentences that the cut-off would miss**, the nearest first")
    predictions = report.content["predictions"]
    missed = [
        i
        for i in tables.chosen_predictions(predictions, len(predictions["article"]), by="cosine", outcome=KEY)
        if predictions["cosine"][i] < cut_off
    ]
    _rows(report, missed)


def _map(report: Report) -> None:
    projection = report.content["projection"]
    if projection is None:
        st.info("Too few sentences for a map.", icon=":material/info:")
        return
    _caption("map")
    picked = _clickable(charts.sentence_map(projection), "report_map")
    key = sum(projection["key"])
    st.caption(
        f"{len(projection['key']) - key:,} random sentences that are not key and {key:,} of {projection['all_key']:,} "
        "key sentences, placed by t-SNE (openTSNE, perplexity 30 or a third of the points, fixed seed). "
        "Click a point to read its sentence."
    )
    _sentence(picked)


def _training(version: ModelVersion, curve: Sequence[Mapping[str, Any]]) -> None:
    if not version.trained_on:
        st.info("This version was not fine-tuned here: it has no training to show.", icon=":material/info:")
        return
    left, right = st.columns([3, 2], gap="medium")
    show_figure(training_curve(curve, version.settings), key="report_training", place=left)
    left.caption(tables.CAPTIONS["training"])
    with right:
        _table(tables.setting_rows(version))


def _articles(report: Report) -> None:
    content = report.content
    titles = look_up(db.articles.titles, content["articles"]["id"])
    picked = _clickable(charts.r_precision_sorted(content["articles"], titles, content["parent"]), "report_articles")
    if picked:
        title, review = st.columns([4, 1], vertical_alignment="center")
        title.markdown(f"**{shown(titles.get(picked[0], ''))}**")
        review.link_button("Review", _review(picked[0]), icon=":material/rate_review:", width="stretch")
    _caption("articles")
    bar = st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f")
    rows = [{"review": _review(row["article"]), **row} for row in tables.article_rows(content, titles)]
    decimals = st.column_config.NumberColumn(format="%.2f")
    numbers = {"R-precision": bar, "parent": decimals, "after the audit": decimals}
    _table(rows, article=None, title=st.column_config.TextColumn(width="large"), **numbers)


def _places(report: Report) -> None:
    places = report.content["places"]
    left, right = st.columns(2, gap="medium")
    with left:
        part = _clickable(charts.shares_by_place(places["part"], "part of the article"), "report_parts")
        _caption("part")
    with right:
        decile = _clickable(
            charts.shares_by_place(places["decile"], "place in the article (% of its sentences)"), "report_deciles"
        )
        _caption("decile")
    _table(tables.place_rows(places["part"], "part"))
    names = [PARTS[part[0]]] if part else []
    names += [f"{DECILES[decile[0]]} %"] if decile else []
    st.markdown(f"**Wrong and missed sentences**, {', '.join(names)}" if names else "**Wrong and missed sentences**")
    st.caption("Click a bar to see only the sentences of one place.")
    chosen = {"part": part[:1]} if part else {}
    chosen |= {"decile": decile[:1]} if decile else {}
    _predictions(report, by="cosine", outcome=ERRORS, **chosen)


def _vocabulary(content: Mapping[str, Any]) -> None:
    _caption("vocabulary")
    rows = tables.vocabulary_rows(content)
    if not rows:
        st.info("This version keeps its tokenizer in a form that is not read here.", icon=":material/info:")
    elif all(row["number"] == "0" for row in rows):
        st.info("No document labels yet: import some to see the table.", icon=":material/info:")
    else:
        _table(rows)


def _clickable(figure: go.Figure, key: str) -> list[int]:
    """Shows a figure; returns what the point that was clicked carries, or nothing."""
    state = show_figure(figure, key=key, on_select="rerun", selection_mode="points")
    points = state.selection.points
    return [int(value) for value in points[0].get("customdata") or []] if points else []


def _sentence(picked: Sequence[int]) -> None:
    """The sentence of a clicked point, with the way to its article."""
    if len(picked) != 2:
        return
    article_id, position = picked
    with read() as session:
        text = db.evaluation.reports.texts(session, [(article_id, position)]).get((article_id, position), "")
        title = db.articles.titles(session, [article_id]).get(article_id, "")
    words, review = st.columns([5, 1], vertical_alignment="center")
    words.markdown(f"“{shown(text)}”  \n*{shown(title)}*")
    review.link_button("Review", _review(article_id), icon=":material/rate_review:", width="stretch")


def _predictions(report: Report, *, by: str, **only: Sequence[Any]) -> None:
    _rows(report, tables.chosen_predictions(report.content["predictions"], 10**9, by=by, **only))


def _rows(report: Report, indices: Sequence[int]) -> None:
    """The sentences of those predictions, with links, at most MOST_SENTENCES."""
    if not indices:
        st.caption("None.")
        return
    predictions = report.content["predictions"]
    listed = indices[:MOST_SENTENCES]
    texts = look_up(
        db.evaluation.reports.texts, {(predictions["article"][i], predictions["position"][i]) for i in listed}
    )
    rows = tables.prediction_rows(report.content, listed, texts, PARTS)
    _table(
        [{"review": _review(row["article"]), **row} for row in rows],
        article=None,
        cosine=st.column_config.NumberColumn(format="%.3f", width="small"),
        rank=st.column_config.NumberColumn(width="small"),
        sentence=st.column_config.TextColumn(width="large"),
    )
    if len(indices) > len(listed):
        st.caption(f"{len(listed):,} of {len(indices):,} sentences.")


def _review(article_id: int) -> str:
    return f"/review?article={article_id}"
