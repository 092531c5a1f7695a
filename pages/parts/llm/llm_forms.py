"""The page of the language model: which one, the consent that text is sent to it, and what it is asked about."""

from dataclasses import asdict
from typing import Any

import streamlit as st

import db.rows
from annotate.llm.spending import Usage
from annotate.project.acting import current_actor
from annotate.project.home import read
from annotate.project.stored_settings import change_settings, settings_now
from annotate.project.words import count_of
from annotate.proposing.answers.llm_settings import KEY, LlmConsent, LlmSettings, NoConsent, consent_row, key_for
from db.tables import Setting
from model.checked_settings import bounds
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.frame.told import told
from pages.parts.shared.job_panel import start_job

PROBLEM = "llm_problem"
FIELDS = {
    "price_in": ("Price of a million tokens in", "Of what is sent. 0 for a model of your own."),
    "price_out": ("Price of a million tokens out", "Of what it answers."),
    "budget": ("Budget of one job", "In the same money. A job ends before it could pass it. 0: none, without prices."),
    "window_characters": (
        "Characters in one question",
        "Longer articles go in parts of whole sentences; nothing is cut off. A sentence in two parts gets the mean.",
    ),
    "window_overlap": ("Sentences that stand in two parts", "So that none is judged without what stands around it."),
    "timeout_seconds": ("Seconds to wait for an answer", ""),
    "seed": ("Seed", "The same question then gets the same answer, where the server can."),
}
PRICES, MORE = ("price_in", "price_out", "budget"), ("window_characters", "window_overlap", "timeout_seconds", "seed")


def model_form(settings: LlmSettings) -> None:
    """The form of the model, its prices and its budget, stored under the name of the person who saves it."""
    with read() as session:
        stored = db.rows.find(session, Setting, name=LlmSettings.NAME)
    form = f"llm_{stored.id if stored else 0}"  # another choice is a fresh form
    with st.form(form, border=False):
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
            help="In the articles that it was asked about, once it was measured on at least ten test articles and the "
            "95 % interval of its difference to what proposes else lies above 0. Experts judge its proposals as any.",
        )
        with st.expander("More"):
            for column, name in zip(st.columns(2) * 2, MORE, strict=True):
                _number(column, name, settings, form)
        st.form_submit_button("Save", width="stretch", on_click=_save, args=(form,))
    if stored:
        st.caption(f"Set by {shown(stored.changed_by)}, {local_time(stored.created_at)}.")


def _number(place: Any, name: str, settings: LlmSettings, form: str) -> None:
    low, high = bounds(LlmSettings)[name]
    label, text = FIELDS[name]
    step = 0.01 if name in PRICES else 1
    place.number_input(label, low, high, getattr(settings, name), step, key=f"{name}_{form}", help=text or None)


def _save(form: str) -> None:
    chosen = {name: st.session_state[f"{name}_{form}"] for name in asdict(LlmSettings())}
    try:
        change_settings(current_actor().name, LlmSettings(**chosen))
    except ValueError as error:
        st.session_state[PROBLEM] = f"Not saved: {error}."


def consent_box(settings: LlmSettings) -> None:
    """Who has agreed that text is sent where, with the button that agrees or takes it back."""
    st.subheader("Consent")
    if not settings.address:
        st.caption("Nothing leaves this machine. Name a service first.")
        return
    with read() as session:
        given = consent_row(session)
    address = f"**{shown(settings.address)}**"
    if given is not None and given.content["address"] == settings.address:
        when = f"{shown(given.changed_by)}, {local_time(given.created_at)}"
        st.success(f"The text of articles may be sent to {address}: {when}.", icon=":material/outgoing_mail:")
        st.button("Take it back", on_click=_agree, args=("",), key="llm_withdraw")
    else:
        st.warning(
            f"Asking sends the titles and all sentences of articles to {address}, with the topic's guideline and "
            "examples. No verdict and no name of a person is sent. What the service does with the text is between you "
            "and it: ask whether the licences of the articles and your institution allow it. An address of this "
            "machine needs your consent, too, since what answers there may pass it on.",
            icon=":material/policy:",
        )
        st.button(
            f"I agree that text is sent to {shown(settings.address)}",
            type="primary",
            on_click=_agree,
            args=(settings.address,),
            key="llm_agree",
        )
    st.caption(_key_words(settings.address))


def _key_words(address: str) -> str:
    try:
        key = key_for(address)
    except NoConsent as error:
        return f":material/warning: {shown(str(error))}."
    there = "goes with every question, to this address alone" if key else "is not set: the service is asked without one"
    return f"The key in the environment ({shown(KEY)}) {there}. Keyline never stores or shows it."


def _agree(address: str) -> None:
    change_settings(current_actor().name, LlmConsent(address=address))


def problem_line() -> None:
    """What went wrong with the last click."""
    if message := told(PROBLEM):
        st.error(shown(message), icon=":material/error:")


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
    with read() as session:
        budget = settings_now(session, LlmSettings).budget
    start_job("llm", payload | {"budget": budget})
