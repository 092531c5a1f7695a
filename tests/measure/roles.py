"""Prints whether what sentences do helps to rank key sentences: with and without the roles, on the same articles.

python -m tests.measure.roles GOLD.csv TRAIN.jsonl.gz VALIDATION.jsonl.gz [--cache FOLDER] [--most 160]

Roles are read by the model of the data folder (KEYLINE_HOME), which should not have learnt from these articles. GOLD is
cross-validated; on VALIDATION rankers fitted on DRAWS times FITTED of the first `--most` articles of TRAIN are tried.
The interval is that of the paired differences by article, drawn anew (95%). Not collected by pytest.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from annotate.roles.model_files import model_now
from model.active_learning.features import FEATURES, ROLE_COLUMNS, features_of
from model.active_learning.head import first_head, rows_of, teach
from model.active_learning.learned import cross_validated, fit_ranker, r_precisions
from model.active_learning.taught import Taught
from model.evaluation.summary import mean_difference
from model.proposing.ranking import Pool
from tests.measure.learned import gold_of, pools_of
from tests.support.topics import PRIOR

FITTED, DRAWS = 100, 5
_PARTS = ("introduction", "methods", "results", "discussion")
_COLUMNS = [FEATURES.index(name) for name in ROLE_COLUMNS]


def with_roles(pool: Pool) -> np.ndarray:
    """The features of an article whose roles are read by the model of the data folder, by its inline headings."""
    plain = features_of(pool)
    by_name = dict(zip(FEATURES, plain.T, strict=True))
    parts = np.full(len(plain), "other", dtype=object)
    for part in _PARTS:
        parts[by_name[part] > 0] = part
    is_abstract = by_name["abstract"] > 0 if by_name["abstract"].any() else np.ones(len(plain), dtype=bool)
    if by_name["body"].any():
        is_abstract = by_name["abstract"] > 0
    roles = model_now().of_article(pool.sentences, parts.tolist(), is_abstract.tolist())
    return features_of(replace(pool, roles=roles))


def without(example: Taught) -> Taught:
    """The same as if nobody had told its roles."""
    features = example.rows.copy()
    features[:, _COLUMNS] = 0.0
    return replace(example, rows=features)


def lines_of(path: Path, cache: Path | None, most: int) -> list[tuple[Taught, np.ndarray]]:
    """The first articles of labelled JSON lines, their roles read, with their embeddings."""
    return [(Taught(with_roles(pool), labels), own) for pool, labels, own in pools_of(path, cache, most)]


def show(name: str, plain: list[float], by_roles: list[float]) -> None:
    """One line of the table."""
    found = mean_difference(by_roles, plain)
    print(
        f"| {name} | {np.mean(plain):.3f} | {np.mean(by_roles):.3f} |"
        f" {found.value:+.3f} ({found.low:+.3f} to {found.high:+.3f}) |",
        flush=True,
    )


def ranked(train: list[Taught], test: list[Taught]) -> list[float]:
    """R-precision by article of a learned ranking."""
    ranker = fit_ranker(train, PRIOR)
    return r_precisions(test, [ranker.score(example.rows) for example in test])


def by_head(train: list[tuple[Taught, np.ndarray]], test: list[tuple[Taught, np.ndarray]]) -> list[float]:
    """The same of the head that learns at once."""
    rows = [rows_of(example.rows, own) for example, own in train]
    head = first_head(np.vstack(rows), PRIOR)
    head = teach(head, [Taught(own, example.labels) for own, (example, _) in zip(rows, train, strict=True)])
    return r_precisions([e for e, _ in test], [head.log_odds(rows_of(e.rows, own)) for e, own in test])


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("train", type=Path)
    parser.add_argument("validation", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--most", type=int, default=160)
    options = parser.parse_args()
    print("| ranking, articles | ARP without | with roles | difference |\n|---|---|---|---|")
    gold = gold_of(options.gold, with_roles)
    bare = [without(example) for example in gold]
    by_article = [r_precisions(own, cross_validated(own, PRIOR)) for own in (bare, gold)]
    show(f"learned, {len(gold)} of the gold, cross-validated", *by_article)
    train = lines_of(options.train, options.cache, options.most)
    test = lines_of(options.validation, options.cache, options.most)
    plain_test = [(without(example), own) for example, own in test]
    sums: dict[str, list[list[list[float]]]] = {"learned": [], "head": []}
    for draw in range(DRAWS):
        order = np.random.default_rng(draw).permutation(len(train))[:FITTED]
        fitted = [train[i] for i in order]
        plain = [(without(example), own) for example, own in fitted]
        bare_train, bare_test = [e for e, _ in plain], [e for e, _ in plain_test]
        sums["learned"].append([ranked(bare_train, bare_test), ranked([e for e, _ in fitted], [e for e, _ in test])])
        sums["head"].append([by_head(plain, plain_test), by_head(fitted, test)])
    for name, draws in sums.items():
        show(f"{name}, {len(test)} validation articles, mean of {DRAWS} fits", *np.mean(draws, axis=0).tolist())


if __name__ == "__main__":
    main()
