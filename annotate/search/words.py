"""The words of a text as they are indexed and asked for: stems, so that "mutations" finds "mutated".

Names are made alike before: Greek letters are written out, and a hyphen between a short name and its number goes
(IL-6, IL6; TNF-α, TNFα and TNF-alpha).
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from tantivy import Filter, Occur, Query, Schema, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

TOKENIZER = "keyline_words"
LONGEST_WORD = 60  # characters; what is longer is no word: a sequence, an address
# Robertson's k3 saturates repeated words of a question as k1 does those of a text. nDCG@10 of k3 = 0 (each word once),
# 1.2 and none: cystic fibrosis, 60 questions .489, .494, .496; MED .714, .704, .693; trials .964, .964, .962.
K3 = 1.2
# Words of questions, rare in abstracts and so of high weight, that say nothing. Without: cystic fibrosis .482 → .494.
QUESTION_WORDS = frozenset(
    "about also am any been being between can could did do does during each from had has have how i its may me might "
    "must my one or other our should such than them these those us was we were what when where which who whom whose "
    "why would you your".split()
)

_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi "
        "chi psi omega".split(),
        strict=True,
    )
)
_SPELLED = str.maketrans(
    {letter: f" {name} " for small, name in _GREEK.items() for letter in (small, small.upper())}
    | {"ς": " sigma ", "µ": " mu ", "ϕ": " phi ", "ϵ": " epsilon "}
)
_HYPHENS = "-\u2010\u2011\u2012\u2013\u2212"
_NUMBERED = re.compile(rf"\b([^\W\d_]{{1,5}})[{_HYPHENS}](?=\d)")
_SUFFIXED = re.compile(r"(?<=[A-Z])(alpha|beta|gamma|delta|epsilon|kappa)\b")  # TNFalpha
_SHORT_NAME = re.compile(r"([^\W\d_]{1,5})(\d\w*)")


def plain(text: str) -> str:
    """The text with names made alike; not of the same length."""
    spelled = text if text.isascii() else text.translate(_SPELLED)
    return _NUMBERED.sub(r"\1", _SUFFIXED.sub(r" \1", spelled))


@lru_cache(maxsize=1)
def analyzer() -> TextAnalyzer:
    """Cuts plain text into stems, without stop words."""
    return _folding().filter(Filter.stopword("english")).filter(Filter.stemmer("english")).build()


@lru_cache(maxsize=1)
def _whole_words() -> TextAnalyzer:
    return _folding().build()


def _folding() -> TextAnalyzerBuilder:
    cut = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(LONGEST_WORD))
    return cut.filter(Filter.lowercase()).filter(Filter.ascii_fold())


def stems(text: str) -> list[str]:
    """The stems of a text in its order; none for stop words."""
    return analyzer().analyze(plain(text))


def whole_words(text: str) -> list[str]:
    """The words of a text in lower case, not cut to stems; stop words too."""
    return _whole_words().analyze(plain(text))


def folded(name: str) -> str:
    """A name as one word, by which its spellings are the same: IL-6, IL 6, il6."""
    return "".join(whole_words(name))


def holds(schema: Schema, field: str, stem: str, index_option: str = "freq") -> Query:
    """The query for a stem; for a short name with a number also written apart, as "IL 6" for il6."""
    word = Query.term_query(schema, field, stem, index_option)
    parts = _SHORT_NAME.fullmatch(stem)
    apart = stems(" ".join(parts.groups())) if parts else []
    if len(apart) < 2:
        return word
    return Query.disjunction_max_query([word, Query.phrase_query(schema, field, list(apart))])


def any_word(schema: Schema, field: str, words: str, boost: float = 1.0) -> Query | None:
    """The query for texts that hold any of the words, which may be any text at all; None where it holds no word.

    BM25 with k1 1.2 and b .75, a word's weight growing with its count in the question by K3.
    """
    asked = [word for word in whole_words(words) if word not in QUESTION_WORDS]
    counts = Counter(stems(" ".join(asked)))
    if not counts:
        counts = Counter(stems(words))
    weighed: Sequence[tuple[Occur, Query]] = [
        (Occur.Should, Query.boost_query(holds(schema, field, stem), boost * count * (K3 + 1) / (K3 + count)))
        for stem, count in counts.items()
    ]
    return Query.boolean_query(weighed) if weighed else None
