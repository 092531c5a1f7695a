"""Prints how well the shipped topics rank the articles of a labelled file without any training.

python -m tests.measure.topics ARTICLES.jsonl.gz [--cache FOLDER]

Labelled JSON lines with prompts, as Evidence Inference has them: their outcomes, interventions and comparators are the
names of each article. A topic that knows these kinds makes the queries, for the others the names stand in one query.
Each article is asked once more as if nobody had named anything. Encodes with all-MiniLM-L6-v2, not fine-tuned; the
cache keeps what it encoded.
"""

import argparse
import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from annotate.experiments.corpora import PROMPT_CHARACTERS, prompt_query
from annotate.topics.file import SHIPPED, shipped
from model.active_learning.common import with_common
from model.evaluation.metrics import bootstrap_interval, r_precision
from model.evaluation.summary import mean_difference
from model.proposing.query import generic_query, nearest_query, queries_for
from model.proposing.ranking import Pool, by_cosine, by_hybrid
from model.proposing.rules import Rules
from model.proposing.terms import DocumentTerms, has_names
from tests.measure.learned import encoded

NOBODY = DocumentTerms()


def main(path: Path, cache: Path | None) -> None:
    """Encodes, ranks and prints a table: a line a topic and query, ARP of the cosine, of the topic's hybrid, and of the
    hybrid by which words shared with the queries count nothing."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    vectors = encoded([text for row in rows for text in row["sentences"]], cache and cache / "topics.npy")
    parts = np.split(vectors, np.cumsum([len(row["sentences"]) for row in rows])[:-1])
    print("| topic | query | articles | cosine | hybrid | above the cosine | above the one without shared words |")
    print("|---|---|---|---|---|---|---|")
    for topic in map(shipped, SHIPPED):
        rules = topic.rules
        for name, weight in (("the article's", rules.cosine.named), ("that of no article", rules.cosine.generic)):
            named = name == "the article's"
            asked = [asked_of(rules, row["prompts"]) if named else (generic_query(rules),) for row in rows]
            texts = sorted({query for queries in asked for query in queries})
            vector_of = dict(zip(texts, encoded(texts), strict=True))
            cosine, hybrid, wordless = [], [], []
            without = replace(rules, shared_words=0.0)
            for row, own, queries in zip(rows, parts, asked, strict=True):
                truth = (np.array(row["labels"]) == 1).astype(int)
                if not truth.any():
                    continue
                asked_for = np.stack([vector_of[query] for query in queries])
                terms = terms_of(row["prompts"]) if named else NOBODY
                pool = pool_of(row["sentences"], own, asked_for, terms, rules, weight)
                cosine.append(r_precision(truth, by_cosine(pool)) or 0.0)
                hybrid.append(r_precision(truth, by_hybrid(pool)) or 0.0)
                wordless.append(r_precision(truth, by_hybrid(replace(pool, rules=without))) or 0.0)
            shown = [_interval(values) for values in (cosine, hybrid)]
            more = [mean_difference(hybrid, other) for other in (cosine, wordless)]
            told = [f"{each.value:+.3f} ({each.low:+.3f} to {each.high:+.3f})" for each in more]
            print(" | ".join([f"| {topic.name}", name, str(len(cosine)), *shown, *told, ""]))


def pool_of(
    sentences: list[str], vectors: np.ndarray, queries: np.ndarray, terms: DocumentTerms, rules: Rules, weight: float
) -> Pool:
    """An article as it is ranked: the cosine of each sentence is to its nearest query and weighs `weight`."""
    _, cosines = nearest_query(vectors, queries)
    return with_common(Pool(sentences, cosines, terms, sections_of(sentences), cosine_weight=weight, rules=rules))


def terms_of(prompts: Sequence[dict[str, Any]]) -> DocumentTerms:
    """The names that the prompts of an article give."""
    names: dict[str, list[str]] = {}
    for kind in PROMPT_CHARACTERS:
        given = {text.casefold(): text for prompt in prompts if (text := " ".join(str(prompt.get(kind) or "").split()))}
        names[kind.lower()] = list(given.values())
    return DocumentTerms.of(names)


def asked_of(rules: Rules, prompts: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """The queries of an article with these prompts: all names in one where the topic does not know their kinds."""
    terms = terms_of(prompts)
    return queries_for(rules, terms) if has_names(rules, terms) else (prompt_query(prompts),)


def sections_of(sentences: Sequence[str]) -> list[str]:
    """The kind of section of each sentence; the first one of a section begins with its name, as in BODY.METHODS."""
    kinds, kind = [], ""
    for text in sentences:
        kind = (re.findall(r"\b(ABSTRACT|BODY)\.", text) or [kind])[-1].lower()
        kinds.append(kind)
    return kinds


def _interval(values: list[float]) -> str:
    found = bootstrap_interval(values, np.random.default_rng(0))
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    main(options.path, options.cache)
