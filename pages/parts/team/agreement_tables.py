"""The numbers and tables of the agreement page, and the same as CSV."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotate.articles.table_files import csv_text
from annotate.evaluation.metric_labels import written
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.team.agreement import ENOUGH_UNITS, Pair, SharedArticle, Team
from model.agreement import ENOUGH_ARTICLES, RELIABLE, TENTATIVE, Coefficient, name_of
from pages.parts.frame.text import shown
from pages.parts.shared.downloads import CSV, File, offer
from pages.parts.shared.tables import show_table, text_table

PAIR_COLUMNS = (
    "first", "second", "sentences", "articles", "both_key", "first_alone", "second_alone", "neither",
    "kappa", "kappa_low", "kappa_high", "percent_agreement", "positive_agreement",
)  # fmt: skip
ARTICLE_COLUMNS = (
    "article", "title", "annotators", "sentences", "differing", "percent_agreement", "alpha", "to_adjudicate",
    "worth_a_look",
)  # fmt: skip


def headline(team: Team) -> None:
    """The coefficients of all units, with intervals, and how to read them."""
    of = team.overall
    alpha, fleiss, percent, positive = st.columns(4)
    _metric(alpha, "Krippendorff's α", of.alpha, "At most 1; 0 is what chance alone gives.")
    _metric(fleiss, "Fleiss' κ", of.fleiss, "As α, but every sentence weighs the same, however many labelled it.")
    _metric(percent, "Percent agreement", of.percent, "Always high where few sentences are key.", share=True)
    _metric(
        positive,
        "Agreement on key sentences",
        of.positive,
        "How often another annotator also calls a sentence key.",
        share=True,
    )
    caption = (
        f"{count_of(of.units, 'sentence')} of {count_of(of.articles, 'article')} with labels of at least two "
        "annotators."
        + (f" The queue gave {_percent(team.handed)} of them to each, blind to the others." if team.handed else "")
        + (
            f" {count_of(team.late, 'verdict')} {'was' if team.late == 1 else 'were'} given after the others' were "
            "shown: not blind, so left out."
            if team.late
            else ""
        )
        + " In an article read in full, sentences left unjudged count as not key."
    )
    if any(one.low is not None for one in (of.alpha, of.fleiss, of.percent, of.positive)):
        caption += " Intervals draw whole articles"
        caption += f"; of fewer than {ENOUGH_ARTICLES} they are too narrow." if of.articles < ENOUGH_ARTICLES else "."
    if of.alpha.value is not None:
        caption += (
            f" Landis and Koch would call an α of {written(of.alpha.value, 2)} {name_of(of.alpha.value)}: a "
            f"convention, not a test. Krippendorff asks for {written(RELIABLE)}, and for {written(TENTATIVE)} to "
            "conclude anything at all."
        )
    st.caption(caption)


def _metric(column: Any, label: str, found: Coefficient, words: str, *, share: bool = False) -> None:
    column.metric(label, _value(found.value, share=share), help=words)
    interval = found.low is not None and found.high is not None
    bounds = f"{_value(found.low, share=share)} to {_value(found.high, share=share)}" if interval else "no interval"
    column.caption(f"95%: {bounds}" if interval else "undefined" if found.value is None else bounds)


def _value(value: float | None, *, share: bool = False) -> str:
    if value is None:
        return "–"
    return _percent(value) if share else written(value, 2)


def _percent(value: float) -> str:
    return f"{100 * value:.0f}%"


def pair_details(pairs: Sequence[Pair]) -> None:
    """How the labels of a chosen pair fall, and its coefficients; those worth a look first."""
    ordered = sorted(pairs, key=lambda pair: not pair.low)
    options = {f"{pair.first} and {pair.second}": pair for pair in ordered}
    name = st.selectbox("Pair", list(options), key="agreement_pair", label_visibility="collapsed")
    pair = options[name]
    (neither, second_only), (first_only, both) = pair.found.table
    text_table(
        [
            {"first": "key", "key": both, "not_key": first_only},
            {"first": "not key", "key": second_only, "not_key": neither},
        ],
        "Labels of both annotators",
        heads={"first": f"{pair.first} says", "key": f"{pair.second}: key", "not_key": f"{pair.second}: not key"},
    )
    found = pair.found
    st.markdown(
        f"Cohen's κ **{_with_interval(found.cohen)}**, agreement on key sentences "
        f"**{_with_interval(found.positive, share=True)}**, percent agreement "
        f"**{_with_interval(found.percent, share=True)}**, of {count_of(found.units, 'sentence')} in "
        f"{count_of(found.articles, 'article')}."
    )
    low = [pair for pair in pairs if pair.low]
    if low:
        names = ", ".join(f"{pair.first} and {pair.second}" for pair in low[:5])
        more = f" and {len(low) - 5} more" if len(low) > 5 else ""
        st.caption(shown(f"κ below {written(TENTATIVE)}: {names}{more}."))


def _with_interval(found: Coefficient, *, share: bool = False) -> str:
    value = _value(found.value, share=share)
    if found.low is None:
        return value
    return f"{value} ({_value(found.low, share=share)} to {_value(found.high, share=share)})"


def article_table(articles: Sequence[SharedArticle], disputed: Mapping[int, int], *, may_decide: bool) -> None:
    """The articles, those worth a look first, each with the way to its disputed sentences for a person who may decide.

    Numbers stand before long texts, so that a narrow screen shows them.
    """
    low = sum(article.low for article in articles)
    caption = f"No article has the {ENOUGH_UNITS} sentences from which an α says whether it is worth a look."
    if any(article.units >= ENOUGH_UNITS for article in articles):
        caption = (
            f"Worth a look: {low:,} of {len(articles):,}, with an α below {written(TENTATIVE)} from {ENOUGH_UNITS} "
            "sentences or more. They come first."
        )
    st.caption(f"{caption} There is no α where all labels are the same.")
    show_table(
        [
            {
                **(
                    {"adjudicate": f"/adjudicate?article={row.article_id}" if disputed.get(row.article_id) else None}
                    if may_decide
                    else {}
                ),
                "look": "low" if row.low else "",
                "alpha": row.alpha,
                "sentences": row.units,
                "differing": row.differing,
                "percent": None if row.percent is None else 100 * row.percent,
                "open": disputed.get(row.article_id, 0),
                "title": row.title,
                "annotators": ", ".join(row.annotators),
            }
            for row in articles
        ],
        height="auto" if len(articles) < 12 else 440,
        heads={"open": "To adjudicate"},
        widths={"look": 50, "sentences": 80, "differing": 80, "open": 100, "title": "large"},
        column_config={
            "adjudicate": st.column_config.LinkColumn("Open", display_text="Adjudicate", width=90),
            "alpha": st.column_config.NumberColumn("α", format="%.2f", width=60),
            "percent": st.column_config.NumberColumn("Agreement", format="%.0f %%", width=85),
        },
    )


def downloads(team: Team, disputed: Mapping[int, int]) -> None:
    """Buttons for both tables as CSV: articles and pairs."""
    writers = {
        "articles": lambda: articles_csv(team.articles, disputed),
        "pairs": lambda: pairs_csv(team.pairs),
    }
    files = [
        File(f"{name.capitalize()} as CSV", f"keyline-agreement-{name}.csv", CSV, Right.AGREEMENT, write)
        for name, write in writers.items()
    ]
    offer(files, key="agreement")


def articles_csv(articles: Sequence[SharedArticle], disputed: Mapping[int, int]) -> str:
    """One row an article; an undefined coefficient is empty."""
    rows = [
        (
            row.article_id,
            row.title,
            "; ".join(row.annotators),
            row.units,
            row.differing,
            row.percent,
            row.alpha,
            disputed.get(row.article_id, 0),
            int(row.low),
        )
        for row in articles
    ]
    return csv_text(ARTICLE_COLUMNS, rows)


def pairs_csv(pairs: Sequence[Pair]) -> str:
    """One row a pair; an undefined coefficient is empty."""
    rows = []
    for pair in pairs:
        found = pair.found
        (neither, second_only), (first_only, both) = found.table
        numbers = (found.units, found.articles, both, first_only, second_only, neither)
        kappa = (found.cohen.value, found.cohen.low, found.cohen.high)
        rows.append((pair.first, pair.second, *numbers, *kappa, found.percent.value, found.positive.value))
    return csv_text(PAIR_COLUMNS, rows)


def unsure_caption(unsure: Mapping[str, tuple[int, int]]) -> None:
    """How often each annotator was unsure; those verdicts are in no coefficient."""
    named = [
        f"{name} {_percent(number / total)} ({number:,} of {total:,})"
        for name, (number, total) in unsure.items()
        if number
    ]
    people = ", ".join(named) or "no annotator was"
    st.caption(shown(f"Unsure, not counted in any coefficient: {people}."))
