"""The features of each sentence within its article, as numbers with names: a learned ranking weighs them."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from model.proposing.ranking import Pool, by_cosine, parts_of, standardised
from model.proposing.rules import ASIDE, COMMON, CUE_COLUMNS, EXAMPLES, SHARED_WORDS, Rules
from model.sentence_roles import ROLES, Role

NEARBY = 3  # sentences on either side whose best cosine counts
TYPICAL_LENGTH = 150  # characters of a sentence
KNOTS = 10  # the relative position is spread over this many intervals: deciles

# An inline heading: "RESULTS: ..." of structured abstracts, "BODY.METHODS: ..." of flattened full texts.
_TAG = re.compile(r"(?:(ABSTRACT|BODY)\.|^)([A-Z][A-Z0-9 .,&/()’'-]{2,80}?):(?=\s|$)")
# What a heading announces. One that says none of these, as subsections do, leaves the section as it was.
_HEADINGS = {
    "results": re.compile(r"\b(?:result|finding|efficacy|outcomes?$|safety|adverse)", re.I),
    "methods": re.compile(
        r"\b(?:method|material|design|setting|participants|statistic|procedure|protocol|sample)", re.I
    ),
    "discussion": re.compile(r"\b(?:conclu|discussion|interpret|limitation|significance|implication)", re.I),
    "introduction": re.compile(
        r"\b(?:background|introduction|objective|aims?\b|purpose|context|rationale|summary)", re.I
    ),
    "end": re.compile(
        r"\b(?:competing|conflict|disclosure|fund|support|acknowledg|abbreviation|contribution|supplement|registration"
        r"|pre-publication|ethic|consent|data availab)",
        re.I,
    ),
}
_NUMBERS = {
    "digits": re.compile(r"\d+(?:\.\d+)?"),
    "p value": re.compile(r"\bp\s?[<>=≤≥]|\bp[ -]values?\b", re.I),
    "per cent": re.compile(r"%"),
    "confidence interval": re.compile(r"\bC\.?I\.?\b|confidence interval|±"),
}
# The language of a finding: each kind of word counts with the logarithm of its number.
_FINDING = [
    re.compile(pattern, re.I)
    for pattern in (
        r"significan\w*",
        r"differ(?:ed|ences?|ent)?\b|similar|comparable|no effect|neither",
        r"(?:increas|decreas|reduc|improv|declin|worsen|lower|higher|greater|fewer|better|worse|longer|shorter)\w*",
        r"\b(?:compared|versus|vs\.?|than|between|relative to)\b",
    )
]
_COSINES = ("cosine", "cosine rank", "cosine before", "cosine after", "cosine nearby")
_PLACES = ("abstract", "body", *_HEADINGS, "place in the abstract", "heading")
# What a sentence does, where it was read: as people say it in the answer to "why?".
_DOING = {
    Role.BACKGROUND: "told as background",
    Role.OBJECTIVE: "stating the aim",
    Role.METHODS: "telling methods",
    Role.RESULTS: "reporting results",
    Role.CONCLUSIONS: "concluding",
}
ROLE_COLUMNS = tuple(f"role {role.lower()}" for role in ROLES)
# What weighs differently by section: a p value under Results is worth more than one under Methods.
_PRODUCTS = [
    *[(place, name) for place in ("abstract", "results", "discussion", "methods")
      for name in ("cosine", "p value", "digits", "finding")],
    ("abstract", "results"),
    ("abstract", "discussion"),
]  # fmt: skip

# Feature -> what it is called in the answer to "why was this proposed?"; the cues are called as the topic has them.
_GROUPS: dict[str, str] = {
    "cosine": "similarity to the query",
    "cosine rank": "similarity to the query",
    **dict.fromkeys(_COSINES[2:], "likeness of its neighbours to the query"),
    **dict.fromkeys((*CUE_COLUMNS, ASIDE), ""),
    SHARED_WORDS: "words shared with the query",
    EXAMPLES: "like the examples",
    COMMON: "like key sentences of other topics",
    **dict.fromkeys(_PLACES, "section"),
    **{f"position {knot}": "position in the article" for knot in range(KNOTS + 1)},
    "length": "length",
    "length squared": "length",
    **dict.fromkeys(_NUMBERS, "numbers and statistics"),
    "finding": "comparison or change",
    **dict(zip(ROLE_COLUMNS, (_DOING[role] for role in ROLES), strict=True)),
}
_GROUPS |= {f"{place} x {name}": _GROUPS[name] for place, name in _PRODUCTS}
FEATURES = tuple(_GROUPS)
COUNTED = (tuple(_NUMBERS), ("finding",))  # columns of one group that are 0 where none of their words or signs stands
BUILT_IN_GROUPS = frozenset(_GROUPS.values()) - {""}  # what no cue of a topic may be called


def features_of(pool: Pool) -> np.ndarray:
    """The features of an article's sentences, shape (n, len(FEATURES)), finite, in the order of FEATURES.

    Without cosines, examples or roles those columns are 0; without sections and titles, inline headings tell the
    section.
    """
    n = len(pool.sentences)
    columns = [
        *_cosine_columns(pool),
        *parts_of(pool).T,
        pool.shared_words,
        np.zeros(n) if pool.like is None else pool.like,
        np.zeros(n) if pool.common is None else pool.common,
        *_place_columns(pool),
        *_position_columns(n),
    ]
    lengths = np.log1p([float(len(text)) for text in pool.sentences]) - np.log(TYPICAL_LENGTH)
    columns += [lengths, lengths**2]
    columns += [_counts(pattern, pool.sentences) for pattern in _NUMBERS.values()]
    columns.append(np.sum([_counts(pattern, pool.sentences) for pattern in _FINDING], axis=0))
    # Probabilities of the roles: unknown roles are alike in all sentences, and so change no order.
    columns += list(np.asarray(np.zeros((n, len(ROLES))) if pool.roles is None else pool.roles, dtype=float).T)
    named = dict(zip(FEATURES, columns, strict=False))
    columns += [named[place] * named[name] for place, name in _PRODUCTS]
    return np.column_stack(columns).reshape(n, len(FEATURES))


def groups_of(rules: Rules) -> dict[str, str]:
    """What each feature is called where a proposal is explained, by its name."""
    return {**_GROUPS, **rules.labels}


def prior_of(rules: Rules, cosine_weight: float) -> np.ndarray:
    """The fixed hybrid as weights of the features, shape (len(FEATURES),): where a ranker fitted on little stays.

    Without what topics have in common: two to ten articles of trials teach more without it, and no topic clearly less
    (docs/measurements/ranking.md).
    """
    return hybrid_of(replace(rules, common=0.0), cosine_weight)


def hybrid_of(rules: Rules, cosine_weight: float) -> np.ndarray:
    """The fixed hybrid as weights of the features, shape (len(FEATURES),)."""
    weighed = {SHARED_WORDS: rules.shared_words, EXAMPLES: rules.examples.weight, COMMON: rules.common}
    fixed = {**rules.weights, **weighed, "cosine": cosine_weight}
    return np.array([fixed.get(name, 0.0) for name in FEATURES])


def _counts(pattern: re.Pattern[str], sentences: Sequence[str]) -> np.ndarray:
    return np.log1p([float(len(pattern.findall(text))) for text in sentences])


def _cosine_columns(pool: Pool) -> list[np.ndarray]:
    n = len(pool.sentences)
    if pool.cosines is None or not n:
        return [np.zeros(n)] * len(_COSINES)
    cosines = standardised(by_cosine(pool))
    ranks = np.empty(n)
    ranks[np.argsort(-cosines, kind="stable")] = np.arange(n)
    padded = np.pad(cosines, NEARBY)
    around = [padded[NEARBY + step : NEARBY + step + n] for step in range(-NEARBY, NEARBY + 1) if step]
    before, after = around[NEARBY - 1], around[NEARBY]
    return [cosines, 1 - np.log1p(ranks) / np.log1p(n), before, after, np.max(around, axis=0)]


def _place_columns(pool: Pool) -> list[np.ndarray]:
    kinds, headings, tagged = _places(pool.sentences, pool.sections, pool.titles)
    abstract = np.array([kind == "abstract" for kind in kinds], dtype=float)
    body = np.array([kind == "body" for kind in kinds], dtype=float)
    named = [np.array([heading == name for heading in headings], dtype=float) for name in _HEADINGS]
    place = np.cumsum(abstract) / max(abstract.sum(), 1.0) * abstract
    return [abstract, body, *named, place, np.array(tagged, dtype=float)]


def _places(
    sentences: Sequence[str], sections: Sequence[str], titles: Sequence[str]
) -> tuple[list[str], list[str], list[bool]]:
    """(section kind, what its heading announces, whether it begins with a heading) of each sentence."""
    kind = heading = ""
    kinds, headings, tagged = [], [], []
    for index, text in enumerate(sentences):
        tags = list(_TAG.finditer(text))
        kind = next((tag[1].lower() for tag in reversed(tags) if tag[1]), kind)
        if sections and sections[index] != kind:
            kind, heading = sections[index], ""
        for words in ([titles[index]] if titles else []) + [tag[2] for tag in tags]:
            heading = next((name for name, pattern in _HEADINGS.items() if pattern.search(words)), heading)
        kinds.append(kind)
        headings.append(heading)
        tagged.append(bool(tags))
    return kinds, headings, tagged


def _position_columns(n: int) -> list[np.ndarray]:
    """Hat functions of the relative position: 1 at their own knot, 0 at the next; they sum to 1."""
    position = np.arange(n) / max(n - 1, 1) * KNOTS
    return [np.maximum(0.0, 1 - np.abs(position - knot)) for knot in range(KNOTS + 1)]
