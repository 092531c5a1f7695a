"""The tables of a report as rows of shown text and numbers, and the words next to its figures: for page and file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from annotate.evaluation.metric_labels import LABELS, REPORT_LABELS, change_written, ends_of, interval_text, written
from annotate.project.words import count_of
from db.tables import ModelVersion

MEASURES = REPORT_LABELS
COSINE_MEASURES = {name: LABELS[name] for name in ("mse", "pearson")}
GONE = "(no longer there)"
COUNTS = {"articles": "articles", "sentences": "sentences", "key_sentences": "key sentences"}

CAPTIONS = {
    "numbers": "ARP, average R-precision: an article has R key sentences; ARP is the share of key ones among its R "
    "best-ranked sentences, as a mean over articles. MAP: mean average precision. Precision@k: share of the k best "
    "that are key. Recall@k: share of the key sentences among the k best. Higher is better; for MSE, lower. "
    "In brackets the 95% bootstrap interval over articles; a difference whose interval holds 0 may be chance.",
    "mean_key": "“Mean key sentence”: ranked without the query, by the cosine to the mean embedding of the training "
    "articles' key sentences. The reference method does so for a model that was not fine-tuned.",
    "audit": "“After the audit”: predictions that annotators called correct count as key sentences, too, so R grows.",
    "confidence": "How sure the model was, by what became of its predictions. A useful confidence is high for true "
    "predictions and lower for wrong ones. Each point is a sentence.",
    "calibration": "The ranking that learns at once gives each sentence a probability. Here is the share of sentences "
    "that are key, in bins of a tenth, each with its 95% interval (Wilson). On the line, 70% means 70 of 100. "
    "Neither the ranking nor its calibration (Platt) had seen these articles. "
    "ECE is the mean distance from the line, weighted by sentences: 0 is best.",
    "histogram": "All sentences by their cosine to the query. The better the two labels separate, the safer a "
    "cut-off. The scale is logarithmic: key sentences are rare.",
    "threshold": "If Keyline proposed every sentence at or over the cut-off: the share of key sentences that it would "
    "find, and the share of proposals that would be key (prevalence, or purity).",
    "map": "Each point is a sentence; points that lie close have similar embeddings. Distances between groups and the "
    "directions have no meaning. Fine-tuning should gather the key sentences around the query.",
    "training": "The loss through training, and the validation score by which the best checkpoint was kept.",
    "articles": "R-precision of each article. The worst show what the model does not understand, or missing labels.",
    "part": "Where key sentences stand, where the model looks for them, and how often it is right there. Bars of "
    "different height show a part that it prefers too much or too little.",
    "decile": "The same by tenths of the article, from its first sentence to its last.",
    "vocabulary": "How many tokens the tokenizer makes of each name and synonym of the document labels, by kind. "
    "A name that is one token has an embedding of its own from the start.",
}


def number(value: float | None, digits: int = 3) -> str:
    """A number with `digits` decimals; a dash for None."""
    return "–" if value is None else written(value, digits)


def share(part: float, whole: float) -> str:
    """`62%`; a dash where there is no whole."""
    return f"{part / whole:.0%}" if whole else "–"


def compared(content: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The metrics that the report holds, by the name of their column, this version first."""
    found = {
        content["version"]: content["metrics"],
        content["parent"]: content["parent_metrics"],
        "mean key sentence": content["mean_key"],
    }
    if content["audited"]["correct"]:
        found["after the audit"] = content["audit_metrics"]
    return {name: metrics for name, metrics in found.items() if metrics}


def metric_rows(content: Mapping[str, Any]) -> list[dict[str, str]]:
    """One row a measure: this version, its parent and the change from it, and other versions compared."""
    columns = compared(content)
    changes = content["difference"] or {}
    cells = {
        name: lambda metrics, name=name: interval_text(*ends_of(metrics[name]), bounds_digits=2) for name in MEASURES
    }
    cells |= {name: lambda metrics, name=name: number(metrics[name]) for name in COSINE_MEASURES}
    cells |= {name: lambda metrics, name=name: f"{metrics[name]:,}" for name in COUNTS}
    rows = []
    for name, label in (MEASURES | COSINE_MEASURES | COUNTS).items():
        row = {"measure": label}
        for column, metrics in columns.items():
            row[column] = cells[name](metrics)
            if changes and column == content["parent"]:
                change = ends_of(changes.get(name))
                row["change from it"] = interval_text(*change, change_written, bounds_digits=2, none="")
        rows.append(row)
    if (unjudged := content.get("unjudged_share")) is not None:  # reports of earlier releases do not tell it
        unjudged_row = {"measure": "unjudged, counted as not key", content["version"]: f"{unjudged:.0%}"}
        rows.append(dict.fromkeys(rows[0], "") | unjudged_row)
    return rows


def confidence_rows(content: Mapping[str, Any]) -> list[dict[str, str]]:
    """Number, mean and standard deviation of the cosines by outcome."""
    return [
        {
            "outcome": row["outcome"],
            "sentences": f"{row['n']:,}",
            "mean cosine": number(row["mean"]),
            "standard deviation": number(row["sd"]),
        }
        for row in content["confidence"]
    ]


def calibration_sentence(calibration: Mapping[str, Any]) -> str:
    """What calibrating changed, in a sentence."""
    before, after = calibration["ece_before"], calibration["ece_after"]
    return (
        f"Calibration error (ECE, ten bins of equal width): {written(before)} before, {written(after)} after, on "
        f"{count_of(calibration['sentences'], 'judged sentence')} of {count_of(calibration['articles'], 'article')}."
    )


def cut_off_rows(bins: Mapping[str, Any], indices: Iterable[int]) -> list[dict[str, str]]:
    """What each of these cut-offs would propose."""
    all_key = sum(bins["key"])
    return [
        {
            "cut-off": f"{bins['thresholds'][i]:.2f}" + (" (best F1)" if i == bins["best"] else ""),
            "sentences proposed": f"{bins['sentences_over'][i]:,}",
            "key sentences found": f"{bins['key_over'][i]:,} ({share(bins['key_over'][i], all_key)})",
            "of those proposed are key": share(bins["key_over"][i], bins["sentences_over"][i]),
        }
        for i in indices
    ]


def place_rows(places: Sequence[Mapping[str, Any]], name: str) -> list[dict[str, str]]:
    """Counts and shares by part or tenth of the articles; places without sentences are left out."""
    return [
        {
            name: place["name"],
            "sentences": f"{place['sentences']:,}",
            "key": f"{place['key']:,}",
            "key per 1,000": number(1000 * place["key"] / place["sentences"], 1),
            "predictions": f"{place['predicted']:,}",
            "of them key": share(place["true"], place["predicted"]),
            "key sentences predicted": share(place["true"], place["key"]),
        }
        for place in places
        if place["sentences"]
    ]


def vocabulary_rows(content: Mapping[str, Any]) -> list[dict[str, str]]:
    """One row a tokenizer and kind of term."""
    return [
        {
            "tokenizer of": ", ".join(entry["versions"]),
            "terms": {"both": "all names"}.get(row["kind"], row["kind"] + "s"),
            "number": f"{row['terms']:,}",
            "one token": f"{row['one_token']:,} ({share(row['one_token'], row['terms'])})",
            "tokens a term": number(row["tokens_a_term"], 2),
            "with an unknown part": f"{row['with_unknown']:,}",
        }
        for entry in content["vocabulary"]
        for row in entry["rows"]
    ]


def article_rows(content: Mapping[str, Any], titles: Mapping[int, str], most: int) -> list[dict[str, Any]]:
    """The articles, the worst first, at most `most`; among equal ones those with most key sentences."""
    columns = {
        "id": "article",
        "r_precision": "R-precision",
        "parent": "parent",
        "audit": "after the audit",
        "key": "key sentences",
        "sentences": "sentences",
    }
    left_out = {"parent": not content["articles"]["parent"], "audit": not content["audited"]["correct"]}
    kept = [name for name in columns if not left_out.get(name)]
    worst = pd.DataFrame(content["articles"]).sort_values(["r_precision", "key", "id"], ascending=[True, False, True])
    table = worst.head(most)[kept].rename(columns=columns)
    return _records(table.assign(title=[titles.get(number, GONE) for number in table["article"]]))


def wrong_predictions(content: Mapping[str, Any], most: int) -> pd.DataFrame:
    """Predictions that are not true, and missed key sentences, the highest cosine first."""
    every = pd.DataFrame(content["predictions"])
    return every[every["outcome"] != "true"].sort_values("cosine", ascending=False, kind="stable").head(most)


def prediction_rows(
    found: pd.DataFrame, texts: Mapping[tuple[int, int], str], parts: Sequence[str]
) -> list[dict[str, Any]]:
    """Predictions with their texts."""
    places = zip(found["article"], found["position"], strict=True)
    table = found[["article", "outcome", "cosine", "rank"]].assign(part=[parts[part] for part in found["part"]])
    return _records(table.assign(sentence=[texts.get(place, GONE) for place in places]))


def _records(found: pd.DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = found.to_dict("records")
    return rows


def setting_rows(trained: ModelVersion) -> list[dict[str, str]]:
    """The settings of the training that made a version, and what it learnt from."""
    counts = trained.trained_on["label_counts"]
    given = trained.settings | {f"{name.replace('_', ' ')} sentences": count for name, count in counts.items()}
    none = {"query": "each article's own", "negatives_per_key": "all"}
    values = {name: none.get(name, "–") if value is None else value for name, value in given.items()}
    return [
        {"setting": name.replace("_", " "), "value": f"{value:g}" if isinstance(value, float) else str(value)}
        for name, value in values.items()
    ]
