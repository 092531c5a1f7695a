"""One name in two spellings is one name everywhere: in the ranking, Find, search, entities and gold."""

from collections.abc import Callable

import pytest

from annotate.finding.question import Facet, Matcher, Question
from annotate.gold.matching import ArticleText
from annotate.search.queries import terms
from annotate.search.reading import read_query
from annotate.search.search import spans
from annotate.search.words import WordIndex, Words
from model.entities.kinds import Entry
from model.entities.lexicon import Lexicon
from model.names import fold
from model.proposing.terms import DocumentTerms, find_terms
from tests.support.topics import RULES

SAME = [
    ("TNF-alpha", "TNF-α"),
    ("TNFα", "TNF-alpha"),
    ("IFN-γ", "IFN gamma"),
    ("TGF-β1", "TGFB1"),
    ("NF-κB", "NFkB"),
    ("IL-1β", "IL1B"),
    ("caspase III", "caspase-3"),
    ("IL-6", "IL6"),
    ("M\u00fcller", "Mu\u0308ller"),
    ("M\u00fcller glia 3", "Mu\u0308ller glia 3"),
]
OTHERS = [
    ("IL-1", "IL-11"),
    ("p53", "p63"),
    ("CD4", "CD44"),
    ("TNF-α", "TNF-β"),
    ("caspase-3", "caspase-8"),
    ("Mu", "Mu\u0308ller"),
]
SENTENCE = "Here we deleted {} in the cells of these mice and looked at their blood."


def ranked(asked: str, text: str) -> bool:
    gene = RULES.kinds[0].key
    return any(span.kind == gene for span in find_terms(text, DocumentTerms.of({gene: (asked,)}), RULES))


def in_reasons(asked: str, text: str) -> bool:
    return bool(Matcher(Question(facets={"gene": (Facet(asked),)})).names_in(text))


def searched(asked: str, text: str) -> bool:
    index = WordIndex()
    index.add([Words("one", "", text), Words("other", "", "Nothing of the kind was seen.")])
    return bool(index.search(asked, 5))


def highlighted(asked: str, text: str) -> bool:
    return bool(spans(text, terms(read_query(asked))))


def recognised(asked: str, text: str) -> bool:
    lexicon = Lexicon.build([Entry("1", asked, ())])
    return any(True for _ in lexicon.find(fold(text)))


def in_gold(asked: str, text: str) -> bool:
    found = ArticleText(["We met at noon.", text]).match(SENTENCE.format(asked))
    return found is not None and found.positions == (1,)


PLACES: dict[str, Callable[[str, str], bool]] = {
    "ranking": ranked,
    "Find's reasons": in_reasons,
    "search": searched,
    "search's highlights": highlighted,
    "entities": recognised,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_a_name_are_found_by_each_other(place, one, other):
    for asked, written in ((one, other), (other, one)):
        assert PLACES[place](asked, SENTENCE.format(written)), (asked, written)


@pytest.mark.parametrize("place", ["ranking", "Find's reasons", "entities"])
@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_names_that_differ_are_never_taken_for_each_other(place, one, other):
    for asked, written in ((one, other), (other, one)):
        assert not PLACES[place](asked, SENTENCE.format(written)), (asked, written)


@pytest.mark.parametrize(("one", "other"), OTHERS[:4])
def test_a_search_takes_no_other_name_for_the_one_that_was_asked(one, other):
    for asked, written in ((one, other), (other, one)):
        assert not searched(asked, SENTENCE.format(written))
        assert not highlighted(asked, SENTENCE.format(written))


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_gold_passage_is_found_in_the_sentence_that_spells_its_name_otherwise(one, other):
    assert in_gold(one, SENTENCE.format(other)) and in_gold(other, SENTENCE.format(one))
