"""The sections of a report, of tables, figures and words, which the page and the file show. Without Streamlit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

import db.articles
import db.evaluation
import db.registry
import db.rows
from annotate.articles.document import PARTS
from annotate.evaluation.report import calibration
from annotate.project.home import look_up, read
from db.tables import ModelVersion, Report
from pages.parts.evaluation import report_charts as charts
from pages.parts.evaluation import report_tables as tables
from pages.parts.evaluation.report_tables import CAPTIONS
from pages.parts.shared.charts import cosine_histogram, threshold_curves, training_curve

CUT_OFFS = range(10, 100, 10)
MOST_SENTENCES = 200
MOST_ARTICLES = 200


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of shown texts and numbers; "article" leads to the review of the article with this id."""

    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure; where its points carry [article id, position], a click leads to the `review`."""

    drawn: go.Figure
    review: bool = False


Block = Table | Figure | str


def _numbers(report: Report) -> list[Block]:
    content = report.content
    applies = {"numbers": True, "mean_key": content["mean_key"], "audit": content["audited"]["correct"]}
    return [Table(tables.metric_rows(content)), *(CAPTIONS[name] for name, there in applies.items() if there)]


def _confidence(report: Report) -> list[Block]:
    figure = charts.cosines_by_outcome(report.content["predictions"])
    return [Figure(figure, review=True), CAPTIONS["confidence"], Table(tables.confidence_rows(report.content))]


def _calibration(report: Report) -> list[Block]:
    found = look_up(calibration, report.version_id)
    if found["calibration"] is None:
        return [f"No calibrated probabilities yet: {found['reason']}."]
    figure = Figure(charts.reliability_plot(found["calibration"]))
    return [figure, tables.calibration_sentence(found["calibration"]), CAPTIONS["calibration"]]


def _cut_off(report: Report) -> list[Block]:
    bins = report.content["histogram"]
    best = bins["thresholds"][bins["best"]]
    return [
        Figure(charts.cut_at(cosine_histogram(bins), best)),
        CAPTIONS["histogram"],
        Figure(charts.cut_at(threshold_curves(bins), best)),
        CAPTIONS["threshold"],
        Table(tables.cut_off_rows(bins, sorted({*CUT_OFFS, bins["best"]}))),
    ]


def _map(report: Report) -> list[Block]:
    projection = report.content["projection"]
    if projection is None:
        return ["Too few sentences for a map."]
    key = sum(projection["key"])
    counted = (
        f"{len(projection['key']) - key:,} random sentences that are not key and {key:,} of {projection['all_key']:,} "
        "key sentences, placed by t-SNE. It is openTSNE with perplexity 30, or a third of the points, and a fixed seed."
    )
    return [Figure(charts.sentence_map(projection), review=True), CAPTIONS["map"], counted]


def _training(report: Report) -> list[Block]:
    with read() as session:
        version = db.rows.get(session, ModelVersion, report.version_id)
        curve = db.registry.curve(session, report.version_id)
    if version is None or not version.trained_on:
        return ["This version was not fine-tuned here: it has no training to show."]
    figure = Figure(training_curve(curve, version.settings))
    return [figure, CAPTIONS["training"], Table(tables.setting_rows(version))]


def _articles(report: Report) -> list[Block]:
    articles = report.content["articles"]
    titles = look_up(db.articles.titles, articles["id"])
    figure = charts.r_precision_sorted(articles, titles, report.content["parent"])
    rows = tables.article_rows(report.content, titles, MOST_ARTICLES)
    cut = [f"The worst {MOST_ARTICLES} of {len(articles['id']):,}:"] if len(articles["id"]) > MOST_ARTICLES else []
    return [Figure(figure, review=True), CAPTIONS["articles"], *cut, Table(rows)]


def _places(report: Report) -> list[Block]:
    found: list[Block] = []
    for kind, title, name in (
        ("part", "part of the article", "part"),
        ("decile", "place in the article (% of its sentences)", "place (%)"),
    ):
        places = report.content["places"][kind]
        found += [Figure(charts.shares_by_place(places, title)), CAPTIONS[kind], Table(tables.place_rows(places, name))]
    return found


def _vocabulary(report: Report) -> list[Block]:
    return [CAPTIONS["vocabulary"], Table(tables.vocabulary_rows(report.content))]


def _sentences(report: Report) -> list[Block]:
    found = tables.wrong_predictions(report.content, MOST_SENTENCES)
    texts = look_up(db.evaluation.texts, set(zip(found["article"], found["position"], strict=True)))
    caption = f"Wrong and missed sentences, at most {MOST_SENTENCES}, the most likely first."
    return [caption, Table(tables.prediction_rows(found, texts, PARTS))]


# In their order; what a section holds is looked up once it is shown.
SECTIONS: dict[str, Callable[[Report], list[Block]]] = {
    "Numbers": _numbers,
    "Confidence": _confidence,
    "Calibration": _calibration,
    "Cut-off": _cut_off,
    "Map": _map,
    "Training": _training,
    "Articles": _articles,
    "Places": _places,
    "Vocabulary": _vocabulary,
    "Sentences": _sentences,
}
