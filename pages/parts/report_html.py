"""A report as one HTML file that opens without a network: `python -m pages.parts.report_html VERSION --out FILE`.

Needs plotly, not Streamlit. The command makes the report first where there is none, or where labels or audit changed.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

import db.reports
import db.versions
from annotate.cli_common import run_job
from annotate.evaluate import ALL, SPLITS
from annotate.gold import labels_now
from annotate.home import read
from annotate.places import PARTS
from annotate.report import calibration, stale
from annotate.versions import TEST, find_version
from db.engine import DATABASE_ERRORS
from db.tables import Report, TrainingRun
from model.ranking import Ranking
from pages.parts import report_charts as charts
from pages.parts import report_tables as tables
from pages.parts.charts import training_curve

WORST_ARTICLES = 50
MOST_SENTENCES = 200
CUT_OFFS = range(10, 100, 10)
# Nothing is fetched and no form is sent, whatever a title may hold.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2rem auto; padding: 0 1rem;
  background: Canvas; color: CanvasText; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.4rem; border-bottom: 1px solid #8888; padding-bottom: .2rem; }
nav a { margin-right: 1rem; white-space: nowrap; }
.table { overflow-x: auto; } table { border-collapse: collapse; margin: .6rem 0; font-size: 14px; }
th, td { border-bottom: 1px solid #8884; padding: .25rem .7rem; text-align: left; vertical-align: top; }
p.note { max-width: 75ch; opacity: .85; }
.js-plotly-plot svg text:not(.hovertext text) { fill: CanvasText !important; }
.js-plotly-plot .gridlayer path { stroke: #8885 !important; }
@media print { h2 { break-after: avoid; } figure, tr { break-inside: avoid; } }
figure { margin: .6rem 0; }
"""
# A click on a point opens the review of its article, where the app's address is known.
CLICKS = """
const app = document.body.dataset.app;
for (const plot of app ? document.querySelectorAll("figure[data-review] .js-plotly-plot") : []) {
  plot.on("plotly_click", (event) => {
    const place = event.points[0]?.customdata;
    if (place) window.open(app + "/review?article=" + Number(place[0]), "_blank", "noopener");
  });
}
"""


def html_of(report_id: int, app_url: str = "") -> bytes:
    """The file of a stored report; with the app's address its articles are links to their review."""
    with read() as session:
        report = db.reports.report(session, report_id)
        if report is None:
            raise LookupError(f"there is no report {report_id}")
        run = db.versions.run_of(session, report.version_id)
        content = report.content
        listed = _listed(content)
        predictions = content["predictions"]
        texts = db.reports.texts(session, {(predictions["article"][i], predictions["position"][i]) for i in listed})
        titles = db.reports.titles(session, content["articles"]["id"])
        calibrated = calibration(session, report.version_id)
    return report_html(report, run, titles, texts, calibrated, app_url).encode()


def report_html(
    report: Report,
    run: TrainingRun | None,
    titles: Mapping[int, str],
    texts: Mapping[tuple[int, int], str],
    calibrated: Mapping[str, Any],
    app_url: str = "",
) -> str:
    """The whole document; all text from articles and people is escaped."""
    content = report.content
    # Only http(s): an address of another kind would be run when a link is clicked.
    app = app_url.rstrip("/") if app_url.startswith(("http://", "https://")) else ""
    sections = _sections(content, run, titles, texts, app)
    after = [name for name, _, _ in sections].index("confidence") + 1
    sections.insert(after, ("calibration", "Calibration", _calibration(calibrated)))
    heading = f"Report of {content['version']}"
    links = " ".join(f'<a href="#{name}">{escape(title)}</a>' for name, title, _ in sections)
    body = "".join(f'<h2 id="{name}">{escape(title)}</h2>{inner}' for name, title, inner in sections)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(heading)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>'
        f"<script>{get_plotlyjs()}</script></head>"
        f'<body data-app="{escape(app)}"><h1>{escape(heading)}</h1>{_about(report)}<nav>{links}</nav>{body}'
        f"<script>{CLICKS}</script></body></html>"
    )


def _about(report: Report) -> str:
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
    run: TrainingRun | None,
    titles: Mapping[int, str],
    texts: Mapping[tuple[int, int], str],
    app: str,
) -> list[tuple[str, str, str]]:
    """(anchor, title, HTML) of each section."""
    bins, places, projection = content["histogram"], content["places"], content["projection"]
    best = bins["thresholds"][bins["best"]]
    arps = [(name, metrics["r_precision"]) for name, metrics in tables.compared(content).items()]
    listed = tables.prediction_rows(content, _listed(content), texts, PARTS)
    numbers = _figure(charts.arp_intervals(arps)) + _table(tables.metric_rows(content))
    told = {"numbers": True, "mean_key": content["mean_key"], "audit": content["audited"]["correct"]}
    cut = [*CUT_OFFS, *([bins["best"]] if bins["best"] not in CUT_OFFS else [])]
    found = [
        ("numbers", "Numbers", numbers + "".join(_note(name) for name, there in told.items() if there)),
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
            _figure(charts.histogram_at(bins, best))
            + _note("histogram")
            + _figure(charts.curves_at(bins, best))
            + _note("threshold")
            + _table(tables.cut_off_rows(bins, sorted(cut))),
        ),
        (
            "map",
            "Map of the sentences",
            _figure(charts.sentence_map(projection), review=True) + _note("map")
            if projection
            else "<p>Too few sentences for a map.</p>",
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
    if run is not None:
        training = (
            _figure(training_curve(run.history, run.settings)) + _note("training") + _table(tables.setting_rows(run))
        )
        found.insert(4, ("training", "Training", training))
    return found


def _calibration(found: Mapping[str, Any]) -> str:
    if found["calibration"] is None:
        return f"<p>No calibrated probabilities: {escape(found['reason'])}.</p>"
    said = f"<p>{escape(tables.calibration_said(found['calibration']))}</p>"
    return _figure(charts.reliability_plot(found["calibration"])) + said + _note("calibration")


def _listed(content: Mapping[str, Any]) -> list[int]:
    errors = [name for name in charts.OUTCOMES if name != "true"]
    return tables.chosen_predictions(content["predictions"], MOST_SENTENCES, by="cosine", outcome=errors)


def _note(name: str) -> str:
    return f'<p class="note">{escape(tables.CAPTIONS[name])}</p>'


def _figure(figure: go.Figure, *, review: bool = False) -> str:
    clear = "rgba(0,0,0,0)"
    figure.update_layout(template="plotly_white", paper_bgcolor=clear, plot_bgcolor=clear)
    drawn = figure.to_html(
        full_html=False, include_plotlyjs=False, config={"displayModeBar": False, "responsive": True}
    )
    return f"<figure{' data-review' if review else ''}>{drawn}</figure>"


def _table(rows: Sequence[Mapping[str, Any]], app: str = "") -> str:
    if not rows:
        return "<p>None.</p>"
    head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
    lines = "".join("<tr>" + "".join(_cell(name, value, app) for name, value in row.items()) + "</tr>" for row in rows)
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'


def _cell(name: str, value: Any, app: str) -> str:
    text = escape(f"{value:.3f}" if isinstance(value, float) else str(value))
    if name == "article" and app:
        text = f'<a href="{escape(app)}/review?article={int(value)}" target="_blank" rel="noopener">{text}</a>'
    return f"<td>{text}</td>"


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the file; returns 0, or 1 with the reason on standard error."""
    parser = argparse.ArgumentParser(prog="python -m pages.parts.report_html", description=__doc__.partition(":")[0])
    parser.add_argument("version", nargs="?", help="default: the proposing version")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--ranking", choices=list(map(str, Ranking)), default=str(Ranking.COSINE))
    parser.add_argument("--split", choices=[ALL, *SPLITS], default=TEST)
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
        report = db.reports.latest_report(session, version.id, options.ranking, options.split)
        if report is not None and not stale(session, report, labels_now(session)):
            return report.id
    payload = {"version": version.name, "ranking": options.ranking, "split": options.split}
    return int(run_job("report", payload)["report"])


if __name__ == "__main__":
    sys.exit(main())
