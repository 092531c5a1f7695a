"""Prints what late interaction and shared words rank against the cosine, nothing trained: by what counts, and by names.

python -m tests.measure.late_interaction TRIALS EXPRESSION KINASE HALLMARKS [--cache FOLDER]

The articles are those of tests.measure.common_part. "What counts" is the blank topic with a sentence as its query, with
and without its common part, whose weights have not seen the topic. Names are the outcomes of trials and the document
labels of gene editing, by themselves and in the topic's hybrid. Late interaction: of each token of a query the highest
cosine to any token of the sentence, the mean over the query (Khattab and Zaharia, ColBERT, 2020); of several queries
the nearest counts. Tokens are all-MiniLM-L6-v2's before pooling, not fine-tuned. Words: TF-IDF within the article, as
for names. The cache keeps scores. Not collected by pytest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from annotate.topics.file import FIRST, shipped
from model.active_learning.common import common_columns
from model.evaluation.metrics import r_precision
from model.evaluation.summary import mean_difference
from model.proposing.query import queries_by_name
from model.proposing.ranking import Pool, by_hybrid, standardised
from model.proposing.shared_words import word_likeness
from model.proposing.terms import DocumentTerms
from tests.measure.common_part import COUNTS, TRIALS, Entries, Labelled, entries_of, fitted, lines_of, parser_of
from tests.measure.ranking import read_edits
from tests.measure.topics import terms_of

COMMON = 2.0  # standard deviations of the common part for one of the cosine, as the blank topic has it
WEIGHTS = (0.5, 1.0)  # standard deviations that are added to one of the cosine
SLAB = 1_000  # sentences whose token vectors are held at once
NAMED = {"trials": "clinical_trial_findings", "gene editing": FIRST}
Queries = tuple[str, ...]
Scores = list[np.ndarray]  # by article, shape (n,)


@dataclass(frozen=True, eq=False)
class Asked:
    """The articles of a topic, their queries, and by article what is added to every ranking."""

    entries: Entries
    queries: Sequence[Queries]
    on_top: Scores

    def arps(self, scores: Scores) -> list[float]:
        """The R-precision of each article."""
        return [r_precision(labels, own) or 0.0 for (_, labels, _), own in zip(self.entries, scores, strict=True)]

    def rankings(self, cosines: Scores, tokens: Scores) -> dict[str, list[float]]:
        """R-precision by article of the cosine, of what takes its place, and of what is added to it."""
        words = [word_likeness(texts, own) for (texts, _, _), own in zip(self.entries, self.queries, strict=True)]
        found = {"cosine": self._mixed((1.0, cosines))}
        for told, other in {"late interaction": tokens, "words": words}.items():
            found[told] = self._mixed((1.0, other))
            for weight in WEIGHTS:
                found[f"cosine, {weight:g} of {told}"] = self._mixed((1.0, cosines), (weight, other))
        return found

    def _mixed(self, *parts: tuple[float, Scores]) -> list[float]:
        every = [[weight * standardised(own) for own in scores] for weight, scores in parts]
        return self.arps([np.sum(own, axis=0) for own in zip(self.on_top, *every, strict=True)])


def scores_of(
    entries: Entries, asked: Sequence[Sequence[Queries]], cache: Path | None = None
) -> list[tuple[Scores, Scores]]:
    """(cosines, late interaction) to the nearest query, for each of several ways to ask the articles.

    The marks at the beginning and end of a text are no tokens. An article without queries gets zeros.
    """
    ends = np.cumsum([len(texts) for texts, _, _ in entries])[:-1]
    found = np.load(cache) if cache and cache.exists() else _encoded(entries, asked)
    if cache and not cache.exists():
        np.save(cache, found)
    return [(np.split(found[:, 2 * i], ends), np.split(found[:, 2 * i + 1], ends)) for i in range(len(asked))]


def _encoded(entries: Entries, asked: Sequence[Sequence[Queries]]) -> np.ndarray:
    from model.encoder import load
    from model.files import embedded_encoder

    encoder = load(embedded_encoder())
    encoder.max_seq_length = 128

    def read(texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
        """Unit vectors of texts, and of the tokens of each."""
        found: list[Any] = encoder.encode(list(texts), output_value="token_embeddings", show_progress_bar=False)
        tokens = [one.float().numpy() for one in found]
        return _unit(np.stack([own.mean(axis=0) for own in tokens])), [_unit(own[1:-1]) for own in tokens]

    every = dict.fromkeys(query for queries in asked for own in queries for query in own)
    vectors, query_tokens = read(list(every))
    place = {query: number for number, query in enumerate(every)}
    rows = []
    for number, (texts, _, _) in enumerate(entries):
        for start in range(0, len(texts), SLAB):
            own, tokens = read(texts[start : start + SLAB])
            columns = []
            for queries in asked:
                places = [place[query] for query in queries[number]]
                columns.append((own @ vectors[places].T).max(axis=1) if places else np.zeros(len(own)))
                columns.append(
                    np.array([max((_late(query_tokens[q], one) for q in places), default=0.0) for one in tokens])
                )
            rows.append(np.column_stack(columns))
    return np.vstack(rows)


def _late(query: np.ndarray, sentence: np.ndarray) -> float:
    return float((query @ sentence.T).max(axis=1).mean()) if len(sentence) else 0.0


def _unit(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def named_hybrid(
    asked: Asked, terms: Sequence[DocumentTerms], topic: str, cosines: Scores, tokens: Scores
) -> dict[str, list[float]]:
    """R-precision by article of the topic's hybrid, and with late interaction for the cosine or on top of it."""
    rules = shipped(topic).rules
    weight = rules.cosine.named
    pools = [
        Pool(texts, own, names, sections, cosine_weight=weight, rules=rules)
        for (texts, _, sections), own, names in zip(asked.entries, cosines, terms, strict=True)
    ]
    fixed = [by_hybrid(pool) for pool in pools]
    instead = [by_hybrid(replace(pool, cosines=own)) for pool, own in zip(pools, tokens, strict=True)]
    both = [own + weight * standardised(other) for own, other in zip(fixed, tokens, strict=True)]
    named = {"hybrid": fixed, "hybrid, late interaction for the cosine": instead, "hybrid, late interaction": both}
    return {told: asked.arps(scores) for told, scores in named.items()}


def show(name: str, rankings: dict[str, list[float]]) -> None:
    """Prints the ARP of each ranking, and its difference from the first."""
    first = next(iter(rankings.values()))
    for told, values in rankings.items():
        more = mean_difference(values, first)
        print(f"| {name} | {len(values)} | {told} | {np.mean(values):.3f} | "
              f"{more.value:+.3f} ({more.low:+.3f} to {more.high:+.3f}) |", flush=True)  # fmt: skip


def terms_by_topic(trials: Path) -> dict[str, list[DocumentTerms]]:
    """The names of the articles that `entries_of` gives, in its order."""
    rows = lines_of(trials)[:TRIALS]
    labels = [[label == 1 for label in row["labels"]] for row in rows]
    edits = [one for part in ("open", "closed") for one in read_edits(part)]
    return {
        "trials": [terms_of(row["prompts"]) for row, own in zip(rows, labels, strict=True) if 0 < sum(own) < len(own)],
        "gene editing": [one.terms for one in edits if 0 < one.labels.sum() < len(one.labels)],
    }


def main() -> None:
    """Prints a table."""
    options = parser_of(__doc__).parse_args()
    topics, terms = entries_of(options), terms_by_topic(options.trials)
    columns = {
        name: [Labelled(common_columns(Pool(texts, sections=sections)), np.array(labels), np.zeros(len(texts)))
               for texts, labels, sections in entries]
        for name, entries in topics.items()
    }  # fmt: skip
    print("| topic | articles | ranked by | ARP | above the first |")
    for name, entries in topics.items():
        asked: list[Sequence[Queries]] = [[(COUNTS[name],)] * len(entries)]
        if name in NAMED:
            asked.append([queries_by_name(shipped(NAMED[name]).rules, own) for own in terms[name]])
        scores = scores_of(entries, asked, options.cache and options.cache / f"late_{name}.npy")
        weights = fitted(others for other, others in columns.items() if other != name)
        common = [COMMON * standardised(one.columns @ weights) for one in columns[name]]
        nothing = [np.zeros(len(own)) for own in common]
        for told, on_top in {"what counts": nothing, "what counts, common part": common}.items():
            show(f"{name}, {told}", Asked(entries, asked[0], on_top).rankings(*scores[0]))
        if name in NAMED:
            by_name = Asked(entries, asked[1], nothing)
            show(f"{name}, names", by_name.rankings(*scores[1]))
            show(f"{name}, names", named_hybrid(by_name, terms[name], NAMED[name], *scores[1]))


if __name__ == "__main__":
    main()
