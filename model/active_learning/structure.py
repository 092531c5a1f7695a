"""How a sentence of any topic is built: what it refers to, when it was, how sure it is, how many names it holds."""

import re
from collections.abc import Sequence

import numpy as np

from model.active_learning.sentence_terms import WORD, is_name

# What sentences of every topic have in common: each is counted.
_COUNTED = {
    name: re.compile(pattern)
    for name, pattern in {
        "figure or table": r"(?i)\b(?:fig(?:ure|s)?|table)\b",
        "other work": r"\bet al\b|\b(?:19|20)\d\d\b|[a-z]\d+,\d+|\[\d+",
        "we": r"\b(?:[Ww]e|[Oo]ur)\b",
        "past": r"\b(?:was|were|had|did)\b",
        "present": r"\b(?:is|are|has|have|can)\b",
        "negation": r"(?i)\b(?:not?|neither|fail\w*)\b",
        "doubt": r"\b(?:may|might|could|suggest\w*|possibl\w*|hypothes\w*|whether)\b",
        "method": r"\b(?:using|generated|constructed|performed|incubated|according|described)\b",
        "observation": r"\b(?:show\w*|found|observ\w*|detect\w*|reveal\w*|demonstrat\w*|identif\w*)\b",
        "known before": r"\b(?:previous\w*|known|report\w*)\b",
        "statistics": r"[<>=]\s?\d|\bp\b",
    }.items()
}
STRUCTURE = (
    *_COUNTED, "names", "different names", "several names", "log length", "log length squared", "share of names"
)  # fmt: skip


def structure_of(texts: Sequence[str]) -> np.ndarray:
    """What any topic's sentences have: counts, names, length; shape (n, len(STRUCTURE)), in the order of STRUCTURE."""
    rows = []
    for text in texts:
        words = WORD.findall(text)
        names = [word for word in words if is_name(word)]
        length = np.log(max(len(text), 1) / 150)
        counts = [np.log1p(len(pattern.findall(text))) for pattern in _COUNTED.values()]
        different = len({*names})
        rows.append([*counts, np.log1p(len(names)), np.log1p(different), float(different > 1), length, length**2,
                     len(names) / max(len(words), 1)])  # fmt: skip
    return np.array(rows).reshape(-1, len(STRUCTURE))
