"""A report as one HTML file that opens without a network.

`python -m pages.parts.evaluation.report_html VERSION --out FILE` writes one.

Needs plotly, not Streamlit. The command makes the report first where there is none, or where labels or audit changed.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from markupsafe import Markup
from plotly.offline import get_plotlyjs

import db.articles
import db.evaluation.reports
import db.proposing.versions
import db.rows
from annotate.articles.sentence_places import PARTS
from annotate.evaluation.report import calibration, stale
from annotate.gold.label_sets import labels_now
from annotate.project.home import read
from annotate.proposing.encoder_versions import find_version
from annotate.work import run_job
from db.articles import ALL, SPLITS
from db.engine import DATABASE_ERRORS
from db.tables import ModelVersion, Report
from db.values import Split
from model.proposing.ranking import Ranking
from pages.parts.evaluation import report_charts as charts
from pages.parts.evaluation import report_tables as tables
from pages.parts.frame.templates import render
from pages.parts.shared.charts import cosine_histogram, threshold_curves, training_curve

WORST_ARTICLES = 50
MOST_SENTENCES = 200
CUT_OFFS = range(10, 100, 10)
STYLE = (Path(__file__).parent / "report.css").read_text()
CLICKS = (Path(__file__).parent / "report.js").read_text()


def html_of(report_id: int, app_url: str = "") -> bytes:
    """The file of a stored report; with the app's address its articles are links to their review."""
    with read() as session:
        report = db.rows.get(session, Report, report_id)
        if report is None:
            raise LookupError(f"there is no report {report_id}")
        version = db.rows.get(session, ModelVersion, report.version_id)
        curve = db.proposing.versions.curve(session, report.version_id)
        training = _training(version, curve) if version else None
        content = report.content
        listed = _listed(content)
        predictions = content["predictions"]
        texts = db.evaluation.reports.texts(
            session, {(predictions["article"][i], predictions["position"][i]) for i in listed}
        )
        titles = db.articles.titles(session, content["articles"]["id"])
        calibrated = calibration(session, report.version_id)
    return report_html(report, training, titles, texts, calibrated, app_url).encode()


def report_html(
    report: Report,
    training: Markup | None,
    titles: Mapping[int, str],
    texts: Mapping[tuple[int, int], str],
    calibrated: Mapping[str, Any],
    app_url: str = "",
) -> str:
    """The whole document; all text from articles and people is escaped."""
    content = report.content
    # Only http(s): an address of another kind would be run when a link is clicked.
    app = app_url.rstrip("/") if app_url.startswith(("http://", "https://")) else ""
    sections = _sections(content, training, titles, texts, app)
    after = [name for name, _, _ in sections].index("confidence") + 1
    sections.insert(after, ("calibration", "Calibration", _calibration(calibrated)))
    return render(
        "report.html.j2",
        heading=f"Report of {content['version']}",
        about=_about(report),
        sections=sections,
        app=app,
        style=Markup(STYLE),
        plotly=Markup(get_plotlyjs()),
        clicks=Markup(CLICKS),
    )


def _about(report: Report) -> Markup:
    content = report.content
    rows = {
        "articles": f"{content['metrics']['articles']:,} of the {report.split} split"
        if report.split != ALL
        else f"all {content['metrics']['articles']:,} with key sentences",
        "ranking": report.ranking,
        "encoder": content["encoder"],
        "fine-tuned from": content["parent"] or "nothing: as it came",
        "query": content["query"] or "each article's own, from its document labels",
        "label set (SHA-256)": report.label_set_sha256,
        "audit (SHA-256)": content["audit_sha256"],
        "made": report.created_at,
    }
    return _table([{"about": name, "this report": value} for name, value in rows.items()])


def _sections(
    content: Mapping[str, Any],
    training: Markup | None,
    titles: Mapping[int, str],
    texts: Mapping[tuple[int, int], str],
    app: str,
) -> list[tuple[str, str, Markup]]:
    """(anchor, title, HTML) of each section."""
    bins, places, projection = content["histogram"], content["places"], content["projection"]
    best = bins["thresholds"][bins["best"]]
    listed = tables.prediction_rows(content, _listed(content), texts, PARTS)
    told = {"numbers": True, "mean_key": content["mean_key"], "audit": content["audited"]["correct"]}
    cut = [*CUT_OFFS, *([bins["best"]] if bins["best"] not in CUT_OFFS else [])]
    found = [
        (
            "numbers",
            "Numbers",
            _table(tables.metric_rows(content)) + Markup().join(_note(name) for name, there in told.items() if there),
        ),
        (
            "confidence",
            "Confidence by outcome",
            _table(tables.confidence_rows(content))
            + _figure(charts.cosines_by_outcome(content["predictions"]), review=True)
            + _note("confidence"),
        ),
        (
            "cut-off",
            "Cut-off",
            _figure(charts.cut_at(cosine_histogram(bins), best))
            + _note("histogram")
            + _figure(charts.cut_at(threshold_curves(bins), best))
            + _note("threshold")
            + _table(tables.cut_off_rows(bins, sorted(cut))),
        ),
        (
            "map",
            "Map of the sentences",
            _figure(charts.sentence_map(projection), review=True) + _note("map")
            if projection
            else _said("Too few sentences for a map."),
        ),
        (
            "places",
            "Places in the article",
            _figure(charts.shares_by_place(places["part"], "part of the article"))
            + _note("part")
            + _table(tables.place_rows(places["part"], "part"))
            + _figure(charts.shares_by_place(places["decile"], "place in the article (% of its sentences)"))
            + _note("decile")
            + _table(tables.place_rows(places["decile"], "place (%)")),
        ),
        ("vocabulary", "Vocabulary", _table(tables.vocabulary_rows(content)) + _note("vocabulary")),
        (
            "articles",
            f"Articles, the worst {WORST_ARTICLES} first",
            _figure(charts.r_precision_sorted(content["articles"], titles, content["parent"]), review=True)
            + _note("articles")
            + _table(tables.article_rows(content, titles, WORST_ARTICLES), app),
        ),
        ("sentences", "Wrong and missed sentences", _table(listed, app)),
    ]
    if training is not None:
        found.insert(4, ("training", "Training", training))
    return found


def _training(version: ModelVersion, curve: Sequence[Mapping[str, Any]]) -> Markup | None:
    if not version.trained_on:
        return None
    return _figure(training_curve(curve, version.settings)) + _note("training") + _table(tables.setting_rows(version))


def _calibration(found: Mapping[str, Any]) -> Markup:
    if found["calibration"] is None:
        return _said(f"No calibrated probabilities: {found['reason']}.")
    said = _said(tables.calibration_said(found["calibration"]))
    return _figure(charts.reliability_plot(found["calibration"])) + said + _note("calibration")


def _listed(content: Mapping[str, Any]) -> list[int]:
    errors = [name for name in charts.OUTCOMES if name != "true"]
    return tables.chosen_predictions(content["predictions"], MOST_SENTENCES, by="cosine", outcome=errors)


def _said(text: str) -> Markup:
    return render("report_text.html.j2", text=text, note=False)


def _note(name: str) -> Markup:
    return render("report_text.html.j2", text=tables.CAPTIONS[name], note=True)


def _figure(figure: go.Figure, *, review: bool = False) -> Markup:
    clear = "rgba(0,0,0,0)"
    figure.update_layout(template="plotly_white", paper_bgcolor=clear, plot_bgcolor=clear)
    drawn = figure.to_html(
        full_html=False, include_plotlyjs=False, config={"displayModeBar": False, "responsive": True}
    )
    return render("report_figure.html.j2", drawn=Markup(drawn), review=review)  # plotly escapes what it draws


def _table(rows: Sequence[Mapping[str, Any]], app: str = "") -> Markup:
    return render("report_table.html.j2", rows=rows, app=app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the file; returns 0, or 1 with the reason on standard error."""
    parser = argparse.ArgumentParser(
        prog="python -m pages.parts.evaluation.report_html", description=__doc__.partition(":")[0]
    )
    parser.add_argument("version", nargs="?", help="default: the proposing version")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--ranking", choices=list(map(str, Ranking)), default=str(Ranking.COSINE))
    parser.add_argument("--split", choices=[ALL, *SPLITS], default=Split.TEST)
    parser.add_argument("--app", default="", metavar="URL", help="address of the app, for links to the review")
    options = parser.parse_args(arguments)
    try:
        options.out.write_bytes(html_of(_current(options), options.app))
    except (ValueError, LookupError, OSError, RuntimeError, *DATABASE_ERRORS) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(options.out)
    return 0


def _current(options: argparse.Namespace) -> int:
    """The id of the report of the present labels and audit, made where there is none."""
    version = find_version(options.version)
    with read() as session:
        report = db.rows.find(session, Report, version_id=version.id, ranking=options.ranking, split=options.split)
        if report is not None and not stale(session, report, labels_now(session)):
            return report.id
    payload = {"version": version.name, "ranking": options.ranking, "split": options.split}
    return int(run_job("report", payload)["report"])


if __name__ == "__main__":
    sys.exit(main())
