"""How the work that a text tells of was done, told by words of its design: drawn by lot, reviewed, on animals.

A few judgements tell more of these few signs (`designs.yaml`) than of thousands of words. They are not learnt.
"""

import re
from collections.abc import Sequence
from importlib.resources import files

import numpy as np
import yaml

SIGNS: dict[str, str] = yaml.safe_load((files("model.finding") / "designs.yaml").read_text(encoding="utf-8"))
MOST = 4  # of one sign in a text: more tell no more
_PATTERNS = [re.compile(pattern) for pattern in SIGNS.values()]


def designs(texts: Sequence[str], blank: np.ndarray) -> np.ndarray:
    """How much of each sign is in each text, float32[n, signs]: the square root of how often, standardised over the
    texts that hold any words, of a length near 1. 0 for `blank` ones, bool[n]."""
    lowered = [text.lower() for text in texts]
    often = [[min(len(pattern.findall(text)), MOST) for pattern in _PATTERNS] for text in lowered]
    counts = np.sqrt(np.array(often, dtype=np.float64)).astype(np.float32)
    told = counts[~blank]
    if not len(told):
        return np.zeros((len(texts), len(SIGNS)), dtype=np.float32)
    spread = np.maximum(told.std(axis=0), 0.1)
    found = (counts - told.mean(axis=0)) / spread / np.sqrt(len(SIGNS))
    return np.where(blank[:, None], 0, found).astype(np.float32)
