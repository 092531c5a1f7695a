"""The result of asking the language model: the rankings compared on the same articles, cost and failures."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from annotate.evaluation.metric_labels import change_written, written
from db.tables import Job
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.shared.tables import show_table


def compared_rows(compared: Mapping[str, Mapping[str, Any]]) -> list[dict[str, str]]:
    """One line a ranking, the language model first."""
    order = sorted(compared, key=lambda name: (name != "llm", -compared[name]["arp"]))
    return [
        {
            "ranking": "language model" if name == "llm" else name,
            "ARP": written(compared[name]["arp"]),
            "95 % interval": f"{written(compared[name]['low'])} to {written(compared[name]['high'])}",
            "language model above it by": _above(compared[name].get("llm_above")),
        }
        for name in order
    ]


def _above(change: Mapping[str, float] | None) -> str:
    if change is None:
        return ""
    return f"{change_written(change['mean'])} ({change_written(change['low'])} to {change_written(change['high'])})"


def asked_words(result: Mapping[str, Any]) -> str:
    """What a job asked and what that took."""
    parts = [
        f"articles: {result['articles_answered']:,} answered, {result['articles_known']:,} known before, "
        f"{result['articles_failed']:,} failed",
        f"questions: {result['questions']:,}",
        f"{result['tokens_in']:,} tokens in, {result['tokens_out']:,} out",
        f"cost {result['cost']:,.4f}",
        f"{result['seconds_asking']:,.0f} s",
    ]
    counted = "" if result["tokens_counted_by_the_server"] else " The server counted none: the most they can be."
    return "; ".join(parts) + "." + counted


def last_job(job: Job) -> None:
    """What the last job did, however it ended."""
    result = job.result
    if "articles_answered" not in result:
        return
    st.caption(f"{local_time(job.created_at)} · {shown(result.get('model', ''))} · {shown(asked_words(result))}")
    if result.get("stopped"):
        st.warning(f"Stopped: {shown(result['stopped'])}.", icon=":material/savings:")
    if result["failed"]:
        with st.expander(f"Articles that failed: {result['articles_failed']:,}"):
            rows = [
                {
                    "open": f"/review?article={each['article_id']}",
                    "reason": each["reason"],
                    "title": each["title"],
                }
                for each in result["failed"]
            ]
            column = st.column_config.LinkColumn("Open", display_text="Review", width=70)
            show_table(rows, width="stretch", column_config={"open": column})


def comparison(result: Mapping[str, Any]) -> None:
    """The rankings on the same articles."""
    st.subheader("Compared with the other rankings")
    if not result["compared"]:
        st.info("No article was answered, so there is nothing to compare.", icon=":material/inbox:")
        return
    show_table(compared_rows(result["compared"]), width="stretch")
    took = result["took"]
    left_out = result["articles_left_out"]
    st.caption(
        f"{result['articles_compared']:,} articles of the {result['split']} split with key sentences, the same for "
        f"all; {left_out:,} left out that got no answer. All answers about them took {took['seconds']:,.0f} s, "
        f"{took['tokens_in']:,} tokens in, {took['tokens_out']:,} out, and cost {took['cost']:,.4f}."
    )
