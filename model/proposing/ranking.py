"""How likely each sentence is a key sentence: five rankings of one article's pool, higher is better.

A new one is a function and its line in Ranking.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Self

import numpy as np

from model.proposing.query import queries_by_name
from model.proposing.rules import ASIDE, BLANK, CUE_COLUMNS, CUES, Cue, Likely, Rules
from model.proposing.shared_words import word_likeness
from model.proposing.terms import DocumentTerms, TermSpan, find_likely, find_terms, gap, guess_terms, has_names

SHORT, LONG = 40, 600  # characters: sentences below and above are headings, lists and such
COSINE_WEIGHT = 0.25  # a standard deviation of an encoder that is not fine-tuned; 0.1 to 0.75 rank alike

TIE_WEIGHT = 1e-5  # of a standard deviation: below the last digit of a language model's scores


@dataclass(frozen=True, eq=False)
class Pool:
    """One article's n sentences, in reading order, with the known facts on them.

    cosines: shape (n,), to the query, or None. sections and paragraphs: n values each of the article's section kinds
    ("abstract", "body", "back", "sub-article") and paragraph kinds ("paragraph", "caption", "table", ...), or empty.
    titles: the n titles of the sections, or empty. cosine_weight: points of the hybrid for one standard deviation of
    cosine; measure before raising it for a fine-tuned encoder. ranker: the learned ranking, where one was fitted.
    rules: the topic's, by default the blank one's. roles: probabilities of what each sentence does, shape
    (n, 5), in the order of model.sentence_roles.ROLES, or None where nobody has told. answered: what a language model
    says of each, 0 to 1, shape (n,), or None where it was not asked. like: log odds by what was learnt from the
    examples of the topic, shape (n,), or None where these weigh nothing. common: how much each is like the key
    sentences of other topics, standardised, shape (n,), or None where that weighs nothing.
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
    rules: Rules = BLANK
    roles: np.ndarray | None = None
    answered: np.ndarray | None = None
    like: np.ndarray | None = None
    common: np.ndarray | None = None

    def __post_init__(self) -> None:
        n = len(self.sentences)
        given = {name: getattr(self, name) or None for name in ("sections", "paragraphs", "titles")}
        given |= {name: getattr(self, name) for name in ("cosines", "roles", "answered", "like", "common")}
        for name, values in given.items():
            if values is not None and len(values) != n:
                raise ValueError(f"{name} has {len(values)} values for {n} sentences")

    @cached_property
    def shared_words(self) -> np.ndarray:
        """Likeness in words to the queries that the article's names make, standardised, shape (n,); 0 without names."""
        return standardised(word_likeness(self.sentences, queries_by_name(self.rules, self.terms)))


_ASIDE = {"caption": 1.0, "note": 1.0, "formula": 1.0, "table": 2.0, "back": 2.0, "sub-article": 2.0}
_Spans = dict[tuple[str, str], list[TermSpan]]  # the mentions of a sentence by kind and part


def parts_of(pool: Pool) -> np.ndarray:
    """The parts of the terms score, shape (n, CUES + 1), each 0 to 1 (aside to 2): the topic's cues, zeros, aside.

    Without document labels names are guessed from the article as the topic says, and what may be one counts half.
    """
    rules, n = pool.rules, len(pool.sentences)
    terms, labelled = _terms_of(pool)
    parts = np.zeros((n, CUES + 1))
    for row, text in enumerate(pool.sentences):
        if rules.cues:
            spans = _spans(text, terms, rules)
            parts[row, : len(rules.cues)] = [_part(text, cue, spans, terms, rules, labelled) for cue in rules.cues]
        parts[row, -1] = len(text) < SHORT or len(text) > LONG
    for column, cue in enumerate(rules.cues):
        if cue.section:
            parts[:, column] = [kind == cue.section for kind in pool.sections] or 0.0
    for kinds in (pool.sections, pool.paragraphs):
        if kinds:
            aside = np.array([_ASIDE.get(kind, 0.0) for kind in kinds])
            parts[:, -1] = np.maximum(parts[:, -1], aside)
    return parts


def words_of_cues(pool: Pool, row: int) -> dict[str, tuple[str, bool]]:
    """What stands in one sentence for each cue that fires there, by the cue's column: (its words, whether that is
    sure). A name that was guessed, or is only shaped like one, is not."""
    rules, text = pool.rules, pool.sentences[row]
    terms, labelled = _terms_of(pool)
    spans = _spans(text, terms, rules) if rules.cues else {}
    found = {}
    for column, cue in zip(CUE_COLUMNS, rules.cues, strict=False):
        if not _part(text, cue, spans, terms, rules, labelled):
            continue
        kind, own = rules.kind(cue.kind), spans.get((cue.kind, cue.part), [])
        match = cue.pattern.search(text) if cue.pattern else None
        sure = bool(match) or bool(own and (labelled or kind is None or not kind.naming))
        places = own or (find_likely(text, kind) if kind else [])
        words = match[0] if match else text[places[0].start : places[0].end] if places else ""
        found[column] = (words.strip(), sure)
    return found


def length_in_words(pool: Pool, row: int) -> str:
    """What sets a sentence of the running text aside, its length; empty for one that stands aside by its place."""
    places = [kinds[row] for kinds in (pool.sections, pool.paragraphs) if kinds]
    length = len(pool.sentences[row])
    if any(place in _ASIDE for place in places) or SHORT <= length <= LONG:
        return ""
    return f"a sentence of {length:,} characters"


def _terms_of(pool: Pool) -> tuple[DocumentTerms, bool]:
    """(the article's names, guessed where none were given; whether any were given)."""
    labelled = has_names(pool.rules, pool.terms)
    return pool.terms if labelled or not pool.rules.cues else guess_terms(pool.sentences, pool.rules), labelled


def _spans(text: str, terms: DocumentTerms, rules: Rules) -> _Spans:
    found: _Spans = {}
    for span in find_terms(text, terms, rules):
        kind = rules.kind(span.kind)
        part = kind.part_of(text[span.start : span.end]) if kind else ""
        found.setdefault((span.kind, part), []).append(span)
    return found


def _part(text: str, cue: Cue, spans: _Spans, terms: DocumentTerms, rules: Rules, labelled: bool) -> float:
    """How far one cue fires in one sentence, 0 to 1."""
    if cue.pattern is not None:
        allowed = not cue.beside or any(kind == cue.beside for kind, _ in spans)
        return float(allowed and cue.pattern.search(text) is not None)
    own = spans.get((cue.kind, cue.part), [])
    if cue.near:
        return float(any(gap(one, other) <= cue.within for one in spans.get((cue.near, ""), ()) for other in own))
    if own:
        return max(_fit(text[span.start : span.end], cue, terms, rules) for span in own)
    kind = rules.kind(cue.kind)
    if kind is None or cue.likely is Likely.NEVER or (labelled and cue.likely is Likely.UNLABELLED):
        return 0.0
    return 0.5 * bool(find_likely(text, kind))


def _fit(mention: str, cue: Cue, terms: DocumentTerms, rules: Rules) -> float:
    """1 where a mention may mean the document's choice, 1/2 where it clearly means another."""
    kind = rules.kind(cue.kind)
    chosen = terms.names(kind.key)[:1] if cue.fits and kind is not None else ()
    if kind is None or not chosen:
        return 1.0
    meant = [choice.key for choice in kind.choices if choice.pattern and choice.pattern.search(mention)]
    return 0.5 if meant and chosen[0] not in meant else 1.0


def weights_of(rules: Rules) -> np.ndarray:
    """The weights of the parts, shape (CUES + 1,)."""
    return np.array([rules.weights[name] for name in (*CUE_COLUMNS, ASIDE)])


def terms_speak(pool: Pool, parts: np.ndarray) -> bool:
    """Whether any sentence of an article has a cue that speaks for it, or words of the article's own queries, or there
    are examples; where none is, the terms say nothing."""
    by_words = pool.rules.shared_words > 0 and bool(pool.shared_words.any())
    by_cues = bool((parts[:, :CUES] * np.maximum(weights_of(pool.rules)[:CUES], 0.0)).any())
    return by_words or by_cues or pool.like is not None or pool.common is not None


def by_terms(pool: Pool) -> np.ndarray:
    """Weighted sum of the parts, of likeness in words and to the key sentences of other topics, shape (n,); needs no
    encoder."""
    return _terms_score(pool, parts_of(pool))


def _terms_score(pool: Pool, parts: np.ndarray) -> np.ndarray:
    by_words = pool.rules.shared_words * pool.shared_words if pool.rules.shared_words else 0.0
    in_common = pool.rules.common * pool.common if pool.common is not None else 0.0
    return np.asarray(parts @ weights_of(pool.rules) + by_words + in_common)


def by_cosine(pool: Pool) -> np.ndarray:
    """The cosines as given, shape (n,), a non-finite one as the lowest. ValueError where the pool has none."""
    if pool.cosines is None:
        raise ValueError("ranking by cosine needs a pool with cosines; choose terms or hybrid")
    cosines = np.asarray(pool.cosines, dtype=float)
    finite = cosines[np.isfinite(cosines)]
    return np.where(np.isfinite(cosines), cosines, finite.min() if finite.size else 0.0)


def by_hybrid(pool: Pool) -> np.ndarray:
    """Terms plus likeness to the examples plus the standardised cosine, shape (n,); what is not there adds nothing.

    Standardised within the article and clipped at -2 and 3, so that an encoder's range and scale do not matter. Where
    the terms say nothing in the whole article, it is the standardised cosine.
    """
    parts = parts_of(pool)
    score = _terms_score(pool, parts)
    if pool.like is not None:
        score = score + pool.rules.examples.weight * pool.like
    if pool.cosines is None:
        return score
    cosines = standardised(by_cosine(pool))
    return score + pool.cosine_weight * cosines if terms_speak(pool, parts) else cosines


def by_learned(pool: Pool) -> np.ndarray:
    """The scores of the pool's ranker, log odds, shape (n,). ValueError where the pool has none."""
    if pool.ranker is None:
        raise ValueError("the learned ranking needs a pool with a ranker; choose hybrid")
    return pool.ranker(pool)


def by_llm(pool: Pool) -> np.ndarray:
    """The language model's score of each sentence, shape (n,). Ties are broken by the hybrid score, scaled below
    0.0001. ValueError where it was not asked about the article."""
    if pool.answered is None:
        raise ValueError("a language model was not asked about this article; choose hybrid")
    return np.asarray(pool.answered, dtype=float) + TIE_WEIGHT * standardised(by_hybrid(pool))


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
        """A string enum member that also holds its functions. A look-up by the name, Ranking("terms"), never
        comes here."""
        ranking = str.__new__(cls, name)
        ranking._value_, (ranking.scores,) = name, given
        return ranking

    COSINE = "cosine", by_cosine
    TERMS = "terms", by_terms
    HYBRID = "hybrid", by_hybrid
    LEARNED = "learned", by_learned
    LLM = "llm", by_llm


def top_k(scores: np.ndarray, k: int) -> list[int]:
    """Positions of the k highest scores, best first, equal scores in reading order; fewer where there are fewer."""
    if k < 0:
        raise ValueError(f"k is {k}; it must be 0 or more")
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    return [int(position) for position in order[:k]]
