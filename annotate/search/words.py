"""The words of a text as they are indexed and asked for: stems, so that "mutations" finds "mutated".

Names are written one way before (`model.names.alike`): IL-6 as IL6; TNF-α, TNFα and TNF-alpha as tnfa.
"""

import re
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from tantivy import (
    Document,
    Filter,
    Index,
    Occur,
    Query,
    Schema,
    SchemaBuilder,
    TextAnalyzer,
    TextAnalyzerBuilder,
    Tokenizer,
)

from model.names import alike, alike_as_asked

TOKENIZER = "keyline_words"
LONGEST_WORD = 60  # characters; longer ones are no words: sequences, addresses
# Robertson's k3 saturates repeated words of a question as k1 does repeated words of a text. nDCG@10 of k3 = 0 (each
# word once), 1.2 and none: cystic fibrosis, 60 questions .489, .494, .496; MED .714, .704, .693; trials .964, .964,
# .962.
K3 = 1.2
# Words of questions, rare in abstracts and so of high weight, that say nothing. Without: cystic fibrosis .482 → .494.
QUESTION_WORDS = frozenset(
    "about also am any been being between can could did do does during each from had has have how i its may me might "
    "must my one or other our should such than them these those us was we were what when where which who whom whose "
    "why would you your".split()
)

# The Latin letters of the Greek ones that stand behind a symbol most: TNF-α, IL-1β, IFN-γ, CD3δ, CD3ε, p70κ.
GREEK_BEHIND = "abgdek"
# In capitals, or as people type them: without a vowel (tnf, pkc), or with a number (il1).
_SYMBOL = re.compile(r"\b(?:[A-Z][A-Z\d]{1,5}|[b-df-hj-np-tv-xz]{2,4}\d{0,2}|[a-z]{1,4}\d{1,2})\b")
_SHORT_NAME = re.compile(r"([^\W\d_]{1,5})(\d\w*)")


@lru_cache(maxsize=2)
def analyzer(*, whole: bool = False) -> TextAnalyzer:
    """Cuts plain text into stems, without stop words; or, `whole`, into all its words."""
    cut = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(LONGEST_WORD))
    cut = cut.filter(Filter.lowercase()).filter(Filter.ascii_fold())
    return cut.build() if whole else cut.filter(Filter.stopword("english")).filter(Filter.stemmer("english")).build()


def stems(text: str) -> list[str]:
    """The stems of a text in its order; none for stop words."""
    return analyzer().analyze(alike(text))


# Endings that stemming may cut off.
_ENDINGS = (
    "s es e ed ing ings ion ions ation ations ative ive ic ics ical ically al ally ity ities ist ism ize izes ized "
    "izing ization ise ises ised ising isation er ers able ably ment ments ness ly y"
).split()


def stems_within(beginning: str) -> list[str]:
    """Stems that are shorter than a typed beginning, of words that begin so: "generat" of generation for "generati"."""
    tails = {ending[cut:] for ending in _ENDINGS for cut in range(len(ending) + 1) if beginning.endswith(ending[:cut])}
    found = {stem for tail in tails for stem in analyzer().analyze(beginning + tail)}
    return sorted(stem for stem in found if not stem.startswith(beginning))


def whole_words(text: str) -> list[str]:
    """The words of a text in lower case, not cut to stems; stop words too."""
    return analyzer(whole=True).analyze(alike(text))


def stems_placed(asked: str) -> list[tuple[int, str]]:
    """The stems of a question, each with its place among all words; none for stop words."""
    return [(token.position, token.text) for token in analyzer().pre_tokenize(alike_as_asked(asked)).tokens]


def begun(asked: str) -> tuple[list[tuple[int, str]], tuple[int, str] | None]:
    """The stems before the last word of a question, and that word as typed, each with its place among all words.

    The last word may be a stop word; None where there is no word."""
    words = analyzer(whole=True).pre_tokenize(alike_as_asked(asked)).tokens
    if not words:
        return [], None
    last = words[-1]
    return [(place, stem) for place, stem in stems_placed(asked) if place < last.position], (last.position, last.text)


def symbols_in(text: str) -> frozenset[str]:
    """The short symbols of a text, in lower case: TNF, IL1, PKC."""
    return frozenset(symbol.lower() for symbol in _SYMBOL.findall(text))


def holds(schema: Schema, field: str, stem: str, symbols: Collection[str] = (), index_option: str = "freq") -> Query:
    """The query for a stem; for a short name with a number also written apart, as "IL 6" for il6.

    One of `symbols` is also found with a Greek letter behind it: TNF in TNF-α, which the index has as tnfa.
    """
    found = [Query.term_query(schema, field, stem, index_option)]
    if stem in symbols:
        found += [Query.term_query(schema, field, stem + letter, index_option) for letter in GREEK_BEHIND]
    parts = _SHORT_NAME.fullmatch(stem)
    apart = stems(" ".join(parts.groups())) if parts else []
    if len(apart) > 1:
        found.append(Query.phrase_query(schema, field, list(apart)))
    return found[0] if len(found) == 1 else Query.disjunction_max_query(found)


def in_any_field(schema: Schema, words: str, weights: Mapping[str, float]) -> Query | None:
    """The query for what holds any of the words in any of some fields, by their weights; None without a word.

    `words` may be any text. BM25 with k1 1.2 and b .75, a word's weight growing with its count in the question by K3.
    """
    words = alike_as_asked(words)
    asked = [word for word in whole_words(words) if word not in QUESTION_WORDS]
    counts = Counter(stems(" ".join(asked)))
    if not counts:
        counts = Counter(stems(words))
    symbols = symbols_in(words)
    if not counts:
        return None
    saturated = {stem: count * (K3 + 1) / (K3 + count) for stem, count in counts.items()}
    found = []
    for field, weight in weights.items():
        asked_in = [(stem, holds(schema, field, stem, symbols)) for stem in counts]
        words_in = [(Occur.Should, Query.boost_query(query, weight * saturated[stem])) for stem, query in asked_in]
        found.append((Occur.Should, Query.boolean_query(words_in)))
    return Query.boolean_query(found)


WRITER_BYTES = 50_000_000
# The title's words count twice: nDCG@10 of cystic fibrosis .482 → .489, trials .961 → .962, MED has no titles. As a
# field of its own next to the text the title did worse: .471 (trials .935), half its weight .491 (.951).
_TITLES = 2
# Between two texts: words that are not looked for and keep their places, so that no phrase begins in one text and ends
# in the next.
_APART = "\nthe the the the the\n"
WORDS = "words"
MESH = "mesh"
# MeSH terms at half the weight of the words: nDCG@10 of cystic fibrosis, 60 questions, .494 → .508, AP .298 → .323.
FIELDS: Mapping[str, float] = {WORDS: 1.0, MESH: 0.5}


@dataclass(frozen=True, slots=True)
class Words:
    """The words by which a document is found."""

    key: str
    title: str
    text: str
    mesh: tuple[str, ...] = ()


def together(title: str, text: str) -> str:
    """Title and text, both written by `alike`, as one text; the title's words count as much as measured best."""
    return _APART.join([*[title] * _TITLES, text])


class WordIndex:
    """Documents by their words, safe to use from many threads."""

    def __init__(self) -> None:
        builder = SchemaBuilder().add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
        for name in (WORDS, MESH):
            builder.add_text_field(name, tokenizer_name=TOKENIZER)
        self._schema = builder.build()
        self._index = Index(self._schema)
        self._index.register_tokenizer(TOKENIZER, analyzer())
        self._writing = threading.Lock()

    def add(self, documents: Iterable[Words]) -> None:
        """Adds documents, each in the place of that with the same key; found once this returns, all or none."""
        with self._writing:
            writer = self._index.writer(WRITER_BYTES, 1)
            try:
                for each in documents:
                    writer.delete_documents_by_term("key", each.key)
                    text = together(alike(each.title), alike(each.text))
                    writer.add_document(Document(key=each.key, words=text, mesh=alike("\n".join(each.mesh))))
                writer.commit()
            finally:
                writer.rollback()  # after an error; the writer's end would commit what it has
                writer.wait_merging_threads()
            self._index.reload()

    def search(self, words: str, limit: int) -> list[tuple[str, float]]:
        """(key, BM25 score) of documents that hold any of the words, best first, those with equal scores by key.

        Any text may be asked for; of one without a word nothing is found.
        """
        query = in_any_field(self._schema, words, FIELDS)
        if query is None or limit < 1:
            return []
        searcher = self._index.searcher()
        hits = searcher.search(query, limit, count=False).hits
        scored = [(str(searcher.doc(address)["key"][0]), score) for score, address in hits]
        return sorted(scored, key=lambda hit: (-hit[1], hit[0]))
