"""The page Language model: which one, the consent that text is sent to it, what it is asked, and what came of it."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from annotate.evaluation.metric_labels import change_written, ends_of, interval_text, written
from annotate.llm.spending import Usage
from annotate.project.acting import current_actor
from annotate.project.home import look_up
from annotate.project.stored_settings import change_settings, settings_now
from annotate.project.words import count_of
from annotate.proposing.answers.llm_settings import KEY, LlmConsent, LlmSettings, NoConsent, consent_row, key_for
from db.tables import Job
from model.checked_settings import bounds
from pages.parts.frame.text import local_time, shown
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.tables import text_table

PROBLEM = "llm_problem"
FIELDS = {
    "price_in": ("Price of a million tokens in", "Of what is sent, in your currency. 0 for a model of your own."),
    "price_out": ("Price of a million tokens out", "Of what it answers, in your currency."),
    "budget": (
        "Budget of one job",
        "In your currency. A job stops before it costs more. 0: no limit, without prices.",
    ),
    "window_characters": (
        "Characters in one question",
        "Longer articles are sent in parts of whole sentences. A sentence in two parts gets the mean score.",
    ),
    "window_overlap": ("Sentences that stand in two parts", "So that the model sees what stands around each sentence."),
    "timeout_seconds": ("Seconds to wait for an answer", ""),
    "seed": ("Seed", "The same question then gets the same answer, where the server can."),
}
PRICES, MORE = ("price_in", "price_out", "budget"), ("window_characters", "window_overlap", "timeout_seconds", "seed")


def model_fields(settings: LlmSettings, form: str) -> None:
    """The fields of the model, its prices and its budget."""
    st.text_input(
        "Address of the service", settings.address, key=f"address_{form}", placeholder="http://localhost:11434/v1",
        help="Any that speaks as OpenAI's chat completions: llama.cpp, Ollama, vLLM, or one on the internet.",
    )  # fmt: skip
    st.text_input("Model, as the service calls it", settings.model, key=f"model_{form}", placeholder="llama3.1:8b")
    for column, name in zip(st.columns(3), PRICES, strict=True):
        _number(column, name, settings, form)
    st.toggle(
        "Let it propose where it is better",
        settings.may_propose,
        key=f"may_propose_{form}",
        help="It proposes in the articles that it was asked about. Before that, at least ten test articles must show "
        "it better than the usual ranking: the 95% interval of the difference lies above 0. Annotators judge its "
        "proposals as any other.",
    )
    with st.expander("More"):
        for column, name in zip(st.columns(2) * 2, MORE, strict=True):
            _number(column, name, settings, form)


def _number(place: Any, name: str, settings: LlmSettings, form: str) -> None:
    low, high = bounds(LlmSettings)[name]
    label, text = FIELDS[name]
    step = 0.01 if name in PRICES else 1
    place.number_input(label, low, high, getattr(settings, name), step, key=f"{name}_{form}", help=text or None)


def consent_box(settings: LlmSettings) -> None:
    """Who has agreed that text is sent where, with the button that agrees or takes it back."""
    st.subheader("Consent")
    if not settings.address:
        st.caption("Nothing leaves this machine. Name a service first.")
        return
    given = look_up(consent_row)
    address = f"**{shown(settings.address)}**"
    if given is not None and given.content["address"] == settings.address:
        when = f"{shown(given.changed_by)}, {local_time(given.created_at)}"
        st.success(f"The text of articles may be sent to {address}: {when}.", icon=":material/outgoing_mail:")
        st.button("Withdraw consent", on_click=_agree, args=("",), key="llm_withdraw")
    else:
        st.warning(
            f"Asking sends the titles and all sentences of articles to {address}, with the topic's guideline and "
            "examples. No verdict and no name of a person is sent. Keyline does not know what the service does "
            "with the text: ask whether the licences of the articles and your institution allow it. An address of "
            "this machine needs your consent, too: a program there may pass the text on.",
            icon=":material/policy:",
        )
        st.button(
            f"I agree that text is sent to {shown(settings.address)}",
            type="primary",
            on_click=_agree,
            args=(settings.address,),
            key="llm_agree",
        )
    try:
        key = key_for(settings.address)
    except NoConsent as error:
        st.caption(f":material/warning: {shown(str(error))}.")
        return
    there = "is sent with every question, to this address only" if key else "is not set: Keyline asks without one"
    st.caption(f"The key in the environment ({shown(KEY)}) {there}. Keyline never stores or shows it.")


def _agree(address: str) -> None:
    change_settings(current_actor().name, LlmConsent(address=address))


def estimate_words(articles: int, usage: Usage, settings: LlmSettings) -> str:
    """The tokens and the cost of asking about this many articles, roughly, in words."""
    if not articles:
        return "Nothing to ask: all of them are answered."
    money = f", about {usage.cost(settings):,.2f}" if settings.price_in or settings.price_out else ""
    tokens = f"{_roughly(usage.tokens_in)} tokens in and {_roughly(usage.tokens_out)} out"
    return f"{count_of(articles, 'article')} to ask about: roughly {tokens}{money}."


def _roughly(number: int) -> str:
    """A number with two digits that count."""
    return f"{round(number, 2 - len(str(number))):,}"


def start_asking(payload: dict[str, Any]) -> None:
    """Begins a job; where no model may be asked any more, it fails and says why."""
    budget = look_up(settings_now, LlmSettings).budget
    start_job("llm", payload | {"budget": budget})


def compared_rows(compared: Mapping[str, Mapping[str, Any]]) -> list[dict[str, str]]:
    """One line a ranking, the language model first."""
    order = sorted(compared, key=lambda name: (name != "llm", -compared[name]["arp"]))
    return [
        {
            "ranking": "language model" if name == "llm" else name,
            "ARP": written(compared[name]["arp"]),
            "95% interval": f"{written(compared[name]['low'])} to {written(compared[name]['high'])}",
            "language model above it by": interval_text(
                *ends_of(compared[name].get("llm_above")), change_written, none=""
            ),
        }
        for name in order
    ]


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
    counted = (
        ""
        if result["tokens_counted_by_the_server"]
        else " The service counted no tokens: these are the most they can be."
    )
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
                    "review": f"/review?article={each['article_id']}",
                    "reason": each["reason"],
                    "title": each["title"],
                }
                for each in result["failed"]
            ]
            text_table(rows, "Articles that failed")


def comparison(job: Job) -> None:
    """The rankings on the same articles, with the model that the job asked and its time."""
    result = job.result
    st.subheader("Compared with the other rankings")
    if not result["compared"]:
        st.info("No article was answered, so there is nothing to compare.", icon=":material/inbox:")
        return
    text_table(compared_rows(result["compared"]), "Rankings compared")
    took = result["took"]
    left_out = result["articles_left_out"]
    st.caption(
        f"{local_time(job.created_at)} · {shown(result['model'])} · "
        f"{count_of(result['articles_compared'], 'article')} of the {result['split']} split with key sentences, the "
        f"same for all; {left_out:,} left out that got no answer. "
        f"All answers about them took {took['seconds']:,.0f} s, {took['tokens_in']:,} tokens in, "
        f"{took['tokens_out']:,} out, and cost {took['cost']:,.4f}."
    )
