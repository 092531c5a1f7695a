"""How likely each sentence is a key sentence: four rankings of one article's pool, higher is better.

A new one is a function and its line in Ranking.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

import numpy as np

from model.proposing.terms import (
    DASH,
    NEAR,
    DocumentTerms,
    TermKind,
    find_cell_mentions,
    find_gene_symbols,
    find_terms,
    gap,
    guess_terms,
    is_tool,
)

COSINE_WEIGHT = 0.25  # a standard deviation of an encoder that is not fine-tuned; 0.1 to 0.75 rank alike


@dataclass(frozen=True, eq=False)
class Pool:
    """One article's n sentences, in reading order, with what is known of them.

    cosines: shape (n,), to the query, or None. sections and paragraphs: n values each of the article's section kinds
    ("abstract", "body", "back", "sub-article") and paragraph kinds ("paragraph", "caption", "table", ...), or empty.
    titles: the n titles of the sections, or empty. cosine_weight: points of the hybrid for one standard deviation of
    cosine; measure before raising it for a fine-tuned encoder. ranker: the learned ranking, where one was fitted.
    Raises ValueError where a length differs from n.
    """

    sentences: Sequence[str]
    cosines: np.ndarray | None = None
    terms: DocumentTerms = field(default_factory=DocumentTerms)
    sections: Sequence[str] = ()
    paragraphs: Sequence[str] = ()
    titles: Sequence[str] = ()
    cosine_weight: float = COSINE_WEIGHT
    ranker: Callable[["Pool"], np.ndarray] | None = None

    def __post_init__(self) -> None:
        n = len(self.sentences)
        lengths = {"sections": len(self.sections) or n, "paragraphs": len(self.paragraphs) or n}
        lengths["titles"] = len(self.titles) or n
        lengths["cosines"] = n if self.cosines is None else len(self.cosines)
        for name, length in lengths.items():
            if length != n:
                raise ValueError(f"{name} has {length} values for {n} sentences")


# The parts of the terms score, all 1 or 1/2 by reason. Weights chosen on half of the articles do no better on the
# other half (docs/ranking.md).
WEIGHTS = {
    "edit": 1.0,  # an act of editing: knockout, deletion, -/-; half where all are of another kind than the document's
    "tool": 0.5,  # CRISPR, Cas9, siRNA
    "gene": 1.0,
    "cell": 1.0,  # half for a cell or organism that is not of the document's labels
    "near": 1.0,  # the edit stands within NEAR characters of the gene
    "made": 1.0,  # "we generated", "here", "in this study", in a sentence with an edit
    "earlier": -0.5,  # earlier work, and general statements
    "conclusion": -1.0,  # what it all shows, screens and methods: said of the whole, not of one experiment
    "aside": -1.0,  # captions, notes, very short or very long; table rows, back matter and letters count double
}

_KIND = {
    "KO": re.compile(rf"(?i:knock\w*[\s{DASH}]?out|null)|KOs?$"),
    "KI": re.compile(rf"(?i:knock\w*[\s{DASH}]?in)s?$|KIs?$"),
    "KD": re.compile(rf"(?i:knock\w*[\s{DASH}]?down|silenc)|KDs?$"),
}  # mutation, deletion, editing: any kind
_MADE = re.compile(
    r"\b(?:here(?:in|by)?\b(?! after)"
    r"|(?:in|this) (?:the |this |our )?(?:present |current )?(?:study|work|research|report)\b"
    r"|(?:we|was|were|have|has|been|and|by)(?: \w+ly| then| also| first)? (?:been )?"
    r"(?:generat|creat|establish|construct|develop|knock|delet|disrupt|edit|mutat|engineer|silenc|inactivat|ablat|produc)"
    r"(?:ed|e|ing)(?: out| in| down)?\b"
    r"|perform(?:ed|ing)? (?:[\w/-]+ ){0,2}(?:edit|knock|delet|disrupt|mutagen|silenc)\w*"
    r"|we (?:have )?(?:report|describe|introduce|target|employ|us)(?:ed)?\b|generation of\b)",
    re.I,
)
# What may be, and what it is good for (can, may, suggest, potential, therapy) is said of results too: not asked for.
_EARLIER = re.compile(
    r"\b(?:previous(?:ly)?|recent(?:ly)?|(?:has|have) (?:been|greatly|long)|other groups|as described|et al|remains?"
    r"|(?:is|are|was|were) (?:well )?(?:known|associated|implicated|considered)|widely|caused by|patients? with"
    r"|(?:is|are) (?:an?|the|one|caused|frequent|common|most)|encodes|little is known|unknown|unclear)\b"
    r"|\[\d+(?:[,–-]\s?\d+)*\]",  # a numbered citation
    re.I,
)
_CONCLUSION = re.compile(
    r"^(?:overall|in (?:summary|conclusion|sum)|(?:taken )?(?:al)?together|collectively|thus|therefore|conclusions?)\b"
    r"|\b(?:(?:these|our) (?:results|findings|data|study|work)"
    r"|this (?:study|work) (?:\w+ )?(?:suggest|show|demonstrat|indicat|provid|reveal)\w*|provid\w+"
    r"|screens?|protocols?|review\w*"
    r"|an? (?:new|novel|practical|useful|efficient) (?:tool|method|approach|strategy|platform))\b",
    re.I,
)
_ASIDE = {"caption": 1.0, "note": 1.0, "formula": 1.0, "table": 2.0, "back": 2.0, "sub-article": 2.0}


def parts_of(pool: Pool) -> np.ndarray:
    """The parts of the terms score, shape (n, len(WEIGHTS)), each 0 to 1 (aside to 2), columns in the order of WEIGHTS.

    Without document labels the likely genes are guessed from the article, and any gene symbol counts half.
    """
    labelled = bool(pool.terms.genes or pool.terms.cells)
    terms = pool.terms if labelled else guess_terms(pool.sentences)
    rows = [_sentence_parts(text, terms, labelled) for text in pool.sentences]
    parts = np.array([[row[name] for name in WEIGHTS] for row in rows], dtype=float).reshape(len(rows), len(WEIGHTS))
    for kinds in (pool.sections, pool.paragraphs):
        if kinds:
            aside = np.array([_ASIDE.get(kind, 0.0) for kind in kinds])
            parts[:, -1] = np.maximum(parts[:, -1], aside)
    return parts


def _sentence_parts(text: str, terms: DocumentTerms, labelled: bool) -> dict[str, float]:
    spans = find_terms(text, terms)
    genes = [s for s in spans if s.kind == TermKind.GENE]
    edits = [s for s in spans if s.kind == TermKind.EDIT]
    acts = [s for s in edits if not is_tool(text[s.start : s.end])]
    cell = 1.0 if any(s.kind == TermKind.CELL for s in spans) else 0.5 * bool(find_cell_mentions(text))
    return {
        "edit": max((_fit_to_edit(text[s.start : s.end], terms.edit) for s in acts), default=0.0),
        "tool": float(len(acts) < len(edits)),
        "gene": 1.0 if genes else 0.0 if labelled else 0.5 * bool(find_gene_symbols(text)),
        "cell": cell,
        "near": float(any(gap(g, act) <= NEAR for g in genes for act in acts)),
        "made": float(bool(edits) and _MADE.search(text) is not None),
        "earlier": float(_EARLIER.search(text) is not None),
        "conclusion": float(_CONCLUSION.search(text) is not None),
        "aside": float(len(text) < 40 or len(text) > 600),
    }


def _fit_to_edit(act: str, edit: str | None) -> float:
    """1 where the act may be the document's edit, 1/2 where it is clearly another (a knockdown in a KO article)."""
    kinds = [kind for kind, pattern in _KIND.items() if pattern.search(act)]
    return 0.5 if edit and kinds and edit not in kinds else 1.0


def by_terms(pool: Pool) -> np.ndarray:
    """Weighted sum of the parts, shape (n,): rises with gene, cell and edit named; needs no encoder."""
    return np.asarray(parts_of(pool) @ np.array(list(WEIGHTS.values())))


def by_cosine(pool: Pool) -> np.ndarray:
    """The cosines as given, shape (n,), a non-finite one as the lowest. ValueError where the pool has none."""
    if pool.cosines is None:
        raise ValueError("ranking by cosine needs a pool with cosines; choose terms or hybrid")
    cosines = np.asarray(pool.cosines, dtype=float)
    finite = cosines[np.isfinite(cosines)]
    return np.where(np.isfinite(cosines), cosines, finite.min() if finite.size else 0.0)


def by_hybrid(pool: Pool) -> np.ndarray:
    """Terms plus the standardised cosine, shape (n,). Without cosines it is the terms score.

    Standardised within the article and clipped at -2 and 3, so that an encoder's range and scale do not matter.
    """
    scores = by_terms(pool)
    return scores if pool.cosines is None else scores + pool.cosine_weight * standardised(by_cosine(pool))


def by_learned(pool: Pool) -> np.ndarray:
    """The scores of the pool's ranker, log odds, shape (n,). ValueError where the pool has none."""
    if pool.ranker is None:
        raise ValueError("the learned ranking needs a pool with a ranker; choose hybrid")
    return pool.ranker(pool)


def standardised(values: np.ndarray) -> np.ndarray:
    """Values in standard deviations from their mean, clipped to [-2, 3]; all 0 where they are alike or fewer than 2."""
    spread = values.std() if values.size else 0.0
    if spread < 1e-9:
        return np.zeros_like(values)
    return np.asarray(np.clip((values - values.mean()) / spread, -2.0, 3.0))


class Ranking(StrEnum):
    """The rankings to choose from: by name, and the function that scores a pool's n sentences, shape (n,)."""

    scores: Callable[[Pool], np.ndarray]

    def __new__(cls, name: str, *given: Any) -> Self:
        """A text, which carries what it stands for. A look-up by the name alone, Ranking("terms"), never comes here."""
        ranking = str.__new__(cls, name)
        ranking._value_, (ranking.scores,) = name, given
        return ranking

    COSINE = "cosine", by_cosine
    TERMS = "terms", by_terms
    HYBRID = "hybrid", by_hybrid
    LEARNED = "learned", by_learned


def top_k(scores: np.ndarray, k: int) -> list[int]:
    """Positions of the k highest scores, best first, equal scores in reading order; fewer where there are fewer."""
    if k < 0:
        raise ValueError(f"k is {k}; it must be 0 or more")
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    return [int(position) for position in order[:k]]
