"""A report as one HTML file that opens without a network. Needs plotly, not Streamlit."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup
from plotly.offline import get_plotlyjs

import db.rows
from annotate.project.home import look_up
from db.articles import ALL
from db.tables import Report
from pages.parts.evaluation.report_sections import SECTIONS, Block, Table
from pages.parts.frame.templates import SCALE, render

STYLE = SCALE + (Path(__file__).parent / "report.css").read_text()
CLICKS = (Path(__file__).parent / "report.js").read_text()


def html_of(report_id: int, app_url: str = "") -> bytes:
    """The file of a stored report; with the app's address its articles are links to their review.

    All text from articles and people is escaped. Raises LookupError where there is no such report.
    """
    report = look_up(db.rows.get, Report, report_id)
    if report is None:
        raise LookupError(f"there is no report {report_id}")
    # Only http(s): an address of another kind would be run when a link is clicked.
    app = app_url.rstrip("/") if app_url.startswith(("http://", "https://")) else ""
    return render(
        "report.html.j2",
        heading=f"Report of {report.content['version']}",
        about=_about(report),
        sections=[
            (title.lower(), title, Markup().join(_block(block, app) for block in made(report)))
            for title, made in SECTIONS.items()
        ],
        app=app,
        style=Markup(STYLE),
        plotly=Markup(get_plotlyjs()),
        clicks=Markup(CLICKS),
    ).encode()


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


def _block(block: Block, app: str) -> Markup:
    if isinstance(block, Table):
        return _table(block.rows, app)
    if isinstance(block, str):
        return render("report_text.html.j2", text=block)
    clear = "rgba(0,0,0,0)"
    block.drawn.update_layout(template="plotly_white", paper_bgcolor=clear, plot_bgcolor=clear)
    config = {"displayModeBar": False, "responsive": True}
    drawn = block.drawn.to_html(full_html=False, include_plotlyjs=False, config=config)
    return render("report_figure.html.j2", drawn=Markup(drawn), review=block.review)  # plotly escapes what it draws


def _table(rows: Sequence[Mapping[str, Any]], app: str = "") -> Markup:
    return render("report_table.html.j2", rows=rows, app=app)
