"""Key sentences by their wording: a classifier for any topic, learnt from sentences that count and that do not.

Names are replaced by their shape, so that what is said of one gene is learnt for all. It needs no rule and no order
of sentences.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from model.active_learning.sentence_terms import WORD, is_name, near_names, runs_of, without_names
from model.evaluation.calibration import Platt, fit_platt

Encode = Callable[[list[str]], np.ndarray]

REGULARISATION = 10.0  # scikit-learn's C; 3 and 30 rank alike
FOLDS = 5
# What each part weighs in one row, chosen by cross-validation on the open parts of two topics of curators.
WEIGHTS = {"words": 1.0, "near names": 0.7, "letters": 0.7, "meaning": 0.7, "structure": 0.1}

# What sentences of every topic have in common: each is counted.
_STRUCTURE = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)\b(?:fig(?:ure|s)?|table)\b",
        r"\bet al\b|\b(?:19|20)\d\d\b|[a-z]\d+,\d+|\[\d+",
        r"\b(?:[Ww]e|[Oo]ur)\b",
        r"\b(?:was|were|had|did)\b",
        r"\b(?:is|are|has|have|can)\b",
        r"(?i)\b(?:not?|neither|fail\w*)\b",
        r"\b(?:may|might|could|suggest\w*|possibl\w*|hypothes\w*|whether)\b",
        r"\b(?:using|generated|constructed|performed|incubated|according|described)\b",
        r"\b(?:show\w*|found|observ\w*|detect\w*|reveal\w*|demonstrat\w*|identif\w*)\b",
        r"\b(?:previous\w*|known|report\w*)\b",
        r"[<>=]\s?\d|\bp\b",
    )
)


def structure_of(texts: Sequence[str]) -> np.ndarray:
    """What any topic's sentences have: counts of the patterns, names, length; shape (n, 17)."""
    rows = []
    for text in texts:
        words = WORD.findall(text)
        names = [word for word in words if is_name(word)]
        length = np.log(max(len(text), 1) / 150)
        counts = [np.log1p(len(pattern.findall(text))) for pattern in _STRUCTURE]
        different = len({*names})
        rows.append([*counts, np.log1p(len(names)), np.log1p(different), float(different > 1), length, length**2,
                     len(names) / max(len(words), 1)])  # fmt: skip
    return np.array(rows)


@dataclass(frozen=True, eq=False)
class WordingRanker:
    """A fitted classifier; `platt` makes its log odds probabilities, None where it learnt too little to calibrate."""

    fitted: Pipeline
    platt: Platt | None

    def log_odds(self, texts: Sequence[str]) -> np.ndarray:
        """How likely each sentence is key, shape (n,), higher is likelier; key from 0 on."""
        return np.asarray(self.fitted.decision_function(list(texts)))

    def probability(self, texts: Sequence[str]) -> np.ndarray | None:
        """Calibrated probabilities, shape (n,), or None."""
        return self.platt.probability(self.log_odds(texts)) if self.platt else None


def fit_wording(texts: Sequence[str], truth: np.ndarray, articles: np.ndarray | None, encode: Encode) -> WordingRanker:
    """Learns from sentences, their labels 0 or 1 and the articles they are of, both of shape (n,).

    Calibrated by article, each by a classifier that learnt from the others; not calibrated without articles.
    ValueError where either label is missing.
    """
    if len({*truth.tolist()}) < 2:
        raise ValueError("there must be sentences that count and sentences that do not")
    platt = None if articles is None else _calibration(list(texts), truth, articles, encode)
    return WordingRanker(_pipeline(encode).fit(list(texts), truth), platt)


def _calibration(texts: list[str], truth: np.ndarray, articles: np.ndarray, encode: Encode) -> Platt | None:
    held_out, folds = np.full(len(truth), np.nan), min(FOLDS, len({*articles.tolist()}))
    for train, test in GroupKFold(folds).split(texts, groups=articles) if folds > 1 else ():
        if len({*truth[train].tolist()}) > 1:
            part = _pipeline(encode).fit([texts[row] for row in train], truth[train])
            held_out[test] = part.decision_function([texts[row] for row in test])
    told = np.isfinite(held_out)
    return fit_platt(held_out[told], truth[told]) if len({*truth[told].tolist()}) > 1 else None


def _pipeline(encode: Encode) -> Pipeline:
    parts = FeatureUnion(
        [
            ("words", TfidfVectorizer(analyzer=runs_of, sublinear_tf=True)),
            ("near names", TfidfVectorizer(analyzer=near_names, sublinear_tf=True)),
            ("letters", TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)),
            ("meaning", FunctionTransformer(lambda texts: encode([without_names(text) for text in texts]))),
            ("structure", make_pipeline(FunctionTransformer(structure_of), StandardScaler())),
        ],
        transformer_weights=WEIGHTS,
    )
    head = LogisticRegression(C=REGULARISATION, class_weight="balanced", solver="liblinear")
    return Pipeline([("parts", parts), ("head", head)])
