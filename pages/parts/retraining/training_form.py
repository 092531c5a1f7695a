"""The form of a retrain: a preset, the version to begin with, and all settings behind a click."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.retraining.setting_values import payload_of
from annotate.topics.project_topic import current_topic
from db.tables import ModelVersion
from model.proposing.query import QUERY_TOKEN, named_query
from model.proposing.rules import Rules
from model.training.settings import BOUNDS, ENUMS, FEW_KEY_SENTENCES, PRESETS, TokenStart, TrainingSettings, preset_for
from pages.parts.frame.messages import keep_error, show_message
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.retraining.setting_text import HELP, NONE_WORDS, changes_text, differences, label_of
from pages.parts.shared.job_panel import start_job

OWN, FREE = "each article's own", "another, typed below"
FRESH = {f"fresh token, {start}": start for start in TokenStart}
FIELDS = (  # two a row
    *("epochs", "negatives_per_key", "loss", "margin", "batch_size", "learning_rate", "warmup_steps", "weight_decay"),
    *("pooling", "max_tokens", "seed", "averaged_runs", "evaluate_every", "select_by", "dropout", "mixed_precision"),
    "accumulate",
)
# Step of the arrows and format; whole numbers go by 1.
FRACTIONS = {
    "margin": (0.1, "%.2f"),
    "learning_rate": (1e-5, "%.1e"),
    "weight_decay": (0.01, "%.3f"),
}


def training_form(
    versions: Sequence[ModelVersion],
    serving: ModelVersion,
    key_sentences: int,
    missing: Sequence[str],
    *,
    training: bool,
) -> None:
    """Draws the form; it begins with the preset that suits the number of labelled key sentences.

    `missing` names the splits without key sentences, without which there is no training. While one runs or waits
    (`training`) there is no second one.
    """
    preset = st.segmented_control(
        "Preset",
        list(PRESETS),
        default=preset_for(key_sentences),
        required=True,
        key="preset",
        help=f"few labels: what ranks best below {FEW_KEY_SENTENCES:,} labelled key sentences. best: as good with "
        "more, in a fifth of the time. best averaged: the mean of five such trainings, for a machine with a GPU. "
        "reference: the settings of the published method.",
    )
    parent = _parent({version.name: version for version in versions}, serving)
    # A version that learnt a query of its own goes on with it; another choice of preset or parent is a fresh form.
    start = asdict(PRESETS[preset]) | ({"query": parent.query} if parent.query else {})
    form = f"{preset}_{parent.id}"
    rules = current_topic().rules
    with st.expander("More settings"):
        _query(start, form, rules)
        columns = st.columns(2)
        for number, name in enumerate(FIELDS):
            _field(columns[number % 2], name, start[name], form)
    with st.container():  # the button keeps its place while the text above it changes
        changed = differences(_chosen(form), preset, rules)
        if changed:
            st.caption(shown(f"As the preset {preset} but {changes_text(changed)}."))
        if missing:
            splits = " and ".join(missing)
            st.warning(f"Cannot train yet: no key sentence in the {splits} split.", icon=":material/info:")
        show_message("training_error")
    st.button(
        "Retrain",
        type="primary",
        disabled=bool(missing) or training,
        on_click=_start_training,
        args=(form, parent.name),
    )


def _start_training(form: str, parent: str) -> None:
    """Starts the run with what the form holds at the click, which the script may not have seen yet."""
    with keep_error("training_error"):
        start_job("train", payload_of(TrainingSettings(**_chosen(form)), parent))


def _chosen(form: str) -> dict[str, Any]:
    state = st.session_state
    chosen = {name: state[f"{name}_{form}"] for name in FIELDS}
    choice = state[f"query_{form}"]
    if choice in FRESH:
        return {"query": QUERY_TOKEN, "token_start": str(FRESH[choice]), **chosen}
    words = state.get(f"words_{form}", "").strip() if choice == FREE else None if choice == OWN else choice
    return {"query": words, **chosen}


def _parent(versions: Mapping[str, ModelVersion], serving: ModelVersion) -> ModelVersion:
    pick, add = words_and_action("bottom")
    name = pick.selectbox(
        "Begin with", list(versions), index=list(versions).index(serving.name), key=f"from_{serving.id}"
    )
    with add.popover("Add an encoder"):
        _new_encoder()
    return versions[name]


def _new_encoder() -> None:
    with st.form("encoder", border=False):
        st.text_input(
            "Hub id or folder",
            key="encoder_source",
            placeholder="NeuML/pubmedbert-base-embeddings",
            help="A sentence encoder or a BERT of the Hugging Face hub, which needs a network connection, or a folder "
            "on the machine that runs Keyline. It becomes a version to begin with.",
        )
        st.text_input("Name", key="encoder_name", placeholder="the last part of it")
        least, most = BOUNDS["max_tokens"]
        st.number_input(
            "Longest text, in tokens",
            int(least),
            int(most),
            value=None,
            key="encoder_max_tokens",
            placeholder="as its files say, at most 256",
            help="Longer texts are cut there, or at what the encoder can read where that is less.",
        )

        def add() -> None:
            source, name = (st.session_state[key].strip() for key in ("encoder_source", "encoder_name"))
            if source:
                most = st.session_state.encoder_max_tokens
                start_job("encoder", {"source": source, "name": name or None, "max_tokens": most})

        st.form_submit_button("Add", on_click=add)


def _query(start: Mapping[str, Any], form: str, rules: Rules) -> None:
    query, queries = named_query(rules, start["query"]), rules.queries
    choices = (OWN, *queries, *FRESH, FREE)
    fresh = next(name for name, begin in FRESH.items() if begin == start["token_start"])
    names = {text: name for name, text in queries.items()} | {None: OWN, QUERY_TOKEN: fresh}
    choice = st.selectbox(
        "Query",
        choices,
        index=choices.index(names.get(query, FREE)),
        key=f"query_{form}",
        format_func=lambda name: f"{name}: {queries[name]}" if name in queries else name,
        help="What every sentence is compared with. Each article's own is made from its document labels "
        f"by the topic: {rules.article_query or 'none'}. A fresh token is a new word to which training "
        "gives a meaning.",
    )
    if choice == FREE:
        st.text_input("Its words", "" if query in names else query, key=f"words_{form}")


def _field(column: DeltaGenerator, name: str, default: Any, form: str) -> None:
    """The widget of one setting, by its kind."""
    common: dict[str, Any] = {"label": label_of(name), "key": f"{name}_{form}", "help": HELP[name]}
    if name in ENUMS:
        options = list(map(str, ENUMS[name]))
        column.selectbox(**common, options=options, index=options.index(default))
    elif name not in BOUNDS:
        column.checkbox(**common, value=default)
    elif name in FRACTIONS:
        (low, high), (step, pattern) = BOUNDS[name], FRACTIONS[name]
        column.number_input(**common, min_value=low, max_value=high, value=default, step=step, format=pattern)
    else:
        low, high = map(int, BOUNDS[name])
        if name in NONE_WORDS:  # a field that begins with a number in its state can be emptied
            st.session_state.setdefault(common["key"], default)
            default, common["placeholder"] = None, NONE_WORDS[name]
        column.number_input(**common, min_value=low, max_value=high, value=default, step=1)
