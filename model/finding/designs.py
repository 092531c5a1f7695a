"""How the work that a text tells of was done, told by words of its design: drawn by lot, reviewed, on animals.

A few judgements tell more of these few signs than of thousands of words. They are not learnt; those of trials are words
of Cochrane's search strategy for randomised trials (Lefebvre et al. 2008) and of its neighbours.
"""

import re
from collections.abc import Sequence

import numpy as np

SIGNS = {
    "drawn by lot": r"random(?:i[sz]ed|ly|i[sz]ation)",
    "placebo": r"placebo",
    "blinded": r"double[- ]blind|single[- ]blind|double[- ]dummy|triple[- ]blind|masked",
    "trial": r"\btrials?\b",
    "arms": r"cross[- ]?over|parallel[- ]group",
    "compared": r"\b(?:versus|vs|compared? (?:with|to)|comparison|comparative|head[- ]to[- ]head)\b",
    "studies pooled": r"meta[- ]analys|systematic(?:ally)? review|pooled",
    "review": r"\breviews?\b|\boverview\b|\bguidelines?\b|\bthis article\b|\bmanagement of\b",
    "single case": r"\bcase\b|\ba \d+[- ]year[- ]old|we report",
    "animals or cells": r"\b(?:rats?|mice|mouse|dogs?|rabbits?|in vitro|monkeys?|pigs?|cats?|cells?)\b",
    "observed": r"\bcohort\b|case[- ]control|retrospective|cross[- ]sectional|observational|database",
    "fate of a substance": (
        r"pharmacokinetic|bioavailability|healthy (?:volunteers|subjects|men)|plasma concentration"
    ),
    "followed": r"\b(?:weeks?|months?|years)\b",
    "doses": r"\bdaily\b|\bmg\b|\bdose",
    "patients": r"\bpatients\b",
    "statistics": r"significant|p ?[<=] ?0?\.\d|confidence interval|\b95%",
}
MOST = 4  # of one sign in a text: more tell no more
_PATTERNS = [re.compile(pattern) for pattern in SIGNS.values()]


def designs(texts: Sequence[str], blank: np.ndarray) -> np.ndarray:
    """How much of each sign is in each text, float32[n, signs]: the square root of how often, standardised over the
    texts that hold any words, of a length near 1. 0 for `blank` ones, bool[n]."""
    lowered = [text.lower() for text in texts]
    counts = np.array([[_often(pattern, text) for pattern in _PATTERNS] for text in lowered], dtype=np.float32)
    told = counts[~blank]
    if not len(told):
        return np.zeros((len(texts), len(SIGNS)), dtype=np.float32)
    spread = np.maximum(told.std(axis=0), 0.1)
    found = (counts - told.mean(axis=0)) / spread / np.sqrt(len(SIGNS))
    return np.where(blank[:, None], 0, found).astype(np.float32)


def _often(pattern: re.Pattern[str], text: str) -> float:
    return float(np.sqrt(min(len(pattern.findall(text)), MOST)))
