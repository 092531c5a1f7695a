"""Which version proposes: every version with its numbers next to the button that promotes it."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

import db.proposing.versions
from annotate.evaluation.metric_labels import LABELS, change_judged, change_written, written
from annotate.gold.label_sets import labels_now
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.proposing.comparison import COMPARED, MIN_ARTICLES, Comparison, compare, evaluated_before
from annotate.proposing.encoder_versions import promote_encoder, proposing_version
from annotate.retraining.promotion_gate import difference_in_words
from annotate.topics.project_topic import current_topic, topic_label
from db.tables import ModelVersion
from db.values import Kind, Split
from model.proposing.ranking import Ranking
from pages.parts.frame.page import link_to, may
from pages.parts.frame.shown import shown_parts
from pages.parts.frame.text import shown
from pages.parts.retraining.setting_text import described, label_of, value_text
from pages.parts.shared.aloud import read_aloud
from pages.parts.shared.charts import r_precision_by_article, score_name, training_curve
from pages.parts.shared.figures import show_figure
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.tables import show_table
from pages.parts.shared.trained_versions import changed, in_use_line

NAMES = {"key": "key sentences", "not_key": "not key", "unlabelled": "unlabelled"}


def promotion_panel(label_set_sha256: str) -> None:
    """The proposing version with its rollback, then each other version, newest first."""
    serving = proposing_version()
    versions = list(look_up(db.proposing.versions.versions))
    read_aloud(f"{serving.name} proposes now.", key="serving")
    st.subheader("Versions")
    in_use_line(Kind.ENCODER, _origin(serving))
    others = [version for version in reversed(versions) if version.id != serving.id]
    if not others:
        st.caption("Retrain to get a second version.")
    for number, version in enumerate(others):
        with st.expander(shown(f"{version.name} · {_origin(version)}"), expanded=number == 0):
            _candidate(version, serving, label_set_sha256)


def _origin(version: ModelVersion) -> str:
    return f"fine-tuned from {version.encoder}, {version.created_at[:10]}" if version.parent_id else version.encoder


def _candidate(version: ModelVersion, serving: ModelVersion, label_set_sha256: str) -> None:
    with read() as session:
        comparisons = {
            ranking: compare(session, version.id, label_set_sha256, ranking)
            for ranking in (Ranking.HYBRID, Ranking.COSINE)
        }
        outdated = evaluated_before(session, version.id, Ranking.HYBRID)
        difference = difference_in_words(session, comparisons[Ranking.HYBRID], version, Ranking.HYBRID)
        curve = db.proposing.versions.curve(session, version.id)
    decisive = comparisons[Ranking.HYBRID]
    numbers, action = st.columns([3, 1], vertical_alignment="top")
    with numbers:
        if decisive.worse is None:
            st.info("Not compared with the proposing version on the present labels.", icon=":material/info:")
        else:
            _metric_table(comparisons, serving.name, version.name)
    with action:
        st.button(
            "Evaluate",
            key=f"evaluate_{version.id}",
            on_click=start_job,
            args=("evaluate", {"versions": [serving.name, version.name]}),
            width="stretch",
        )
        if difference:
            st.caption(f":material/compare_arrows: {shown(difference)}")
        _promote_button(version, decisive, outdated=outdated)
    for draw in (draw for part in shown_parts() for draw in part.candidate):
        draw(version)
    if decisive.worse is not None:
        _by_article(comparisons[Ranking.COSINE], serving.name, version.name)
    if version.trained_on:
        _training(version, curve)


def _metric_table(comparisons: Mapping[Ranking, Comparison], before: str, after: str) -> None:
    """The measures on the articles that decide. Where these are few or unfair, no change is called better or worse."""
    rows = []
    for ranking, found in comparisons.items():
        enough = len(found.fair) >= MIN_ARTICLES
        judged = change_judged if enough else lambda _, change: change_written(change)
        for name in COMPARED:
            if means := found.means(name):
                told = {"Ranking": str(ranking), "Metric": LABELS[name], before: means[0], after: means[1]}
                rows.append({**told, "Change": judged(name, means[1] - means[0])})
    show_table(rows, column_config={name: st.column_config.NumberColumn(format="%.3f") for name in (before, after)})
    _fairness(comparisons[Ranking.HYBRID])


def _fairness(found: Comparison) -> None:
    """Which articles the table is of, whether it may be trusted, and what to do where it may not."""
    if found.is_fair:
        st.caption(f"On the {len(found.fair):,} of {found.articles:,} test articles that are fair to both.")
    else:
        st.warning(
            f"On all {found.articles:,} test articles; only {len(found.fair):,} are fair to both versions. In the "
            "others, what one version ranks first was not judged. This favours the version that proposed. Judge "
            "these sentences before you promote.",
            icon=":material/balance:",
        )
        link_to("fair_test", "Fair test")


def _promote_button(version: ModelVersion, comparison: Comparison, *, outdated: bool) -> None:
    certain = comparison.worse is False
    if comparison.direction == 0:
        st.caption("No difference from the proposing version was found.")
    elif comparison.worse is None and outdated:
        st.caption("Its numbers come from earlier labels: evaluate it first.")
    elif not certain:
        st.caption("It ranks worse than the proposing version." if comparison.worse else "Its numbers are not known.")
        certain = st.checkbox("Promote it anyway", key=f"certain_{version.id}")
    st.button(
        "Promote",
        key=f"promote_{version.id}",
        type="primary",
        disabled=not certain or not may(Right.PROMOTE),
        on_click=_promote,
        args=(version.id, comparison.worse is not False),
        width="stretch",
    )


def _promote(version_id: int, even_if_worse: bool) -> None:
    with read() as session:  # the labels as they are now: others may have judged since the page was drawn
        labels = labels_now(session).split_sha256[Split.TEST]

    def change(by: str, why: str) -> None:
        promote_encoder(version_id, by=by, why=why, label_set_sha256=labels, even_if_worse=even_if_worse)

    changed(Kind.ENCODER, change)


def _by_article(comparison: Comparison, before: str, after: str) -> None:
    assert comparison.before is not None
    assert comparison.after is not None
    with read() as session:
        values = [
            {
                f"{article.title} ({article.key})": score.r_precision
                for score, article in db.proposing.versions.article_scores(session, evaluation.id)
            }
            for evaluation in (comparison.before, comparison.after)
        ]
    st.caption("R-precision of each test article, ranked by cosine")
    show_figure(r_precision_by_article(values[0], values[1], [before, after]), key=f"articles_{after}")


def _training(version: ModelVersion, history: Sequence[Mapping[str, Any]]) -> None:
    settings, learnt = version.settings, version.trained_on["label_counts"]
    counts = " and ".join(f"{count:,} {NAMES.get(name, name)}" for name, count in learnt.items() if count)
    text, more = st.columns([4, 1], vertical_alignment="center")
    rules = current_topic().rules
    with read() as session:
        topic = topic_label(session, version.topic_sha256)
    text.caption(shown(f"Trained on {counts}: {described(settings)}. Topic: {topic}"))
    rows = [{"setting": label_of(name), "value": value_text(name, value, rules)} for name, value in settings.items()]
    with more.popover("All settings", width="stretch"):
        show_table(rows, width=420, height="content")
    scores = [entry["score"] for entry in history if entry["kind"] == "checkpoint"]
    averaged = settings.get("averaged_runs", 1) > 1
    curve = training_curve(history, settings)
    show_figure(curve, key=f"curve_{version.id}")
    if scores:
        name = shown(score_name(settings))
        # The first score is the encoder's as it came; of averaged runs the last one is their mean's.
        kept = max(scores[0], scores[-1]) if averaged else max(scores)
        what = "The mean of the runs, or the encoder as it came," if averaged else "The best checkpoint"
        st.caption(f"{what} was kept; {name} on validation articles: {written(kept)}.")
