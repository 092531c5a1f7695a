"""Training settings in words: what each one does, how it is shown, and how a choice differs from a preset."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotate.retraining.setting_values import ARTICLE_QUERY, written_query
from annotate.topics.project_topic import current_topic
from model.proposing.query import QUERY_TOKEN, named_query
from model.proposing.rules import BLANK, Rules
from model.training.settings import PRESETS

HELP = {
    "epochs": "How often training goes over the key sentences and their negatives.",
    "negatives_per_key": "How many negatives go with each key sentence; empty takes every one, as the reference does.",
    "loss": "contrastive and cosine similarity are the reference's. logistic makes of each cosine how likely its "
    "sentence is key. listwise compares a key sentence with the others of its article.",
    "margin": "contrastive: negatives closer to the query than 1 - margin are pushed away. logistic: the cosine at "
    "which a sentence is as likely key as not. The other losses have none.",
    "pooling": "How token vectors become a sentence vector. own: as the encoder came.",
    "max_tokens": "Where longer texts are cut, at the last token that the encoder can read at most; empty: as it came.",
    "batch_size": "How many pairs a step sees.",
    "learning_rate": "The rate of AdamW after the warm-up; it falls to 0 by the last step.",
    "weight_decay": "How strongly AdamW draws weights to 0.",
    "warmup_steps": "The number of steps over which the learning rate rises from 0; at most a tenth of the run.",
    "dropout": "Off: every step sees the whole encoder.",
    "mixed_precision": "bfloat16 where the hardware has it: faster, and rounded more coarsely than float32.",
    "accumulate": "In how many parts a step is computed, for encoders that are too large for the memory. "
    "The training is the same, up to a third slower. A full GPU does this by itself.",
    "evaluate_every": "Steps from one look at the validation articles to the next; 0: after each epoch. The best "
    "checkpoint is kept.",
    "select_by": "The validation score by which the best checkpoint is kept: over all pairs, or by article.",
    "averaged_runs": "How many trainings begin with the same weights, each with the next seed. The mean of their "
    "weights is kept: it ranks better than most of them, and takes that many times as long.",
    "seed": "It fixes order, negatives and dropout. Equal settings and labels give equal versions.",
}
LABELS = {
    "accumulate": "Parts a step",
    "negatives_per_key": "Negatives per key sentence",
    "select_by": "Best checkpoint by",
}
NONE_WORDS = {"negatives_per_key": "every one", "max_tokens": "as it came"}


def label_of(name: str) -> str:
    """The name of a setting on the page."""
    return LABELS.get(name, name.replace("_", " ").capitalize())


def value_text(name: str, value: Any, rules: Rules = BLANK) -> str:
    """A setting's value in words; a query by its name in the topic with these rules."""
    if name == "query":
        written = written_query(named_query(rules, value), rules.queries)
        return "each article's own" if written == ARTICLE_QUERY else written or "empty"
    if value is None:
        return NONE_WORDS[name]
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def differences(settings: Mapping[str, Any], preset: str, rules: Rules | None = None) -> dict[str, tuple[str, str]]:
    """{setting: (chosen, the preset's)} in words, of those that differ.

    Settings that a run of an earlier release did not have do not count, nor does the start of a token that is not used.
    """
    rules = rules or current_topic().rules
    both = {
        name: (value_text(name, settings[name], rules), value_text(name, usual, rules))
        for name, usual in asdict(PRESETS[preset]).items()
        if name in settings and (name != "token_start" or settings.get("query") == QUERY_TOKEN)
    }
    return {name: (chosen, usual) for name, (chosen, usual) in both.items() if chosen != usual}


def changes_text(changed: Mapping[str, tuple[str, str]]) -> str:
    """Differences in one line: each setting with its value, and the preset's in brackets."""
    return ", ".join(f"{name.replace('_', ' ')} {chosen} ({usual})" for name, (chosen, usual) in changed.items())
